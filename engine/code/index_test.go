package code

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helve/engine/code/internal/store"
)

func TestNothingIsReadBeforeTheFirstQuestion(t *testing.T) {
	m := tree(goTree)
	x := New(m, Options{})
	if m.opened != 0 || m.listed != 0 {
		t.Errorf("a new index opened %d files and listed %d times", m.opened, m.listed)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Snapshot(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: got %v, want ErrClosed", err)
	}
}

func TestAFolderWithoutCodeCostsNothing(t *testing.T) {
	m := tree(map[string]string{"a.md": "# x", "b.json": "{}", "c.png": "x", ".env": "A=1", "d.csv": "1,2"})
	snapshot(t, New(m, Options{}))
	if m.opened != 0 {
		t.Errorf("%d files were opened", m.opened)
	}
}

func TestAChangedFileIsReadAloneAndAnswersAtOnce(t *testing.T) {
	m := tree(goTree)
	x := New(m, Options{})
	was := snapshot(t, x)
	m.opened = 0
	m.write("main.go", "package main\nimport \"example.com/app/store\"\nfunc main() { fresh() }\nfunc fresh() { store.Open().Get() }\n")
	m.remove("util_linux.go")
	m.write("new.go", "package main\nfunc newer() { fresh() }\n")
	s := snapshot(t, x)
	if m.opened != 2 {
		t.Errorf("%d files were read after 2 had changed", m.opened)
	}
	wantUsers(t, s, "fresh", "main.go#main call exact", "new.go#newer call same package")
	wantUsers(t, s, "Store.Get", "main.go#fresh call import-resolved", "store/put.go#Store.Put call same package")
	wantUsers(t, s, "store/put.go#Store.Put", "store/a_test.go#TestPut call same package")
	if found := s.tree.Named("helper"); len(found) != 1 {
		t.Errorf("helper has %d definitions after one of two files is gone", len(found))
	}
	if found := was.tree.Named("fresh"); len(found) != 0 {
		t.Errorf("an older snapshot sees %d later definitions", len(found))
	}
}

func TestManyChangesAreTheSameAsANewIndex(t *testing.T) {
	m := tree(goTree)
	x := New(m, Options{})
	snapshot(t, x)
	for i := range 3 * store.MaxOverlay {
		m.write(fmt.Sprintf("gen/f%03d.go", i%store.MaxOverlay), fmt.Sprintf("package gen\nfunc F%d() { F%d() }\n", i, i-1))
		if i%7 == 0 {
			snapshot(t, x)
		}
	}
	m.remove("other/store.go")
	got, want := summary(t, snapshot(t, x)), summary(t, snapshot(t, New(m, Options{})))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("an index that followed the changes differs from a new one (-new +followed):\n%s", diff)
	}
}

// summary lists everything that a snapshot knows.
func summary(t *testing.T, s *Snapshot) []string {
	t.Helper()
	var all []string
	listing, err := s.tree.Source.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range listing.Files {
		if s.tree.Number(e.Path) < 0 {
			continue
		}
		links, err := s.Links(t.Context(), e.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range links {
			all = append(all, fmt.Sprintf("%s -> %s %s %d %s", l.From.ID, l.To.ID, l.Use, l.Line, l.Sure))
		}
		f, err := s.Functions(t.Context(), e.Path, Page{})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range f.Items {
			all = append(all, fmt.Sprintf("%s %s %d-%d", it.ID, it.Signature, it.Line, it.EndLine))
		}
	}
	return all
}

func TestASavedIndexIsTakenUpAndOnlyChangesAreRead(t *testing.T) {
	m, cache := tree(goTree), t.TempDir()
	o := Options{Cache: cache, Key: "/work"}
	want := summary(t, snapshot(t, New(m, o)))
	m.opened = 0
	x := New(m, o)
	s := snapshot(t, x)
	if m.opened != 0 || x.Stats().Loads != 1 {
		t.Errorf("a warm start opened %d files, stats %+v", m.opened, x.Stats())
	}
	if diff := cmp.Diff(want, summary(t, s)); diff != "" {
		t.Errorf("the saved index differs (-built +loaded):\n%s", diff)
	}
	m.opened = 0
	m.write("main.go", "package main\nfunc main() {}\n")
	snapshot(t, New(m, o))
	if m.opened != 1 {
		t.Errorf("a warm start after one change opened %d files", m.opened)
	}
}

func TestADamagedOrForeignIndexIsBuiltAnew(t *testing.T) {
	m, cache := tree(goTree), t.TempDir()
	o := Options{Cache: cache, Key: "/work"}
	want := summary(t, snapshot(t, New(m, o)))
	files, _ := filepath.Glob(filepath.Join(cache, "*"))
	if len(files) != 1 {
		t.Fatalf("the cache holds %v, want one file", files)
	}
	good, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	damaged := map[string][]byte{"empty": nil, "cut": good[:len(good)/2], "other version": []byte("helve code index 0\n" + string(good[len(store.Magic):])), "text": []byte("hello")}
	for i := 20; i < len(good); i += len(good) / 40 {
		bad := append([]byte{}, good...)
		bad[i] ^= 0x55
		damaged[fmt.Sprintf("byte %d", i)] = bad
	}
	for name, data := range damaged {
		if err := os.WriteFile(files[0], data, 0o600); err != nil {
			t.Fatal(err)
		}
		x := New(m, o)
		if diff := cmp.Diff(want, summary(t, snapshot(t, x))); diff != "" || x.Stats().Loads != 0 {
			t.Errorf("%s: loads %d (-want +got):\n%s", name, x.Stats().Loads, diff)
		}
	}
	if other := New(m, Options{Cache: cache, Key: "/elsewhere"}); snapshot(t, other) != nil && other.Stats().Loads != 0 {
		t.Error("the index of another tree was taken up")
	}

	for version, loads := range map[string]int64{"2": 0, "1": 1} { // and then what another version of the program wrote
		kept := Options{Cache: t.TempDir(), Key: "/work", Version: "1"}
		snapshot(t, New(m, kept))
		kept.Version = version
		x := New(m, kept)
		if snapshot(t, x); int64(x.Stats().Loads) != loads {
			t.Errorf("version %s takes up %d indexes of version 1, want %d", version, x.Stats().Loads, loads)
		}
	}
}

func FuzzASavedIndexNeverMisleads(f *testing.F) {
	m := tree(goTree)
	dir := f.TempDir()
	x := New(m, Options{Cache: dir, Key: "k"})
	if _, err := x.Snapshot(f.Context()); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(x.store.IndexPath())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[len(store.Magic) : len(data)-4])
	f.Fuzz(func(t *testing.T, body []byte) {
		b, err := store.DecodeBody(body, "k")
		if err != nil {
			return
		}
		s := &Snapshot{b.Snapshot(1, m, nil)}
		for y := range min(b.Names.Len(), 64) {
			s.tree.Named(b.Names.Text(uint32(y)))
		}
		for _, g := range b.Files[:min(len(b.Files), 16)] {
			_, _ = s.Links(t.Context(), g.Path)
		}
	})
}

func TestQuestionsDuringAChangeSeeOneState(t *testing.T) {
	m := tree(goTree)
	x := New(m, Options{})
	defer x.Close()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				s, err := x.Snapshot(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := s.Dependents(context.Background(), "store/put.go#Store.Put", Page{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 50 { // a switch between two branches
		m.write("main.go", fmt.Sprintf("package main\nimport \"example.com/app/store\"\nfunc main() { store.Open().Put(%d) }\n", i))
		m.write("store/put.go", strings.Replace(goTree["store/put.go"], "Get()", fmt.Sprintf("Get%d()", i%2), -1))
	}
	wg.Wait()
}

func TestTextIsNotCutFromAFileThatHasChanged(t *testing.T) {
	m := tree(goTree)
	s := snapshot(t, New(m, Options{}))
	m.write("store/put.go", "package store\n\n// moved\nfunc (s *Store) Put(n int) error { return moved }\n")
	e, err := s.FunctionSource(t.Context(), "store/put.go#Store.Put", "", 0)
	if err != nil || !strings.Contains(e.Text, "return moved") || e.Line != 4 {
		t.Errorf("source of a method that moved: %+v, %v", e, err)
	}
	if e, err := s.FunctionSource(t.Context(), "store/put.go#Store.Get", "", 0); err == nil {
		t.Errorf("source of a method that is gone: %q", e.Text)
	}
}

func TestABuildThatTakesTooLongGoesOn(t *testing.T) {
	m := tree(goTree)
	x := New(m, Options{})
	defer x.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Snapshot(ctx); err != nil && !errors.Is(err, ErrBuilding) && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want ErrBuilding", err)
	}
	snapshot(t, x)
	if got := x.Stats().Updates; got != 1 {
		t.Errorf("the tree was read %d times", got)
	}
}

func TestProgressIsToldToTheEnd(t *testing.T) {
	var mu sync.Mutex
	last := 0
	x := New(tree(goTree), Options{Progress: func(done, total int) {
		mu.Lock()
		defer mu.Unlock()
		last = max(last, done)
		if total != 9 {
			t.Errorf("total %d, want 9", total)
		}
	}})
	snapshot(t, x)
	if last != 9 {
		t.Errorf("the last report said %d of 9", last)
	}
}
