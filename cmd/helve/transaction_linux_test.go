package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// kills is small for every day; 1000 take some minutes.
var kills = flag.Int("kills", 25, "how many commands TestAKilledHelveLeavesTheWorkspaceAsBeforeOrAsAfter kills")

// A base is a home with a workspace, and a helve that a user runs there.
type base struct {
	t               *testing.T
	dir, home, work string
	user            int // 0: the one who runs the tests
}

func newBase(t *testing.T, user int) *base {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := os.MkdirTemp("", "desk-*") // the test's own folder lies below one that only its user enters
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	home := filepath.Join(dir, "home")
	d := &base{t, dir, home, filepath.Join(home, "work"), user}
	if err := errors.Join(copySelf(d.helve()), os.MkdirAll(d.work, 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{dir, home, d.work} {
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
		if user != 0 {
			if err := os.Chown(at, user, user); err != nil {
				t.Fatal(err)
			}
		}
	}
	return d
}

// helve is a copy of the test binary under the program's name, by which it knows what it is.
func (d *base) helve() string { return filepath.Join(d.dir, "helve") }

// copySelf links the file where that can be: to write 60 MB takes longer than most of what is done with it.
func copySelf(to string) error {
	if self, err := os.Executable(); err == nil && os.Link(self, to) == nil {
		return nil
	}
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}

// command is one that the user runs in the workspace.
func (d *base) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = d.work
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.home, "MARK=" + d.mark(), "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true", "LC_ALL=C",
		"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=n@x", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=n@x"}
	if d.user != 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(d.user), Gid: uint32(d.user)}}
	}
	return c
}

func (d *base) mark() string { return filepath.Join(d.home, "marked") }

// outside runs a command line as the user would, without helve.
func (d *base) outside(line string) (string, error) {
	out, err := d.command("bash", "--noprofile", "--norc", "-c", line).CombinedOutput()
	return string(out), err
}

// bash is a command line that an agent runs in mode auto, where nobody is asked.
func (d *base) bash(line string) string {
	d.t.Helper()
	out, _ := d.command(d.helve(), "--mode", "auto", "call", "bash", "command="+line, "timeout=120000").CombinedOutput()
	return string(out)
}

// needHeld skips where what commands change cannot be held back.
func (d *base) needHeld() {
	d.t.Helper()
	out, err := d.command(d.helve(), "--mode", "auto", "call", "--json", "bash", "command=touch probe && rm probe").CombinedOutput()
	if err != nil || strings.Contains(string(out), "not held back") || !strings.Contains(string(out), `"namespaces"`) {
		d.t.Skipf("nothing is held back here: %v %s", err, out)
	}
}

const baseRepository = `git init -q -b main . && git config user.name n && git config user.email e@x && git config gc.auto 0 && echo one >a && mkdir d && echo two >d/b && git add . && git commit -q -m one && git tag t && echo x >>a && git commit -qam two`

// Scripts that an agent was talked into, and what the person does afterwards. Each marks where nothing holds it; after a
// run in helve, unasked, nothing is marked.
func TestWhatACommandLeavesIsNotRunOutside(t *testing.T) {
	const settings = `printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = "touch %s; false"\n' "$MARK"`
	const hook = `printf '#!/bin/sh\ntouch %s\n' "$MARK"`
	attacks := map[string]struct{ attack, look string }{
		"commondir":            {`mkdir -p build/evil && cp -r .git/objects .git/refs build/evil/ && ` + settings + ` >build/evil/config && echo ../build/evil >.git/commondir`, "git status"},
		"settings":             {`git config core.fsmonitor "touch $MARK; false"`, "git status"},
		"alias":                {`git config alias.st "!touch $MARK"`, "git st"},
		"pager":                {`git config core.pager "touch $MARK; cat"; git config pager.log true`, "script -qec 'git log' /dev/null || git -p log"},
		"worktree's settings":  {`git config extensions.worktreeConfig true && ` + settings + ` >.git/config.worktree`, "git status"},
		"included settings":    {settings + ` >inc && git config include.path ../inc`, "git status"},
		"hook":                 {hook + ` >.git/hooks/pre-commit && chmod +x .git/hooks/pre-commit`, "git commit -q --allow-empty -m x"},
		"folder of hooks":      {`mkdir h && ` + hook + ` >h/pre-commit && chmod +x h/pre-commit && git config core.hooksPath h`, "git commit -q --allow-empty -m x"},
		"moved hooks":          {`mkdir h && ` + hook + ` >h/pre-commit && chmod +x h/pre-commit && rm -rf .git/hooks && mv h .git/hooks`, "git commit -q --allow-empty -m x"},
		"new .git":             {`mv .git old && git init -q . && ` + settings + ` >.git/config && rm -rf .git/objects .git/refs && cp -r old/objects old/refs old/HEAD old/index .git/`, "git status"},
		"link as .git":         {`mv .git g && ` + settings + ` >g/config && ln -s g .git`, "git status"},
		"file as .git":         {`mv .git g && ` + settings + ` >g/config && echo "gitdir: g" >.git`, "git status"},
		"nested repository":    {`git init -q sub && git -C sub -c user.name=n -c user.email=e commit -q --allow-empty -m x && git add sub 2>/dev/null; ` + settings + ` >sub/.git/config`, "git status; cd sub && git status"},
		"bare in the root":     {`rm .git/HEAD && cp -r .git/objects .git/refs .git/index . && echo "ref: refs/heads/main" >HEAD && ` + settings + ` >config && printf "\tworktree = .\n" >>config`, "git status"},
		"bare in a folder":     {`mkdir -p x/y && cp -r .git/objects .git/refs x/ && cp .git/HEAD x/ && ` + settings + ` >x/config && printf "\tworktree = y\n" >>x/config`, "cd x && git status"},
		"list of a rebase":     {`GIT_SEQUENCE_EDITOR="sed -i '1i break'" git rebase -q -i t && echo "exec touch $MARK" >>.git/rebase-merge/git-rebase-todo`, "git rebase --continue"},
		"filter":               {`echo '* filter=f' >.gitattributes && git config filter.f.clean "touch $MARK; cat"`, "touch a && git add ."},
		"background":           {`(sleep 1; git config core.fsmonitor "touch $MARK; false") & sleep 2`, "git status"},
		"set-user-ID":          {`cp /bin/true x && chmod 4755 x`, `test ! -u x || touch $MARK`},
		"direnv":               {`echo "touch $MARK" >.envrc`, `test ! -e .envrc || . ./.envrc`},
		"an agent's servers":   {`echo '{}' >.mcp.json`, `test ! -e .mcp.json || touch $MARK`},
		"helve's own settings": {`mkdir .helve && echo '{}' >.helve/config.json`, `test ! -e .helve/config.json || touch $MARK`},
		"editor":               {`mkdir -p .vscode && echo '{}' >.vscode/tasks.json; mkdir .zed .devcontainer .husky && touch .husky/pre-commit`, `test -z "$(ls -d .vscode/* .husky/* .zed .devcontainer 2>/dev/null)" || touch $MARK`},
	}
	users := map[string]int{"own user": 0}
	if os.Geteuid() == 0 {
		users["ordinary user"] = 65534
	}
	for who, user := range users {
		t.Run(who, func(t *testing.T) {
			newBase(t, user).needHeld()
			for name, a := range attacks {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					if !newBase(t, user).marks(a.attack, a.look, false) {
						t.Skip("the attack does not work here, held or not")
					}
					if newBase(t, user).marks(a.attack, a.look, true) {
						t.Error("it left a mark")
					}
				})
			}
		})
	}
}

// marks runs an attack, held by helve or not, then what the person does, and tells whether a mark is there.
func (d *base) marks(attack, look string, held bool) bool {
	d.t.Helper()
	if out, err := d.outside(baseRepository); err != nil {
		d.t.Fatal(err, out)
	}
	attack = strings.ReplaceAll(attack, "$MARK", d.mark()) // a sandbox passes few variables on
	script := filepath.Join(d.work, "attack.sh")
	if err := os.WriteFile(script, []byte(attack+"\n"), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if held {
		d.t.Log(d.bash("bash attack.sh"))
	} else {
		d.outside("bash attack.sh")
	}
	os.Remove(d.mark())
	d.outside(look)
	_, err := os.Lstat(d.mark())
	return err == nil
}

// work is a command that moves, makes, changes and deletes files and commits that: its n-th run ends in a clean state
// that names n.
const work = `n=$(cat n) && m=$((n+1)) && echo $m >n && git mv dir$n dir$m && for i in $(seq 40); do echo $m $i >dir$m/f$i; done && rm -rf extra && mkdir -p extra/x/y && echo $m >extra/x/y/z && git add -A && git commit -q -m $m`

// helve is killed at any moment of a command, while it runs or while its changes are made: the workspace is as before or
// as after, git finds nothing to object to, and nothing of helve's is left in it.
func TestAKilledHelveLeavesTheWorkspaceAsBeforeOrAsAfter(t *testing.T) {
	t.Parallel()
	d := newBase(t, 0)
	d.needHeld()
	if err := os.WriteFile(filepath.Join(d.work, "work.sh"), []byte(work), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := d.outside(`git init -q -b main . && git config user.name n && git config user.email e@x && git config gc.auto 0 && echo 0 >n && mkdir dir0 extra && touch extra/f dir0/f && git add . && git commit -q -m 0`); err != nil {
		t.Fatal(err, out)
	}
	start := time.Now()
	if out := d.bash("sh work.sh"); !strings.Contains(out, "changed") {
		t.Fatal(out)
	}
	window := time.Since(start)
	n, outcomes := 1, map[string]int{}
	for range *kills {
		c := d.command(d.helve(), "--mode", "auto", "call", "bash", "command=sh work.sh")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		delay := time.Duration(rand.Int64N(int64(window)))
		timer := time.AfterFunc(delay, func() { c.Process.Kill() })
		c.Wait()
		timer.Stop()
		d.bash("true --x") // the next start finishes what was begun
		switch now := d.state(); now {
		case fmt.Sprint(n):
			outcomes["before"]++
			window += window / 5 // the machine does much else: the kills find the end of a command by themselves
		case fmt.Sprint(n + 1):
			outcomes["after"]++
			window -= window / 5
			n++
		default:
			t.Fatalf("killed after %v: it is neither as at %d nor as at %d: %s", delay, n, n+1, now)
		}
	}
	t.Logf("%d kills: %v", *kills, outcomes)
	if outcomes["before"] == 0 || outcomes["after"] == 0 {
		t.Errorf("the kills came too early or too late to show anything: %v", outcomes)
	}
}

// state is the number of the state that the workspace is in, or what is wrong with it.
func (d *base) state() string {
	d.t.Helper()
	out, err := d.outside(`set -e; git fsck --strict --no-dangling 2>&1 >&2; test ! -e .git/index.lock; n=$(cat n); git status --porcelain --ignored; test "$(git log -1 --format=%s)" = $n; ` +
		`test "$(ls -A | tr '\n' ' ')" = ".git dir$n extra n work.sh "; test $(cat dir$n/f* | sort -u | wc -l) = 40; test "$(cat extra/x/y/z)" = $n; echo $n`)
	if err != nil {
		files, _ := d.outside("ls -A; cat n; git status --short | head; git log --oneline | head -3; ls .git")
		return fmt.Sprintf("%v %s\n%s", err, out, files)
	}
	return strings.TrimSpace(out)
}
