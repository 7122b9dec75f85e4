package uncommitted_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"helve/internal/change"
	"helve/internal/uncommitted"
)

// A ground is a workspace and the store of its drafts.
type ground struct {
	*testing.T
	root  string
	state string
	store *uncommitted.Store
	clock time.Time
}

func newGround(t *testing.T) *ground {
	t.Helper()
	g := &ground{T: t, root: t.TempDir(), state: t.TempDir(), clock: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	g.store = &uncommitted.Store{
		Dir: filepath.Join(t.TempDir(), "drafts"),
		Now: func() time.Time { return g.clock },
	}
	return g
}

func (g *ground) must(err error) {
	g.Helper()
	if err != nil {
		g.Fatal(err)
	}
}

func (g *ground) write(name, text string) {
	g.Helper()
	at := filepath.Join(g.root, name)
	g.must(os.MkdirAll(filepath.Dir(at), 0o755))
	g.must(os.WriteFile(at, []byte(text), 0o644))
}

func (g *ground) read(name string) string {
	text, err := os.ReadFile(filepath.Join(g.root, name))
	if err != nil {
		return "-"
	}
	return string(text)
}

func content(text string) uncommitted.Content {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// file is what makes text of what stands at a path.
func (g *ground) file(name, text string) (uncommitted.File, uncommitted.Content, uncommitted.Content) {
	f := uncommitted.File{Place: change.Place{Path: change.Name(name)}, Why: "somebody runs it", KeptOld: true}
	f.Will = change.Entry{Type: change.File, Mode: 0o644}
	old := g.read(name)
	if old != "-" {
		f.Was = change.Entry{Type: change.File, Mode: 0o644, Size: int64(len(old))}
	}
	return f, content(old), content(text)
}

// keep keeps a draft of files and texts.
func (g *ground) keep(files ...string) *uncommitted.Draft {
	g.Helper()
	w, err := g.store.New(uncommitted.Draft{
		Kind:  uncommitted.Waits,
		Roots: []string{g.root},
		Call:  uncommitted.Call{Tool: "bash", Title: "bash x"},
	})
	g.must(err)
	defer w.Close()
	for i := 0; i < len(files); i += 2 {
		g.must(w.Add(g.file(files[i], files[i+1])))
	}
	d, err := w.Keep()
	g.must(err)
	return d
}

// apply makes what it can of a draft.
func (g *ground) apply(id string) (made int, done []change.Place, no []uncommitted.Conflict) {
	g.Helper()
	t, err := g.store.Take(id)
	g.must(err)
	defer t.Close()
	set, done, no, err := t.Set(func(change.Place) bool { return true })
	g.must(err)
	tx, err := change.Begin(change.Options{Roots: t.Roots, State: g.state})
	g.must(err)
	defer tx.Close()
	report, err := tx.Apply(context.Background(), set)
	g.must(err)
	places := done
	for _, m := range report.Made {
		places = append(places, m.Place)
	}
	g.must(t.Mark(uncommitted.Committed, places...))
	return len(report.Made), done, no
}

func TestADraftIsMadeAsItWasShown(t *testing.T) {
	g := newGround(t)
	g.write("a", "1\n")
	d := g.keep("a", "2\n", "deep/er/b", "new\n")
	all, damaged, err := g.store.List()
	if err != nil || damaged != 0 || len(all) != 1 || all[0].ID != d.ID || all[0].State() != uncommitted.Open {
		t.Fatalf("%+v, %d damaged, %v", all, damaged, err)
	}
	taken, err := g.store.Take(d.ID[:3])
	g.must(err)
	before, after, ok := taken.Texts(change.Place{Path: "a"}, 100)
	taken.Close()
	if string(before) != "1\n" || string(after) != "2\n" || !ok {
		t.Errorf("%q, %q, %v", before, after, ok)
	}
	made, done, no := g.apply(d.ID)
	if made != 4 || len(done)+len(no) != 0 || g.read("a") != "2\n" || g.read("deep/er/b") != "new\n" {
		t.Errorf("made %d, done %v, conflicts %v, a is %q", made, done, no, g.read("a"))
	}
	found, err := g.store.Find(d.ID)
	if err != nil || found.State() != uncommitted.Committed {
		t.Errorf("afterwards: %+v, %v", found, err)
	}
	if made, _, _ := g.apply(d.ID); made != 0 {
		t.Errorf("a second time %d were made", made)
	}
	if left, _ := filepath.Glob(filepath.Join(g.store.Dir, d.ID, "*.new")); len(left) > 0 {
		t.Errorf("contents are left: %v", left)
	}
}

// What somebody changed since is left alone, whatever it was changed to; what stands as it would be is done.
func TestWhatChangedSinceIsAConflict(t *testing.T) {
	for now, want := range map[string]string{
		"1\n": "made", "2\n": "done", "3\n": "conflict", "": "conflict", "-": "conflict",
	} {
		g := newGround(t)
		g.write("a", "1\n")
		d := g.keep("a", "2\n", "b", "b\n")
		if now == "-" {
			g.must(os.Remove(filepath.Join(g.root, "a")))
		} else {
			g.write("a", now)
		}
		_, done, no := g.apply(d.ID)
		got := "made"
		if len(done) > 0 {
			got = "done"
		}
		if len(no) > 0 {
			got = "conflict"
		}
		if got != want || g.read("b") != "b\n" || want == "conflict" && g.read("a") != now {
			t.Errorf("a is %q by now: %s, want %s; then it is %q, b is %q", now, got, want, g.read("a"), g.read("b"))
		}
	}
}

// A link, a folder or another mode in the place of a file is a change, too.
func TestAnotherKindOfEntryIsAConflict(t *testing.T) {
	for name, spoil := range map[string]func(at string) error{
		"a link":   func(at string) error { return errors.Join(os.Remove(at), os.Symlink("b", at)) },
		"a folder": func(at string) error { return errors.Join(os.Remove(at), os.Mkdir(at, 0o755)) },
		"a mode":   func(at string) error { return os.Chmod(at, 0o444) }, // of modes Windows keeps this alone
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			g.write("a", "1\n")
			d := g.keep("a", "2\n")
			err := spoil(filepath.Join(g.root, "a"))
			if errors.Is(err, errors.ErrUnsupported) || err != nil && runtime.GOOS == "windows" {
				t.Skip("a link cannot be made here")
			}
			g.must(err)
			if made, done, no := g.apply(d.ID); made != 0 || len(done) != 0 || len(no) != 1 {
				t.Errorf("made %d, done %v, conflicts %v", made, done, no)
			}
		})
	}
}

// Whoever is killed between the mark and the work leaves files of which the next to take the draft finds out what they
// became.
func TestWhatWasBeingMadeIsFoundOut(t *testing.T) {
	g := newGround(t)
	d := g.keep("a", "a\n", "b", "b\n")
	taken, err := g.store.Take(d.ID)
	g.must(err)
	g.must(taken.Mark(uncommitted.Committing, change.Place{Path: "a"}, change.Place{Path: "b"}))
	taken.Close()
	g.write("a", "a\n") // and then it was killed
	taken, err = g.store.Take(d.ID)
	g.must(err)
	defer taken.Close()
	if taken.Files[0].State != uncommitted.Committed || taken.Files[1].State != uncommitted.Open {
		t.Errorf("%+v", taken.Files)
	}
}

func TestADraftIsFoundByItsBeginning(t *testing.T) {
	g := newGround(t)
	var ids []string
	for range 40 {
		ids = append(ids, g.keep("a", "a").ID)
	}
	if d, err := g.store.Find(ids[0]); err != nil || d.ID != ids[0] {
		t.Errorf("%v, %v", d, err)
	}
	for id, want := range map[string]error{
		"":           uncommitted.ErrUnknown,
		"0":          uncommitted.ErrUnknown,
		"../x":       uncommitted.ErrUnknown,
		"locks":      uncommitted.ErrUnknown,
		ids[0] + "a": uncommitted.ErrUnknown,
	} {
		if _, err := g.store.Find(id); !errors.Is(err, want) {
			t.Errorf("%q: %v", id, err)
		}
	}
	ambiguous := 0 // of 40 IDs two begin with one letter
	for _, letter := range "abcdefghijklmnopqrstuvwxyz234567" {
		if _, err := g.store.Find(string(letter)); errors.Is(err, uncommitted.ErrAmbiguous) {
			ambiguous++
		}
	}
	if ambiguous == 0 {
		t.Error("no beginning is ambiguous")
	}
}

// What is older than a week goes, and so does what a kill left unfinished; nothing else does.
func TestOldDraftsGo(t *testing.T) {
	g := newGround(t)
	g.clock = time.Now()
	old := g.keep("a", "a")
	w, err := g.store.New(uncommitted.Draft{Roots: []string{g.root}}) // never finished
	g.must(err)
	g.must(w.Add(g.file("b", "b")))
	g.clock = g.clock.Add(uncommitted.Kept / 2)
	young := g.keep("a", "a")
	g.must(g.store.Sweep())
	if left, _ := filepath.Glob(filepath.Join(g.store.Dir, "new-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if all, _, _ := g.store.List(); len(all) != 2 {
		t.Errorf("%d of 2 are there", len(all))
	}
	g.clock = g.clock.Add(uncommitted.Kept/2 + time.Minute)
	g.must(os.Chtimes(filepath.Join(g.store.Dir, young.ID), g.clock, g.clock))
	if all, _, _ := g.store.List(); len(all) != 1 || all[0].ID != young.ID {
		t.Errorf("after a week: %+v", all)
	}
	g.must(g.store.Sweep())
	if _, err := os.Stat(filepath.Join(g.store.Dir, old.ID)); err == nil {
		t.Error("the old one is still there")
	}
	if _, err := g.store.Find(young.ID); err != nil {
		t.Error(err)
	}
}

// Of many who make one draft at once one does; the others find nothing left.
func TestOneOfManyMakesADraft(t *testing.T) {
	g := newGround(t)
	d := g.keep("a", "a\n", "deep/b", "b\n")
	var made, nothing atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			own := *g.store
			taken, err := own.Take(d.ID)
			if err != nil {
				t.Error(err)
				return
			}
			defer taken.Close()
			if taken.Count(uncommitted.Open) == 0 {
				nothing.Add(1)
				return
			}
			made.Add(1)
			if err := taken.Mark(uncommitted.Committed, taken.Files[0].Place, taken.Files[1].Place); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 || nothing.Load() != 7 {
		t.Errorf("%d made it, %d found nothing", made.Load(), nothing.Load())
	}
}

// A draft whose week has passed is found by nobody, also before it is swept away.
func TestNobodyFindsAnOldDraft(t *testing.T) {
	g := newGround(t)
	d := g.keep("a", "a")
	g.clock = g.clock.Add(uncommitted.Kept)
	if _, err := g.store.Find(d.ID); err != nil {
		t.Error("on its last day:", err)
	}
	g.clock = g.clock.Add(time.Second)
	_, err := g.store.Find(d.ID)
	_, taken := g.store.Take(d.ID)
	if !errors.Is(err, uncommitted.ErrUnknown) || !errors.Is(taken, uncommitted.ErrUnknown) {
		t.Errorf("%v, %v", err, taken)
	}
}

// Another workspace's draft is not found, though it is of the same files.
func TestStoresAreApart(t *testing.T) {
	one, other := newGround(t), newGround(t)
	d, same := one.keep("a", "a"), other.keep("a", "a")
	for _, id := range []string{d.ID, d.ID[:7], "..", "../" + d.ID, filepath.Join(one.store.Dir, d.ID)} {
		if _, err := other.store.Take(id); !errors.Is(err, uncommitted.ErrUnknown) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if made, _, _ := one.apply(d.ID); made != 1 || other.read("a") != "-" {
		t.Errorf("%d made; in the other one it is %q", made, other.read("a"))
	}
	if made, _, _ := other.apply(same.ID); made != 1 {
		t.Errorf("%d made", made)
	}
}

// However many drafts there are, few locks are; an error names few of them; what is decided of a large one is not kept.
func TestMuchIsBounded(t *testing.T) {
	g := newGround(t)
	first := g.keep("a", "a")
	text, err := os.ReadFile(filepath.Join(g.store.Dir, first.ID, "draft.json"))
	g.must(err)
	for i := range 1500 {
		id := fmt.Sprintf("aaaaaa%s", base32(i))
		g.must(os.MkdirAll(filepath.Join(g.store.Dir, id), 0o700))
		one := strings.Replace(string(text), first.ID, id, 1)
		g.must(os.WriteFile(filepath.Join(g.store.Dir, id, "draft.json"), []byte(one), 0o600))
		if i%10 == 0 {
			taken, err := g.store.Take(id)
			g.must(err)
			taken.Close()
		}
	}
	if all, damaged, err := g.store.List(); len(all) != 1501 || damaged != 0 || err != nil {
		t.Errorf("%d, %d damaged, %v", len(all), damaged, err)
	}
	if locks, _ := os.ReadDir(filepath.Join(g.store.Dir, "locks")); len(locks) != 1 {
		t.Errorf("%d locks", len(locks))
	}
	if _, err := g.store.Find("aaaa"); !errors.Is(err, uncommitted.ErrAmbiguous) || len(err.Error()) > 300 {
		t.Errorf("%.400v", err)
	}
	if _, err := g.store.New(uncommitted.Draft{}); !errors.Is(err, uncommitted.ErrFull) {
		t.Error(err)
	}

	g = newGround(t)
	w, err := g.store.New(uncommitted.Draft{Roots: []string{g.root}})
	g.must(err)
	var places []change.Place
	for i := range 6000 {
		f := uncommitted.File{
			Place: change.Place{Path: change.Name(fmt.Sprintf("folder%d", i))},
			Will:  change.Entry{Type: change.Dir, Mode: 0o755},
			Why:   strings.Repeat("x", 100),
		}
		g.must(w.Add(f, nil, nil))
		places = append(places, f.Place)
	}
	d, err := w.Keep()
	g.must(err)
	taken, err := g.store.Take(d.ID)
	g.must(err)
	defer taken.Close()
	g.must(taken.Mark(uncommitted.Dropped, places[1:]...))
	if _, err := g.store.Find(d.ID); err != nil {
		t.Error("with one left to decide:", err)
	}
	g.must(taken.Mark(uncommitted.Dropped, places[0]))
	if _, err := g.store.Find(d.ID); !errors.Is(err, uncommitted.ErrUnknown) {
		t.Error(err)
	}
}

// What cannot be read is counted, and takes nothing with it.
func TestDamagedDraftsAreCounted(t *testing.T) {
	g := newGround(t)
	whole := g.keep("a", "a")
	for _, text := range []string{"", "{", `{"id":"other"}`, "[]", "\x00"} {
		d := g.keep("b", "b")
		g.must(os.WriteFile(filepath.Join(g.store.Dir, d.ID, "draft.json"), []byte(text), 0o600))
	}
	all, damaged, err := g.store.List()
	if err != nil || damaged != 5 || len(all) != 1 || all[0].ID != whole.ID {
		t.Errorf("%d, %d damaged, %v", len(all), damaged, err)
	}
}

// What a draft cannot hold is refused, and nothing of it is left.
func TestADraftIsBounded(t *testing.T) {
	g := newGround(t)
	w, err := g.store.New(uncommitted.Draft{Roots: []string{g.root}})
	g.must(err)
	pipe := uncommitted.File{Place: change.Place{Path: "p"}, Will: change.Entry{Type: change.Pipe}}
	if err := w.Add(pipe, nil, nil); err == nil {
		t.Error("a pipe was kept")
	}
	f, before, _ := g.file("a", "")
	broken := errors.New("the disk is full")
	if err := w.Add(f, before, func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	g.must(w.Close())
	if entries, _ := os.ReadDir(g.store.Dir); len(entries) > 0 {
		t.Errorf("left: %v", entries)
	}
}

// Whoever floods the store is refused at some point, and what waits already stays.
func TestAStoreIsBounded(t *testing.T) {
	g := newGround(t)
	first := g.keep("a", "a")
	text, err := os.ReadFile(filepath.Join(g.store.Dir, first.ID, "draft.json"))
	g.must(err)
	for i := range uncommitted.MaxDrafts {
		id := fmt.Sprintf("aaaaaa%s", base32(i))
		g.must(os.MkdirAll(filepath.Join(g.store.Dir, id), 0o700))
		one := strings.Replace(string(text), first.ID, id, 1)
		g.must(os.WriteFile(filepath.Join(g.store.Dir, id, "draft.json"), []byte(one), 0o600))
	}
	if _, err := g.store.New(uncommitted.Draft{}); !errors.Is(err, uncommitted.ErrFull) {
		t.Errorf("%v", err)
	}
	if _, err := g.store.Find(first.ID); err != nil {
		t.Error(err)
	}
}

// base32 is a number of four letters.
func base32(n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz234567"
	out := make([]byte, 4)
	for i := range out {
		out[i] = letters[n%len(letters)]
		n /= len(letters)
	}
	return string(out)
}
