package edit_test

import (
	"testing"

	"helve/builtin/internal/edit"
)

// Arguments of tools are JSON, where – and \u2013 are the same: models write one where the file has the other.
func TestAnEditMeetsEscapesAndCharactersAsOne(t *testing.T) {
	for _, c := range []struct{ name, content, old, new, want, note string }{
		{
			name: "the file has an escape", content: "a = \"1 \\u2013 2\"\nb\n",
			old: "a = \"1 – 2\"", new: "a = \"1 – 3\"", want: "a = \"1 \\u2013 3\"\nb\n",
			note: "old_string had – where the file has \\u2013; applied at line 1, the only place that fits, with the file's own spelling",
		},
		{
			name: "the file has the character", content: "x\na = \"1 – 2\"\n",
			old: `a = "1 \u2013 2"`, new: `a = "1 \u2013 2 \u2013 3"`, want: "x\na = \"1 – 2 – 3\"\n",
			note: "old_string had \\u2013 where the file has –; applied at line 2, the only place that fits, with the file's own spelling",
		},
		{name: "a pair of surrogates", content: `x = "\ud83d\ude00 hi"`, old: `x = "😀 hi"`, new: `x = "😀 ho"`, want: `x = "\ud83d\ude00 ho"`},
		{name: "braces", content: `x = "\u{1F600} hi"`, old: `x = "😀 hi"`, new: `x = "😀 ho"`, want: `x = "\u{1F600} ho"`},
		{name: "eight digits", content: `x = "\U0001F600 hi"`, old: `x = "😀 hi"`, new: `y = "😀 hi"`, want: `y = "\U0001F600 hi"`},
		{name: "the case of digits", content: `caf\u00E9 = 1`, old: `caf\u00e9 = 1`, new: `caf\u00e9 = 2`, want: `caf\u00E9 = 2`},
		{name: "signs that JSON of Go escapes", content: `{"a": "\u003cb\u003e"}`, old: `"<b>"`, new: `"<i>"`, want: `{"a": "\u003ci\u003e"}`},
		{name: "what is new stays as it was written", content: `"\u2013"`, old: `"–"`, new: `"– —"`, want: `"\u2013 —"`},
		{name: "the character is replaced", content: `"1 \u2013 2"`, old: `"1 – 2"`, new: `"1 - 2"`, want: `"1 - 2"`},
		{name: "a kept line has both", content: "x = \"– \\u2013\"\ny = 1\n", old: "x = \"– –\"\ny = 1", new: "x = \"– –\"\ny = 2",
			want: "x = \"– \\u2013\"\ny = 2\n"},
		{name: "line endings stay", content: "a\r\n\"\\u2013\"\r\nb\r\n", old: "a\n\"–\"\n", new: "a\nnew\n\"–\"\n", want: "a\r\nnew\r\n\"\\u2013\"\r\nb\r\n"},
		{name: "old Mac endings", content: "a\r\"\\u2013\"\rb", old: "a\n\"–\"", new: "c\n\"–\"", want: "c\r\"\\u2013\"\rb"},
		{name: "another place has the character with other words", content: "\"x – y\"\n\"x \\u2013 z\"\n", old: `"x – z"`, new: `"w – z"`, want: "\"x – y\"\n\"w \\u2013 z\"\n"},
	} {
		got, p, r := plan(c.content, edit.Edit{Old: c.old, New: c.new})
		if r != nil {
			t.Errorf("%s: refused: %v", c.name, r)
			continue
		}
		if got != c.want || len(p.Notes) != 1 || c.note != "" && p.Notes[0] != c.note {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.name, got, p.Notes, c.want, c.note)
		}
	}
}

// Models write ' for ’ and the other way round, in short texts as in long ones.
func TestAnEditMeetsCurlyAndStraightQuotesAsOne(t *testing.T) {
	for _, c := range []struct{ name, content, old, new, want string }{
		{"the file is curly", "a\nIt’s on\n", "It's on", "It's off", "a\nIt’s off\n"},
		{"the file is straight", "a\nIt's on\n", "It’s on", "It’s off", "a\nIt's off\n"},
		{"one word", "say “hi”.\n", `"hi"`, `"ho"`, "say “ho”.\n"},
		{"one word, straight", "say \"hi\".\n", "“hi”", "“ho”", "say \"ho\".\n"},
		{"one mark", "x “y\n", `"y`, `"z`, "x “z\n"},
		{"quotes go", "x = “y”\n", `"y"`, "y", "x = y\n"},
		{"the file mixes them", "x = \"y”\n", `"y"`, `"z"`, "x = \"z”\n"},
		{"the file has an escape", `x = "It\u2019s on"`, "It's on", "It's off", `x = "It\u2019s off"`},
		{"kept lines", "“a”\nb\n“c”\nd\n", "\"a\"\nb\n\"c\"\nd", "\"a\"\nB\n\"c\"\nD", "“a”\nB\n“c”\nD\n"},
		{"changed in two lines", "“a”\nb\n“c”\nd\n", "\"a\"\nb\n\"c\"", "\"x\"\nb\n\"z\"", "“x”\nb\n“z”\nd\n"},
		{"line ends stay", "a\r\n“b”\r\n", "a\n\"b\"\n", "a\n\"c\"\n", "a\r\n“c”\r\n"},
		{"another place has other words", "‘x’\n‘y’\n", "'y'", "'z'", "‘x’\n‘z’\n"},
	} {
		got, p, r := plan(c.content, edit.Edit{Old: c.old, New: c.new})
		if r != nil {
			t.Errorf("%s: refused: %v", c.name, r)
			continue
		}
		if got != c.want || len(p.Notes) != 1 {
			t.Errorf("%s:\n got %q %q\nwant %q", c.name, got, p.Notes, c.want)
		}
	}
}

// Where it is not clear which quote is meant, or which place, nothing is changed.
func TestAnEditOfUnclearQuotesIsRefused(t *testing.T) {
	for _, c := range []struct{ name, content, old, new string }{
		{"two places", "“a”\n“a”\n", `"a"`, `"b"`},
		{"two forms", "“a”\n‘b’\n”a“\n", `"a"`, `"b"`},
		{"a new pair", "x “a”\n", `"a"`, `"a" and "b"`},
		{"new single quotes", "It’s\n", "It's", "It's 'new'"},
	} {
		got, _, r := plan(c.content, edit.Edit{Old: c.old, New: c.new})
		if r == nil || r.Kind != edit.Ambiguous || r.Cause != edit.Quotes {
			t.Errorf("%s: got %q, %+v", c.name, got, r)
		}
	}
}
