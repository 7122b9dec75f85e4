package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"helve/internal/change"
)

// draftLayer is a layer for several commands, where this machine has one.
func draftLayer(t *testing.T, f fixture) *Layer {
	t.Helper()
	tx, err := change.Begin(change.Options{Roots: []string{f.root}, State: filepath.Join(filepath.Dir(f.home), "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tx.Close() })
	l := NewLayer(tx)
	l.Last()
	return l
}

// viewed is a view of a layer.
func viewed(t *testing.T, l *Layer, f fixture) *View {
	t.Helper()
	v, err := l.View(t.Context(), f.options(WorkspaceWrite))
	if errors.Is(err, ErrNoLayer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What is written through a view and what commands change is one layer, which each sees of the other.
func TestAViewAndCommandsSeeOneLayer(t *testing.T) {
	f := newFixture(t)
	l := draftLayer(t, f)
	v := viewed(t, l, f)
	dir := v.Dir(f.root)
	if err := os.WriteFile(filepath.Join(dir, "seen.txt"), []byte("by the view\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "a.go")); err != nil {
		t.Fatal(err)
	}
	o := f.options(ReadOnly)
	o.Layer = l
	out, _, _ := run(t, o, f, "cat seen.txt; ls; echo no >seen.txt")
	if !strings.Contains(out, "by the view") || strings.Contains(out, "a.go") || !strings.Contains(out, "Read-only") {
		t.Errorf("a command that reads sees: %s", out)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	o = f.options(WorkspaceWrite)
	o.Layer = l
	out, _, _ = run(t, o, f, "cat seen.txt; echo by a command >>seen.txt; echo again >a.go; mkdir -p d/e; mv d f; rm -r f/e")
	if !strings.Contains(out, "by the view") {
		t.Errorf("a command sees: %s", out)
	}
	v = viewed(t, l, f)
	text, err := os.ReadFile(filepath.Join(v.Dir(f.root), "seen.txt"))
	if string(text) != "by the view\nby a command\n" {
		t.Errorf("a second view reads %q: %v", text, err)
	}
	v.Close()
	if _, err := os.Stat(filepath.Join(f.root, "seen.txt")); err == nil {
		t.Error("it is in the root before it was made")
	}
	set, err := l.Set(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := paths(set), []string{"+f", "+seen.txt", "~a.go"}; !slices.Equal(got, want) {
		t.Errorf("changes %v, want %v", got, want)
	}
}

// A layer that cannot be had is an error, and no command runs without it.
func TestALayerThatLastsIsRequired(t *testing.T) {
	f := newFixture(t)
	l := draftLayer(t, f)
	noLayers.Store(layerKey{f.root, false}, "tried before")
	defer noLayers.Delete(layerKey{f.root, false})
	if _, err := l.View(t.Context(), f.options(WorkspaceWrite)); !errors.Is(err, ErrNoLayer) {
		t.Errorf("a view: %v", err)
	}
	o := f.options(WorkspaceWrite)
	o.Layer = l
	_, _, err := Start(t.Context(), o, Spec{Argv: []string{"/bin/sh", "-c", "echo ran >ran"}, Dir: f.root})
	if !errors.Is(err, ErrNoLayer) {
		t.Errorf("a command: %v", err)
	}
	if _, err := os.Stat(filepath.Join(f.root, "ran")); err == nil {
		t.Error("the command ran")
	}
}

// A view that was not opened because its call had ended, or because something ran out for a moment, says nothing of the
// machine: the next one is opened.
func TestAViewThatWasCancelledIsNoMachineWithoutLayers(t *testing.T) {
	f := newFixture(t)
	viewed(t, draftLayer(t, f), f).Close() // or it is skipped
	l := draftLayer(t, f)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := l.View(ctx, f.options(WorkspaceWrite)); !errors.Is(err, context.Canceled) || errors.Is(err, ErrNoLayer) {
		t.Errorf("a view whose call had ended: %v", err)
	}
	v, err := l.View(t.Context(), f.options(WorkspaceWrite))
	if err != nil {
		t.Fatal(err)
	}
	v.Close()
	for why, want := range map[string]bool{
		"the layer over the workspace: create: operation not permitted":          true,
		"the layer over the workspace: create: invalid argument":                 true,
		"the layer over the workspace: open: too many open files":                false,
		"the layer over the workspace: lowerdir: /x: cannot allocate memory":     false,
		"fork/exec /proc/self/exe: resource temporarily unavailable":             false,
		"launcher: the layer over the workspace: mount: operation not permitted": true,
	} {
		if got := refused(errors.New(why)); got != want {
			t.Errorf("%s: refused %v, want %v", why, got, want)
		}
	}
}

// Commands that only read are started beside each other, also before anything else was.
func TestCommandsThatReadBeginALayerTogether(t *testing.T) {
	f := newFixture(t)
	viewed(t, draftLayer(t, f), f).Close() // or it is skipped
	l := draftLayer(t, f)
	o := f.options(ReadOnly)
	o.Layer = l
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			p, _, err := Start(t.Context(), o, Spec{Argv: []string{"/bin/sh", "-c", "cat a.go"}, Dir: f.root})
			if err != nil {
				t.Error(err)
				return
			}
			p.Wait(t.Context())
		})
	}
	all.Wait()
	if !l.Held() {
		t.Error("nothing was held back: " + l.Why())
	}
}

// One process lays view after view. Where it was ended another one does, and it ends with the launchers.
func TestOneProcessLaysViewAfterView(t *testing.T) {
	f := newFixture(t)
	l := draftLayer(t, f)
	Rest()
	viewed(t, l, f).Close()
	first := waitingViewer()
	viewed(t, l, f).Close()
	if second := waitingViewer(); first == 0 || second != first {
		t.Errorf("the first view was laid by %d, and then %d waits", first, second)
	}
	if p, err := os.FindProcess(first); err == nil {
		p.Kill()
	}
	viewed(t, l, f).Close()
	if again := waitingViewer(); again == 0 || again == first {
		t.Errorf("%d was killed, and then %d waits", first, again)
	}
	Rest()
	if rests := waitingViewer(); rests != 0 {
		t.Errorf("%d waits still", rests)
	}
}

// waitingViewer is the process that waits for the next view, 0 for none.
func waitingViewer() int {
	viewers.Lock()
	defer viewers.Unlock()
	if viewers.ready == nil {
		return 0
	}
	return viewers.ready.cmd.Process.Pid
}
