package sandbox

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/internal/change"
)

// held runs a command over a layer and returns its output, what it changed, and the transaction.
func held(t *testing.T, f fixture, command string) (string, *change.Set, *change.Transaction) {
	t.Helper()
	state := filepath.Join(filepath.Dir(f.home), "state")
	tx, err := change.Begin(change.Options{Roots: []string{f.root}, State: state})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tx.Close(); err != nil {
			t.Error(err)
		}
	})
	o := f.options(WorkspaceWrite)
	o.Layer = NewLayer(tx)
	out, _, r := run(t, o, f, command)
	if !o.Layer.Held() {
		if r.Mechanism == Namespaces {
			t.Skip("an overlay does not work here: ", o.Layer.Why())
		}
		t.Skip("a user namespace does not work here: ", o.Layer.Why())
	}
	set, err := o.Layer.Set(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out, set, tx
}

func paths(s *change.Set) []string {
	var out []string
	for _, c := range s.Changes {
		if c.Will.Type == change.Dir && c.Was.Type == change.Dir && c.Alters() {
			continue // the time of a directory
		}
		mark := "~"
		switch {
		case c.Was.Type == change.None:
			mark = "+"
		case c.Will.Type == change.None:
			mark = "-"
		}
		out = append(out, mark+string(c.Path))
	}
	slices.Sort(out)
	return out
}

func TestACommandOverALayerChangesNothingUntilItIsMade(t *testing.T) {
	f := newFixture(t)
	out, set, tx := held(t, f, `echo new >b.go && echo more >>a.go && rm .git/HEAD && mkdir -p d/e && ln -s a.go d/l && cat a.go && ls`)
	if !strings.Contains(out, "more") || !strings.Contains(out, "b.go") {
		t.Errorf("the command does not see its own changes: %s", out)
	}
	if text, err := os.ReadFile(filepath.Join(f.root, "a.go")); err != nil || string(text) != "package a\n" {
		t.Errorf("a.go is %q: %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(f.root, "b.go")); err == nil {
		t.Error("b.go is there before it is made")
	}
	if got, want := paths(set), []string{"+b.go", "+d", "-.git/HEAD", "~a.go"}; !slices.Equal(got, want) {
		t.Errorf("changes %v, want %v", got, want)
	}
	r, err := tx.Apply(t.Context(), set)
	if err != nil || len(r.Refused) > 0 {
		t.Fatal(err, r)
	}
	check := exec.Command("bash", "-ec", `grep -q more a.go; test "$(cat b.go)" = new; test ! -e .git/HEAD; test "$(readlink d/l)" = a.go; test -d d/e`)
	check.Dir = f.root
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("after: %v %s", err, out)
	}
}

// Whether the kernel lays an overlay is found out by trying: a command that runs without one still has its input.
func TestACommandWhoseLayerIsRefusedHasItsInput(t *testing.T) {
	f := newFixture(t)
	t.Chdir(filepath.Dir(f.home))
	tx, err := change.Begin(change.Options{Roots: []string{f.root}, State: "state"}) // the launcher starts elsewhere
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Close()
	in, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.WriteString("said\n")
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	o := f.options(WorkspaceWrite)
	o.Layer = NewLayer(tx)
	p, r, err := Start(t.Context(), o, Spec{Argv: []string{"cat"}, Dir: f.root, Env: f.env(), In: in})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out, _, _ := p.Stdout.HeadTail(100); string(out) != "said\n" {
		t.Errorf("it read %q", out)
	}
	if r.Mechanism == Namespaces && !strings.Contains(o.Layer.Why(), "overlay") {
		t.Errorf("the layer was not refused: %s", o.Layer.Why())
	}
}

func TestACommandThatChangesNothingLeavesNoChanges(t *testing.T) {
	f := newFixture(t)
	_, set, _ := held(t, f, `cat a.go >/dev/null; ls -R >/dev/null; exec 3<>a.go; exec 3>&-; touch x && rm x; mkdir y && rmdir y`)
	if got := paths(set); len(got) > 0 {
		t.Errorf("changes %v", got)
	}
}

// An overlay refuses to rename directories that lie below it, and programs do not expect that.
func TestDirectoriesAreRenamedOverALayer(t *testing.T) {
	f := newFixture(t)
	for _, d := range []string{"old/sub/deep", "other"} {
		if err := os.MkdirAll(filepath.Join(f.root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{"old/x", "old/sub/y", "old/sub/deep/z", "other/o"} {
		if err := os.WriteFile(filepath.Join(f.root, p), []byte(p), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	python := `python3 -c 'import os; os.rename("old", "new"); os.rename("new/sub", "sub2")'`
	if _, err := exec.LookPath("python3"); err != nil {
		python = "mv old new && mv new/sub sub2"
	}
	out, set, tx := held(t, f, python+` && mv other other2 && cat new/x sub2/y sub2/deep/z other2/o`)
	if want := "old/xold/sub/yold/sub/deep/zother/o"; out != want {
		t.Fatalf("got %q, want %q", out, want)
	}
	if got, want := paths(set), []string{"+new", "+other2", "+sub2", "-old", "-other"}; !slices.Equal(got, want) {
		t.Errorf("changes %v, want %v", got, want)
	}
	if _, err := tx.Apply(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(f.root, "sub2/deep/z")); err != nil || string(text) != "old/sub/deep/z" {
		t.Errorf("%q %v", text, err)
	}
}

func TestWhatOthersChangeWhileACommandRunsIsNotOverwritten(t *testing.T) {
	f := newFixture(t)
	state := filepath.Join(filepath.Dir(f.home), "state")
	tx, err := change.Begin(change.Options{Roots: []string{f.root}, State: state})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Close()
	o := f.options(WorkspaceWrite)
	o.Layer = NewLayer(tx)
	ctx, cancel := context.WithTimeout(t.Context(), ample)
	defer cancel()
	p, _, err := Start(ctx, o, Spec{Argv: []string{"bash", "-c", "echo mine >>a.go; echo ready; sleep 0.3"}, Dir: f.root, Env: f.env()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if !o.Layer.Held() {
		t.Skip("an overlay does not work here: ", o.Layer.Why())
	}
	for p.Stdout.Size() == 0 {
		if ctx.Err() != nil {
			t.Fatal("the command does not run")
		}
	}
	if err := os.WriteFile(filepath.Join(f.root, "a.go"), []byte("theirs\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	set, err := o.Layer.Set(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r, err := tx.Apply(ctx, set)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Refused) != 1 || !errors.Is(r.Refused[0].Why, change.ErrChanged) {
		t.Errorf("refused %+v", r.Refused)
	}
	if text, _ := os.ReadFile(filepath.Join(f.root, "a.go")); string(text) != "theirs\n" {
		t.Errorf("a.go is %q", text)
	}
	if kept, err := os.ReadFile(r.Refused[0].Kept); err != nil || !strings.HasSuffix(string(kept), "mine\n") {
		t.Errorf("kept %q: %v", kept, err)
	}
}

// What a mechanism without an overlay does is said, and the command runs all the same.
func TestWithoutALayerACommandChangesTheWorkspaceAndSaysSo(t *testing.T) {
	f := newFixture(t)
	tx, err := change.Begin(change.Options{Roots: []string{f.root}, State: filepath.Join(filepath.Dir(f.home), "state")})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Close()
	o := f.options(WorkspaceWrite)
	o.Mechanism, o.Layer = Landlock, NewLayer(tx)
	if _, err := Reach(t.Context(), o); err != nil {
		t.Skip("Landlock does not work here: ", err)
	}
	run(t, o, f, "echo x >through")
	if o.Layer.Held() || !strings.Contains(o.Layer.Why(), Landlock) {
		t.Errorf("held=%v why=%q", o.Layer.Held(), o.Layer.Why())
	}
	if _, err := os.Stat(filepath.Join(f.root, "through")); err != nil {
		t.Error(err)
	}
}
