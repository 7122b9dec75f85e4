package fsroot_test

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"helve/internal/fsroot"
)

// What the library's full case folding takes for one name is one name here. Each character is tried alone and with a
// mark behind it that would be composed with it.
func TestNamesThatFullCaseFoldingJoinsAreOne(t *testing.T) {
	fold := cases.Fold()
	oracle := func(s string) string { return norm.NFC.String(fold.String(norm.NFC.String(s))) }
	joined := 0
	for r := range utf8.MaxRune + 1 {
		if !utf8.ValidRune(r) || oracle(string(r)) == string(r) && fsroot.Fold(string(r)) == string(r) {
			continue
		}
		for _, s := range []string{string(r), string(r) + "\u0308", "a" + string(r) + "b"} {
			want := oracle(s)
			if fsroot.Fold(s) != fsroot.Fold(want) {
				t.Errorf("%+q: %+q, but its folding %+q: %+q", s, fsroot.Fold(s), want, fsroot.Fold(want))
			}
			if want != s {
				joined++
			}
			if again := fsroot.Fold(fsroot.Fold(s)); again != fsroot.Fold(s) {
				t.Errorf("%+q: %+q, folded again %+q", s, fsroot.Fold(s), again)
			}
		}
	}
	if joined < 3000 {
		t.Errorf("the oracle folds %d texts only", joined)
	}
}
