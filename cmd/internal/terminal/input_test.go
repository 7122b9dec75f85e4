package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// keys are those that have a name in these tests.
var keys = map[string]tea.KeyPressMsg{
	"left":          {Code: tea.KeyLeft},
	"right":         {Code: tea.KeyRight},
	"home":          {Code: tea.KeyHome},
	"end":           {Code: tea.KeyEnd},
	"backspace":     {Code: tea.KeyBackspace},
	"delete":        {Code: tea.KeyDelete},
	"alt+b":         {Code: 'b', Mod: tea.ModAlt},
	"alt+f":         {Code: 'f', Mod: tea.ModAlt},
	"alt+d":         {Code: 'd', Mod: tea.ModAlt},
	"alt+backspace": {Code: tea.KeyBackspace, Mod: tea.ModAlt},
	"ctrl+left":     {Code: tea.KeyLeft, Mod: tea.ModCtrl},
	"ctrl+a":        {Code: 'a', Mod: tea.ModCtrl},
	"ctrl+e":        {Code: 'e', Mod: tea.ModCtrl},
	"ctrl+k":        {Code: 'k', Mod: tea.ModCtrl},
	"ctrl+u":        {Code: 'u', Mod: tea.ModCtrl},
	"ctrl+w":        {Code: 'w', Mod: tea.ModCtrl},
	"ctrl+x":        {Code: 'x', Mod: tea.ModCtrl},
}

func TestALineIsEditedByTheKeysOfAShell(t *testing.T) {
	for _, c := range []struct{ typed, keys, want string }{
		{"ab", "", "ab|"},
		{"ab", "left", "a|b"},
		{"ab", "left left left", "|ab"},
		{"ab", "left right right", "ab|"},
		{"ab", "home right", "a|b"},
		{"ab", "ctrl+a end", "ab|"},
		{"ab", "backspace", "a|"},
		{"ab", "home backspace", "|ab"},
		{"ab", "home delete", "|b"},
		{"ab", "delete", "ab|"},
		{"go left now", "alt+b", "go left |now"},
		{"go left now", "ctrl+left alt+b", "go |left now"},
		{"go left now", "ctrl+a alt+f", "go| left now"},
		{"go left  ", "ctrl+w", "go |"},
		{"go left", "ctrl+w ctrl+w ctrl+w", "|"},
		{"go left", "alt+backspace", "go |"},
		{"go left", "home alt+d", "| left"},
		{"go left", "alt+b ctrl+k", "go |"},
		{"go left", "alt+b ctrl+u", "|left"},
		{"go left", "ctrl+x", "go left|"},
		{"日本", "left backspace", "|本"},
		{"e\u0301x", "left backspace", "|x"}, // a letter with its accent is one character
		{"👩‍👩‍👧", "backspace", "|"},
	} {
		var in input
		in.insert(c.typed)
		for name := range strings.FieldsSeq(c.keys) {
			key, ok := keys[name]
			if !ok {
				t.Fatalf("no key %q", name)
			}
			in.press(key)
		}
		if got := in.before + "|" + in.after; got != c.want {
			t.Errorf("%q, %s: %q, want %q", c.typed, c.keys, got, c.want)
		}
	}
}

func TestALetterGoesWhereTheCursorIs(t *testing.T) {
	var in input
	in.insert("ac")
	in.press(keys["left"])
	in.press(tea.KeyPressMsg{Code: 'b', Text: "b"})
	if in.text() != "abc" || in.before != "ab" {
		t.Errorf("%q, the cursor behind %q", in.text(), in.before)
	}
}

func TestWhatIsPastedIsOneBoundedLine(t *testing.T) {
	var in input
	in.insert("a\r\nb\tc\x1b[31m\xffd\n")
	if want := "a b c[31md "; in.text() != want {
		t.Errorf("%q, want %q", in.text(), want)
	}
	in.insert(strings.Repeat("é", 2*maxNote))
	if n := utf8.RuneCountInString(in.text()); n != maxNote {
		t.Errorf("%d characters, want %d", n, maxNote)
	}
}

func TestALineShowsItsCursorInAnyRoom(t *testing.T) {
	for _, typed := range []string{"", "ab", "日本語", "a\u202eb", strings.Repeat("wörd 日 ", 40)} {
		for _, back := range []int{0, 1, 3, 50} {
			var in input
			in.insert(typed)
			for range back {
				in.press(keys["left"])
			}
			under := " "
			if first := firstCharacter(in.after); first != "" {
				under = Text(first)
			}
			for _, cells := range []int{12, 20, 80} {
				got := in.view(cells)
				if !strings.Contains(got, reverse+under+unreverse) {
					t.Errorf("%q, %d back, %d cells: %q has no cursor on %q", typed, back, cells, got, under)
				}
				if n := ansi.StringWidth(got); n > cells {
					t.Errorf("%q, %d back, %d cells: %q has %d", typed, back, cells, got, n)
				}
			}
			in.view(0) // no room at all is no reason to fall over
			in.view(-1)
		}
	}
}

func TestAShortLineIsShownWhole(t *testing.T) {
	var in input
	in.insert("go left")
	in.press(keys["left"])
	if got, want := in.view(20), "> go lef"+reverse+"t"+unreverse; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
