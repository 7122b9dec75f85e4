package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// maxNote bounds the words that go with an answer, in characters: a few sentences.
const maxNote = 2000

const (
	prompt = "> "

	// Reverse video shows the cursor, on terminals without colours too.
	reverse   = "\x1b[7m"
	unreverse = "\x1b[27m"
)

// An input is one line of words that a person types and edits. The zero value is an empty one.
type input struct {
	before string // what stands before the cursor
	after  string // what stands under and behind it
}

// text is what was typed.
func (in *input) text() string { return in.before + in.after }

// press edits by a key. They are those of most shells.
func (in *input) press(key tea.KeyPressMsg) {
	switch key.String() {
	case "left", "ctrl+b":
		in.move(-len(lastCharacter(in.before)))
	case "right", "ctrl+f":
		in.move(len(firstCharacter(in.after)))
	case "alt+left", "ctrl+left", "alt+b":
		in.move(-len(lastWord(in.before)))
	case "alt+right", "ctrl+right", "alt+f":
		in.move(len(firstWord(in.after)))
	case "home", "ctrl+a":
		in.move(-len(in.before))
	case "end", "ctrl+e":
		in.move(len(in.after))
	case "backspace", "ctrl+h":
		in.before = strings.TrimSuffix(in.before, lastCharacter(in.before))
	case "delete", "ctrl+d":
		in.after = strings.TrimPrefix(in.after, firstCharacter(in.after))
	case "alt+backspace", "ctrl+w":
		in.before = strings.TrimSuffix(in.before, lastWord(in.before))
	case "alt+delete", "alt+d":
		in.after = strings.TrimPrefix(in.after, firstWord(in.after))
	case "ctrl+u":
		in.before = ""
	case "ctrl+k":
		in.after = ""
	default:
		in.insert(key.Text)
	}
}

// move moves the cursor by so many bytes, to the left if they are negative.
func (in *input) move(by int) {
	all, at := in.text(), len(in.before)+by
	in.before, in.after = all[:at], all[at:]
}

// insert adds what was typed or pasted, as one line, up to the bound.
func (in *input) insert(s string) {
	room := maxNote - utf8.RuneCountInString(in.text())
	var added strings.Builder
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		switch {
		case r == '\n', r == '\r', r == '\t':
			r = ' '
		case r == utf8.RuneError, unicode.IsControl(r):
			continue
		}
		if room--; room < 0 {
			break
		}
		added.WriteRune(r)
	}
	in.before += added.String()
}

// view is the line in so many cells: as much of it before the cursor as there is room for, then what is behind it.
func (in *input) view(cells int) string {
	under := firstCharacter(in.after)
	behind := Text(strings.TrimPrefix(in.after, under))
	if under == "" {
		under = " " // behind the last character
	}
	under = Text(under)
	shown := Text(in.before)
	tooMuch := Cells(prompt) + Cells(shown) + Cells(under) - cells
	for tooMuch > 0 && shown != "" {
		first, width := ansi.FirstGraphemeCluster(shown, ansi.GraphemeWidth)
		shown = shown[len(first):]
		tooMuch -= width
	}
	return ansi.Truncate(prompt+shown+reverse+under+unreverse+behind, cells, "")
}

// firstCharacter is what a reader takes for the first character: a letter with its accents is one.
func firstCharacter(s string) string {
	first, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return first
}

func lastCharacter(s string) string {
	last := ""
	for s != "" {
		last = firstCharacter(s)
		s = s[len(last):]
	}
	return last
}

// firstWord is the first word with the blanks before it.
func firstWord(s string) string {
	behind := strings.TrimLeftFunc(strings.TrimLeftFunc(s, unicode.IsSpace), notSpace)
	return s[:len(s)-len(behind)]
}

// lastWord is the last word with the blanks behind it.
func lastWord(s string) string {
	before := strings.TrimRightFunc(strings.TrimRightFunc(s, unicode.IsSpace), notSpace)
	return s[len(before):]
}

func notSpace(r rune) bool { return !unicode.IsSpace(r) }
