package builtin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/builtin"
	"helve/engine/sandbox"
	"helve/tool"
)

// needLevel skips where no sandbox keeps the level with mounts of its own: the others cannot protect paths in a workspace.
func needMounts(t *testing.T) {
	t.Helper()
	needBash(t)
	r, err := sandbox.Reach(t.Context(), sandbox.Options{Level: sandbox.WorkspaceWrite})
	if err != nil || r.Mechanism == sandbox.Landlock {
		t.Skipf("the sandbox here is %q, %v", r.Mechanism, err)
	}
}

func writing() builtin.Options {
	return builtin.Options{Sandbox: builtin.Sandbox{Level: sandbox.WorkspaceWrite}}
}

// What a program says of a mount in its way nobody understands; the result says it in one line, with what to do.
func TestAResultSaysWhatIsProtected(t *testing.T) {
	needMounts(t)
	h := open(t, writing())
	h.put(".git/config", "[core]\n")
	h.put(".git/HEAD", "ref: refs/heads/main\n")
	for command, want := range map[string]string{
		"touch .envrc":                     "\n[.envrc is not there, and commands cannot make it: it steers what other programs run. Ask the person to change it]",
		"mkdir .vscode":                    "\n[.vscode stays as it is in the sandbox: it steers",
		"echo x >> .git/config":            "\n[.git/config stays as it is in the sandbox: git runs what it names. For one command use git -c KEY=VALUE",
		"touch .git/hooks/x; mv .git .old": "\n[.git",
		"echo x > /etc/helve-test":         "\n[outside the workspace, commands write to folders that the person names in sandbox.writable only]",
	} {
		if res := h.call("bash", args{"command": command}); res.Err == nil || !strings.Contains(res.Text(), want) || strings.Count(res.Text(), "\n[") > 2 {
			t.Errorf("%s: %q, want %q", command, res.Text(), want)
		}
	}
	for _, command := range []string{"cat .envrc .vscode/x", "ls .git/config gone", "echo '.envrc: File exists'; false", "mkdir a && mkdir a"} {
		if res := h.call("bash", args{"command": command}); strings.Contains(res.Text(), "stays as it is") && !strings.HasPrefix(command, "echo") {
			t.Errorf("%s: %q", command, res.Text())
		}
	}
}

// The next command does not find what this one left in /tmp: it is told, in one line.
func TestAResultSaysWhatIsGoneWithTheTemporaryDirectory(t *testing.T) {
	needBash(t)
	h := open(t, writing())
	res := h.call("bash", args{"command": "echo x > $TMPDIR/kept; mkdir -p $TMPDIR/d/e; touch $TMPDIR/empty; mkdir $TMPDIR/bare; echo done"})
	if !strings.HasPrefix(res.Text(), "done\n[each command has a temporary directory of its own; gone with it: ") || !strings.Contains(res.Text(), "/d, ") || !strings.Contains(res.Text(), "/kept.") ||
		!strings.Contains(string(res.Meta), "/kept\"]") {
		if !strings.Contains(string(res.Meta), `"mechanism":"none"`) {
			t.Errorf("%q, %s", res.Text(), res.Meta)
		}
	}
	res = h.call("bash", args{"command": "for i in $(seq 50); do echo x > $TMPDIR/f$i; done"})
	if len(res.Text()) > 400 || strings.Count(res.Text(), "\n") > 0 {
		t.Errorf("%q", res.Text())
	}
	for _, command := range []string{"echo x > here", "f=$(mktemp) && echo x > $f && rm $f", "true"} {
		if res := h.call("bash", args{"command": command}); strings.Contains(res.Text(), "temporary") {
			t.Errorf("%s: %q", command, res.Text())
		}
	}
}

// git init makes what is protected from then on; a line that does more than that does not.
func TestGitInitWorksAlone(t *testing.T) {
	needMounts(t)
	if res := open(t, writing()).call("bash", args{"command": "git --version"}); res.Err != nil {
		t.Skip("no git on this machine")
	}
	for command, works := range map[string]bool{
		"git init": true, "git init -q -b main .": true, "git init --quiet && git status": true, "pwd; git init --initial-branch=x": true,
		"git init --template=evil": false, "git init; touch x": false, "git init && cp evil .git/hooks/post-checkout": false, "git init --separate-git-dir=other": false,
		"git init $(touch x)": false, "x=1 git init": false,
	} {
		h := open(t, writing())
		h.put("evil/hooks/post-checkout", "#!/bin/sh\n")
		h.call("bash", args{"command": command})
		if _, err := os.Stat(filepath.Join(h.dir, ".git/HEAD")); (err == nil) != works {
			t.Errorf("%s: repository made: %v, want %v", command, err == nil, works)
		}
		h.call("bash", args{"command": "echo evil >> .git/config; echo evil > .git/hooks/x"})
		if text, _ := os.ReadFile(filepath.Join(h.dir, ".git/config")); strings.Contains(string(text), "evil") {
			t.Errorf("after %s the configuration can be written", command)
		}
		if names, _ := os.ReadDir(h.dir); !works && len(names) > 2 {
			t.Errorf("%s: left %v", command, names)
		}
	}
}

// Rules on reading hold for what a command opens by itself, too.
func TestCommandsDoNotReadWhatRulesDeny(t *testing.T) {
	needMounts(t)
	o := writing()
	o.Denied = func(target string) bool {
		return target == "secret" || strings.HasSuffix(target, "/.token") || strings.HasPrefix(target, "many/")
	}
	h := open(t, o)
	for name, text := range map[string]string{"secret/a": "HIDDEN", "secret/b/c": "HIDDEN", "x/y/.token": "HIDDEN", "x/y/open": "shown"} {
		h.put(name, text)
	}
	for _, command := range []string{"grep -rh . .", "cat */*/* */* 2>/dev/null", "tar -cf - . | tar -xOf - ", "cp -r secret copy; cat copy/*; ln x/y/.token t; cat t x/y/open"} {
		res := h.call("bash", args{"command": command})
		if strings.Contains(res.Text(), "HIDDEN") || strings.Contains(command, "y/") && !strings.Contains(res.Text(), "shown") {
			t.Errorf("%s: %q", command, res.Text())
		}
	}
	for i := range 300 {
		h.put(fmt.Sprintf("many/%d", i), "x")
	}
	if res := h.call("bash", args{"command": "ls"}); !strings.Contains(string(res.Meta), "256 are masked and others may not be") {
		t.Errorf("no gap in %s", res.Meta)
	}
	none := 0
	o.Denied, o.SomeDenied = func(string) bool { none++; return true }, func() bool { return false }
	if res := open(t, o).call("bash", args{"command": "ls"}); res.Err != nil || none > 0 {
		t.Errorf("%q, looked at %d files without a rule", res.Text(), none)
	}
}

// Off unless it is asked for: many good commands are silent for long.
func TestACommandThatPrintsNothingIsEndedWhereThatIsAskedFor(t *testing.T) {
	needBash(t)
	o := writing()
	var res *tool.Result
	for o.Sandbox.Idle = 200 * time.Millisecond; o.Sandbox.Idle < time.Minute; o.Sandbox.Idle *= 4 { // a machine may be too busy for the shortest
		res = open(t, o).call("bash", args{"command": "echo so far; sleep 300"})
		if res.Err == nil || res.Err.Code != tool.TimedOut || strings.Contains(res.Text(), "so far\n") || strings.HasSuffix(res.Text(), "so far") {
			break
		}
	}
	if res.Err == nil || res.Err.Code != tool.TimedOut || !strings.HasPrefix(res.Text(), "Command ended: it printed nothing for too long: echo") || !strings.Contains(res.Text(), "so far") {
		t.Errorf("%q, %+v", res.Text(), res.Err)
	}
	if res = open(t, writing()).call("bash", args{"command": "sleep 0.5; echo done"}); res.Text() != "done" {
		t.Errorf("%q", res.Text())
	}
}

// A process that ends after its call can keep no task, and says where one lives.
func TestWithoutASessionThatLivesOnNothingRunsInTheBackground(t *testing.T) {
	needBash(t)
	o := writing()
	o.OneCall = true
	h := open(t, o)
	for _, s := range []*tool.Session{nil, session(t, nil)} {
		res := h.in(s, "bash", args{"command": "sleep 9", "run_in_background": true})
		if res.Err == nil || res.Err.Code != tool.Validation || !strings.Contains(res.Err.Hint, "helve serve") {
			t.Errorf("%q, %+v", res.Text(), res.Err)
		}
	}
}
