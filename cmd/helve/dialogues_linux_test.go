package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"helve/internal/testing/ptytest"
)

// A step waits for a text, and types. Then it does more, if there is more to do.
type step struct {
	see, press string
	do         func(desk, *ptytest.Terminal)
}

// A dialogue is what a person may do at the questions of one command line, and what comes of it.
type dialogue struct {
	name   string
	args   []string // nil: an edit of a.txt
	env    []string
	setup  func(desk)
	steps  []step
	status int
	holds  map[string]string // files afterwards, "" for one that is not there; nil: a.txt as it was
	kept   string            // of the approvals; "": none
	shows  []string          // what the terminal shows at the end, from the beginning on
	never  []string          // what the terminal never gets
	after  func(desk)
}

var (
	editOne = []string{"call", "edit", "file_path=a.txt", "old_string=two", "new_string=2"}
	held    = map[string]string{"a.txt": "one\ntwo\n"}
	changed = map[string]string{"a.txt": "one\n2\n"}
)

const (
	asked    = "Esc means no"
	remember = "Exactly this call"
	instead  = "What is to be done instead?"
	unseen   = "not all of it was shown yet"
	inLines  = "Number (Enter means 1):"
	theEnd   = "THE END"
)

// once is one question with one answer.
func once(keys string) []step { return []step{{see: asked, press: keys}} }

// writes are the words that write a file whose text comes from outside the command line, which may be long.
func writes(name, text string) func(desk) {
	return func(d desk) { d.write("args.json", `{"file_path":"`+name+`","contents":`+quote(text)+`}`) }
}

// viaShell is the call of a tool with the arguments in args.json.
func viaShell(tool string) []string { return []string{"sh", "call " + tool + ` "$(cat args.json)"`} }

var (
	longText = strings.Repeat("a line\n", 5000) + theEnd + "\n"
	longLine = strings.Repeat("x", 100_000) + theEnd + "\n"
	controls = strings.Repeat("\x01\x02\x7f", 2000) + theEnd + "\n"
)

// theKeys are all ways to answer one question.
var theKeys = []dialogue{
	{name: "no by its letter", steps: once("n"), status: 3},
	{name: "no by Enter", steps: once("\r"), status: 3},
	{name: "no by Esc", steps: once("\x1b"), status: 3},
	{name: "no by Ctrl-C", steps: once("\x03"), status: 3},
	{name: "no by Ctrl-D", steps: once("\x04"), status: 3},
	{name: "no by q", steps: once("q"), status: 3},
	{name: "no after a look at the choices", steps: once("jjjjjkkkkkkk\r"), status: 3},
	{name: "once by its letter", steps: once("y"), holds: changed},
	{name: "once by moving", steps: once("\x1b[B\r"), holds: changed},
	{name: "once by its number", steps: once("2\r"), holds: changed},
	{name: "keys that mean nothing, then no", steps: once("xX1\x1b[5~\x1b[<0;3;3M\x00\x7f\x1b[Z9n"), status: 3},
	{name: "words with a no", steps: []step{{see: asked, press: "d"}, {see: instead, press: "Ask me first.\r"}}, status: 3,
		shows: []string{"The person says: Ask me first."}},
	{name: "pasted words with a no", steps: []step{{see: asked, press: "d"}, {see: instead, press: "\x1b[200~Ask\tme.\x1b[201~\r"}},
		status: 3, shows: []string{"The person says: Ask"}},
	{name: "no words with a no", steps: []step{{see: asked, press: "d"}, {see: instead, press: "\r"}}, status: 3},
	{name: "Esc at the words", steps: []step{{see: asked, press: "d"}, {see: instead, press: "Ask\x1b"}}, status: 3},
	{name: "Ctrl-C at the words", steps: []step{{see: asked, press: "d"}, {see: instead, press: "Ask\x03"}}, status: 3},
	{name: "a paste is no answer", steps: once("\x1b[200~y\ry\r\x1b[201~n"), status: 3},
}

// theSecond are the answers to what is to be remembered.
var theSecond = []dialogue{
	{name: "always, exactly this", steps: second("a", "\r"), holds: changed, kept: `"rule":""`},
	{name: "always, by a rule", steps: second("a", "2\r"), holds: changed, kept: `"rule":"Edit:./*"`},
	{name: "Esc at the second question", steps: second("a", "\x1b"), status: 3},
	{name: "Ctrl-C at the second question", steps: second("a", "\x03"), status: 3},
	{name: "q at the second question", steps: second("a", "q"), status: 3},
	// A yes for the session ends with this process, so it is not offered to a single call.
	{name: "for the session", setup: func(d desk) { d.done("call", "--session", "s1", "read", "file_path=a.txt") },
		args: append([]string{"call", "--session", "s1"}, editOne[1:]...), steps: once("sn"), status: 3},
	{name: "a rule for always, and its undo", steps: second("a", "2\r"), holds: changed, kept: `Edit:./*`, after: func(d desk) {
		d.done("call", "edit", "file_path=a.txt", "old_string=2", "new_string=two")
		d.done("approvals", "revoke", "--all")
		d.refused(editOne...)
	}},
}

func second(letter, keys string) []step {
	return []step{{see: asked, press: letter}, {see: remember, press: keys}}
}

// thePreviews are about what is seen before a yes.
var thePreviews = []dialogue{
	{name: "a long change, unseen", args: viaShell("write"), setup: writes("b.txt", longText),
		steps:  []step{{see: asked, press: "y"}, {see: unseen, press: "\r2\r"}, {see: unseen, press: "n"}},
		status: 3, holds: map[string]string{"b.txt": ""}, shows: []string{"lines are hidden: v shows all of it"}},
	{name: "a long change, seen", args: viaShell("write"), setup: writes("b.txt", longText),
		steps: []step{{see: asked, press: "y"}, {see: unseen, press: "vG"}, {see: ", the end", press: "q"}, {see: "which you have", press: "y"}},
		holds: map[string]string{"b.txt": longText}},
	{name: "a long change, half seen", args: viaShell("write"), setup: writes("b.txt", longText),
		steps:  []step{{see: asked, press: "v   "}, {see: "lines 1", press: "\x1b"}, {see: asked, press: "y"}, {see: unseen, press: "\x1b"}},
		status: 3, holds: map[string]string{"b.txt": ""}},
	{name: "Ctrl-C while it is looked at", args: viaShell("write"), setup: writes("b.txt", longText),
		steps: []step{{see: asked, press: "v"}, {see: "lines 1–", press: "\x03"}}, status: 3, holds: map[string]string{"b.txt": ""}},
	{name: "a long line, unseen", args: viaShell("write"), setup: writes("b.txt", longLine),
		steps: []step{{see: asked, press: "y"}, {see: unseen, press: "\x1b"}}, status: 3, holds: map[string]string{"b.txt": ""}},
	{name: "a long line, seen", args: viaShell("write"), setup: writes("b.txt", longLine),
		steps: []step{{see: asked, press: "vG"}, {see: ", the end", press: "q"}, {see: "which you have", press: "y"}},
		holds: map[string]string{"b.txt": longLine}},
	{name: "controls only", args: viaShell("write"), setup: writes("b.txt", controls),
		steps: []step{{see: `\u0001\u0002\u007f`, press: "y"}, {see: unseen, press: "vG"}, {see: ", the end", press: "q"}, {see: "which you have", press: "y"}},
		holds: map[string]string{"b.txt": controls}, never: []string{"\x01", "\x02", "\x7f"}},
	{name: "hidden characters of a change", args: []string{"call", "edit", `{"file_path":"a.txt","old_string":"two","new_string":"\u202e\u200b\u001b[2J"}`},
		steps: once("n"), status: 3, shows: []string{`+\u202e\u200b\u001b[2J`}, never: []string{"\u202e", "\u200b", "\x1b[2J"}},
	{name: "hidden characters of a name", args: []string{"call", "write", `{"file_path":"b\u202etxt.exe","contents":"x"}`},
		steps: once("n"), status: 3, shows: []string{`b\u202etxt.exe`}, never: []string{"\u202e"}},
	{name: "a repair, and no", args: []string{"call", "edit", `{"file_path":"a.txt","old_text":"two","new_string":"2"}`},
		steps: once("n"), status: 3, shows: []string{"repaired: ", "old_text"}},
	{name: "a repair, and yes", args: []string{"call", "edit", `{'file_path':'a.txt','old_text':'two','new_string':'2',}`},
		steps: once("y"), holds: changed, shows: []string{"repaired: "}},
	{name: "a new file", args: []string{"call", "write", "file_path=sub/new.txt", "contents=x"},
		steps: once("y"), holds: map[string]string{"sub/new.txt": "x\n"}, shows: []string{"+x"}},
	{name: "two changes of one file", args: []string{"call", "multi_edit",
		`{"file_path":"a.txt","edits":[{"old_string":"one","new_string":"1"},{"old_string":"two","new_string":"2"}]}`},
		steps: once("y"), holds: map[string]string{"a.txt": "1\n2\n"}, shows: []string{"-one", "+1", "-two", "+2"}},
}

// theCommands are questions about other things than files.
var theCommands = []dialogue{
	{name: "a command, and no", args: []string{"call", "bash", "command=echo x > b.txt"},
		steps: once("n"), status: 3, holds: map[string]string{"b.txt": ""}, shows: []string{"$ echo x > b.txt"}},
	{name: "a command, and yes", args: []string{"call", "bash", "command=echo x > b.txt"},
		steps: once("y"), holds: map[string]string{"b.txt": "x\n"}},
	{name: "a command with hidden characters", args: []string{"call", "bash", "{\"command\":\"touch 'b\u202e' # \\u001b[2J\"}"},
		steps: once("n"), status: 3, shows: []string{`touch 'b\u202e' # \u001b[2J`}, never: []string{"\u202e", "\x1b[2J"}},
	{name: "a command with a reason", args: []string{"call", "bash", "command=rm -rf build"}, steps: once("n"), status: 3,
		shows: []string{"asked because: rm changes files"}},
	{name: "a long command, unseen", args: []string{"call", "bash", "command=true" + strings.Repeat("; touch b.txt", 400) + " # " + theEnd},
		steps: []step{{see: asked, press: "y"}, {see: unseen, press: "n"}}, status: 3, holds: map[string]string{"b.txt": ""}},
	{name: "a page", args: []string{"call", "fetch", "url=http://never.invalid/"}, steps: once("\x1b"), status: 3,
		shows: []string{"never.invalid"}},
	{name: "a tool of somebody else, and no", setup: sending, args: []string{"--trust", "call", "send", "{\"text\":\"pay \u202e1\"}"},
		steps: once("n"), status: 3, shows: []string{`pay \u202e1`}, never: []string{"\u202e"}},
	{name: "a tool of somebody else, and yes", setup: sending, args: []string{"--trust", "call", "send", `{"text":"x"}`}, steps: once("y"),
		holds: map[string]string{"a.txt": "one\ntwo\n"}, after: func(d desk) { d.there("sent") }},
	{name: "trust, and no", setup: sending, args: []string{"trust"}, steps: once("\x1b"), status: 3, shows: []string{"cat tools.json"}},
	{name: "trust, and Ctrl-C", setup: sending, args: []string{"trust"}, steps: once("\x03"), status: 3},
	{name: "trust, and yes", setup: sending, args: []string{"trust"}, steps: once("y")},
	{name: "a changed definition, and no", setup: redefined, args: []string{"call", "sh/hello"}, steps: once("\x1b"), status: 3,
		shows: []string{"Says hello to everybody", "Use the new definition?"}},
	{name: "a changed definition, and yes", setup: redefined, args: []string{"call", "sh/hello"}, steps: once("y"),
		after: func(d desk) { d.done("call", "sh/hello") }},
	{name: "nothing is asked that is denied", setup: func(d desk) { d.configure(`{"rules":[{"deny":"edit:a.txt"}]}`) }, status: 3},
	{name: "nothing is asked in plan mode", args: append([]string{"--mode", "plan"}, editOne...), status: 3},
	{name: "nothing is asked about a catastrophe", args: []string{"call", "bash", "command=rm -rf /"}, status: 3},
}

// theTerminals are about what happens to the terminal meanwhile.
var theTerminals = []dialogue{
	{name: "in lines, and no", env: []string{"TERM=dumb"}, steps: []step{{see: inLines, press: "\r"}}, status: 3, never: []string{"\x1b"}},
	{name: "in lines, and yes", env: []string{"TERM=dumb"}, steps: []step{{see: inLines, press: "2\r"}}, holds: changed, never: []string{"\x1b"}},
	{name: "in lines, words with a no", env: []string{"ACCESSIBLE=1"},
		steps:  []step{{see: "4. No, do this instead", press: "4\r"}, {see: instead, press: "Ask me.\r"}},
		status: 3, shows: []string{"The person says: Ask me."}},
	{name: "in lines, three answers that mean nothing", env: []string{"ACCESSIBLE=1"}, steps: []step{{see: inLines, press: "y\rno\r99\r"}}, status: 3},
	{name: "in lines, the end of input", env: []string{"ACCESSIBLE=1"}, steps: []step{{see: inLines, press: "\x04"}}, status: 3},
	{name: "in lines, Ctrl-C", env: []string{"ACCESSIBLE=1"}, steps: []step{{see: inLines, press: "\x03"}}, status: 130},
	{name: "in lines, a long change", env: []string{"ACCESSIBLE=1"}, args: viaShell("write"), setup: writes("b.txt", longText),
		steps: []step{{see: inLines, press: "2\r"}, {see: "Not all of it was shown yet", press: "5\r"}, {see: theEnd, press: "2\r"}},
		holds: map[string]string{"b.txt": longText}},
	{name: "in lines, always by a rule", env: []string{"ACCESSIBLE=1"},
		steps: []step{{see: inLines, press: "3\r"}, {see: "2. Rule: allow", press: "2\r"}}, holds: changed, kept: "Edit:./*"},
	{name: "without colours", env: []string{"NO_COLOR=1"}, steps: once("y"), holds: changed, never: []string{"\x1b[3", "\x1b[1m"}},
	{name: "the terminal closes",
		steps:  []step{{see: asked, do: func(_ desk, x *ptytest.Terminal) { x.HangUp() }}},
		status: -1},
	{name: "the program is ended from outside",
		steps: []step{{see: asked, do: func(_ desk, x *ptytest.Terminal) { x.Signal(syscall.SIGTERM) }}}, status: 130},
	{name: "the window becomes small and large again", steps: []step{
		{see: asked, do: func(_ desk, x *ptytest.Terminal) { x.Resize(30, 14) }},
		{see: "more lines, which you ha", do: func(_ desk, x *ptytest.Terminal) { x.Resize(100, 50) }},
		{see: "Enter takes · Esc means no", press: "y"},
	}, holds: changed},
	{name: "the file changes meanwhile", steps: []step{{see: asked, do: func(d desk, x *ptytest.Terminal) {
		d.write("a.txt", "one\ntwo and more\n")
		x.Press("y")
	}}}, status: 1, holds: map[string]string{"a.txt": "one\ntwo and more\n"}},
}

func TestApprovalsAreAnsweredRight(t *testing.T) {
	widths := []int{60, 80, 200}
	count := 0
	for _, group := range [][]dialogue{theKeys, theSecond, thePreviews, theCommands, theTerminals} {
		for _, c := range group {
			count++
			for _, columns := range widths {
				t.Run(fmt.Sprintf("%s/%d", c.name, columns), func(t *testing.T) {
					t.Parallel()
					c.hold(t, columns)
				})
			}
		}
	}
	t.Logf("%d dialogues at %d widths", count, len(widths))
	if count < 40 {
		t.Errorf("%d dialogues, want 40", count)
	}
}

// hold plays a dialogue and checks what comes of it.
func (c dialogue) hold(t *testing.T, columns int) {
	d := newDesk(t)
	if c.setup != nil {
		c.setup(d)
	}
	args := c.args
	if args == nil {
		args = editOne
	}
	cmd := d.command(args...)
	if args[0] == "sh" { // the shell reads the arguments from a file
		cmd.Args = []string{"sh", "-c", "exec " + cmd.Path + " " + args[1]}
		cmd.Path = "/bin/sh"
	}
	cmd.Env = append(cmd.Env, c.env...)
	x := ptytest.Start(t, cmd, columns)
	for _, s := range c.steps {
		x.See(s.see)
		if s.press != "" {
			x.Press(s.press)
		}
		if s.do != nil {
			s.do(d, x)
		}
	}
	if status := x.Ended(); status != c.status {
		t.Errorf("status %d, want %d\n%s", status, c.status, x.Screen())
	}
	holds := c.holds
	if holds == nil {
		holds = held
	}
	for name, want := range holds {
		if got := d.read(name); got != want {
			t.Errorf("%s is %.200q, want %.200q", name, got, want)
		}
	}
	if kept := d.approvals(); c.kept == "" && kept != "[]" || !strings.Contains(kept, c.kept) {
		t.Errorf("kept are %s, want %s", kept, c.kept)
	}
	flat := unbroken(x.Screen())
	for _, want := range c.shows {
		if !strings.Contains(flat, unbroken(want)) {
			t.Errorf("no %q in\n%s", want, x.Screen())
		}
	}
	for _, never := range c.never {
		if strings.Contains(x.Raw(), never) {
			t.Errorf("the terminal got %q", never)
		}
	}
	if n := strings.Count(x.Screen(), "asked because"); n > 1 && c.env == nil {
		t.Errorf("the reason is shown %d times:\n%s", n, x.Screen())
	}
	if c.after != nil {
		c.after(d)
	}
}

// unbroken is a text without its blanks and line ends. Where a terminal breaks its lines depends on the path of the test's
// folder, which has a random number in it: a line may end within any word.
func unbroken(text string) string { return strings.Join(strings.Fields(text), "") }

// configure writes the user's configuration.
func (d desk) configure(text string) {
	d.t.Helper()
	dir := filepath.Join(d.home, ".config", "helve")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// there wants a file.
func (d desk) there(name string) {
	d.t.Helper()
	if _, err := os.Stat(filepath.Join(d.dir, name)); err != nil {
		d.t.Error(err)
	}
}

// done wants a command line to succeed where nobody can be asked.
func (d desk) done(args ...string) {
	d.t.Helper()
	if out, err := d.command(args...).CombinedOutput(); err != nil {
		d.t.Errorf("%q: %v\n%s", args, err, out)
	}
}

// refused wants it to be refused there.
func (d desk) refused(args ...string) {
	d.t.Helper()
	cmd := d.command(args...)
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 3 {
		d.t.Errorf("%q: status %d, want 3\n%s", args, cmd.ProcessState.ExitCode(), out)
	}
}

// sending is a project with a tool of its own, which writes a file.
func sending(d desk) {
	if err := os.Mkdir(filepath.Join(d.dir, ".helve"), 0o755); err != nil {
		d.t.Fatal(err)
	}
	d.write(".helve/config.json", `{"discovery":{"command":"cat tools.json","call":"touch sent"}}`)
	d.write("tools.json", `[{"name":"send","description":"Sends.","parameters":{"type":"object","properties":{"text":{"type":"string"}}}}]`)
}

// redefined is a server whose tool has another definition than the one that was used before.
func redefined(d desk) {
	root := filepath.Dir(d.dir)
	server, says := filepath.Join(root, "server"), filepath.Join(root, "says")
	for name, text := range map[string]string{server: shServer, says: "Says hello."} {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			d.t.Fatal(err)
		}
	}
	d.configure(fmt.Sprintf(`{"mcp_servers":{"sh":{"command":%q,"trust":true,"start_timeout":"120s"}}}`, server))
	d.done("call", "sh/hello")
	if err := os.WriteFile(says, []byte("Says hello to everybody."), 0o600); err != nil {
		d.t.Fatal(err)
	}
	d.done("mcp", "test", "sh")
}
