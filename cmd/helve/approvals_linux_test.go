package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/testing/ptytest"
)

// A desk is a workspace with a home of its own, and helve in it.
type desk struct {
	t         *testing.T
	dir, home string
}

func newDesk(t *testing.T) desk {
	t.Helper()
	root := t.TempDir()
	d := desk{t: t, dir: filepath.Join(root, "work"), home: filepath.Join(root, "home")}
	for _, dir := range []string{d.dir, d.home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(root, "helve")); err != nil { // the test binary goes by its name
		t.Fatal(err)
	}
	d.write("a.txt", "one\ntwo\n")
	return d
}

func (d desk) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func (d desk) read(name string) string {
	b, _ := os.ReadFile(filepath.Join(d.dir, name))
	return string(b)
}

func (d desk) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(filepath.Dir(d.dir), "helve"), args...)
	cmd.Dir = d.dir
	cmd.Env = []string{"HOME=" + d.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8"}
	return cmd
}

// sit runs helve on a terminal.
func (d desk) sit(columns int, args ...string) *ptytest.Terminal {
	d.t.Helper()
	return ptytest.Start(d.t, d.command(args...), columns)
}

// approvals is what is remembered.
func (d desk) approvals() string {
	d.t.Helper()
	out, err := d.command("approvals", "list", "--json").CombinedOutput()
	if err != nil {
		d.t.Errorf("approvals: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

var (
	editOne = []string{"call", "edit", "file_path=a.txt", "old_string=two", "new_string=2"}
	twoHeld = "one\ntwo\n"
	twoGone = "one\n2\n"
)

// A step waits for a text, and types.
type step struct{ see, press string }

// dialogues are what a person may do at the questions of one edit.
var dialogues = []struct {
	name   string
	steps  []step
	status int
	file   string
	kept   string // of the approvals; "": none
}{
	{"no by its letter", []step{{"Esc means no", "n"}}, 3, twoHeld, ""},
	{"no by Enter", []step{{"Esc means no", "\r"}}, 3, twoHeld, ""},
	{"no by Esc", []step{{"Esc means no", "\x1b"}}, 3, twoHeld, ""},
	{"no by Ctrl-C", []step{{"Esc means no", "\x03"}}, 3, twoHeld, ""},
	{"no by Ctrl-D", []step{{"Esc means no", "\x04"}}, 3, twoHeld, ""},
	{"once by its letter", []step{{"Esc means no", "y"}}, 0, twoGone, ""},
	{"once by moving", []step{{"Esc means no", "\x1b[B\r"}}, 0, twoGone, ""},
	{"words with a no", []step{{"Esc means no", "d"}, {"What is to be done instead?", "Ask me first.\r"}}, 3, twoHeld, ""},
	{"Esc at the words", []step{{"Esc means no", "d"}, {"What is to be done instead?", "Ask\x1b"}}, 3, twoHeld, ""},
	{"always, exactly this", []step{{"Esc means no", "a"}, {"Exactly this call", "\r"}}, 0, twoGone, `"rule":""`},
	{"always, by a rule", []step{{"Esc means no", "a"}, {"Exactly this call", "2\r"}}, 0, twoGone, `"rule":"Edit:./*"`},
	{"Esc at the second question", []step{{"Esc means no", "a"}, {"Exactly this call", "\x1b"}}, 3, twoHeld, ""},
	{"Ctrl-C at the second question", []step{{"Esc means no", "a"}, {"Exactly this call", "\x03"}}, 3, twoHeld, ""},
	{"q at the second question", []step{{"Esc means no", "a"}, {"Exactly this call", "q"}}, 3, twoHeld, ""},
}

func TestApprovalsAreAnsweredRight(t *testing.T) {
	for _, columns := range []int{60, 80, 200} {
		for _, c := range dialogues {
			t.Run(fmt.Sprintf("%s/%d", c.name, columns), func(t *testing.T) {
				t.Parallel()
				d := newDesk(t)
				x := d.sit(columns, editOne...)
				for _, s := range c.steps {
					x.See(s.see)
					x.Press(s.press)
				}
				if status := x.Ended(); status != c.status || d.read("a.txt") != c.file {
					t.Errorf("status %d, the file is %q; want %d, %q\n%s", status, d.read("a.txt"), c.status, c.file, x.Screen())
				}
				if kept := d.approvals(); c.kept == "" && kept != "[]" || !strings.Contains(kept, c.kept) {
					t.Errorf("kept are %s, want %s", kept, c.kept)
				}
				if screen := x.Screen(); strings.Count(screen, "asked because") != 1 || strings.Count(screen, "-two") != 1 {
					t.Errorf("the reason and the change are not shown once:\n%s", screen)
				}
			})
		}
	}
}

// What a person says with a no is what the caller reads.
func TestTheWordsOfANoArePrinted(t *testing.T) {
	d := newDesk(t)
	x := d.sit(100, editOne...)
	x.See("Esc means no")
	x.Press("d")
	x.See("Enter sends")
	x.Press("Use three.\r")
	x.Ended()
	if !strings.Contains(x.Screen(), "The person says: Use three.") {
		t.Error(x.Screen())
	}
}

// A long change keeps its title and its reason on the screen, and wants to be seen before a yes; so does a long line.
func TestALongChangeIsSeenBeforeItIsApproved(t *testing.T) {
	for _, text := range []string{strings.Repeat("a line\n", 5000) + "THE END\n", strings.Repeat("x", 100_000) + "THE END\n"} {
		d := newDesk(t)
		d.write("args.json", `{"file_path":"long.txt","contents":`+quote(text)+`}`)
		cmd := d.command("call", "write", "-")
		cmd.Args = []string{"sh", "-c", cmd.Path + ` call write "$(cat args.json)"`}
		cmd.Path = "/bin/sh"
		x := ptytest.Start(t, cmd, 80)
		screen := x.See("Esc means no")
		for _, want := range []string{"write long.txt", "asked because", "lines are hidden: v shows all of it"} {
			if !strings.Contains(screen, want) {
				t.Errorf("no %q in\n%s", want, screen)
			}
		}
		x.Press("y")
		x.See("not all of it was shown yet")
		x.Press("vG")
		x.See("THE END")
		x.Press("q")
		x.See("which you have seen")
		x.Press("y")
		if status := x.Ended(); status != 0 || d.read("long.txt") != text {
			t.Errorf("status %d, %d bytes\n%s", status, len(d.read("long.txt")), x.Screen())
		}
	}
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, "\n", `\n`) + `"` }

// What is hidden in a change is written out, and does not reach the terminal.
func TestHiddenCharactersOfAChangeAreShown(t *testing.T) {
	d := newDesk(t)
	x := d.sit(100, "call", "edit", `{"file_path":"a.txt","old_string":"two","new_string":"\u202e\u200b\u001b[2J\udb40\udc41\u007f"}`)
	if screen := x.See("Esc means no"); !strings.Contains(screen, `+\u202e\u200b\u001b[2J\U000e0041\u007f`) {
		t.Error(screen)
	}
	x.Press("n")
	x.Ended()
	for _, never := range []string{"\u202e", "\u200b", "\x1b[2J", "\U000e0041"} {
		if strings.Contains(x.Raw(), never) {
			t.Errorf("the terminal got %q", never)
		}
	}
}

// So it is with what goes to tools of others.
func TestHiddenCharactersOfForeignCallsAreShown(t *testing.T) {
	d := newDesk(t)
	if err := os.Mkdir(filepath.Join(d.dir, ".helve"), 0o755); err != nil {
		t.Fatal(err)
	}
	d.write(".helve/config.json", `{"discovery":{"command":"cat tools.json","call":"cat"}}`)
	d.write("tools.json", `[{"name":"send","description":"Sends.","parameters":{"type":"object","properties":{"text":{"type":"string"}}}}]`)
	x := d.sit(200, "--trust", "call", "send", "{\"text\":\"pay \u202e\u200b1\"}")
	if screen := x.See("Esc means no"); !strings.Contains(screen, `pay \u202e\u200b1`) {
		t.Error(screen)
	}
	x.Press("n")
	x.Ended()
}

// What was mended in the arguments stands with the reason: it is what will happen.
func TestARepairStandsInTheQuestion(t *testing.T) {
	d := newDesk(t)
	x := d.sit(100, "call", "edit", `{"file_path":"a.txt","old_text":"two","new_string":"2"}`)
	if screen := x.See("Esc means no"); !strings.Contains(screen, "repaired: ") || !strings.Contains(screen, "old_text") {
		t.Error(screen)
	}
	x.Press("n")
	x.Ended()
}

func TestTrustAndChangedDefinitionsAreAskedAboutTheSameWay(t *testing.T) {
	for keys, status := range map[string]int{"\x1b": 3, "\x03": 3, "n": 3, "\r": 3, "y": 0} {
		d := newDesk(t)
		if err := os.Mkdir(filepath.Join(d.dir, ".helve"), 0o755); err != nil {
			t.Fatal(err)
		}
		d.write(".helve/config.json", `{"discovery":{"command":"touch pwned \u202e"}}`)
		x := d.sit(80, "trust")
		if screen := x.See("Esc means no"); !strings.Contains(screen, `touch pwned \u202e`) {
			t.Errorf("%s", screen)
		}
		x.Press(keys)
		if got := x.Ended(); got != status {
			t.Errorf("%q: status %d, want %d\n%s", keys, got, status, x.Screen())
		}
	}
}
