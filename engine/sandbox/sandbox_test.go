//go:build linux

package sandbox

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	Init()
	if os.Getenv("SANDBOX_TEST_NESTED") != "" {
		os.Exit(nested())
	}
	if script := os.Getenv(asParent); script != "" {
		os.Exit(parent(script))
	}
	skipExample()
	os.Exit(m.Run())
}

// skipExample leaves the example out where no mechanism works: an example cannot skip itself.
func skipExample() {
	_, err := Reach(context.Background(), Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, "the example is skipped:", err)
		flag.Set("test.skip", "^Example$")
	}
}

// ample bounds what must come, on a machine that does much else.
const ample = 2 * time.Minute

// fixture is a workspace with a repository, and a home with secrets, in a throw-away directory.
type fixture struct{ home, root string }

func newFixture(t *testing.T) fixture {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := fixture{home: filepath.Join(base, "home"), root: filepath.Join(base, "home", "repo")}
	files := map[string]string{"home/.ssh/id_rsa": "SECRET", "home/.netrc": "SECRET", "home/f": "mine", "home/repo/a.go": "package a\n", "home/repo/.env": "TOKEN=SECRET\n",
		"home/repo/.git/config": "[core]\n", "home/repo/.git/HEAD": "ref: refs/heads/main\n", "home/repo/.git/hooks/pre-commit.sample": "#\n", "home/repo/.vscode/settings.json": "{}"}
	for name, text := range files {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func (f fixture) options(level Level) Options {
	return Options{Level: level, Roots: []string{f.root}, Home: f.home, show: []string{f.home}}
}

func (f fixture) env() []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + f.home}
}

// run runs a bash command and returns its output and status.
func run(t *testing.T, o Options, f fixture, command string) (string, Exit, Reached) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), ample)
	defer cancel()
	p, r, err := Start(ctx, o, Spec{Argv: []string{"bash", "--noprofile", "--norc", "-c", command}, Dir: f.root, Env: f.env()})
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	defer p.Close()
	e, err := p.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	out, _, _ := p.Stdout.HeadTail(100000)
	errs, _, _ := p.Stderr.HeadTail(100000)
	return string(out) + string(errs), e, r
}

// mechanisms runs a test with every mechanism of this machine.
func mechanisms(t *testing.T, test func(t *testing.T, mechanism string)) {
	for _, m := range ladder {
		t.Run(m, func(t *testing.T) {
			if _, err := Reach(t.Context(), Options{Mechanism: m}); err != nil {
				t.Skip(err)
			}
			test(t, m)
		})
	}
}

func TestACommandRunsAtEveryLevel(t *testing.T) {
	mechanisms(t, func(t *testing.T, m string) {
		f := newFixture(t)
		for _, level := range []Level{ReadOnly, WorkspaceWrite} {
			o := f.options(level)
			o.Mechanism = m
			out, e, r := run(t, o, f, "cat a.go; pwd; echo x > $TMPDIR/x && cat $TMPDIR/x; exit 3")
			if want := "package a\n" + f.root + "\nx\n"; out != want || e.Code != 3 {
				t.Errorf("%s: %q %+v, want %q and code 3", level, out, e, want)
			}
			if r.Level != level || r.Mechanism != m {
				t.Errorf("reached %+v", r)
			}
		}
	})
}

func TestReadOnlyChangesNothing(t *testing.T) {
	mechanisms(t, func(t *testing.T, m string) {
		f := newFixture(t)
		o := f.options(ReadOnly)
		o.Mechanism = m
		for _, c := range []string{"echo x > new", "echo x > a.go", "rm a.go", "mkdir d", "mv a.go b.go", "chmod 777 a.go", "touch -d 2001-01-01 a.go", "ln a.go c", "echo x > $HOME/f", "echo x >> .git/config", "truncate -s 0 a.go"} {
			if out, e, _ := run(t, o, f, c); e.Code == 0 {
				t.Errorf("%s succeeded: %q", c, out)
			}
		}
		if text, err := os.ReadFile(filepath.Join(f.root, "a.go")); err != nil || string(text) != "package a\n" {
			t.Errorf("a.go is %q, %v", text, err)
		}
	})
}

func TestWorkspaceWriteChangesTheWorkspaceOnly(t *testing.T) {
	mechanisms(t, func(t *testing.T, m string) {
		f := newFixture(t)
		o := f.options(WorkspaceWrite)
		o.Mechanism = m
		out, e, _ := run(t, o, f, "echo x > new && mkdir d && mv new d/new && chmod 755 d/new && touch -d 2001-01-01 a.go && echo ok")
		if out != "ok\n" {
			t.Errorf("work in the workspace: %q %+v", out, e)
		}
		for _, c := range []string{"echo x > $HOME/f", "echo x > $HOME/new", "rm $HOME/f", "mv $HOME/f .", "echo x > /etc/helve-test", "mkdir $HOME/d", "ln $HOME/f k && echo z > k", "ln -sfn $HOME/f sl && echo z > sl"} {
			if out, e, _ := run(t, o, f, c); e.Code == 0 {
				t.Errorf("%s succeeded: %q", c, out)
			}
		}
		if text, _ := os.ReadFile(filepath.Join(f.home, "f")); string(text) != "mine" {
			t.Errorf("f is %q", text)
		}
	})
}

func TestProtectedPathsStayReadOnlyAlsoWhenAbsent(t *testing.T) {
	mechanisms(t, func(t *testing.T, m string) {
		f := newFixture(t)
		o := f.options(WorkspaceWrite)
		o.Mechanism = m
		o.Protected = []string{"AGENTS.md"}
		there := []string{"echo x > .git/config", "echo x > .git/hooks/pre-commit", "echo x > .vscode/tasks.json", "rm -r .vscode", "mv .git .g", "mv .vscode .v",
			"mv .git .g; mkdir .git; cp -r .g/. .git; echo x > .git/config"}
		if m == Landlock {
			there = nil // Landlock alone cannot keep what is there; its gaps say so
		}
		absent := []string{"mkdir -p .helve && echo x > .helve/config.toml", "echo x > .mcp.json", "mkdir .claude/x", "mkdir .claude", "mkdir .git/modules", "mkdir .git/modules/x", "echo x > .envrc", "ln -s /etc .cursor",
			"echo x > AGENTS.md", "rm .mcp.json", "rm -rf .helve && mkdir .helve && touch .helve/x", "mv .helve h2", "ln -f a.go .envrc", "mv a.go .mcp.json", "cp a.go .envrc", "mkfifo .envrc", "ln a.go .gitmodules",
			"cd .git && echo x > ../.envrc", "cd /; echo x > " + f.root + "/.envrc", "echo x > .git/../.envrc", "mkdir .codex/", "ln -s .envrc l; echo x > l", "ln -s " + f.root + "/.envrc m; echo x > m",
			"echo x > /proc/self/cwd/.envrc", "ln -s /proc/self/cwd c; echo x > c/.envrc", "exec 5<.; echo x > /dev/fd/5/.envrc", "exec 5<.; ln -s .envrc o; echo x > /proc/self/fd/5/o", "mkdir d; echo x > d/f; mv d .idea"}
		defer func() {
			for _, name := range []string{"l", "m", "c", "o", "d"} {
				os.RemoveAll(filepath.Join(f.root, name))
			}
		}()
		for _, c := range append(there, absent...) {
			if out, e, _ := run(t, o, f, c); e.Code == 0 {
				t.Errorf("%s succeeded: %q", c, out)
			}
		}
		if out, e, _ := run(t, o, f, "echo x > .git/index && echo y > .git/FETCH_HEAD && mkdir .git/refs && rm .git/index && echo ok"); out != "ok\n" {
			t.Errorf("git itself cannot work: %q %+v", out, e)
		}
		names, _ := os.ReadDir(f.root)
		for _, n := range names {
			switch n.Name() {
			case ".git", ".vscode", ".env", "a.go", "l", "m", "c", "o", "d":
			default:
				t.Errorf("%s is left in the workspace", n.Name())
			}
		}
		if text, _ := os.ReadFile(filepath.Join(f.root, ".git/config")); string(text) != "[core]\n" {
			t.Errorf(".git/config is %q", text)
		}
		if _, err := os.Stat(filepath.Join(f.root, ".git/modules")); err == nil {
			t.Error(".git/modules is left")
		}
	})
}

// Whoever else works in the workspace sees nothing of the protection, and what a command may write is there at once.
func TestNothingStandsInTheWorkspaceWhileACommandRuns(t *testing.T) {
	mechanisms(t, func(t *testing.T, m string) {
		f := newFixture(t)
		more := filepath.Join(f.home, "more")
		if err := os.Mkdir(more, 0o755); err != nil {
			t.Fatal(err)
		}
		o := f.options(WorkspaceWrite)
		o.Mechanism, o.Writable = m, []string{more}
		line := "ls -A . .git " + more + "; echo x > new; echo y > " + more + "/new; ls -A . .git " + more + "; read line; rm new " + more + "/new"
		p, in := startTalking(t, o, f, line)
		defer p.Close()
		for end := time.Now().Add(ample); !there(f.root+"/new") || !there(more+"/new"); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("what it writes is not there")
			}
		}
		for dir, want := range map[string]string{f.root: ".env .git .vscode a.go new", f.root + "/.git": "HEAD config hooks", more: "new"} {
			entries, err := os.ReadDir(dir)
			var names []string
			for _, e := range entries {
				names = append(names, e.Name())
			}
			if got := strings.Join(names, " "); got != want || err != nil {
				t.Errorf("%s: %s, want %s (%v)", dir, got, want, err)
			}
		}
		fmt.Fprintln(in, "end")
		if e, err := p.Wait(t.Context()); err != nil || e.Code != 0 {
			t.Errorf("%+v, %v", e, err)
		}
	})
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// startTalking starts a command that reads what is written to the file.
func startTalking(t *testing.T, o Options, f fixture, line string) (*Process, *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { write.Close() })
	p, _, err := Start(t.Context(), o, Spec{Argv: []string{"bash", "-c", line}, Dir: f.root, In: read})
	if err != nil {
		t.Fatal(err)
	}
	return p, write
}

func TestSecretsAreMasked(t *testing.T) {
	mechanisms(t, func(t *testing.T, m string) {
		f := newFixture(t)
		for _, level := range []Level{ReadOnly, WorkspaceWrite} {
			o := f.options(level)
			o.Mechanism = m
			o.Masked = []string{".env"}
			for _, c := range []string{"cat $HOME/.ssh/id_rsa", "cat $HOME/.netrc", "cat .env", "ln $HOME/.ssh/id_rsa k; cat k", "grep -r SECRET $HOME/.ssh $HOME/.netrc", "grep -r SECRET .", "cp -r $HOME/.ssh $TMPDIR; cat $TMPDIR/.ssh/*", "cat /proc/*/environ"} {
				if m == Landlock && level == WorkspaceWrite && strings.Contains(c, ".") && !strings.Contains(c, "HOME/") {
					continue // a gap, which says so
				}
				if out, _, _ := run(t, o, f, c); strings.Contains(out, "SECRET") {
					t.Errorf("%s: %s: %q", level, c, out)
				}
			}
		}
	})
}

func TestAnEndedCommandLeavesNoProcess(t *testing.T) {
	mechanisms(t, func(t *testing.T, m string) {
		f := newFixture(t)
		o := f.options(WorkspaceWrite)
		o.Mechanism = m
		sleep := fmt.Sprintf("%d.%d", 700+len(m), os.Getpid())
		run(t, o, f, "setsid sleep "+sleep+" & (setsid bash -c 'sleep "+sleep+" & disown' &); sleep 0.2")
		for end := time.Now().Add(ample); running(sleep); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("a child still runs")
			}
		}
	})
}

func running(word string) bool {
	dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, d := range dirs {
		if text, err := os.ReadFile(d); err == nil && strings.Contains(string(text), "sleep\x00"+word) {
			return true
		}
	}
	return false
}

func TestSignalsAndStatusAreThoseOfTheCommand(t *testing.T) {
	mechanisms(t, func(t *testing.T, m string) {
		f := newFixture(t)
		o := f.options(ReadOnly)
		o.Mechanism = m
		if _, e, _ := run(t, o, f, "kill -KILL $$"); e.Signal != "SIGKILL" {
			t.Errorf("kill -KILL: %+v", e)
		}
		if _, e, _ := run(t, o, f, "kill -TERM $$"); e.Signal != "SIGTERM" {
			t.Errorf("kill -TERM: %+v", e)
		}
	})
}

// The bound on processes is written only where the file is the namespace's own.
func TestTheKernelOfTheBoundIsKnown(t *testing.T) {
	for release, want := range map[string]bool{"6.14.0": true, "6.18.44-fc": true, "7.0-rc1": true, "6.13.9": false, "5.15.0-100-generic": false, "6": false, "": false, "x.y": false} {
		if got := since(release, 6, 14); got != want {
			t.Errorf("%q: %v, want %v", release, got, want)
		}
	}
}

func TestWithoutInitNothingIsLaunched(t *testing.T) {
	initialized.Store(false)
	defer initialized.Store(true)
	if _, _, err := Start(t.Context(), Options{}, Spec{Argv: []string{"true"}}); err != ErrNoInit {
		t.Errorf("error %v, want ErrNoInit", err)
	}
	if p, r, err := Start(t.Context(), Options{Level: Off}, Spec{Argv: []string{"true"}}); err != nil || r.Level != Off {
		t.Errorf("off: %v %v", r, err)
	} else {
		p.Close()
	}
}

func TestALevelThatCannotBeKeptIsAnError(t *testing.T) {
	o := Options{Mechanism: "no such thing"}
	if _, err := Reach(t.Context(), o); err == nil {
		t.Error("reached")
	}
	if _, _, err := Start(t.Context(), o, Spec{Argv: []string{"true"}}); err == nil {
		t.Error("started")
	}
}

func TestACommandMayNameItsOwnStreams(t *testing.T) {
	mechanisms(t, func(t *testing.T, m string) {
		f := newFixture(t)
		o := f.options(ReadOnly)
		o.Mechanism = m
		out, e, _ := run(t, o, f, "echo a > /dev/stdout && echo b > /dev/stderr && echo c | tee /dev/stderr && cat /dev/stdin && echo d > /dev/fd/1 && diff <(echo x) <(echo x) && echo e > /dev/null && [ -c /dev/tty ] && head -c 4 /dev/zero | wc -c")
		if want := "a\nc\nd\n4\nb\nc\n"; out != want || e.Code != 0 {
			t.Errorf("%q %+v, want %q", out, e, want)
		}
	})
}

// What a command leaves in its private temporary directories is told, parts of the workspace and empty things are not.
func TestWhatIsLeftInThePrivateDirectoryIsTold(t *testing.T) {
	mechanisms(t, func(t *testing.T, m string) {
		f := newFixture(t)
		o := f.options(WorkspaceWrite)
		o.Mechanism = m
		_, e, _ := run(t, o, f, "echo x > $TMPDIR/a; mkdir -p $TMPDIR/d/e $TMPDIR/empty; touch $TMPDIR/nothing; echo y > new")
		if len(e.Left) != 2 || !strings.HasSuffix(e.Left[0], "/a") || !strings.HasSuffix(e.Left[1], "/d") {
			t.Errorf("left %q", e.Left)
		}
		_, e, _ = run(t, o, f, "for i in $(seq 60); do echo x > $TMPDIR/$i; done")
		if len(e.Left) != maxLeft {
			t.Errorf("%d names, want %d", len(e.Left), maxLeft)
		}
	})
}

func TestARepositoryIsMadeOnlyWhereThatIsGranted(t *testing.T) {
	mechanisms(t, func(t *testing.T, m string) {
		if m == Landlock {
			t.Skip("Landlock alone cannot; its gaps say so")
		}
		f := newFixture(t)
		o := f.options(WorkspaceWrite)
		o.Mechanism, o.NewRepository = m, true
		if _, e, _ := run(t, o, f, "echo x >> .git/config"); e.Code == 0 {
			t.Error("the configuration of a repository that is there was changed")
		}
		if err := os.RemoveAll(filepath.Join(f.root, ".git")); err != nil {
			t.Fatal(err)
		}
		if out, e, _ := run(t, o, f, "mkdir -p .git/hooks && echo '[core]' > .git/config && cat .git/config"); out != "[core]\n" {
			t.Errorf("%q %+v", out, e)
		}
		if _, e, _ := run(t, o, f, "echo x >> .git/config || echo x > .envrc"); e.Code == 0 {
			t.Error("what was made can still be changed")
		}
	})
}

// npm itself says what it goes by: it waits a minute for an answer that is refused at once, unless it is told not to.
func TestNpmDoesNotTryAgainWithoutNetwork(t *testing.T) {
	mechanisms(t, func(t *testing.T, m string) {
		f := newFixture(t)
		o := f.options(WorkspaceWrite)
		o.Mechanism = m
		if _, e, _ := run(t, o, f, "command -v npm && command -v node"); e.Code != 0 {
			t.Skip("npm is not installed")
		}
		const ask = "npm config get fetch-retries --cache $TMPDIR/npm"
		if out, e, _ := run(t, o, f, ask); out != "0\n" {
			t.Errorf("without network: %q %+v", out, e)
		}
		if out, e, _ := run(t, o, f, "npm_config_fetch_retries=4 "+ask); out != "4\n" {
			t.Errorf("set by the line: %q %+v", out, e)
		}
		if out, e, _ := run(t, o, f, "npm view helve-nothing --cache $TMPDIR/npm"); e.Code == 0 || !strings.Contains(out, "npm error") {
			t.Errorf("a look at the registry: %q %+v", out, e)
		}
		o.Network = true
		if out, e, _ := run(t, o, f, ask); out != "2\n" {
			t.Errorf("with network: %q %+v", out, e)
		}
	})
}

func TestATemporaryFolderThatIsGivenOutlivesItsCommands(t *testing.T) {
	mechanisms(t, func(t *testing.T, m string) {
		f := newFixture(t)
		for _, level := range []Level{WorkspaceWrite, ReadOnly} {
			o := f.options(level)
			o.Mechanism = m
			o.Temp = t.TempDir()
			out, _, _ := run(t, o, f, "echo one > $TMPDIR/x; ls $TMPDIR")
			more, e, _ := run(t, o, f, "cat $TMPDIR/x; echo two > $TMPDIR/y")
			kept, err := os.ReadFile(filepath.Join(o.Temp, "y"))
			if !strings.Contains(out, "x\n") || more != "one\n" || len(e.Left) > 0 || string(kept) != "two\n" {
				t.Errorf("%s: %q, then %q, %+v and %q, %v", level, out, more, e, kept, err)
			}
		}
	})
}
