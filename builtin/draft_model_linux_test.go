package builtin

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"helve/engine/sandbox"
	"helve/tool"
)

var (
	draftRuns = flag.Int("draft-runs", 4, "random drafts that are compared with a model")
	draftSeed = flag.Uint64("draft-seed", uint64(time.Now().UnixNano()), "of the first of them")
)

// A treeModel is the files of a tree by their paths; a directory ends in a slash and has no text. One that a draft made,
// perhaps in the place of another one, has fresh for a text.
type treeModel map[string]string

const fresh = "/"

// is tells whether a tree is what a model says.
func (m treeModel) is(tree treeModel) bool {
	return maps.EqualFunc(m, tree, func(want, got string) bool { return got == want || got == "" && want == fresh })
}

// treeAt reads a tree.
func treeAt(t *testing.T, dir string) treeModel {
	t.Helper()
	out := treeModel{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || path == ".":
			return err
		case e.IsDir():
			out[path+"/"] = ""
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		out[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// below are what stands at a path and in it.
func (m treeModel) below(path string) []string {
	var out []string
	for at := range m {
		if at == path || at == path+"/" || strings.HasPrefix(at, path+"/") {
			out = append(out, at)
		}
	}
	return out
}

// A draftedTree does the same to a tree and to what it should be.
type draftedTree struct {
	t     *testing.T
	rnd   *rand.Rand
	model treeModel
	said  []string
}

// path is a random one of few, so that what is done meets.
func (d *draftedTree) path() string {
	parts := make([]string, 1+d.rnd.IntN(3))
	for i := range parts {
		parts[i] = string(rune('a' + d.rnd.IntN(3)))
	}
	return strings.Join(parts, "/")
}

// step does one random thing below a directory, or nothing where it cannot be done.
func (d *draftedTree) step(dir, text string) {
	at := d.path()
	file := filepath.Join(dir, at)
	parent, isDir := filepath.Dir(at)+"/", slices.Contains(d.model.below(at), at+"/")
	_, isFile := d.model[at]
	_, hasParent := d.model[parent]
	hasParent = hasParent || parent == "./"
	switch what := d.rnd.IntN(5); {
	case what < 2 && hasParent && !isDir:
		d.done("write", at, os.WriteFile(file, []byte(text), 0o644))
		d.model[at] = text
	case what == 2 && hasParent && !isDir && !isFile:
		d.done("mkdir", at, os.Mkdir(file, 0o755))
		d.model[at+"/"] = fresh
	case what == 3 && (isDir || isFile):
		d.done("remove", at, os.RemoveAll(file))
		for _, gone := range d.model.below(at) {
			delete(d.model, gone)
		}
	}
}

func (d *draftedTree) done(what, at string, err error) {
	d.t.Helper()
	d.said = append(d.said, what+" "+at)
	if err != nil {
		d.t.Fatal(d.said, err)
	}
}

// A draft shows what was done in it over what stands on the disk. A commit makes the disk what the draft shows, with
// what others did elsewhere meanwhile; where they changed what it changes it makes nothing.
func TestDraftsAreWhatTheModelSays(t *testing.T) {
	for i := range *draftRuns {
		seed := *draftSeed + uint64(i)
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { draftAgainstModel(t, seed) }) {
			return
		}
	}
}

// modelled is a random tree on the disk, with its model and the tools for it.
func modelled(t *testing.T, rnd *rand.Rand) (dir string, disk *draftedTree, box *Toolbox) {
	t.Helper()
	dir = t.TempDir()
	disk = &draftedTree{t: t, rnd: rnd, model: treeModel{}}
	for range 30 {
		disk.step(dir, "first "+fmt.Sprint(rnd.IntN(4)))
	}
	box, err := Open(Options{Dirs: []string{dir}, State: t.TempDir(), Sandbox: Sandbox{Level: sandbox.WorkspaceWrite}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { box.Close() })
	return dir, disk, box
}

func draftAgainstModel(t *testing.T, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 0))
	dir, disk, box := modelled(t, rnd)
	d, err := box.NewDraft(t.Context())
	if errors.Is(err, sandbox.ErrNoLayer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer d.Drop()
	inside := &draftedTree{t: t, rnd: rnd, model: treeAt(t, dir)}
	c := draftCalls{t: t, d: d, b: box}
	for range 1 + rnd.IntN(3) { // views, with commands between them
		inView(t, d, func(view string) {
			for range rnd.IntN(12) {
				inside.step(view, "drafted "+fmt.Sprint(rnd.IntN(4)))
			}
			if got := treeAt(t, view); !inside.model.is(got) {
				t.Fatalf("after %v the view shows\n%v, want\n%v", inside.said, got, inside.model)
			}
		})
		at := inside.path()
		if rnd.IntN(2) == 0 && len(inside.model.below(at)) > 0 {
			c.call("bash", map[string]any{"command": "rm -r " + at})
			inside.said = append(inside.said, "rm "+at)
			for _, gone := range inside.model.below(at) {
				delete(inside.model, gone)
			}
		}
	}
	before := treeAt(t, dir)
	if rnd.IntN(3) == 0 { // somebody works on the disk
		time.Sleep(15 * time.Millisecond) // a later stamp than the draft has
		for range 1 + rnd.IntN(4) {
			disk.step(dir, "theirs "+fmt.Sprint(rnd.IntN(4)))
		}
	}
	out, err := d.Commit(t.Context(), &tool.Call{Name: "run_script"}, "")
	if err != nil {
		t.Fatal(disk.said, inside.said, err)
	}
	now := treeAt(t, dir)
	if out.Refused != nil {
		if !disk.model.is(now) {
			t.Errorf("%v: it was refused, and the disk is\n%v, want\n%v", out.Refused, now, disk.model)
		}
		if disk.model.is(before) {
			t.Errorf("%v: nobody did anything else: %v, %v", out.Refused, disk.said, inside.said)
		}
		return
	}
	want := joined(disk.model, before, inside.model)
	if !want.is(now) {
		t.Errorf("%v, and theirs %v: the disk is\n%v, want\n%v", inside.said, disk.said, now, want)
	}
}

// joined is a tree in which what others made of it and what a draft made of it both stand.
func joined(theirs, before, mine treeModel) treeModel {
	want := maps.Clone(theirs)
	for _, at := range slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(mine))) {
		old, was := before[at]
		text, is := mine[at]
		switch {
		case was && !is:
			delete(want, at)
		case is && (!was || old != text):
			want[at] = text
		}
	}
	return want
}

// inView has do look at the layer, and change it, as tools for files do.
func inView(t *testing.T, d *Draft, do func(dir string)) {
	t.Helper()
	err := d.Read(t.Context(), d.open, func(int) error {
		do(d.look.Files.Roots()[0].At())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
