package racing

import (
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// usual is how many exchanges a test waits for: the old ways of opening lost after some hundreds.
const usual = 3000

// Exchanges is how many exchanges a test makes: some thousands, or HELVE_EXCHANGES.
func Exchanges(t testing.TB) int64 {
	text := os.Getenv("HELVE_EXCHANGES")
	if text == "" {
		return usual
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		t.Fatalf("HELVE_EXCHANGES=%s: want a number", text)
	}
	return n
}

// A Place is a workspace in which a directory and a file are exchanged with links that lead out of it.
type Place struct {
	Dir     string // the workspace
	Outside string // where the links lead; what is in it holds Mark
	made    atomic.Int64
	before  map[string]string // the files outside, by path
}

// Mark is in the content and in the names of what lies outside.
const Mark = "outsidemark"

// Make makes a workspace with sub/deep/f.txt and sub/plain.txt, and what lies outside with the same names.
func Make(t testing.TB) *Place {
	t.Helper()
	top := t.TempDir()
	p := &Place{
		Dir:     filepath.Join(top, "ws"),
		Outside: filepath.Join(top, "out"),
		before:  map[string]string{},
	}
	files := map[string]string{
		"ws/sub/deep/f.txt":          "needle inside\n",
		"ws/sub/deep/code.py":        "def needle_inside():\n    return 1\n",
		"ws/sub/plain.txt":           "needle inside\n",
		"out/deep/f.txt":             "needle " + Mark + "\n",
		"out/deep/code.py":           "def needle_" + Mark + "():\n    return 1\n",
		"out/deep/" + Mark + ".txt":  "needle " + Mark + "\n",
		"out/f.txt":                  "needle " + Mark + "\n",
		"out/code.py":                "def needle_" + Mark + "():\n    return 1\n",
		"out/plain.txt":              "needle " + Mark + "\n",
		"out/.gitignore":             Mark + "\n",
		"out/" + Mark + "/entry.txt": "needle " + Mark + "\n",
	}
	for name, text := range files {
		path := filepath.Join(top, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
		if strings.HasPrefix(name, "out/") {
			p.before[path] = text
		}
	}
	must(t, os.Mkdir(filepath.Join(p.Dir, "swap"), 0o755))
	for link, to := range map[string]string{"swap/sub": "", "swap/deep": "deep", "swap/plain.txt": "plain.txt"} {
		must(t, os.Symlink(filepath.Join(p.Outside, to), filepath.Join(p.Dir, link)))
	}
	return p
}

// Run exchanges in the background, and calls look again and again until most exchanges were made. At the end everything
// stands in its own place, and nothing outside has changed.
func (p *Place) Run(t testing.TB, most int64, look func(n int)) {
	t.Helper()
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.exchange(&stop)
	}()
	for n := 0; p.made.Load() < most && !t.Failed(); n++ {
		look(n)
	}
	stop.Store(true)
	<-done
	p.unchanged(t)
}

// exchange gives each of three links the place of what stands inside, and back.
func (p *Place) exchange(stop *atomic.Bool) {
	pairs := [][2]string{{"sub", "swap/sub"}, {"sub/deep", "swap/deep"}, {"sub/plain.txt", "swap/plain.txt"}}
	for i := 0; !stop.Load(); i++ {
		pair := pairs[i%len(pairs)]
		for range 2 {
			err := unix.Renameat2(unix.AT_FDCWD, filepath.Join(p.Dir, pair[0]),
				unix.AT_FDCWD, filepath.Join(p.Dir, pair[1]), unix.RENAME_EXCHANGE)
			if err == nil {
				p.made.Add(1)
			}
		}
	}
}

// Made is how many exchanges were made.
func (p *Place) Made() int64 { return p.made.Load() }

// unchanged reports what a tool wrote or made outside.
func (p *Place) unchanged(t testing.TB) {
	t.Helper()
	now := map[string]string{}
	err := filepath.WalkDir(p.Outside, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		now[path] = string(text)
		return err
	})
	must(t, err)
	if !maps.Equal(now, p.before) {
		t.Errorf("outside is changed: %q, want %q", now, p.before)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
