package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/testing/ptytest"
	"helve/internal/testing/wiretest"
)

// A runDesk is a workspace with a home of its own, where helve runs against a script of a model.
type runDesk struct {
	t        *testing.T
	dir, bin string
	env      []string
	srv      *wiretest.Server
}

func newRunDesk(t *testing.T, turns ...wiretest.Turn) *runDesk {
	t.Helper()
	root := t.TempDir()
	d := &runDesk{t: t, dir: filepath.Join(root, "work"), bin: filepath.Join(root, "helve"), srv: wiretest.OpenAI(t, turns...)}
	if err := os.Mkdir(d.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, d.bin); err != nil { // the test binary goes by its name
		t.Fatal(err)
	}
	d.env = []string{"HOME=" + filepath.Join(root, "home"), "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8"}
	d.write("a.txt", "one\ntwo\n")
	return d
}

func (d *runDesk) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// configure writes the person's own configuration.
func (d *runDesk) configure(text string) {
	d.t.Helper()
	dir := filepath.Join(filepath.Dir(d.dir), "home", ".config", "helve")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func (d *runDesk) holds(name, want string) {
	d.t.Helper()
	b, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil || string(b) != want {
		d.t.Errorf("%s is %q (%v), want %q", name, b, err, want)
	}
}

func (d *runDesk) command(env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(d.bin, append([]string{"run", "Do it.", "--model", "openai/test", "--base-url", d.srv.URL}, args...)...)
	cmd.Dir, cmd.Env = d.dir, append(d.env, env...)
	return cmd
}

func (d *runDesk) sit(columns int, env []string, args ...string) *ptytest.Terminal {
	d.t.Helper()
	return ptytest.Start(d.t, d.command(env, args...), columns)
}

func call(id, name, args string) wiretest.Call { return wiretest.Call{ID: id, Name: name, Args: args} }

func edits(id, from, to string) wiretest.Turn {
	return wiretest.Turn{Calls: []wiretest.Call{call(id, "edit", `{"file_path":"a.txt","old_string":"`+from+`","new_string":"`+to+`"}`)}}
}

var reads = wiretest.Turn{Text: "I look first.", Calls: []wiretest.Call{call("r", "read", `{"file_path":"a.txt"}`)}}

func wants(t *testing.T, screen string, texts ...string) {
	t.Helper()
	for _, w := range texts {
		if !strings.Contains(screen, w) {
			t.Errorf("the terminal does not show %q:\n%s", w, screen)
		}
	}
}

func TestATerminalShowsTextCallsAndDiffsAndAsksInLine(t *testing.T) {
	d := newRunDesk(t, reads, edits("1", "two", "2"), wiretest.Turn{Text: "It says 2 now."})
	x := d.sit(100, nil)
	wants(t, x.See("Esc means no"), "I look first.", "✓ read a.txt", "edit a.txt", "-two", "+2", "asked because", "Allow this?", "> No (n)", "Yes, once (y)", "(a)")
	x.Press("y")
	if code := x.Ended(); code != 0 {
		t.Errorf("status %d\n%s", code, x.Screen())
	}
	screen := x.Screen()
	wants(t, screen, "✓ edit a.txt", "+1 -1", "It says 2 now.", "helve: 3 turns")
	for _, l := range strings.Split(screen, "\n") {
		if strings.ContainsAny(l, "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") {
			t.Errorf("a spinner stays: %q", l)
		}
	}
	if !strings.Contains(x.Raw(), "\x1b[32m+2") {
		t.Error("the diff has no colours")
	}
	d.holds("a.txt", "one\n2\n")
}

func TestTheLettersOfAnApproval(t *testing.T) {
	for _, c := range []struct {
		keys string
		file string
	}{
		{"n", "one\ntwo\n"}, {"\x1b", "one\ntwo\n"}, {"\r", "one\ntwo\n"}, {"y", "one\n2\n"}, {"Y", "one\n2\n"}, {"j\r", "one\n2\n"},
	} {
		d := newRunDesk(t, reads, edits("1", "two", "2"), wiretest.Turn{Text: "Over."})
		x := d.sit(100, nil)
		x.See("Esc means no")
		x.Press(c.keys)
		if code := x.Ended(); code != 0 {
			t.Errorf("%q: status %d\n%s", c.keys, code, x.Screen())
		}
		wants(t, x.Screen(), "Over.")
		d.holds("a.txt", c.file)
	}
}

// Ctrl-C at a question stops the turn: nothing more is done, asked or said, and the session can go on.
func TestCtrlCAtAQuestionStopsTheTurn(t *testing.T) {
	both := wiretest.Turn{Calls: []wiretest.Call{edits("1", "two", "2").Calls[0], edits("2", "one", "1").Calls[0]}}
	plan := wiretest.Turn{Calls: []wiretest.Call{call("p", "exit_plan_mode", `{"plan":"Say 2."}`)}}
	for name, c := range map[string]struct {
		turn  wiretest.Turn
		see   string
		first string // pressed before
		args  []string
	}{
		"the question":        {both, "Allow this?", "", nil},
		"what to do instead":  {both, "Enter sends", "d", nil},
		"what to remember":    {both, "Exactly this call", "s", nil},
		"the plan":            {plan, "Carry it out?", "", []string{"--mode", "plan"}},
		"the whole is looked": {both, "lines 1", "v", nil},
	} {
		eachWidth(t, name, func(t *testing.T, columns int) {
			d := newRunDesk(t, reads, c.turn, wiretest.Turn{Text: "never"})
			x := d.sit(columns, nil, c.args...)
			x.See("Esc means no")
			x.Press(c.first)
			x.See(c.see)
			x.Press("\x03")
			if code := x.Ended(); code != 130 {
				t.Errorf("status %d, want 130\n%s", code, x.Screen())
			}
			wants(t, x.Screen(), "helve: interrupted", "--resume ")
			if n := strings.Count(x.Screen(), "Allow this?"); n > 1 || strings.Contains(x.Screen(), "never") {
				t.Errorf("it goes on:\n%s", x.Screen())
			}
			if n := len(d.srv.Requests()); n != 2 {
				t.Errorf("%d requests, want 2", n)
			}
			d.holds("a.txt", "one\ntwo\n")
		})
	}
}

// Two calls that only read ask side by side: one question at a time, and Ctrl-C at the first leaves out the second.
func TestTwoQuestionsAtOnce(t *testing.T) {
	both := wiretest.Turn{Calls: []wiretest.Call{
		call("1", "fetch", `{"url":"http://one.invalid/"}`),
		call("2", "fetch", `{"url":"http://two.invalid/"}`),
	}}
	eachWidth(t, "both answered", func(t *testing.T, columns int) {
		d := newRunDesk(t, both, wiretest.Turn{Text: "Over."})
		x := d.sit(columns, nil)
		if screen := x.See("Esc means no"); strings.Count(screen, "Allow this?") != 1 {
			t.Errorf("several questions stand at once\n%s", screen)
		}
		x.Press("n")
		x.SeeTimes("Allow this?", 2)
		x.See("Esc means no") // of the second: that of the first is gone
		x.Press("n")
		if code := x.Ended(); code != 0 {
			t.Errorf("status %d\n%s", code, x.Screen())
		}
		if n := strings.Count(x.Screen(), "Allow this? No"); n != 2 {
			t.Errorf("%d answers, want 2\n%s", n, x.Screen())
		}
	})
	eachWidth(t, "stopped at the first", func(t *testing.T, columns int) {
		d := newRunDesk(t, both, wiretest.Turn{Text: "never"})
		x := d.sit(columns, nil)
		x.See("Esc means no")
		x.Press("\x03")
		if code := x.Ended(); code != 130 {
			t.Errorf("status %d, want 130\n%s", code, x.Screen())
		}
		if n := strings.Count(x.Screen(), "Allow this?"); n != 1 {
			t.Errorf("%d questions, want 1\n%s", n, x.Screen())
		}
	})
}

// eachWidth runs a test on terminals of three widths.
func eachWidth(t *testing.T, name string, test func(t *testing.T, columns int)) {
	for _, columns := range []int{60, 80, 200} {
		t.Run(fmt.Sprintf("%s/%d", name, columns), func(t *testing.T) {
			t.Parallel()
			test(t, columns)
		})
	}
}

// A command's last lines are seen while it runs. Afterwards some of them stay, with how many are above them.
func TestTheOutputOfACommandIsShown(t *testing.T) {
	// A command that may write does not see what others make in the workspace while it runs.
	elsewhere := t.TempDir()
	seen := filepath.Join(elsewhere, "seen")
	script := `for i in $(seq 30); do echo "line $i"; done; until [ -e ` + seen + ` ]; do sleep 0.05; done; echo the end; echo bad >&2; exit `
	for _, status := range []string{"0", "3"} {
		d := newRunDesk(t,
			wiretest.Turn{Calls: []wiretest.Call{call("1", "bash", `{"command":`+quoted(script+status)+`}`)}},
			wiretest.Turn{Text: "Over."})
		d.configure(`{"sandbox": {"writable": ["` + elsewhere + `"]}}`)
		x := d.sit(80, nil, "--yes")
		x.See("line 30")
		screen := x.See("⠹ bash")
		wants(t, screen, "  line 26\n  line 27\n  line 28\n  line 29\n  line 30")
		if strings.Contains(screen, "line 25") {
			t.Errorf("too much is shown:\n%s", screen)
		}
		if err := os.WriteFile(seen, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if code := x.Ended(); code != 0 {
			t.Fatalf("status %d\n%s", code, x.Screen())
		}
		screen = x.Screen()
		want := "  … 29 more lines above\n  line 30\n  the end\n\n  [stderr]\n  bad\n"
		if status != "0" {
			want = "  … 19 more lines above\n  line 20\n"
			wants(t, screen, "✗ bash", "Command failed with exit code 3")
		}
		wants(t, screen, want, "  the end", "Over.")
		if n := strings.Count(screen, "line 30"); n != 1 {
			t.Errorf("the live lines stay:\n%s", screen)
		}
		os.Remove(seen)
	}
}

func quoted(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }

// Where there is no terminal the same stands in plain lines.
func TestOutputInPlainLines(t *testing.T) {
	d := newRunDesk(t,
		wiretest.Turn{Calls: []wiretest.Call{call("1", "bash", `{"command":"seq 9; printf '\\033[2J'"}`)}},
		wiretest.Turn{Calls: []wiretest.Call{call("2", "todo_write",
			`{"todos":[{"content":"look","status":"completed"},{"content":"mend\u001b[2J","status":"in_progress"},{"content":"test"}]}`)}},
		wiretest.Turn{Text: "Over."})
	cmd := d.command(nil, "--yes")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.ContainsAny(string(out), "\x1b\r") {
		t.Errorf("%v: %q", err, out)
	}
	wants(t, string(out), "  … 5 more lines above\n  6\n  7\n  8\n  9\n  \\u001b[2J\n",
		"todo list  3 items\n  [x] look\n  [>] mend\\u001b[2J\n  [ ] test\n", "Over.\n")
}

// The todo list is shown whole, however long it is.
func TestTheTodoListIsShownWhole(t *testing.T) {
	var items []string
	for i := range 60 {
		items = append(items, fmt.Sprintf(`{"content":"item %d"}`, i+1))
	}
	d := newRunDesk(t,
		wiretest.Turn{Calls: []wiretest.Call{call("1", "todo_write", `{"todos":[`+strings.Join(items, ",")+`]}`)}},
		wiretest.Turn{Text: "Over."})
	x := d.sit(60, nil)
	x.Ended()
	for i := range 60 {
		wants(t, x.Screen(), fmt.Sprintf("  [ ] item %d\n", i+1))
	}
}

// What a busy server is waited for is said, on a terminal while it lasts too.
func TestWaitingForABusyServerIsSaid(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Status: 429, RetryAfter: "2", Body: `{"error":{"message":"slow down \u001b[2J"}}`}, wiretest.Turn{Text: "Over."})
	x := d.sit(100, nil)
	wants(t, x.See(" openai/test  waiting"), "helve: the server says 429 Too Many Requests: slow down \\u001b[2J\nhelve: waiting 2s, then try 2 of 4\n")
	if code := x.Ended(); code != 0 {
		t.Errorf("status %d\n%s", code, x.Screen())
	}
	wants(t, x.Screen(), "Over.", "helve: 1 turn in ")
	if !strings.Contains(x.Raw(), "⠹") {
		t.Errorf("no sign turned: %q", x.Raw())
	}
	if strings.ContainsAny(x.Screen(), "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") {
		t.Errorf("a sign stays:\n%s", x.Screen())
	}
}

// Each error of a provider comes with its words and with what to do next.
func TestErrorsSayTheNextStep(t *testing.T) {
	for _, c := range []struct {
		status     int
		body, hint string
	}{
		{401, `{"error":{"message":"Incorrect API key provided"}}`, "hint: check the key in OPENAI_API_KEY"},
		{404, `{"error":"model 'x' not found"}`, "hint: check the model's name"},
		{402, `{"detail":"no credits"}`, "or raise the limit at the provider"},
		{413, `{"message":"too long"}`, "hint: the conversation is too long"},
	} {
		d := newRunDesk(t, wiretest.Turn{Status: c.status, Body: c.body})
		out, err := d.command(nil).CombinedOutput()
		_, words, _ := strings.Cut(c.body, `:"`)
		words = words[:strings.Index(words, `"`)]
		wants(t, string(out), fmt.Sprint("helve: run: openai/test: the server says ", c.status), words, c.hint)
		if err == nil {
			t.Errorf("%d: the run succeeds", c.status)
		}
	}
	out, _ := newRunDesk(t).command(nil, "--base-url", nowhere).CombinedOutput()
	wants(t, string(out), "helve: run: openai/test: the server cannot be reached: ", "connection refused", "hint: start the server")
	if strings.Contains(string(out), "waiting") {
		t.Errorf("it waits: %s", out)
	}
}

// "No, do this instead" reaches the model with the refusal, and the run goes on.
func TestTheModelReadsWhatIsToBeDoneInstead(t *testing.T) {
	d := newRunDesk(t, reads, edits("1", "two", "2"), wiretest.Turn{Text: "As you like."})
	x := d.sit(80, nil)
	x.See("Esc means no")
	x.Press("d")
	x.See("What is to be done instead?")
	x.Press("Write it in words: \"zwei\".\r")
	if code := x.Ended(); code != 0 {
		t.Errorf("status %d\n%s", code, x.Screen())
	}
	wants(t, x.Screen(), "No, do this instead: Write it in words", "As you like.")
	last := d.srv.Requests()[len(d.srv.Requests())-1]
	if !strings.Contains(last, `The person says: Write it in words: \"zwei\".`) {
		t.Errorf("the model does not read it: %.4000s", last)
	}
	d.holds("a.txt", "one\ntwo\n")
}

// A no at the second question is a no to the call, and nothing is remembered: the next call is asked about.
func TestANoAtTheSecondQuestionRemembersNothing(t *testing.T) {
	for _, letter := range []string{"s", "a"} {
		d := newRunDesk(t, reads, edits("1", "two", "2"), edits("2", "one", "1"), wiretest.Turn{Text: "Over."})
		x := d.sit(80, nil)
		x.See("Esc means no")
		x.Press(letter)
		x.See("Exactly this call")
		x.Press("\x1b")
		x.See("+1\n")
		x.See("Esc means no")
		x.Press("y")
		if code := x.Ended(); code != 0 {
			t.Errorf("%s: status %d\n%s", letter, code, x.Screen())
		}
		d.holds("a.txt", "1\ntwo\n")
	}
}

// What a person has read to approve it is not printed again when it is done.
func TestAnApprovedChangeIsShownOnce(t *testing.T) {
	d := newRunDesk(t, reads, edits("1", "two", "2"), wiretest.Turn{Text: "Over."})
	x := d.sit(80, nil)
	x.See("Esc means no")
	x.Press("y")
	x.Ended()
	wants(t, x.Screen(), "✓ edit a.txt  +1 -1")
	if n := strings.Count(x.Screen(), "-two"); n != 1 {
		t.Errorf("the change is shown %d times\n%s", n, x.Screen())
	}
}

// What is allowed for the session or for ever is not asked about again.
func TestALastingYesHoldsForTheNextCall(t *testing.T) {
	for _, letter := range []string{"s", "a"} {
		d := newRunDesk(t, reads, edits("1", "two", "2"), edits("2", "one", "1"), wiretest.Turn{Text: "Over."})
		x := d.sit(100, nil)
		x.See("Esc means no")
		x.Press(letter)
		x.See("Exactly this call")
		x.Press("2\r") // the folder's rule
		if code := x.Ended(); code != 0 {
			t.Errorf("%s: status %d\n%s", letter, code, x.Screen())
		}
		if n := strings.Count(x.Screen(), "Allow this?"); n != 1 {
			t.Errorf("%s: asked %d times\n%s", letter, n, x.Screen())
		}
		d.holds("a.txt", "1\n2\n")
	}
}

func TestASpinnerTurnsWhileSomethingTakesItsTimeAndGoesAway(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Calls: []wiretest.Call{call("1", "bash", `{"command":"until [ -e seen ]; do sleep 0.05; done; echo slept"}`)}}, wiretest.Turn{Text: "Done."})
	x := d.sit(60, nil, "--yes")
	x.See("⠹ bash")
	d.write("seen", "")
	if code := x.Ended(); code != 0 {
		t.Fatalf("status %d\n%s", code, x.Screen())
	}
	wants(t, x.Screen(), "✓ ", "Done.")
	if strings.ContainsAny(x.Screen(), "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") {
		t.Errorf("it stays:\n%s", x.Screen())
	}
}

func TestInterruptStopsACallAndTheRun(t *testing.T) {
	d := newRunDesk(t, wiretest.Turn{Text: "It takes a while.", Calls: []wiretest.Call{call("1", "bash", `{"command":"sleep 300"}`)}}, wiretest.Turn{Text: "never"})
	x := d.sit(80, nil, "--yes")
	x.See("⠹ bash")
	x.Press("\x03")
	if code := x.Ended(); code != 130 {
		t.Errorf("status %d, want 130", code)
	}
	wants(t, x.Screen(), "✗ ", "helve: interrupted", "go on with --resume")
	if strings.ContainsAny(x.Screen(), "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") || strings.Contains(x.Screen(), "never") {
		t.Errorf("%s", x.Screen())
	}

	d = newRunDesk(t, wiretest.Turn{Raw: "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half an ans\"}}]}\n\n", Hang: true})
	x = d.sit(80, nil)
	x.See("Half an ans")
	x.Press("\x03")
	if code := x.Ended(); code != 130 {
		t.Errorf("while the model speaks: status %d, want 130", code)
	}
	wants(t, x.Screen(), "Half an ans^C\nhelve: 0 turns", "helve: interrupted") // the terminal itself echoes ^C
}

func TestColoursAndSpinnersAreForTerminalsThatWantThem(t *testing.T) {
	turns := []wiretest.Turn{reads, edits("1", "two", "2"), {Text: "Over."}}
	d := newRunDesk(t, turns...)
	x := d.sit(100, []string{"NO_COLOR=1"}, "--yes")
	x.Ended()
	wants(t, x.Screen(), "✓ edit a.txt", "  +2")
	if strings.Contains(x.Raw(), "\x1b[3") || strings.Contains(x.Raw(), "\x1b[1m") || strings.Contains(x.Raw(), "\x1b[2m") {
		t.Errorf("NO_COLOR, and still: %q", x.Raw())
	}

	d = newRunDesk(t, turns...)
	x = d.sit(100, []string{"TERM=dumb"}, "--yes")
	x.Ended()
	wants(t, x.Screen(), "✓ edit a.txt", "  +2")
	if strings.Contains(x.Raw(), "\x1b") {
		t.Errorf("a dumb terminal got %q", x.Raw())
	}

	d = newRunDesk(t, turns...)
	out, err := d.command(nil, "--yes").CombinedOutput()
	if err != nil || strings.Contains(string(out), "\x1b") || strings.Contains(string(out), "\r") {
		t.Errorf("no terminal, %v: %q", err, out)
	}
	wants(t, string(out), "I look first.", "✓ edit a.txt", "  +2", "Over.")
}

// On a narrow terminal every call keeps its one line, and a question that is drawn again covers itself.
func TestANarrowTerminal(t *testing.T) {
	long := strings.Repeat("folder", 6) + ".txt"
	d := newRunDesk(t, wiretest.Turn{Calls: []wiretest.Call{call("r", "read", `{"file_path":"`+long+`"}`)}},
		wiretest.Turn{Calls: []wiretest.Call{call("1", "bash", `{"command":"sleep 0.5; echo `+strings.Repeat("日本語", 20)+`"}`)}},
		wiretest.Turn{Calls: []wiretest.Call{call("2", "write", `{"file_path":"`+long+`","contents":"y\n"}`)}}, wiretest.Turn{Text: "Over."})
	d.write(long, "x\n")
	x := d.sit(30, nil)
	x.See("means no")
	x.Press("jjjkkk\x1b[B\x1b[B\x1b[B\r")
	x.See("Exactly this call")
	x.Press("jjkk\r")
	if code := x.Ended(); code != 0 {
		t.Errorf("status %d\n%s", code, x.Screen())
	}
	screen := x.Screen()
	for _, l := range strings.Split(screen, "\n") {
		if strings.ContainsAny(l, "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") {
			t.Errorf("a spinner stays: %q in\n%s", l, screen)
		}
		if (strings.HasPrefix(l, "✓") || strings.HasPrefix(l, "✗")) && len([]rune(l)) > 30 {
			t.Errorf("a call takes more than its line: %q", l)
		}
	}
	if n := strings.Count(screen, "What is to be remembered?"); n != 1 {
		t.Errorf("asked %d times\n%s", n, screen)
	}
	if n := strings.Count(screen, "Exactly this call"); n != 1 {
		t.Errorf("the question was drawn %d times:\n%s", n, screen)
	}
	d.holds(long, "y\n")
}

// A plan is shown and approved in line; before that nothing can be changed.
func TestAPlanIsApprovedOnTheTerminal(t *testing.T) {
	plan := wiretest.Turn{Calls: []wiretest.Call{call("p", "exit_plan_mode", `{"plan":"Say 2.\nThen stop.\u001b[2J"}`)}}
	for _, c := range []struct{ name, key, file, shows string }{
		{"no", "n", "one\ntwo\n", "✗"},
		{"yes, and then one call", "y", "one\n2\n", "plan approved"},
	} {
		eachWidth(t, c.name, func(t *testing.T, columns int) {
			d := newRunDesk(t, edits("0", "two", "2"), plan, reads, edits("1", "two", "2"), wiretest.Turn{Text: "Over."})
			x := d.sit(columns, nil, "--mode", "plan")
			wants(t, x.See("Carry it out?"), "✗ edit", "The plan", "Say 2.", `\u001b[2J`)
			x.See("Esc means no")
			x.Press(c.key)
			if c.key == "y" {
				x.See("Allow this?")
				wants(t, x.See("Yes, always"), "asked because: changing files needs approval")
				x.Press("y")
			}
			if code := x.Ended(); code != 0 {
				t.Errorf("status %d\n%s", code, x.Screen())
			}
			wants(t, x.Screen(), c.shows, "Over.")
			d.holds("a.txt", c.file)
		})
	}
}

// Nothing that comes from a file, a command, a model or a server steers the terminal.
func TestHostileTextIsShownEscaped(t *testing.T) {
	const bad = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\u202egpj\u200b\U000E0041"
	d := newRunDesk(t,
		wiretest.Turn{Text: "See " + bad + " here.", Calls: []wiretest.Call{
			call("1", "read", `{"file_path":"hostile.txt"}`), call("2", "read\u001b[2J", `{}`), call("3", "read", `{"file_path":"no\u001b[2Jsuch\u202e"}`),
		}},
		wiretest.Turn{Calls: []wiretest.Call{call("4", "bash", `{"command":"cat hostile.txt; printf '\\033[2J'"}`)}},
		wiretest.Turn{Calls: []wiretest.Call{call("5", "edit", `{"file_path":"hostile.txt","old_string":"tail","new_string":"\u001b[2Jtail\u202e"}`)}},
		wiretest.Turn{Text: "Over " + bad})
	d.write("hostile.txt", bad+"\ntail\n")
	x := d.sit(120, []string{"NO_COLOR=1"}, "--yes")
	if code := x.Ended(); code != 0 {
		t.Errorf("status %d", code)
	}
	wants(t, x.Screen(), `\u001b[2J`, `\u202e`, `\u200b`, `\U000e0041`, "Over ")
	for _, never := range []string{"\x1b]0;", "\x1b[2J", "\x1b[31m", "\u202e", "\u200b", "\U000E0041", "\x07"} {
		if strings.Contains(x.Raw(), never) {
			t.Errorf("the terminal got %q:\n%q", never, x.Raw())
		}
	}
}

// In mode review a command runs, its whole difference is shown, and a yes makes that; the command runs once.
func TestARunReviewsWhatACommandChanged(t *testing.T) {
	for key, want := range map[string]string{"y": "ran\n", "n": ""} {
		command := wiretest.Turn{Calls: []wiretest.Call{call("1", "bash", `{"command":"echo ran >>runs; sed -i s/two/2/ a.txt; echo spoken"}`)}}
		d := newRunDesk(t, command, wiretest.Turn{Text: "Over."})
		d.configure(`{"mode":"review"}`)
		d.write("runs", "")
		x := d.sit(100, nil)
		screen := x.See("Esc means no")
		if strings.Contains(screen, "not held back") {
			t.Skip("nothing is held back here: ", screen)
		}
		wants(t, screen, "make what the command changed: 2 changed", "-two", "+2", "+ran")
		d.holds("runs", "")
		x.Press(key)
		if code := x.Ended(); code != 0 {
			t.Errorf("status %d\n%s", code, x.Screen())
		}
		wants(t, x.Screen(), "Over.")
		d.holds("runs", want)
	}
}
