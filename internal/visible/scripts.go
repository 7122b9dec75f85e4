package visible

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// likeLatin are letters of other scripts, with the Latin ones that they look like.
const likeLatin = "аaсcеeоoрpхxуyіiјjѕsһhԁdԛqԝwкkмmтtвbАAВBСCЕEНHІIЈJКKМMОOРPЅSТTХXУYӀl" +
	"οoαaνvρpιiκkυuχxτtΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX" +
	"օoսuոnհhցgᎪAᏴBᏟCᎬEᎻHᎫJᏦKᏞLᎷMᏢPᎡRᏚSᎢTᏙVᎳWᏃZ"

// latinOf is the Latin letter that a letter looks like.
func latinOf(r rune) (rune, bool) {
	letters := []rune(likeLatin)
	for i := 0; i+1 < len(letters); i += 2 {
		if letters[i] == r {
			return letters[i+1], true
		}
	}
	return r, false
}

// alike are scripts whose letters can be taken for each other's. That a word has Latin letters and Chinese ones is
// nobody's trick.
func alike() []*unicode.RangeTable {
	return []*unicode.RangeTable{
		unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Coptic,
	}
}

// scriptOf is the script of a letter that is one of alike, -1 for all others.
func scriptOf(r rune) int {
	if r < 0x80 {
		if r|0x20 >= 'a' && r|0x20 <= 'z' {
			return 0
		}
		return -1
	}
	if !unicode.IsLetter(r) {
		return -1
	}
	return slices.IndexFunc(alike(), func(t *unicode.RangeTable) bool { return unicode.Is(t, r) })
}

// maxNotes bounds what Spelled says about words.
const maxNotes = 10

// Spelled is Text for what somebody is asked about: in a word whose letters are of several scripts that look alike, all
// but the Latin ones are written out too, and notes say what such a word looks like. Words of one script stay.
func Spelled(s string) (text string, notes []string) {
	text = Text(s)
	if !mayMix(text) {
		return text, nil
	}
	var b strings.Builder
	from := 0
	word := func(to int) {
		part := text[from:to]
		written, note := spelledWord(part)
		if note != "" && len(notes) < maxNotes && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
		b.WriteString(written)
	}
	for i, r := range text {
		if !isWord(r) {
			word(i)
			b.WriteRune(r)
			from = i + len(string(r))
		}
	}
	word(len(text))
	return b.String(), notes
}

// isWord tells what a word is made of: letters, digits and marks. What parts of a path or a host are parted by parts
// words, too.
func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '-' || r == '_'
}

// mayMix is quick, and right about what it says no to.
func mayMix(s string) bool {
	for _, r := range s {
		if r >= 0x80 && scriptOf(r) > 0 {
			return true
		}
	}
	return false
}

// spelledWord is a word with its letters written out where they are of several scripts.
func spelledWord(word string) (text, note string) {
	first, mixed := -1, false
	for _, r := range word {
		script := scriptOf(r)
		mixed = mixed || script >= 0 && first >= 0 && script != first
		if script >= 0 {
			first = script
		}
	}
	if !mixed {
		return word, ""
	}
	var written, looks strings.Builder
	known := true
	for _, r := range word {
		if scriptOf(r) <= 0 {
			written.WriteRune(r)
			looks.WriteRune(r)
			continue
		}
		like, found := latinOf(r)
		known = known && found
		looks.WriteRune(like)
		fmt.Fprintf(&written, `\u%04x`, r)
	}
	if !known {
		return written.String(), written.String() + " has letters of several scripts"
	}
	return written.String(), written.String() + " looks like " + looks.String()
}

// SpelledLine is Spelled in one line, with the notes behind it.
func SpelledLine(s string) string {
	text, notes := Spelled(s)
	text = strings.ReplaceAll(text, "\n", `\n`)
	if len(notes) == 0 {
		return text
	}
	return text + " (" + strings.Join(notes, "; ") + ")"
}

// SpelledText is Spelled with the notes in a last line.
func SpelledText(s string) string {
	text, notes := Spelled(s)
	if len(notes) == 0 {
		return text
	}
	return text + "\n" + strings.Join(notes, "; ")
}
