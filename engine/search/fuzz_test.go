package search

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"helve/engine/search/internal/trigram"
)

// FuzzMatchersAgree compares the automaton, the machine behind it and, where both mean the same, the standard library.
func FuzzMatchersAgree(f *testing.F) {
	for _, s := range [][2]string{{`a+b`, "xaab"}, {`\bfoo\b`, "a foo"}, {`^é.$`, "éx"}, {`(?i)k`, "\u212a"}, {`[^a]\x{ffff}?`, "\xffb"}, {`a{2,3}$|\Bb`, "aab"}, {`\w\W`, "a\u2028"}} {
		f.Add(s[0], s[1], false, false)
	}
	f.Fuzz(func(t *testing.T, pattern, line string, fold, word bool) {
		if strings.Contains(line, "\n") || len(line) > 200 || len(pattern) > 100 {
			return
		}
		m, err := newMatcher(&Query{Patterns: []string{pattern}, IgnoreCase: fold, Word: word})
		if err != nil || len(m.prog.inst) > 500 {
			return
		}
		v := newVM(m.prog)
		start, end := v.find([]byte(line), 0)
		want := start >= 0
		if d := newDFA(m.prog); !d.everything() {
			if _, got := d.find([]byte(line), 0); got != unsure && (got == matches) != want {
				t.Fatalf("%q on %q: automaton %v, machine %d %d", pattern, line, got, start, end)
			}
		} else if !want {
			t.Fatalf("%q on %q: everything matches, but the machine finds nothing", pattern, line)
		}
		if m.finder != nil {
			var s finderState
			m.finder.begin(&s)
			if at := m.finder.find(&s, []byte(line), 0); at < 0 && want || at >= 0 && m.literal && !want {
				t.Fatalf("%q on %q: literals %q found at %d, match %v", pattern, line, m.lits.set, at, want)
			}
		}
		oracle(t, pattern, line, fold, word, start, end)
	})
}

// oracle compares with package regexp, for whom \w and its like, and words, are ASCII.
func oracle(t *testing.T, pattern, line string, fold, word bool, start, end int) {
	if word || !utf8.ValidString(line) || strings.ContainsAny(pattern, `\`) && !isASCII(line) || strings.ContainsRune(line, '\v') {
		return
	}
	if fold {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile("(?m:" + pattern + ")")
	if err != nil {
		return
	}
	want := re.FindStringIndex(line)
	if want == nil && start >= 0 || want != nil && (want[0] != start || want[1] != end) {
		t.Fatalf("%q on %q: regexp %v, here %d %d", pattern, line, want, start, end)
	}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// FuzzLanesAgree compares the automaton on four parts at once with one after the other.
func FuzzLanesAgree(f *testing.F) {
	f.Add(`a[bc]+d$`, "xx\nabcbd\n")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		m, err := newMatcher(&Query{Patterns: []string{pattern}})
		if err != nil || m.everything || len(m.prog.inst) > 500 || text == "" {
			return
		}
		b := []byte(strings.Repeat(text, minLanes/len(text)+1))
		x := m.machine(new(atomic.Bool))
		_, found := x.lazyDFA().find(b, 0)
		if x.lazyDFA().nothing(b) && found != noMatch {
			t.Fatalf("%q on %q: four at once find nothing, one finds %v", pattern, b, found)
		}
	})
}

// FuzzSegmentsOpenOrFail opens damaged index files.
func FuzzSegmentsOpenOrFail(f *testing.F) {
	path := filepath.Join(f.TempDir(), "seed")
	file, err := os.Create(path)
	if err != nil {
		f.Fatal(err)
	}
	w := trigram.NewWriter(file, 1)
	s := w.Shard()
	if err := s.Add(trigram.File{Path: "a/b.txt", Dir: 2}, []byte("some text\nand more\n")); err != nil {
		f.Fatal(err)
	}
	if err := s.Flush(); err != nil {
		f.Fatal(err)
	}
	if err := w.Finish("/root", true); err != nil {
		f.Fatal(err)
	}
	file.Close()
	sound, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(0, byte(1), 0)
	f.Fuzz(func(t *testing.T, at int, flip byte, cut int) {
		b := append([]byte(nil), sound...)
		if at >= 0 && cut >= 0 {
			b[at%len(b)] ^= flip
			b = b[:len(b)-cut%len(b)]
		}
		path := filepath.Join(t.TempDir(), "segment")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		seg, err := trigram.Open(path)
		if err != nil {
			return
		}
		defer seg.Close()
		found, err := seg.Candidates([]string{"some", "text"}, true, nil)
		if err == nil && found[0] != nil && !found[0].Has(0) {
			t.Fatalf("byte %d changed by %d: the block is lost without an error", at, flip)
		}
	})
}
