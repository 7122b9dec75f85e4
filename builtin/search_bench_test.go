package builtin_test

import (
	"os"
	"testing"

	"helve/builtin"
	"helve/engine/search"
	"helve/engine/tree"
)

// BenchmarkNothingIsFound is a whole call that finds nothing in a resident tree, which HELVE_CORPUS names, with its index.
func BenchmarkNothingIsFound(b *testing.B) {
	dir := os.Getenv("HELVE_CORPUS")
	if dir == "" {
		b.Skip("HELVE_CORPUS names no directory to measure on")
	}
	cache := b.TempDir()
	t, err := tree.At(dir, tree.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer t.Close()
	if _, err := search.NewIndexed(t, cache).BuildIndex(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	h := open(b, builtin.Options{Dirs: []string{dir}, Resident: true, Cache: cache, Trees: &tree.Set{}})
	must(b, h.call("grep", args{"pattern": "zqxjkvbwp_nothing"}))
	for _, c := range []struct {
		name, tool string
		args       args
	}{
		{"grep", "grep", args{"pattern": "zqxjkvbwp_nothing"}},
		{"grep include", "grep", args{"pattern": "zqxjkvbwp_nothing", "include": "*.c"}},
		{"grep include path", "grep", args{"pattern": "zqxjkvbwp_nothing", "include": "drivers/**/*.c"}},
		{"grep in a file", "grep", args{"pattern": "zqxjkvbwp_nothing", "path": "Makefile"}},
		{"glob", "glob", args{"pattern": "zqx_nothing*"}},
		{"glob path", "glob", args{"pattern": "drivers/**/zqx_nothing.c"}},
		{"glob many", "glob", args{"pattern": "*.c"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must(b, h.call(c.tool, c.args))
			}
		})
	}
}
