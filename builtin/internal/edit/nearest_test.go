package edit_test

import (
	"fmt"
	"strings"
	"testing"

	"helve/builtin/internal/edit"
)

// Of many places that are alike the refusal shows the few that are most alike, the best first, each by itself.
func TestTheNearestPlacesAreTheMostAlike(t *testing.T) {
	block := func(name, value string) string {
		return "func " + name + "(input string) error {\n\tresult := compute(input, " + value + ")\n\treturn store(result)\n}\n"
	}
	var b strings.Builder
	at := map[string]int{}
	line := 1
	put := func(name, text string) {
		at[name] = line
		b.WriteString(text)
		line += strings.Count(text, "\n")
	}
	for i := range 8 {
		put("filler", strings.Repeat(fmt.Sprintf("// nothing of this %d is like it\n", i), 5+i))
		switch i {
		case 2:
			put("far", block("handleOthers", "elsewhere"))
		case 4:
			put("best", block("handleUserV2", "limits"))
		case 5, 6, 7:
			put("near", block("handleUserV2", fmt.Sprintf("limit%d", i)))
		}
	}
	_, _, r := plan(b.String(), edit.Edit{Old: block("handleUserV1", "limits"), New: "x"})
	if r == nil || r.Kind != edit.NotFound || len(r.Places) == 0 {
		t.Fatalf("%v", r)
	}
	if r.Places[0].Line != at["best"] {
		t.Errorf("line %d is first, want %d: %v", r.Places[0].Line, at["best"], r)
	}
	for i, p := range r.Places {
		for _, q := range r.Places[:i] {
			if p.Line > q.Line-4 && p.Line < q.Line+4 {
				t.Errorf("lines %d and %d are one place", p.Line, q.Line)
			}
		}
	}
	if len(r.Places) != 3 {
		t.Errorf("%d places are shown, want 3", len(r.Places))
	}
	if want := fmt.Sprintf("@@ -%d,", at["best"]); r.Diff != "" && !strings.Contains(r.Diff, "handleUserV2") {
		t.Errorf("the difference is not that place's (%s):\n%s", want, r.Diff)
	}
}

// With one layer of escapes too much a text is found wherever it stands, and a few places are enough to show.
func TestATextWithEscapesTooManyIsFound(t *testing.T) {
	for escaped, plain := range map[string]string{
		`one\ntwo`: "one\ntwo", `a\tb c`: "a\tb c", `say(\"hi\")`: `say("hi")`, `it\'s so`: "it's so", "a \\`b\\` c": "a `b` c", `c:\\dir`: `c:\dir`,
	} {
		content := strings.Repeat("x\n"+plain+"\n", 30)
		_, _, r := plan(content, edit.Edit{Old: escaped, New: "y"})
		if r == nil || r.Kind != edit.NotFound || r.Cause != edit.Escapes || len(r.Places) == 0 || r.Places[0].Line != 2 {
			t.Errorf("%q: %+v", escaped, r)
			continue
		}
		if len(r.Places) > 3 {
			t.Errorf("%q: %d places are shown", escaped, len(r.Places))
		}
	}
}

// An edit that empties its place needs no indentation, and lines less deep than all of the old ones are written as the
// file's steps say.
func TestLinesGoAndComeAtOtherDepths(t *testing.T) {
	for _, c := range []struct{ content, old, new, want string }{
		{"a\n\t\tdeep(one, two)\n\tb\n", "        deep(one, two)", "", "a\n\n\tb\n"},
		{"a\n\tx(1)\n\t\tdeep(one, two)\nb\n", "    x(1)\n        deep(one, two)\n", "", "a\nb\n"},
		{"a\n\tone = 1\n\t\ttwo = 2\nb\n", "one = 1\ntwo = 2\n", "", "a\nb\n"},
		{"a\n\tfirst(x)\n\t\tdeep(one, two)\n\tb\n", "    first(x)\n        deep(one, two)\n", "    first(x)\nshallow()\n        deep(one, two)\n", "a\n\tfirst(x)\nshallow()\n\t\tdeep(one, two)\n\tb\n"},
		{"a\n\tfirst(x)\n\t\tdeep(one, two)\n\tb\n", "    first(x)\n        deep(one, two)\n", "    first(x)\n            deeper()\n        deep(one, two)\n", "a\n\tfirst(x)\n\t\t\tdeeper()\n\t\tdeep(one, two)\n\tb\n"},
	} {
		got, _, r := plan(c.content, edit.Edit{Old: c.old, New: c.new})
		if r != nil || got != c.want {
			t.Errorf("%q -> %q in %q: %q, %v; want %q", c.old, c.new, c.content, got, r, c.want)
		}
	}
}

// A text that stands in many places is shown at the first ten, and all are counted, up to a thousand.
func TestManyPlacesAreCountedAndAFewAreShown(t *testing.T) {
	for n, want := range map[int]string{2: "occurs 2 times", 50: "occurs 50 times", 5000: "1000"} {
		for _, end := range []string{"\n", "\r\n"} {
			_, _, r := plan(strings.Repeat("same"+end, n), edit.Edit{Old: "same", New: "other"})
			if r == nil || r.Kind != edit.Multiple || !strings.Contains(r.Error(), want) || r.Capped != (n > 1000) {
				t.Errorf("%d: %v", n, r)
				continue
			}
			if len(r.Places) != min(n, 10) || r.Places[len(r.Places)-1].Line != min(n, 10) {
				t.Errorf("%d: places %v", n, r.Places)
			}
		}
	}
}

// Every way to escape a character is read to its end, whatever follows it.
func TestEveryFormOfAnEscapeIsReadToItsEnd(t *testing.T) {
	for escape, char := range map[string]string{
		`\u2013`: "–", `\u{2013}`: "–", `\U00002013`: "–", `\ud83d\ude00`: "😀", `\u{1F600}`: "😀", `\u{10FFFF}`: "\U0010FFFF", `\U0001F600`: "😀",
	} {
		for _, after := range []string{"", "7", "F more", `"`, ` and \x`} {
			content := "title alpha " + escape + after
			e := edit.Edit{Old: "title alpha " + char + after, New: "title beta " + char + after}
			got, _, r := plan(content, e)
			if want := "title beta " + escape + after; r != nil || got != want {
				t.Errorf("%q in %q: %q, %v, want %q", e.Old, content, got, r, want)
			}
		}
	}
}
