package builtin_test

import (
	"encoding/json"
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

// needLayer skips where what commands change cannot be held back: everything else protects paths by mounts, with words of
// its own.
func needLayer(t *testing.T, h *fixture) {
	t.Helper()
	needMounts(t)
	if r := h.call("bash", args{"command": "touch .probe && rm .probe"}); strings.Contains(string(r.Meta), "not held back") {
		t.Skipf("nothing is held back here: %s", r.Meta)
	}
}

// What other programs run or obey later is held back, and the result says who would, with what to do.
func TestAResultSaysWhatWasHeldBack(t *testing.T) {
	h := open(t, writing())
	needLayer(t, h)
	h.put(".git/config", "[core]\n")
	h.put(".git/HEAD", "ref: refs/heads/main\n")
	for command, want := range map[string]string{
		"touch .envrc":                            "[.envrc was held back and is as before: direnv runs it. It needs a person's approval: nobody can be asked. Do not try another way: ask the person",
		"mkdir .vscode; touch seen":               "[1 new: +seen]\n[.vscode was held back and is as before: VS Code runs its tasks",
		"echo x >> .git/config":                   "[.git/config was held back and is as before: ",
		"mkdir -p .git/hooks; touch .git/hooks/x": "[.git/hooks/x was held back and is as before: git runs it: it is a hook",
		"cp /bin/true x; chmod 4755 x":            "Operation not permitted",
		"echo x > /etc/helve-test":                "\n[outside the workspace, commands write to folders that the person names in sandbox.writable only]",
	} {
		if res := h.call("bash", args{"command": command}); !strings.Contains(res.Text(), want) || strings.Count(res.Text(), "\n[") > 2 {
			t.Errorf("%s: %q, want %q", command, res.Text(), want)
		}
	}
	if h.get(".git/config") != "[core]\n" {
		t.Errorf("the configuration is %q", h.get(".git/config"))
	}
	for _, command := range []string{"cat .envrc .vscode/x", "ls .git/config gone", "echo '.envrc: File exists'; false", "mkdir a && mkdir a"} {
		if res := h.call("bash", args{"command": command}); strings.Contains(res.Text(), "held back") {
			t.Errorf("%s: %q", command, res.Text())
		}
	}
}

// The model and the program read what a command changed, and find it at once with every tool.
func TestAResultSaysWhatWasChanged(t *testing.T) {
	h := open(t, writing())
	needLayer(t, h)
	h.put("a.go", "package a\n")
	h.put("old/b.go", "package b\n")
	h.call("grep", args{"pattern": "package"}) // there is a tree that must hear of it
	res := h.call("bash", args{"command": "echo // seen >>a.go; rm -r old; mkdir new; echo package c >new/c.go; echo x >x; chmod +x x; touch -d @0 a.go; echo out"})
	if want := "out\n[1 changed, 2 new, 1 deleted: a.go, +new/, +x, -old/]"; res.Text() != want {
		t.Errorf("%q, want %q", res.Text(), want)
	}
	var m struct {
		Changes []struct{ Path, Change string }
	}
	const want = "[{a.go modified} {new/ created} {old/ deleted} {x created}]"
	if err := json.Unmarshal(res.Meta, &m); err != nil || fmt.Sprint(m.Changes) != want {
		t.Errorf("%s, %v", res.Meta, err)
	}
	if res := h.call("grep", args{"pattern": "package|seen"}); !strings.Contains(res.Text(), "new/c.go") || strings.Contains(res.Text(), "old/") || !strings.Contains(res.Text(), "seen") {
		t.Errorf("grep finds %q", res.Text())
	}
	if res := h.call("bash", args{"command": "cat a.go; exec 3<>x; mkdir tmp && rmdir tmp"}); strings.Contains(res.Text(), "[") {
		t.Errorf("nothing was changed: %q", res.Text())
	}
}

// Nothing of a command is there before it ended, and what it did is there also where it failed or was ended.
func TestACommandChangesTheWorkspaceWhenItEnds(t *testing.T) {
	h := open(t, writing())
	needLayer(t, h)
	for command, limit := range map[string]int{"echo x >failed; exit 3": 60_000, "echo x >ended; sleep 600": 4000} {
		res := h.call("bash", args{"command": command, "timeout": limit})
		if res.Err == nil || !strings.Contains(res.Text(), "[1 new: +") {
			t.Errorf("%s: %q, %v", command, res.Text(), res.Err)
		}
	}
	if h.get("failed") != "x\n" || h.get("ended") != "x\n" {
		t.Error("what was done is not there")
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

// git init works in any line, and nothing that git runs comes with it.
func TestGitInitBringsNothingThatRuns(t *testing.T) {
	h := open(t, writing())
	needLayer(t, h)
	if res := h.call("bash", args{"command": "git --version"}); res.Err != nil {
		t.Skip("no git on this machine")
	}
	for command, dir := range map[string]string{
		"git init": ".git", "git init -q -b main .": ".git", "git init --quiet && git status": ".git", "x=1 git init sub": "sub/.git",
		"git init --template=evil": ".git", "git init && cp evil/hooks/post-checkout .git/hooks/post-checkout": ".git", "git init --separate-git-dir=other": "other",
		"git init && git config core.fsmonitor evil": ".git",
	} {
		h := open(t, writing())
		h.put("evil/hooks/post-checkout", "#!/bin/sh\n")
		res := h.call("bash", args{"command": command})
		if _, err := os.Stat(filepath.Join(h.dir, dir, "HEAD")); err != nil {
			t.Errorf("%s: no repository: %q", command, res.Text())
		}
		h.call("bash", args{"command": "echo evil >> " + dir + "/config; echo evil > " + dir + "/hooks/x"})
		if text, _ := os.ReadFile(filepath.Join(h.dir, dir, "config")); strings.Contains(string(text), "evil") {
			t.Errorf("after %s the configuration is %s", command, text)
		}
		hooks, _ := filepath.Glob(filepath.Join(h.dir, dir, "hooks", "*"))
		for _, hook := range hooks {
			if !strings.HasSuffix(hook, ".sample") {
				t.Errorf("after %s there is the hook %s", command, hook)
			}
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

// A program that is refused a socket or does not see a file says so in words that do not tell why.
func TestAResultSaysWhichWallWasMet(t *testing.T) {
	h := open(t, builtin.Options{Sandbox: builtin.Sandbox{Level: sandbox.WorkspaceWrite}})
	for command, want := range map[string]string{
		"echo 'Error: listen EPERM: operation not permitted /tmp/tsx-0/1.pipe' >&2; exit 1":           "[the sandbox has Unix sockets only as pairs",
		"echo 'dial unix /x.sock: socket: operation not permitted'; exit 1":                           "network=true asks",
		"echo 'cat: /data/models/x: No such file or directory'; exit 1":                               "[commands do not see /data/models/x: ",
		"echo \"ENOENT: no such file or directory, open '/srv/a b/x.json'\"; exit 1":                  "[commands do not see /srv/a",
		"echo 'cat: /usr/x: No such file or directory\nGET https://host/x/y not found'; exit 1":       "",
		"echo 'cat: /tmp/gone: No such file or directory: ./a/b/c: not found'; exit 1":                "",
		"echo 'error: could not write .envrc: Read-only file system'; exit 1":                         "[.envrc stays as it is in the sandbox: it steers what other programs run. Ask the person",
		"echo 'bind: operation not permitted'; exit 1":                                                "",
		"echo '/data/x: No such file or directory is what grep says when it goes on'; test -d . && :": "",
	} {
		r := h.call("bash", args{"command": command})
		var meta struct {
			Sandbox struct{ Mechanism string }
		}
		if err := json.Unmarshal(r.Meta, &meta); err != nil {
			t.Fatal(err)
		}
		if meta.Sandbox.Mechanism != sandbox.Namespaces && strings.Contains(want, "do not see") {
			t.Skip("reads are not confined here")
		}
		hinted := strings.Contains(r.Text(), "[the sandbox has") || strings.Contains(r.Text(), "[commands do not see")
		if !strings.Contains(r.Text(), want) || want == "" && hinted {
			t.Errorf("%s: %q, want %q", command, r.Text(), want)
		}
	}
}
