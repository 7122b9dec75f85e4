package tree

import (
	"os"
	"testing"
)

// corpus is a large tree to measure on, named by HELVE_CORPUS; benchmarks skip without it.
func corpus(b *testing.B) string {
	dir := os.Getenv("HELVE_CORPUS")
	if dir == "" {
		b.Skip("HELVE_CORPUS names no directory to measure on")
	}
	return dir
}

func BenchmarkWalk(b *testing.B) {
	for name, opt := range map[string]Options{"default": {}, "noignore": {NoIgnore: true}, "stat": {Stat: true}} {
		b.Run(name, func(b *testing.B) {
			root := corpus(b)
			b.ReportAllocs()
			for b.Loop() {
				st, err := Walk(b.Context(), root, opt, func(int, *Dir) error { return nil })
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(st.Files), "files")
			}
		})
	}
}
