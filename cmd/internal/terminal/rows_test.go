package terminal

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
		got := Fit(c.in, c.limit)
		if got != c.want || Cells(got) > max(c.limit, 1) {
			t.Errorf("Fit(%q, %d) = %q of %d cells, want %q", c.in, c.limit, got, Cells(got), c.want)
		}
	}
}

func TestALineIsWrappedAtTheWidth(t *testing.T) {
	for text, want := range map[string][]string{
		"":             nil,
		"\n":           nil,
		"abcdefg":      {"abcdef", "g"},
		"one\n\ntwo\n": {"one", "", "two"},
		"one日本語 x":     {"one日", "本語 x"},
		"\tx":          {"    x"},
		"a\u202eb":     {`a\u202`, "eb"},
		"\x1b[2J":      {`\u001b`, "[2J"},
	} {
		var got []string
		for _, r := range wrapped(text, 6) {
			got = append(got, r.text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
