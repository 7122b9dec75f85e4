package search

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve/engine/tree"
)

func corpus(b testing.TB) string {
	dir := os.Getenv("HELVE_CORPUS")
	if dir == "" {
		b.Skip("HELVE_CORPUS names no directory to measure on")
	}
	return dir
}

func resident(t testing.TB, dir, cache string) *Engine {
	t.Helper()
	var s tree.Set
	tr, err := s.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	letGo(t)
	return NewIndexed(tr, cache)
}

// letGo has the index files closed before the test's folders are removed: they close with the last reference to them,
// and on Windows a folder with an open file in it stays.
func letGo(t testing.TB) {
	if runtime.GOOS != "windows" {
		return
	}
	t.Cleanup(func() {
		for range 5 {
			runtime.GC()
			time.Sleep(20 * time.Millisecond) // for the goroutine that closes them
		}
	})
}

// times is how often more is tried than each change has tried.
var times = flag.Int("times", 1, "so many times as many steps and seeds in random tests")

// slowly is how often a random test does something: n times, but a few times on Windows, where a call of the file system
// takes so long (under Wine a millisecond) that all of it would take minutes.
func slowly[N uint64 | int](n N) N {
	if runtime.GOOS == "windows" {
		return (n + 9) / 10
	}
	return n
}

// backdate makes files old enough for the index, which leaves out what was written a moment ago.
func backdate() { time.Sleep(tooYoung + 50*time.Millisecond) }

func TestIndexFindsWhatTheColdScanFinds(t *testing.T) {
	seeds := uint64(2 * *times)
	if testing.Short() {
		seeds = 1
	}
	for seed := range slowly(seeds) {
		r := rand.New(rand.NewPCG(5, seed))
		dir := randomTree(t, r)
		write(t, filepath.Join(dir, "large.txt"), func() (s string) {
			for len(s) < 150<<10 {
				s += randomText(r)
			}
			return s
		}())
		backdate()
		e := resident(t, dir, t.TempDir())
		e.build(t)
		cold := open(t, dir)
		for range 120 {
			q := randomQuery(r)
			want := printed(t, cold, q)
			if diff := cmp.Diff(want, printed(t, e, q)); diff != "" {
				t.Fatalf("seed %d: %+v\n(-cold +index)\n%s", seed, q, diff)
			}
		}
	}
}

// build indexes a tree that is too small to need it.
func (e *Engine) build(t testing.TB) {
	t.Helper()
	if err := os.MkdirAll(e.index.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	snap, err := e.tree.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b := &builder{e: e}
	b.choose(snap)
	if err := b.run(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkBuild(b *testing.B) {
	e := open(b, corpus(b))
	e.index.dir = b.TempDir()
	for b.Loop() {
		if err := e.ClearIndex(); err != nil {
			b.Fatal(err)
		}
		st, err := e.BuildIndex(context.Background(), nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(100*float64(st.Bytes)/float64(st.Source), "%")
	}
}

func BenchmarkResident(b *testing.B) {
	cache := os.Getenv("HELVE_BENCH_CACHE")
	if cache == "" {
		cache = b.TempDir()
	}
	e := resident(b, corpus(b), cache)
	if _, err := e.BuildIndex(context.Background(), nil); err != nil {
		b.Fatal(err)
	}
	for _, tt := range []struct {
		pattern string
		fold    bool
	}{{"PM_RESUME", false}, {"return", false}, {"pm_resume", true}, {`\w+_\w+_init\(void\)`, false}, {"zzyzxqq", false}, {"EXPORT_SYMBOL", false}, {`[A-Z]{5}\s+[a-z]{5}\s+[a-z]{5}`, false}} {
		for _, limit := range []int{100, 0} {
			b.Run(fmt.Sprintf("%s/%d", tt.pattern, limit), func(b *testing.B) {
				q := Query{Patterns: []string{tt.pattern}, IgnoreCase: tt.fold, Limit: limit}
				if limit > 0 {
					q.Sort = Newest
				}
				lines := 0
				for b.Loop() {
					sum, err := e.Grep(context.Background(), q, func(*File) error { return nil })
					if err != nil {
						b.Fatal(err)
					}
					lines = sum.Lines
				}
				b.ReportMetric(float64(lines), "lines")
			})
		}
	}
}

// BenchmarkEditedFileIsFound measures an edit and the search that finds it.
func BenchmarkEditedFileIsFound(b *testing.B) {
	cache := os.Getenv("HELVE_BENCH_CACHE")
	if cache == "" {
		cache = b.TempDir()
	}
	e := resident(b, corpus(b), cache)
	if _, err := e.BuildIndex(context.Background(), nil); err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(e.tree.Root(), "helve-benchmark.tmp.c")
	defer os.Remove(file)
	for i := 0; b.Loop(); i++ {
		word := fmt.Sprintf("zzyzx_edited_%d", i)
		write(b, file, word)
		sum, err := e.Grep(context.Background(), Query{Patterns: []string{word}}, func(*File) error { return nil })
		if err != nil || sum.Lines != 1 {
			b.Fatal(sum.Lines, err)
		}
	}
}
