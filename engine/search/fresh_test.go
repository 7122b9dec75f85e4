package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve/internal/testing/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// model is what the test knows about its tree: text by path.
type model struct {
	dir   string
	files map[string]string
	r     *rand.Rand
}

func (m *model) pick() string {
	return fmt.Sprintf("%s%c.txt", []string{"", "a/", "a/b/", "c/"}[m.r.IntN(4)], 'a'+rune(m.r.IntN(8)))
}

func (m *model) text() string {
	words := []string{"alpha", "beta", "gamma", "delta", "Alpha", "αλφα"}
	var b strings.Builder
	for range 1 + m.r.IntN(3) {
		fmt.Fprintf(&b, "%s %s\n", words[m.r.IntN(len(words))], words[m.r.IntN(len(words))])
	}
	return b.String()
}

// step changes the tree in one way: overwrite, append, replace by rename as editors do, move, remove.
func (m *model) step(t *testing.T) {
	p := m.pick()
	abs := filepath.Join(m.dir, p)
	switch m.r.IntN(6) {
	case 0, 1:
		m.files[p] = m.text()
		write(t, abs, m.files[p])
	case 2:
		m.files[p] = m.text()
		write(t, abs+"~", m.files[p])
		if err := os.Rename(abs+"~", abs); err != nil {
			t.Fatal(err)
		}
	case 3:
		more := m.text()
		m.files[p] += more
		if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(abs, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(more); err != nil {
			t.Fatal(err)
		}
	case 4:
		delete(m.files, p)
		_ = os.Remove(abs)
	case 5:
		q := m.pick()
		if text, ok := m.files[p]; ok && p != q && os.MkdirAll(filepath.Dir(filepath.Join(m.dir, q)), 0o755) == nil {
			delete(m.files, p)
			m.files[q] = text
			if err := os.Rename(abs, filepath.Join(m.dir, q)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (m *model) want(word string) []string {
	list := []string{}
	for p, text := range m.files {
		for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			if strings.Contains(line, word) {
				list = append(list, fmt.Sprintf("%s:%d:%s", p, i+1, line))
			}
		}
	}
	slices.Sort(list)
	return list
}

func TestEveryAnswerIsFresh(t *testing.T) {
	steps := 4000 * *times
	if testing.Short() {
		steps = 500
	}
	steps = slowly(steps)
	m := &model{t.TempDir(), map[string]string{}, rand.New(rand.NewPCG(3, 4))}
	e := resident(t, m.dir, t.TempDir())
	for i := range steps {
		m.step(t)
		if i%1000 == 500 {
			e.build(t)
		}
		word := []string{"alpha", "beta", "αλφα", "a g", "zeta"}[m.r.IntN(5)]
		got := printed(t, e, Query{Patterns: []string{word}, Fixed: true, Sort: Sort(m.r.IntN(3))})
		want := m.want(word)
		if len(want) == 0 {
			want = []string{""}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("step %d, %q (-want +got)\n%s", i, word, diff)
		}
	}
}

func TestDamagedIndexIsBuiltAnew(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	for i := range 50 {
		write(t, filepath.Join(dir, fmt.Sprintf("f%d.txt", i)), fmt.Sprintf("needle %d\nhay\n", i))
	}
	backdate()
	e := resident(t, dir, cache)
	e.build(t)
	names, err := filepath.Glob(filepath.Join(cache, "*", "*"+segmentSuffix))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	sound, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	want := printed(t, open(t, dir), Query{Patterns: []string{"needle 1"}})
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		bad := slices.Clone(sound)
		switch r.IntN(4) {
		case 0:
			bad = bad[:r.IntN(len(bad))]
		case 1:
			bad = append(bad, bad[:r.IntN(100)]...)
		default:
			bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		}
		if err := os.WriteFile(names[0], bad, 0o600); err != nil {
			t.Fatal(err)
		}
		again := resident(t, dir, cache)
		if diff := cmp.Diff(want, printed(t, again, Query{Patterns: []string{"needle 1"}})); diff != "" {
			t.Fatal(diff)
		}
		if _, err := os.Stat(names[0]); err != nil {
			write(t, names[0], "")
		}
	}
	e.build(t)
	if st := e.IndexStatus(); st.Segments != 1 || st.Files != 50 {
		t.Errorf("after a build: %+v, want one segment of 50 files", st)
	}
}

func TestSecondBuilderIsTurnedAway(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "f"), "text\n")
	e := resident(t, dir, cache)
	if err := os.MkdirAll(e.index.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	unlock, err := lockFile(filepath.Join(e.index.dir, lockName))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.BuildIndex(context.Background(), nil); err != ErrIndexBusy {
		t.Errorf("error %v, want %v", err, ErrIndexBusy)
	}
	unlock()
	if st, err := e.BuildIndex(context.Background(), nil); err != nil || !st.Small {
		t.Errorf("%+v %v, want no index for a small tree", st, err)
	}
}

func TestCancelledBuildLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "f"), strings.Repeat("some text\n", 3<<20))
	backdate()
	e := resident(t, dir, t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	_, err := e.BuildIndex(ctx, func(Progress) { cancel() })
	if err == nil {
		t.Skip("the build was over before it could be cancelled")
	}
	if left, _ := filepath.Glob(filepath.Join(e.index.dir, "*g-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
