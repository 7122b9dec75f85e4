package edit_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"helve/builtin/internal/edit"
)

// plan applies edits and returns the text, or the refusal.
func plan(content string, edits ...edit.Edit) (string, *edit.Plan, *edit.Refusal) {
	p, err := edit.Make([]byte(content), edits...)
	var r *edit.Refusal
	if errors.As(err, &r) {
		return "", nil, r
	}
	var b bytes.Buffer
	p.WriteTo(&b)
	return b.String(), p, nil
}

// tabbed is a file that indents with tabs.
const tabbed = "func f() {\n\tif x {\n\t\treturn alpha\n\t}\n\treturn beta\n}\n"

func TestAppliedEditsChangeTheirPlaceOnly(t *testing.T) {
	for _, c := range []struct {
		name           string
		content        string
		old, new, want string
		noted          bool
	}{
		{name: "exact", content: "a\nb\nc\n", old: "b", new: "B", want: "a\nB\nc\n"},
		{name: "CRLF kept", content: "a\r\nb\r\nc\r\n", old: "a\nb", new: "a\nx\nb", want: "a\r\nx\r\nb\r\nc\r\n"},
		{name: "CRLF in both", content: "a\r\nb\r\n", old: "a\r\nb\r\n", new: "b\r\na\r\n", want: "b\r\na\r\n"},
		{name: "CRLF for a file of LF", content: "a\nb\n", old: "a\r\nb", new: "x\r\ny", want: "x\ny\n"},
		{name: "a new line in a file of CRLF", content: "a\r\nb\r\n", old: "b", new: "b\nc", want: "a\r\nb\r\nc\r\n"},
		{name: "mixed endings: each line keeps its own", content: "a\r\nb\nc\r\nd\n", old: "a\nb\nc\nd", new: "a\nb\nX\nc\nd", want: "a\r\nb\nX\nc\r\nd\n"},
		{name: "mixed endings: an inserted line at the front", content: "a\nb\r\nc\n", old: "b", new: "x\nb", want: "a\nx\r\nb\r\nc\n"},
		{name: "endings changed on purpose", content: "a\r\nb\r\n", old: "a\r\nb\r\n", new: "a\nb\n", want: "a\nb\n"},
		{name: "old Mac endings", content: "a\rb\rc", old: "a\nb", new: "a\nx\nb", want: "a\rx\rb\rc"},
		{name: "no final newline stays so", content: "a\nb", old: "b", new: "c", want: "a\nc"},
		{name: "no final newline, old text has one", content: "aaa\nlast line", old: "last line\n", new: "new line\n", want: "aaa\nnew line", noted: true},
		{name: "tabs stay", content: "\ta\n\tb\n", old: "\ta", new: "\tc", want: "\tc\n\tb\n"},
		{name: "spaces for tabs", content: tabbed, old: "    if x {\n        return alpha\n    }", new: "    if y {\n        log()\n        return alpha\n    }",
			want: "func f() {\n\tif y {\n\t\tlog()\n\t\treturn alpha\n\t}\n\treturn beta\n}\n", noted: true},
		{name: "wrong base indent", content: tabbed, old: "if x {\n\treturn alpha\n}", new: "if x {\n\tif z {\n\t\treturn gamma\n\t}\n}",
			want: "func f() {\n\tif x {\n\t\tif z {\n\t\t\treturn gamma\n\t\t}\n\t}\n\treturn beta\n}\n", noted: true},
		{name: "indent differs between lines, unique after white space", content: "def f():\n    one = 1\n    two = 2\n", old: "one = 1\n  two = 2\n", new: "one = 1\n  two = 3\n",
			want: "def f():\n    one = 1\n    two = 3\n", noted: true},
		{name: "two spaces for four", content: "def f():\n    if a:\n        go(1)\n", old: "  if a:\n    go(1)\n", new: "  if a:\n    for b in a:\n      go(b)\n",
			want: "def f():\n    if a:\n        for b in a:\n            go(b)\n", noted: true},
		{name: "trailing blanks in the file", content: "first line  \nsecond line\n", old: "first line\nsecond line\n", new: "first line\nthird line\n", want: "first line  \nthird line\n", noted: true},
		{name: "trailing blanks in the edit", content: "first line\nsecond line\n", old: "first line \nsecond line", new: "first line \n2nd line", want: "first line\n2nd line\n", noted: true},
		{name: "NBSP in the file", content: "price:\u00a0100 francs\nx\n", old: "price: 100 francs", new: "price: 200 francs", want: "price: 200 francs\nx\n", noted: true},
		{name: "exact here, fuzzy elsewhere", content: "call( a,  b )\ncall( a, b )\n", old: "call( a, b )", new: "call(c)", want: "call( a,  b )\ncall(c)\n"},
		{name: "dollar signs are letters", content: "x = old\n", old: "old", new: `$& $1 ${0} \1 \n $$`, want: "x = " + `$& $1 ${0} \1 \n $$` + "\n"},
		{name: "a backslash and n in the file", content: `s := "a\nb"` + "\n", old: `a\nb`, new: `a\tb`, want: `s := "a\tb"` + "\n"},
		{name: "deleting a whole line", content: "a\nb\nc\n", old: "b\n", new: "", want: "a\nc\n"},
		{name: "deleting a whole line of CRLF", content: "a\r\nb\r\nc\r\n", old: "b\n", new: "", want: "a\r\nc\r\n"},
		{name: "deleting everything", content: "a\n", old: "a\n", new: "", want: ""},
		{name: "a line less deep than the old ones", content: "f:\n\t\tone = 1\n", old: "    one = 1\n", new: "    one = 1\ntwo = 2\n", want: "f:\n\t\tone = 1\n\ttwo = 2\n", noted: true},
		{name: "deleting a line that differs in indentation", content: "x\n\tfoo(1)\ny\n", old: "    foo(1)\n", new: "", want: "x\ny\n", noted: true},
		{name: "a blank line removed", content: "a\n\n\nb\n", old: "a\n\n\nb", new: "a\n\nb", want: "a\n\nb\n"},
		{name: "a carriage return before a new line", content: "a\r\n\r\nb\r\n", old: "a\n\r", new: "a\n\r\r\n", want: "a\r\n\r\r\n\nb\r\n"},
		{name: "only line breaks", content: "a\r\n\r\nb\r\n", old: "\n\n", new: "\n", want: "a\r\nb\r\n"},
		{name: "invalid bytes elsewhere stay", content: "\xff\xfe caf\xe9\nname = 1\n", old: "name = 1", new: "name = 2", want: "\xff\xfe caf\xe9\nname = 2\n"},
		{name: "a placeholder that the file has", content: "// ... rest of code\nx\n", old: "x", new: "// ... rest of code\ny", want: "// ... rest of code\n// ... rest of code\ny\n"},
		{name: "dots are code", content: "x\n", old: "x", new: "def f(): ...\n...", want: "def f(): ...\n...\n"},
		{name: "a byte order mark in old", content: "package x\n", old: "\ufeffpackage x", new: "package y", want: "package y\n"},
	} {
		got, p, r := plan(c.content, edit.Edit{Old: c.old, New: c.new})
		if r != nil {
			t.Errorf("%s: refused: %v", c.name, r)
			continue
		}
		if got != c.want || (len(p.Notes) > 0) != c.noted {
			t.Errorf("%s:\n got %q %v\nwant %q", c.name, got, p.Notes, c.want)
		}
	}
}

func TestRefusedEditsSayWhyAndWhere(t *testing.T) {
	for _, c := range []struct {
		name, content, old, new string
		kind                    edit.Kind
		cause                   edit.Cause
		line                    int
	}{
		{name: "twice", content: "a = 1\nb\na = 1\n", old: "a = 1", new: "c", kind: edit.Multiple, line: 1},
		{name: "twice in one line", content: "a a\n", old: "a", new: "b", kind: edit.Multiple, line: 1},
		{name: "twice but for endings", content: "a\nb\r\nx\na\r\nb\n", old: "a\nb", new: "c", kind: edit.Multiple, line: 1},
		{name: "overlapping", content: "aaa", old: "aa", new: "b", kind: edit.Multiple, line: 1},
		{name: "identical", content: "a", old: "a", new: "a", kind: edit.Identical},
		{name: "identical but for endings", content: "a\nb", old: "a\nb", new: "a\r\nb", kind: edit.Identical},
		{name: "endings of a mixed file alone", content: "a\r\nb\nc\n", old: "b\nc", new: "b\r\nc", kind: edit.Identical},
		{name: "empty old", content: "a", old: "", new: "b", kind: edit.EmptyOld},
		{name: "a similar name", content: "x\nfunc DeleteUserV1(id int) {\n}\n", old: "func DeleteUserV2(id int) {", new: "", kind: edit.NotFound, line: 2},
		{name: "a copy in a comment", content: "// total := sum(items)\nx\n", old: "total  := sum(items);", new: "y", kind: edit.NotFound, line: 1},
		{name: "nothing alike", content: "hello\n", old: "completely different", new: "y", kind: edit.NotFound},
		{name: "two candidates", content: "call(x,  y)\ncall(x,   y)\n", old: "call(x, y)\n", new: "z", kind: edit.Ambiguous, line: 1},
		{name: "words joined", content: "foo(a,b)\n", old: "foo(a, b)", new: "foo(c)", kind: edit.NotFound, cause: edit.Separation, line: 1},
		{name: "smart quotes", content: "say “hello world” – now\n", old: `say "hello world" - now`, new: "x", kind: edit.NotFound, cause: edit.Quotes, line: 1},
		{name: "NFD in the file", content: "the cafe\u0301 is open\n", old: "the café is open", new: "x", kind: edit.NotFound, cause: edit.Composition, line: 1},
		{name: "letter case", content: "Hello World Again\n", old: "hello world again", new: "x", kind: edit.NotFound, cause: edit.LetterCase, line: 1},
		{name: "over-escaped break", content: "one\ntwo\n", old: `one\ntwo`, new: "x", kind: edit.NotFound, cause: edit.Escapes, line: 1},
		{name: "an escaped break alone", content: "one\n\ntwo\n", old: `\n`, new: "x", kind: edit.NotFound},
		{name: "over-escaped quote", content: `say("hi")` + "\n", old: `say(\"hi\")`, new: "x", kind: edit.NotFound, cause: edit.Escapes, line: 1},
		{name: "short and inexact", content: "\t}\nx\n", old: "  }\n", new: "  ]\n", kind: edit.Ambiguous, cause: edit.Blanks, line: 1},
		{name: "short and inexact in a line", content: "if  x then\n", old: "if x", new: "if y", kind: edit.Ambiguous, cause: edit.Blanks, line: 1},
		{name: "white space alone, inexactly", content: "\treturn alpha\n", old: "  return alpha", new: "    return alpha", kind: edit.Ambiguous, cause: edit.SpaceOnly, line: 1},
		{name: "indentation unclear", content: "\tone = 1\n\t\ttwo = 2\n", old: "one = 1\ntwo = 2\n", new: "one = 1\nthree = 3\n", kind: edit.Ambiguous, cause: edit.Indentation, line: 1},
		{name: "deeper than what is unclear", content: "\tone = 1\n\t\ttwo = 2\n", old: "one = 1\ntwo = 2\n", new: "one = 1\n\tthree = 3\n", kind: edit.Ambiguous, cause: edit.Indentation, line: 1},
		{name: "less deep than what is unclear", content: "\tone = 1\n\t\ttwo = 2\n", old: "  one = 1\n  two = 2\n", new: "  one = 1\nthree = 3\n", kind: edit.Ambiguous, cause: edit.Indentation, line: 1},
		{name: "blanks where the old text has tabs", content: "  one = 1\n", old: "\tone = 1\n", new: "\tone = 1\n    two = 2\n", kind: edit.Ambiguous, cause: edit.Indentation, line: 1},
		{name: "a file without indentation", content: "one = 1\n", old: " one = 1\n", new: " one = 1\n  two = 2\n", kind: edit.Ambiguous, cause: edit.Indentation, line: 1},
		{name: "half a level deeper", content: "    one = 1\n", old: "\tone = 1\n", new: "\tone = 1\n\t  two = 2\n", kind: edit.Ambiguous, cause: edit.Indentation, line: 1},
		{name: "placeholder", content: "func f() {\n\ta()\n\tb()\n}\n", old: "\ta()\n\tb()", new: "\ta()\n\t// ... rest of the code", kind: edit.Placeholder},
		{name: "placeholder in old", content: "func f() {\n\ta()\n\tb()\n}\n", old: "func f() {\n\t// rest of code\n}", new: "x", kind: edit.NotFound, cause: edit.Shortened, line: 1},
		{name: "numbers in old", content: "a\nb\n", old: "     1|a\n     2|b", new: "x", kind: edit.LineNumbers},
		{name: "numbers in new", content: "a\nb\n", old: "a\nb", new: "     1|a\n     2|c", kind: edit.LineNumbers},
		{name: "escapes in two places", content: "x = \"\\u2013\"\nx = \"\\u2013\"\n", old: `"–"`, new: `"-"`, kind: edit.Ambiguous, cause: edit.Spelled, line: 1},
		{name: "escapes and a character", content: "x\ny = \"\\u2013 –\"\n", old: `"– –"`, new: `"– –!"`, kind: edit.Ambiguous, cause: edit.Spelled, line: 2},
		{name: "an escape that is escaped", content: `"\\u2013 is a dash"`, old: `"\– is a dash"`, new: "x", kind: edit.NotFound, line: 1},
		{name: "an escaped quote is no quote", content: `"a \u0022 b"`, old: `"a " b"`, new: `"a ' b"`, kind: edit.NotFound},
		{name: "escaped control characters are none", content: "a\nb c d e f\n", old: `a\u000ab c d e f`, new: "x", kind: edit.NotFound, line: 2},
		{name: "half a surrogate pair", content: `"\ud83d hello"`, old: "\"\ufffd hello\"", new: "x", kind: edit.NotFound},
		{name: "only the spelling differs", content: `"1 \u2013 2"`, old: `"1 – 2"`, new: `"1 \u2013 2"`, kind: edit.AlreadyApplied, cause: edit.Gone, line: 1},
		{name: "only the spelling differs, in a short text", content: `"\u2013"`, old: `"–"`, new: `"\u2013"`, kind: edit.AlreadyApplied, cause: edit.Gone, line: 1},
		{name: "applied already", content: "value = compute(2)\n", old: "value = compute(1)", new: "value = compute(2)", kind: edit.AlreadyApplied, cause: edit.Gone, line: 1},
		{name: "the new text is common", content: "a = 1\n\treturn nil\nb = 2\n\treturn nil\n", old: "unheard of", new: "\treturn nil", kind: edit.NotFound},
		{name: "added already, with other white space", content: "\tfoo(1)\n\tbar_baz(2)\n", old: "    foo(1)\n", new: "    foo(1)\n    bar_baz(2)\n", kind: edit.AlreadyApplied, line: 1},
		{name: "added already", content: "import a\nimport bbbbbbb\n", old: "import a\n", new: "import a\nimport bbbbbbb\n", kind: edit.AlreadyApplied, line: 1},
	} {
		got, _, r := plan(c.content, edit.Edit{Old: c.old, New: c.new})
		if r == nil {
			t.Errorf("%s: applied: %q", c.name, got)
			continue
		}
		if r.Kind != c.kind || r.Cause != c.cause || c.line > 0 && (len(r.Places) == 0 || r.Places[0].Line != c.line) || c.line == 0 && len(r.Places) > 0 {
			t.Errorf("%s: kind %d cause %q places %v; want %d %q line %d\n%v", c.name, r.Kind, r.Cause, r.Places, c.kind, c.cause, c.line, r)
		}
	}
}

func TestPlaceholders(t *testing.T) {
	for line, want := range map[string]bool{
		"// rest of code":               true,
		"// ... rest of the code ...":   true,
		"# ... existing code ...":       true,
		"// ...":                        true,
		"/* ... */":                     true,
		"<!-- rest of the file -->":     true,
		"... (rest of the method)":      true,
		"# (unchanged)":                 true,
		"// other methods remain here":  true,
		"-- remaining lines unchanged":  true,
		"...":                           false, // Python's body
		"return nil // rest of code":    false,
		"// restart the code generator": false,
		"// the existing code is slow":  false,
		"f(args...)":                    false,
		"{...rest}":                     false,
		"rest of code":                  false,
	} {
		_, _, r := plan("x\n", edit.Edit{Old: "x", New: "y\n" + line})
		if got := r != nil && r.Kind == edit.Placeholder; got != want {
			t.Errorf("%q: placeholder %v, want %v", line, got, want)
		}
	}
}

func TestRefusalsAreSentencesWithARemedy(t *testing.T) {
	_, _, r := plan("a\nx\na\nx\na\n", edit.Edit{Old: "a", New: "b"})
	want := "old_string occurs 3 times (lines 1, 3, 5): give more lines around it, or set replace_all\n     1|a\n     3|a\n     5|a"
	if r.Error() != want {
		t.Errorf("got  %q\nwant %q", r.Error(), want)
	}
	_, _, r = plan("a a\nx\na\n", edit.Edit{Old: "a", New: "b"})
	if want := "old_string occurs 3 times (lines 1, 3): give more lines around it, or set replace_all\n     1|a a\n     3|a"; r.Error() != want {
		t.Errorf("got  %q\nwant %q", r.Error(), want)
	}
	_, _, r = plan("a\n", edit.Edit{Old: "a", New: "a"})
	if want := "old_string and new_string are the same: there is nothing to change"; r.Error() != want {
		t.Errorf("got  %q\nwant %q", r.Error(), want)
	}
	_, _, r = plan("one\nfunc DeleteUserV1(id int) {\n}\n", edit.Edit{Old: "one", New: "two"}, edit.Edit{Old: "func DeleteUserV2(id int) {", New: "x"})
	want = "edits[1]: old_string does not occur: the nearest place is line 2; copy the text exactly as it is there. In this diff - is the file, + is old_string:\n" +
		"@@ -2 +2 @@\n-func DeleteUserV1(id int) {\n+func DeleteUserV2(id int) {\n"
	if r.Error() != want {
		t.Errorf("got  %q\nwant %q", r.Error(), want)
	}
}

func TestSeveralEditsEachMeetWhatTheOneBeforeLeft(t *testing.T) {
	got, p, r := plan("a\nb\n", edit.Edit{Old: "a", New: "long name"}, edit.Edit{Old: "long name\nb", New: "c"}, edit.Edit{Old: "c", New: "d"})
	if r != nil || got != "d\n" || len(p.Hunks) != 3 {
		t.Errorf("got %q, %v", got, r)
	}
	if _, _, r := plan("a\nb\n", edit.Edit{Old: "a", New: "b"}, edit.Edit{Old: "b", New: "c"}); r == nil || r.Kind != edit.Multiple || r.Edit != 1 {
		t.Errorf("edit 2 met edit 1's text: %v", r)
	}
}

func TestReplaceAllReplacesEveryPlace(t *testing.T) {
	got, p, r := plan("a.a\r\nb\na", edit.Edit{Old: "a", New: "x\ny", All: true})
	if r != nil || got != "x\r\ny.x\r\ny\r\nb\nx\ny" || p.Replacements[0] != 3 || len(p.Hunks) != 2 {
		t.Errorf("got %q, %v, %v", got, p, r)
	}
	if got, _, r := plan("aaaa", edit.Edit{Old: "aa", New: "b", All: true}); r != nil || got != "bb" {
		t.Errorf("got %q, %v", got, r)
	}
}

// Two lines of an edit are two lines of the file: what stands there without a break between them is another text.
func TestALineBreakOfAnEditIsABreakInTheFile(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		for _, c := range []struct{ there, old string }{
			{"return one two", "return one \ntwo"}, // the longest line comes first
			{"one return two", "one \nreturn two"}, // and last
			{"one return two", "one \nreturn \ntwo"},
		} {
			content := "x" + end + c.there + end + "y" + end
			if got, _, r := plan(content, edit.Edit{Old: c.old, New: "z"}); r == nil {
				t.Errorf("%q in %q: became %q, want a refusal", c.old, content, got)
			}
		}
	}
}

// More places than can be replaced are none: a part of them, called a success, would be worse.
func TestReplaceAllReplacesAllOrNothing(t *testing.T) {
	const most = 1 << 20
	for _, end := range []string{"\n", "\r\n"} {
		for _, n := range []int{1500, most} {
			line := "a" + end
			got, p, r := plan(strings.Repeat(line, n), edit.Edit{Old: "a", New: "b", All: true})
			if n >= most {
				if r == nil || r.Kind != edit.TooLarge {
					t.Errorf("%d places: refusal %v, want that they are too many", n, r)
				}
				continue
			}
			if r != nil || p.Replacements[0] != n || got != strings.Repeat("b"+end, n) {
				t.Errorf("%d places: refusal %v, %d replaced", n, r, strings.Count(got, "b"))
			}
		}
	}
}

func TestAPlanIsItsHunkNotItsPosition(t *testing.T) {
	e := edit.Edit{Old: "b", New: "B"}
	_, approved, _ := plan("1\na b c\n2\n", e)
	for content, same := range map[string]bool{
		"1\na b c\n2\n":         true,
		"new\n\n1\na b c\n2\n3": true,  // edits elsewhere do not disturb it
		"1\na b d\n2\n":         false, // the line itself changed
	} {
		if _, now, r := plan(content, e); r != nil || now.Same(approved) != same {
			t.Errorf("%q: same %v, %v", content, !same, r)
		}
	}
	_, shifted, _ := plan("1\na b c\n2\n", edit.Edit{Old: "a b c", New: "a B c"})
	if !shifted.Same(approved) {
		t.Error("the same lines removed and added by another old_string are another plan")
	}
	if h := approved.Hunks[0]; h != (edit.Hunk{Line: 2, Removed: "a b c\n", Added: "a B c\n"}) {
		t.Errorf("hunk %+v", h)
	}
}

func TestTheWindowHoldsEveryChange(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	content := b.String()
	for _, edits := range [][]edit.Edit{
		{{Old: "line 50\n", New: "new\nlines\n"}},
		{{Old: "line 0\n", New: ""}},
		{{Old: "line 99\n", New: "end"}},
		{{Old: "line 40", New: "x"}, {Old: "line 60\n", New: ""}},
		{{Old: "9", New: "nine", All: true}},
		{{Old: "line 50", New: "x"}, {Old: "x", New: "line 50"}},
	} {
		got, p, r := plan(content, edits...)
		if r != nil {
			t.Fatal(r)
		}
		before, after, line := p.Window()
		start := strings.Index(content, string(before))
		if lines := strings.Count(content[:start], "\n"); lines != line {
			t.Errorf("%v: line %d, want %d", edits, line, lines)
		}
		if all := content[:start] + string(after) + content[start+len(before):]; all != got {
			t.Errorf("%v: %q → %q is not the change", edits, before, after)
		}
	}
	_, p, _ := plan(content, edit.Edit{Old: "line 50", New: "x"})
	if before, _, _ := p.Window(); strings.Count(string(before), "\n") != 7 {
		t.Errorf("%q", before)
	}
}

func TestATextThatRepeatsItselfEndsInARefusal(t *testing.T) {
	for name, c := range map[string][2]string{
		"lines": {strings.Repeat("a\r\n", 1<<17), strings.Repeat("a\n", 1000) + "b"},
		"words": {strings.Repeat("ab ", 1<<17), strings.Repeat("ab  ", 1000) + "b"},
		"line":  {strings.Repeat("x", 5<<20), "y  y"},
	} {
		if got, _, r := plan(c[0], edit.Edit{Old: c[1], New: "new text"}); r == nil || len(r.Error()) > 20_000 {
			t.Errorf("%s: applied: %.40q, or a long refusal", name, got)
		}
	}
}

func TestOneLineOfFiveMegabytesIsEdited(t *testing.T) {
	line := strings.Repeat("item,", 1<<20)
	got, p, r := plan(line+"needle,"+line, edit.Edit{Old: "needle,", New: "pin,"})
	if r != nil || got != line+"pin,"+line || len(p.Hunks) != 1 {
		t.Errorf("refused: %.200v", r)
	}
	if _, _, r = plan(line+"needle,"+line, edit.Edit{Old: "item,needl,item", New: "pin,"}); r == nil || len(r.Error()) > 2000 {
		t.Errorf("got %.3000v", r)
	}
}

func TestAReplacementThatGrowsWithoutBoundIsRefused(t *testing.T) {
	_, _, r := plan(strings.Repeat("a", 1<<19), edit.Edit{Old: "a", New: strings.Repeat("b", 2048), All: true})
	if r == nil || r.Kind != edit.TooLarge {
		t.Errorf("got %v", r)
	}
}

// FuzzMake holds the invariants: an exact and unique edit is the naive replacement, an ambiguous one is refused, and
// bytes outside the changed lines are never touched.
func FuzzMake(f *testing.F) {
	for _, s := range [][3]string{
		{"a\nb\nc\n", "b", "B"}, {"a\r\nb\nc", "a\nb", "x"}, {"\tif x {\n\t\ty\n\t}\n", "  if x {\n    y z w\n  }", "q"},
		{"aaa", "aa", "b"}, {"x\u00a0y word here\n", "x y word here", "$1"}, {"a\rb", "a\nb", "\r\n"}, {"\xff\n", "\n", ""},
		{"x \\u2013 y\n", "x – y", "x – z"}, {"x – y\n", "x \\u2013 y", "\\ud83d\\ude00"}, {"\\\\u2013\\u{2013}", "–", "\\"},
		{"    alpha beta\n  gamma\n", "alpha  beta\ngamma\n", "alpha beta\ndelta\n"},
	} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, content, old, new string) {
		got, p, r := plan(content, edit.Edit{Old: old, New: new})
		count := overlapping(content, old)
		switch {
		case r != nil && r.Error() == "":
			t.Fatal("a refusal without words")
		case r != nil:
			return
		case old == "" || old == new:
			t.Fatalf("applied an edit of nothing: %q", got)
		case count == 1 && !strings.Contains(content+old+new, "\r") && !strings.HasPrefix(old, "\ufeff"):
			if want := strings.Replace(content, old, new, 1); got != want {
				t.Fatalf("%q: %q → %q: got %q, want %q", content, old, new, got, want)
			}
		case count > 1 && !strings.HasPrefix(old, "\ufeff"):
			t.Fatalf("%q: %q → %q was applied in one of %d places", content, old, new, count)
		case onlyCRLF(content) && !strings.Contains(old+new, "\r") && !strings.HasPrefix(old, "\ufeff"):
			agreesWithLF(t, content, old, new, got)
		}
		outside(t, content, got, p)
	})
}

func onlyCRLF(s string) bool {
	return strings.Count(s, "\n") > 0 && strings.Count(s, "\r\n") == strings.Count(s, "\r")
}

// agreesWithLF compares with the same edit of the same text with plain line ends.
func agreesWithLF(t *testing.T, content, old, new, got string) {
	t.Helper()
	plain := strings.ReplaceAll(content, "\r\n", "\n")
	if overlapping(plain, old) != 1 {
		return
	}
	if want := strings.Replace(plain, old, new, 1); strings.ReplaceAll(got, "\r\n", "\n") != want {
		t.Fatalf("%q: %q → %q: got %q, want %q but for line ends", content, old, new, got, want)
	}
}

func overlapping(s, key string) (n int) {
	for i := range len(s) - len(key) + 1 {
		if s[i:i+len(key)] == key {
			n++
		}
	}
	return n
}

// outside checks that the text is the old one but for its hunk.
func outside(t *testing.T, content, got string, p *edit.Plan) {
	t.Helper()
	if len(p.Hunks) != 1 {
		t.Fatalf("%d hunks", len(p.Hunks))
	}
	h := p.Hunks[0]
	for at := 0; ; at++ {
		i := strings.Index(content[at:], h.Removed)
		if i < 0 {
			t.Fatalf("%q → %q is not its hunk %+v", content, got, h)
		}
		at += i
		if content[:at]+h.Added+content[at+len(h.Removed):] == got {
			return
		}
	}
}

// A change of whole lines is shown as those lines alone: the next one is not touched.
func TestAHunkHasNoMoreLinesThanAreChanged(t *testing.T) {
	const text = "a\nb\nc\n"
	for old, c := range map[string]struct {
		new  string
		want edit.Hunk
	}{
		"b\n": {"x\n", edit.Hunk{Line: 2, Removed: "b\n", Added: "x\n"}},
		"a\n": {"", edit.Hunk{Line: 1, Removed: "a\n", Added: ""}},
		"b":   {"x", edit.Hunk{Line: 2, Removed: "b\n", Added: "x\n"}},
		"\nb": {"", edit.Hunk{Line: 1, Removed: "a\nb\n", Added: "a\n"}},
	} {
		_, p, r := plan(text, edit.Edit{Old: old, New: c.new})
		if r != nil || len(p.Hunks) != 1 || p.Hunks[0] != c.want {
			t.Errorf("%q to %q: %+v, %v, want %+v", old, c.new, p, r, c.want)
		}
	}
}

// The new text in one piece is the one that is written, however many pieces it was made of.
func TestTheTextInOnePieceIsTheOneThatIsWritten(t *testing.T) {
	const content = "one\ntwo\nthree\n"
	for _, old := range []string{"one\n", "two", "three\n", content, "e"} {
		for _, text := range []string{"", "new\n"} {
			want, p, r := plan(content, edit.Edit{Old: old, New: text, All: true})
			if r != nil {
				t.Fatal(r)
			}
			for range 2 {
				if got := string(p.After()); got != want || string(p.Before()) != content {
					t.Errorf("%q -> %q: %q, want %q", old, text, got, want)
				}
			}
		}
	}
}
