package fsroot_test

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"helve/internal/fsroot"
)

func TestAPathIsQuotedWhereItCannotBeRead(t *testing.T) {
	for path, want := range map[string]string{
		"a/b c.txt":     "a/b c.txt",
		"café":          "café",
		"caf\xe9.txt":   `"caf\xe9.txt"`,
		"a\nb":          `"a\nb"`,
		"d/\x1b[2J":     `"d/\x1b[2J"`,
		"rtl\u202egpj":  `"rtl\u202egpj"`,
		`"q".txt`:       `"\"q\".txt"`,
		`d/"q"`:         `"d/\"q\""`,
		`it's "so".txt`: `it's "so".txt`,
	} {
		if got := fsroot.Quote(path); got != want {
			t.Errorf("Quote(%q) = %s, want %s", path, got, want)
		}
	}
}

func TestAQuotedPathIsTheOneThatWasShown(t *testing.T) {
	s := open(t, fsroot.Options{}, workspace(t))
	for asked, want := range map[string]string{
		`"caf\xe9.txt"`:       "caf\xe9.txt",
		`a/"caf\xe9.txt"`:     "a/caf\xe9.txt",
		`"a\nb"`:              "a\nb",
		`"f"`:                 "f",
		`"a/../f"`:            "f",
		`"unclosed`:           `"unclosed`,
		`"two" words`:         `"two" words`,
		`"bad \q escape"`:     `"bad \q escape"`,
		`a/"b/c"`:             `a/"b/c"`,
		`it's`:                `it's`,
		`a/"dir\xff"/"x\x01"`: "a/dir\xff/x\x01",
	} {
		if runtime.GOOS == "windows" && strings.ContainsFunc(want, notOnWindows) {
			if _, err := s.Resolve("", asked); !errors.Is(err, fsroot.ErrBadPath) {
				t.Errorf("Resolve(%s) = %v, want %v", asked, err, fsroot.ErrBadPath)
			}
			continue
		}
		if p, err := s.Resolve("", asked); err != nil || p.Rel() != want {
			t.Errorf("Resolve(%s) = %q, %v, want %q", asked, p.Rel(), err, want)
		}
	}
	for _, asked := range []string{`"../secret"`, `"\x2e\x2e/secret"`, `a/"\x2e\x2e"/"\u002e\u002e"/secret`, `"\x2fetc/passwd"`, `"f\x00"`, `""`, `"~/x"`} {
		if p, err := s.Resolve("", asked); err == nil {
			t.Errorf("Resolve(%s) = %q", asked, p.Rel())
		}
	}
	if runtime.GOOS == "windows" {
		return // no name there has such bytes
	}
	p, err := s.Resolve("", `a/"caf\xe9 \xff.txt"`)
	must(t, err)
	if p.Target() != "a/caf\ufffd \ufffd.txt" || p.Pattern() != p.Target() || p.String() != `"a/caf\xe9 \xff.txt"` {
		t.Errorf("target %q, pattern %q, shown %s", p.Target(), p.Pattern(), p)
	}
}

// notOnWindows tells whether no name on Windows has the character; a byte that is no UTF-8 is none of any name there.
func notOnWindows(r rune) bool { return r < ' ' || r == '"' || r == utf8.RuneError }

// FuzzQuote: what is shown can be read in one line and leads back to the same file.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"a", "caf\xe9", `"`, `"a"`, `a/"b"`, "a\nb", `\x41`, `"\x41"`, "\u202e", `a"/"b`} {
		f.Add(s)
	}
	dir, err := os.MkdirTemp("", "helve-quote-")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { os.RemoveAll(dir) })
	s, err := fsroot.Open(fsroot.Options{}, dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	f.Fuzz(func(t *testing.T, path string) {
		shown := fsroot.Quote(path)
		if !utf8.ValidString(shown) || strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Fatalf("%q is shown as %q", path, shown)
		}
		if runtime.GOOS == "windows" && strings.ContainsAny(path, `"\`) {
			return // there is no such name, and a backslash parts two
		}
		if path == "" || strings.ContainsRune(path, 0) || strings.HasPrefix(path, "/") {
			return
		}
		direct, err := s.Resolve("", "./"+strings.ReplaceAll(path, `"`, "'")) // the same shape, and no quotation marks
		if err != nil {
			return
		}
		p, err := s.Resolve("", shown)
		if err != nil && !strings.HasPrefix(path, "~") || err == nil && strings.ReplaceAll(p.Rel(), `"`, "'") != direct.Rel() {
			t.Fatalf("%q is shown as %s, which is %q, %v; want %q", path, shown, p.Rel(), err, direct.Rel())
		}
	})
}
