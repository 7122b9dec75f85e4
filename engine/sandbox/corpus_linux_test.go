package sandbox

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"helve/engine/shell"
	"helve/internal/testing/corpus"
)

// asProbe are the cases whose command only describes what to do, and those that need a program which may be missing:
// the probe of this name does the same.
var asProbe = map[string]string{
	"sandbox-002": "chmod-outside", "sandbox-003": "times-outside", "sandbox-004": "xattr-outside", "sandbox-021": "tcp", "sandbox-022": "udp", "sandbox-023": "families",
	"sandbox-024": "unix-socket", "sandbox-025": "abstract-socket", "sandbox-030": "other-abi", "sandbox-031": "ptrace", "sandbox-034": "remount",
	"sandbox-036": "tcp", "sandbox-038": "tcp", "sandbox-039": "tcp", "sandbox-040": "descriptors",
}

func TestEverySandboxAttackOfTheCorpusIsContained(t *testing.T) {
	for _, c := range corpus.Attacks("sandbox") {
		t.Run(c.ID, func(t *testing.T) {
			command, _ := c.Command()
			switch {
			case c.ID == "sandbox-041":
				_, err := Reach(t.Context(), Options{Mechanism: "none of this machine"})
				if !errors.Is(err, ErrLevel) {
					t.Errorf("without any mechanism: %v, want ErrLevel", err)
				}
			case c.Expected == corpus.Ask:
				if a := shell.Analyze(command, shell.Options{}); a.Verdict != shell.Ask {
					t.Errorf("%q: %s", command, a.Verdict)
				}
			case asProbe[c.ID] != "":
				checkProbe(t, asProbe[c.ID])
			default:
				checkContained(t, command)
			}
		})
	}
}

func checkProbe(t *testing.T, name string) {
	for _, p := range probes() {
		if p.name != name {
			continue
		}
		got, err := tryProbe(t.Context(), p, Column{Namespaces, WorkspaceWrite})
		if err != nil || got != Blocked && got != Untried {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

// checkContained runs an approved command and looks at everything that it must not reach.
func checkContained(t *testing.T, command string) {
	requireNamespaces(t)
	f := newFixture(t)
	o := f.options(WorkspaceWrite)
	o.Masked = []string{".env"}
	before := f.digest(t)
	out, _, _ := run(t, o, f, command)
	if strings.Contains(out, "SECRET") {
		t.Errorf("%q printed a secret: %q", command, out)
	}
	if after := f.digest(t); after != before {
		t.Errorf("%q changed something outside or protected:\n%s\nwas\n%s", command, after, before)
	}
}

func requireNamespaces(t *testing.T) {
	t.Helper()
	if _, err := Reach(t.Context(), Options{Mechanism: Namespaces}); err != nil {
		t.Skip(err)
	}
}

// digest describes all that no approved command may change: the home without the workspace, and the workspace's
// protected paths.
func (f fixture) digest(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	filepath.WalkDir(f.home, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(f.root, path)
		if err != nil || !strings.HasPrefix(rel, "..") && !protectedName(rel) {
			return err
		}
		st, err := os.Lstat(path)
		if err != nil {
			return err
		}
		text := []byte(nil)
		stamp := ""
		if st.Mode().IsRegular() {
			text, _ = os.ReadFile(path)
			stamp = st.ModTime().Format(time.RFC3339Nano)
		}
		fmt.Fprintf(&b, "%s %s %s %x\n", path, st.Mode(), stamp, sha256.Sum256(text))
		return nil
	})
	return b.String()
}

func protectedName(rel string) bool {
	for _, p := range DefaultProtected() {
		if inside(rel, strings.TrimSuffix(p, "/")) {
			return true
		}
	}
	return rel == ".git"
}

func TestNoAttackOfTheCorpusLeavesAMarkInTheReadOnlySandbox(t *testing.T) {
	requireNamespaces(t)
	if testing.Short() {
		t.Skip("runs every attack")
	}
	var marks atomic.Int32
	t.Run("all", func(t *testing.T) { runAttacks(t, &marks) })
	// Attacks that leave no mark anywhere prove nothing: in a writable workspace most of them work.
	if n := marks.Load(); n < 60 {
		t.Errorf("only %d attacks work at all", n)
	}
}

func runAttacks(t *testing.T, marks *atomic.Int32) {
	for _, c := range corpus.Attacks("shell-chain", "shell-quoting", "shell-redirect", "arg-injection", "wrapper-env") {
		command, ok := c.Command()
		if !ok || !strings.Contains(c.Check, "fires()") || len(command) > shell.MaxLength {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			for _, level := range []Level{ReadOnly, WorkspaceWrite} {
				f := newFixture(t)
				f.setup(t, c.Input.Setup)
				before := f.digest(t)
				runBriefly(t, f.options(level), f, command)
				if _, err := os.Lstat(filepath.Join(f.root, "pwned")); err == nil {
					if marks.Add(1); level == ReadOnly {
						t.Errorf("%q left its mark", command)
					}
				}
				if after := f.digest(t); after != before {
					t.Errorf("%s: %q changed something outside or protected:\n%s\nwas\n%s", level, command, after, before)
				}
			}
		})
	}
}

// setup runs a case's own preparations, which are harmless, with a home of their own.
func (f fixture) setup(t *testing.T, lines string) {
	t.Helper()
	if lines == "" {
		return
	}
	if strings.Contains(lines, "git init") {
		os.RemoveAll(filepath.Join(f.root, ".git"))
	}
	c := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-c", lines)
	c.Dir, c.Env = f.root, append(f.env(), "GIT_CONFIG_NOSYSTEM=1")
	if out, err := c.CombinedOutput(); err != nil && !strings.Contains(lines, "git init") {
		t.Skipf("setup %q: %v: %s", lines, err, out)
	}
}

// runBriefly runs a command for a few seconds at most; how it ends does not matter.
func runBriefly(t *testing.T, o Options, f fixture, command string) {
	t.Helper()
	o.Limits.Processes = probeLimit
	p, _, err := Start(t.Context(), o, Spec{Argv: []string{"bash", "--noprofile", "--norc", "-c", command}, Dir: f.root, Env: f.env(), Timeout: 4 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithTimeout(t.Context(), ample)
	defer cancel()
	if _, err := p.Wait(ctx); err != nil {
		t.Errorf("%q did not return: %v", command, err)
	}
}

func TestInsideAnotherSandboxTheNextMechanismServes(t *testing.T) {
	requireNamespaces(t)
	f := newFixture(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := f.options(WorkspaceWrite)
	o.show = append(o.show, self)
	p, _, err := Start(t.Context(), o, Spec{Argv: []string{self}, Dir: f.root, Env: append(f.env(), "SANDBOX_TEST_NESTED=1")})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	e, _ := p.Wait(t.Context())
	out, _, _ := p.Stdout.HeadTail(10000)
	errs, _, _ := p.Stderr.HeadTail(10000)
	if e.Code != 0 || !strings.HasPrefix(string(out), "landlock [") || !strings.Contains(string(out), "inner says hello") {
		t.Errorf("%+v: %s%s", e, out, errs)
	}
}

// nested is what the test binary does inside a sandbox.
func nested() int {
	ctx := context.Background()
	root, _ := os.Getwd()
	p, r, err := Start(ctx, Options{Level: WorkspaceWrite, Roots: []string{root}}, Spec{Argv: []string{"bash", "-c", "echo inner says hello; echo x > here"}, Dir: root})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer p.Close()
	p.Wait(ctx)
	out, _, _ := p.Stdout.HeadTail(1000)
	fmt.Println(r.Mechanism, r.Gaps, string(out))
	return 0
}

// A bomb is set off only where a limit was shown to hold first.
func TestAForkBombEndsAtTheLimit(t *testing.T) {
	requireNamespaces(t)
	for _, p := range probes() {
		if p.name == "processes" {
			if got, err := tryProbe(t.Context(), p, Column{Namespaces, WorkspaceWrite}); got != Blocked || err != nil {
				t.Skipf("the limit does not hold here: %s, %v", got, err)
			}
		}
	}
	f := newFixture(t)
	o := f.options(WorkspaceWrite)
	o.Limits.Processes = probeLimit
	start := time.Now()
	p, _, err := Start(t.Context(), o, Spec{Argv: []string{"bash", "-c", "b() { b | b & }; b; sleep 60"}, Dir: f.root, Env: f.env(), Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if e, err := p.Wait(t.Context()); err != nil || !e.TimedOut && e.Code == 0 {
		t.Errorf("%+v %v", e, err)
	}
	if d := time.Since(start); d > ample/2 {
		t.Errorf("took %v to end", d)
	}
}
