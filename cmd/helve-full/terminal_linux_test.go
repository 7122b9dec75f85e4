package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/testing/ptytest"
	"helve/internal/testing/wiretest"
)

// A desk is a workspace with a home of its own, where helve-full runs against a script.
type desk struct {
	t        *testing.T
	dir, bin string
	env      []string
	srv      *wiretest.Server
}

func newDesk(t *testing.T, turns ...wiretest.Turn) *desk {
	t.Helper()
	root := t.TempDir()
	d := &desk{t: t, dir: filepath.Join(root, "work"), bin: filepath.Join(root, "helve-full"), srv: wiretest.OpenAI(t, turns...)}
	if err := os.Mkdir(d.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"helve-full", "helve"} { // the test binary goes by its name
		if err := os.Symlink(self, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	d.env = []string{"HOME=" + filepath.Join(root, "home"), "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8"}
	d.write("a.txt", "one\ntwo\n")
	return d
}

func (d *desk) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) holds(name, want string) {
	d.t.Helper()
	b, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil || string(b) != want {
		d.t.Errorf("%s is %q (%v), want %q", name, b, err, want)
	}
}

func (d *desk) command(env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(d.bin, append([]string{"run", "Do it.", "--model", "openai/test", "--base-url", d.srv.URL}, args...)...)
	cmd.Dir, cmd.Env = d.dir, append(d.env, env...)
	return cmd
}

func (d *desk) sit(columns int, env []string, args ...string) *ptytest.Terminal {
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
	d := newDesk(t, reads, edits("1", "two", "2"), wiretest.Turn{Text: "It says 2 now."})
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
		{"n", "one\ntwo\n"}, {"\x1b", "one\ntwo\n"}, {"\x03", "one\ntwo\n"}, {"\r", "one\ntwo\n"}, {"y", "one\n2\n"}, {"Y", "one\n2\n"}, {"j\r", "one\n2\n"},
	} {
		d := newDesk(t, reads, edits("1", "two", "2"), wiretest.Turn{Text: "Over."})
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

// "No, do this instead" reaches the model with the refusal, and the run goes on.
func TestTheModelReadsWhatIsToBeDoneInstead(t *testing.T) {
	d := newDesk(t, reads, edits("1", "two", "2"), wiretest.Turn{Text: "As you like."})
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
		d := newDesk(t, reads, edits("1", "two", "2"), edits("2", "one", "1"), wiretest.Turn{Text: "Over."})
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
	d := newDesk(t, reads, edits("1", "two", "2"), wiretest.Turn{Text: "Over."})
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
		d := newDesk(t, reads, edits("1", "two", "2"), edits("2", "one", "1"), wiretest.Turn{Text: "Over."})
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
	d := newDesk(t, wiretest.Turn{Calls: []wiretest.Call{call("1", "bash", `{"command":"until [ -e seen ]; do sleep 0.05; done; echo slept"}`)}}, wiretest.Turn{Text: "Done."})
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
	d := newDesk(t, wiretest.Turn{Text: "It takes a while.", Calls: []wiretest.Call{call("1", "bash", `{"command":"sleep 300"}`)}}, wiretest.Turn{Text: "never"})
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

	// Through helve, which hands over, it is the same.
	d = newDesk(t, wiretest.Turn{Calls: []wiretest.Call{call("1", "bash", `{"command":"sleep 300"}`)}}, wiretest.Turn{Text: "never"})
	d.bin = filepath.Join(filepath.Dir(d.bin), "helve")
	x = d.sit(80, nil, "--yes")
	x.See("⠹ bash")
	x.Press("\x03")
	if code := x.Ended(); code != 130 {
		t.Errorf("through helve: status %d, want 130\n%s", code, x.Screen())
	}

	d = newDesk(t, wiretest.Turn{Raw: "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half an ans\"}}]}\n\n", Hang: true})
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
	d := newDesk(t, turns...)
	x := d.sit(100, []string{"NO_COLOR=1"}, "--yes")
	x.Ended()
	wants(t, x.Screen(), "✓ edit a.txt", "  +2")
	if strings.Contains(x.Raw(), "\x1b[3") || strings.Contains(x.Raw(), "\x1b[1m") || strings.Contains(x.Raw(), "\x1b[2m") {
		t.Errorf("NO_COLOR, and still: %q", x.Raw())
	}

	d = newDesk(t, turns...)
	x = d.sit(100, []string{"TERM=dumb"}, "--yes")
	x.Ended()
	wants(t, x.Screen(), "✓ edit a.txt", "  +2")
	if strings.Contains(x.Raw(), "\x1b") {
		t.Errorf("a dumb terminal got %q", x.Raw())
	}

	d = newDesk(t, turns...)
	out, err := d.command(nil, "--yes").CombinedOutput()
	if err != nil || strings.Contains(string(out), "\x1b") || strings.Contains(string(out), "\r") {
		t.Errorf("no terminal, %v: %q", err, out)
	}
	wants(t, string(out), "I look first.", "✓ edit a.txt", "  +2", "Over.")
}

// On a narrow terminal every call keeps its one line, and a question that is drawn again covers itself.
func TestANarrowTerminal(t *testing.T) {
	long := strings.Repeat("folder", 6) + ".txt"
	d := newDesk(t, wiretest.Turn{Calls: []wiretest.Call{call("r", "read", `{"file_path":"`+long+`"}`)}},
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
	for _, c := range []struct{ key, file, shows string }{{"n", "one\ntwo\n", "✗"}, {"y", "one\n2\n", "plan approved"}} {
		d := newDesk(t, edits("0", "two", "2"), plan, reads, edits("1", "two", "2"), wiretest.Turn{Text: "Over."})
		x := d.sit(100, nil, "--mode", "plan")
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
	}
}

// Nothing that comes from a file, a command, a model or a server steers the terminal.
func TestHostileTextIsShownEscaped(t *testing.T) {
	const bad = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\u202egpj\u200b\U000E0041"
	d := newDesk(t,
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
