package search

import (
	"bytes"
	"sync/atomic"
	"testing"
)

func BenchmarkFinder(b *testing.B) {
	text := bytes.Repeat([]byte("static int foo_probe(struct device *dev)\n{\n\treturn dev->bar;\n}\n"), 16<<10/64)
	for name, l := range map[string]literals{
		"one":  {set: []string{"PM_RESUME"}},
		"fold": {set: []string{"pm_resume"}, fold: true},
		"five": {set: []string{"ERR_SYS", "PME_TURN_OFF", "LINK_REQ_RST", "CFG_BME_EVT", "PM_RESUME"}},
	} {
		b.Run(name, func(b *testing.B) {
			f := newFinder(l)
			var s finderState
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				f.begin(&s)
				if f.find(&s, text, 0) >= 0 {
					b.Fatal("found")
				}
			}
		})
	}
}

func BenchmarkDFA(b *testing.B) {
	text := bytes.Repeat([]byte("static int foo_probe(struct device *dev)\n{\n\treturn dev->bar;\n}\n"), 16<<10/64)
	m, err := newMatcher(&Query{Patterns: []string{`[A-Z]{5}\s+[a-z]{5}\s+[a-z]{5}`}})
	if err != nil {
		b.Fatal(err)
	}
	d := newDFA(m.prog)
	d.stop = new(atomic.Bool)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if !d.nothing(text) {
			b.Fatal("found")
		}
	}
}

func BenchmarkGlob(b *testing.B) {
	e := open(b, corpus(b))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := e.Glob(b.Context(), GlobQuery{Pattern: "**/*.h", Sort: ByPath}); err != nil {
			b.Fatal(err)
		}
	}
}
