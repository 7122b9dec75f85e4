package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"helve/script"
)

// A badScript is a script of an MCP client, and what its answer says of what is on disk.
type badScript struct {
	script  string
	edit    string            // what somebody writes to a.txt while it runs
	timeout int               // in milliseconds
	answers []string          // of the person, one for each question; none: nobody can be asked
	says    []string          // all of them
	files   map[string]string // what is on disk then; "": nothing
}

const nineLines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"

const editsLastLine = `read(file_path="a.txt")
edit(file_path="a.txt", old_string="9", new_string="nine")
bash(command="touch other; until ls sync | grep -q go; do sleep 0.1; done")
`

// Scripts that go wrong, of a client that asks its person, of one that approves calls itself, and of one that cannot be
// asked: from the answer alone a model knows what is on disk.
func TestTheAnswerOfAScriptThatGoesWrongSaysWhatIsOnDisk(t *testing.T) {
	if err := script.Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	newBase(t, 0).needHeld()
	merged := map[string]string{"a.txt": "ONE\n2\n3\n4\n5\n6\n7\n8\nnine\n"}
	theirs := map[string]string{"a.txt": "1\n2\n3\n4\n5\n6\n7\n8\nIX\n", "other": ""}
	const nothing = "No file on disk is another one."
	both := []string{"somebody changed meanwhile what it changes: a.txt", "+nine", "+IX", nothing, "drafted and kept, not on disk",
		"What was drafted stays in draft", "call run_script with draft: "}
	untouched := map[string]string{"a.txt": nineLines, "other": "", "n.txt": ""}
	for name, c := range map[string]badScript{
		"other lines": {
			script: editsLastLine,
			edit:   "ONE\n2\n3\n4\n5\n6\n7\n8\n9\n",
			says:   []string{"merged: a.txt"},
			files:  merged,
		},
		"same lines": {
			script: editsLastLine,
			edit:   theirs["a.txt"],
			says:   both,
			files:  theirs,
		},
		"same lines, and nobody is asked in vain": {
			script:  editsLastLine,
			edit:    theirs["a.txt"],
			answers: []string{"accept"},
			says:    both,
			files:   theirs,
		},
		"a no": {
			script:  `write(file_path="n.txt", contents="1")`,
			answers: []string{"decline"},
			says:    []string{"declined", nothing},
			files:   untouched,
		},
		"nobody can be asked": {
			script:  `write(file_path="n.txt", contents="1")`,
			answers: []string{},
			says:    []string{"nothing was made", "nobody was asked", nothing},
			files:   untouched,
		},
		"the background": {
			script: "write(file_path=\"n.txt\", contents=\"1\")\n" +
				"bash(command=\"sleep 60\", run_in_background=True)",
			says:  []string{"cannot work in a draft", nothing},
			files: untouched,
		},
		"it prints for ever": {
			script:  "write(file_path=\"n.txt\", contents=\"1\")\nwhile True:\n  print(\"x\")",
			timeout: 1500,
			says:    []string{"timed out", nothing, "drafted and dropped"},
			files:   untouched,
		},
		"an error in the middle": {
			script: `write(file_path="n.txt", contents="1")
edit(file_path="none.txt", old_string="a", new_string="b")
read(file_path="a.txt")`,
			says:  []string{"none.txt", nothing, "(not made)"},
			files: untouched,
		},
		"what it wrote, deleted and linked": {
			script: `write(file_path="n.txt", contents="one\n")
edit(file_path="n.txt", old_string="one", new_string="two")
bash(command="rm a.txt; mv n.txt a.txt; ln -s a.txt l")
read(file_path="l")
write(file_path="l", contents="through\n")
bash(command="cat a.txt").stdout`,
			says:  []string{"through"},
			files: map[string]string{"a.txt": "through\n", "n.txt": "", "l": "through\n"},
		},
	} {
		t.Run(name, func(t *testing.T) { c.run(t) })
	}
}

func (c badScript) run(t *testing.T) {
	d := newBase(t, 0)
	d.write(filepath.Join(d.home, ".config", "helve", "config.json"), `{"script":true}`)
	d.write(filepath.Join(d.work, "a.txt"), nineLines)
	if err := os.Mkdir(filepath.Join(d.work, "sync"), 0o755); err != nil {
		t.Fatal(err)
	}
	options, words := &mcp.ClientOptions{}, []string{"serve"}
	switch {
	case c.answers == nil:
		words = append(words, "--approval", "client")
	case len(c.answers) > 0:
		options.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			time.Sleep(hesitates)
			action := c.answers[0]
			if len(c.answers) > 1 {
				c.answers = c.answers[1:]
			}
			return &mcp.ElicitResult{Action: action}, nil
		}
	}
	said := &strings.Builder{}
	cmd := d.command(d.helve(), words...)
	cmd.Stderr = said
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, options)
	s, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err, said)
	}
	defer s.Close()
	if c.edit != "" {
		go d.editsMeanwhile(t.Context(), c.edit)
	}
	args := map[string]any{"script": c.script}
	if c.timeout > 0 {
		args["timeout"] = c.timeout
	}
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_script", Arguments: args})
	if err != nil {
		t.Fatal(err, said)
	}
	text := ""
	for _, part := range res.Content {
		text += part.(*mcp.TextContent).Text + "\n"
	}
	for _, want := range c.says {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the answer:\n%s", want, text)
		}
	}
	for file, want := range c.files {
		got, _ := os.ReadFile(filepath.Join(d.work, file))
		if string(got) != want {
			t.Errorf("%s has %q, want %q:\n%s", file, got, want, text)
		}
	}
}

// editsMeanwhile writes a.txt when a script has changed it in its draft, and has the script go on then.
func (d *base) editsMeanwhile(ctx context.Context, text string) {
	layer := filepath.Join(d.home, ".local", "state", "helve", "changes", "*", "*", "upper-0", "other")
	for ctx.Err() == nil {
		if found, _ := filepath.Glob(layer); len(found) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	os.WriteFile(filepath.Join(d.work, "a.txt"), []byte(text), 0o644)
	os.WriteFile(filepath.Join(d.work, "sync", "go"), nil, 0o644)
}

// The question of a commit on a terminal: yes makes it, no and Ctrl-C make nothing, and the draft stays.
func TestADraftIsCommittedAtTheTerminal(t *testing.T) {
	newBase(t, 0).needHeld()
	for name, c := range map[string]struct {
		press  string
		status int
		want   string
	}{
		"yes":    {"y", 0, "ONE\ntwo\n"},
		"no":     {"n", 3, "one\ntwo\n"},
		"Ctrl-C": {"\x03", 3, "one\ntwo\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			out, err := d.command("draft", "open").Output()
			id := strings.TrimSpace(string(out))
			if err != nil || id == "" {
				t.Fatal(err, id)
			}
			d.done("call", "--draft", id, "bash", "command=sed -i s/one/ONE/ a.txt")
			x := d.sit(100, "draft", "commit", id)
			x.See("Make it?")
			x.Press(c.press)
			if got := x.Ended(); got != c.status || d.read("a.txt") != c.want {
				t.Errorf("exit status %d, want %d; the file has %q\n%s", got, c.status, d.read("a.txt"), x.Raw())
			}
			if c.status != 0 {
				d.done("draft", "diff", id)
				d.done("draft", "drop", id)
			}
		})
	}
}

// A draft fills the disk on which it lies: the write that does not fit fails, nothing else is lost, and it can be
// dropped. The workspace's disk is full: nothing is made, and the draft stays.
func TestADraftOnAFullDisk(t *testing.T) {
	d := newBase(t, 0)
	d.needHeld()
	d.write(filepath.Join(d.work, "a.txt"), nineLines)
	open := func() string { return strings.TrimSpace(d.tries(0, "", "draft", "open")) }
	const fills = "command=head -c 6000000 /dev/zero >big; echo new >a.txt"
	t.Run("its own", func(t *testing.T) {
		mounted(t, "none", filepath.Join(d.home, ".local", "state", "helve"), "tmpfs", 0, "size=3m,mode=700")
		id := open()
		d.words("call", "--draft", id, "bash", fills)
		d.words("draft", "diff", id)
		d.tries(0, "", "draft", "drop", id)
		d.tries(0, "", "draft", "drop", open())
	})
	t.Run("its own, which a script in it would need twice", func(t *testing.T) {
		if err := script.Confined(t.Context()); err != nil {
			t.Skip(err)
		}
		d.run("config", "set", "-g", "script", "true")
		mounted(t, "none", filepath.Join(d.home, ".local", "state", "helve"), "tmpfs", 0, "size=3m,mode=700")
		id := open()
		d.tries(0, "", "call", "--draft", id, "bash", "command=head -c 1200000 /dev/zero >big; echo new >a.txt")
		full := d.tries(1, "", "call", "--draft", id, "run_script",
			`script=bash(command="head -c 1200000 /dev/zero >more; echo newer >a.txt").stdout; write(file_path="n", contents="n")`)
		if !strings.Contains(full, "no space left on device") || !strings.Contains(full, "No file on disk is another one") {
			t.Errorf("the script says %s", full)
		}
		d.tries(0, "", "call", "--draft", id, "bash", "command=head -c 1200000 /dev/zero >more")
		none := d.tries(1, "", "call", "--draft", id, "run_script", `script=write(file_path="n", contents="n")`)
		if !strings.Contains(none, "no space left on device") || !strings.Contains(none, "Nothing was changed") {
			t.Errorf("the script says %s", none)
		}
		if out := d.tries(0, "", "call", "--draft", id, "bash", "command=cat a.txt; ls"); out != "new\na.txt\nbig\nmore\n" {
			t.Errorf("the draft has %q", out)
		}
		d.tries(0, "", "draft", "drop", id)
	})
	t.Run("the workspace's", func(t *testing.T) {
		mounted(t, "none", d.work, "tmpfs", 0, "size=1m")
		id := open()
		d.tries(0, "", "call", "--draft", id, "bash", fills)
		d.tries(1, "no space left on device", "draft", "commit", "--yes", id)
		if left, err := os.ReadDir(d.work); err != nil || len(left) > 0 {
			t.Errorf("made on the full disk: %v %v", left, err)
		}
		d.tries(0, "", "draft", "drop", id)
	})
	if text, _ := os.ReadFile(filepath.Join(d.work, "a.txt")); string(text) != nineLines {
		t.Errorf("the file has %q", text)
	}
}

// A folder and a file that are closed to their owner do not keep a draft from going on and from being dropped.
func TestADraftWithClosedFilesCanBeDropped(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become an ordinary user")
	}
	d := newBase(t, anybody)
	d.needHeld()
	id := strings.TrimSpace(d.tries(0, "", "draft", "open"))
	d.tries(0, "", "call", "--draft", id, "bash", "command=echo s >x; mkdir d; echo y >d/y; chmod 000 x d")
	if out := d.tries(0, "", "call", "--draft", id, "bash", "command=ls"); !strings.Contains(out, "x") {
		t.Errorf("the next call sees %s", out)
	}
	d.tries(0, "", "draft", "drop", id)
	if left, _ := filepath.Glob(filepath.Join(d.home, ".local", "state", "helve", "drafts", "*", id)); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// With Landlock alone no layer can be had: no draft is opened, and a script that fails names what it changed on disk.
func TestWithLandlockAloneThereIsNoDraft(t *testing.T) {
	if err := exec.Command("unshare", "--user", "--map-root-user", "true").Run(); err != nil {
		t.Skip("a user namespace, in which there are none, does not work here: ", err)
	}
	d := newBase(t, 0)
	out := d.alone("draft", "open")
	for _, want := range []string{"this machine can hold no draft of this workspace: ", "helve undo takes them back"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in %s", want, out)
		}
	}
	d.write(filepath.Join(d.dir, "s.star"), "write(file_path=\"n\", contents=\"1\")\nread(file_path=\"none\")\n")
	out = d.alone("script", "--yes", filepath.Join(d.dir, "s.star"))
	if !strings.Contains(out, "Changed on disk by its calls, and not taken back") || !strings.Contains(out, "created n") {
		t.Errorf("%s", out)
	}
}
