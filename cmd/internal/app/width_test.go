package app

import (
	"slices"
	"testing"
)

func TestALineIsCutToTheTerminal(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abcdef", 6, "abcdef"},
		{"abcdefg", 6, "abcde…"},
		{"日本語です", 10, "日本語です"},
		{"日本語です", 9, "日本語で…"},
		{"日本語です", 8, "日本語…"},
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"},
		{"abc", 1, "…"},
		{"", 0, ""},
	} {
		got := fit(c.in, c.limit)
		if got != c.want || spread(got) > max(c.limit, 1) {
			t.Errorf("fit(%q, %d) = %q of %d cells, want %q", c.in, c.limit, got, spread(got), c.want)
		}
	}
}

func TestALongChoiceIsFoldedAtBlanks(t *testing.T) {
	var got []string
	for s := "one two three日本語 x"; s != ""; {
		part := fold(s, 6)
		got, s = append(got, part), s[len(part):]
	}
	if want := []string{"one ", "two ", "three", "日本語", " x"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
