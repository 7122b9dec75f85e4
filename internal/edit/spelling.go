package edit

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A letter is one character of a text and how it stands there: as itself, or as an escape such as \u2013.
type letter struct {
	r       rune
	spelled string
}

// respelled applies an edit whose old text differs from the only place that fits in how characters are spelled: – in
// one and \u2013 in the other. Models write one for the other because their arguments are JSON, where both are the same.
// ok is false where the old text is in no place, so that the search goes on.
func (f finder) respelled(e Edit) (found []splice, note string, r *Refusal, ok bool) {
	places := f.spelledPlaces(e.Old)
	switch {
	case len(places) == 0:
		return nil, "", nil, false
	case len(places) > 1:
		r = &Refusal{Kind: Ambiguous, Cause: Spelled, Count: len(places), Places: f.places(places)}
		r.Capped = len(places) == maxCount
		return nil, "", r, true
	}
	there := places[0]
	s := newSpelling(letters(lf(e.Old)), letters(f.lf(there)))
	if s == nil || s.old == lf(e.Old) { // nothing would change, and the search would come here again
		return nil, "", nil, false
	}
	text, clear := s.respell(lf(e.Old), lf(e.New))
	if !clear {
		return nil, "", &Refusal{Kind: Ambiguous, Cause: Spelled, Count: 1, Places: f.places(places)}, true
	}
	// In the file's spelling it is an edit like any other, with every check of one.
	found, _, r = f.place(Edit{Old: s.old, New: text})
	switch {
	case r != nil && r.Kind == Identical: // in the file's spelling; the edit itself has two texts
		return nil, "", &Refusal{Kind: AlreadyApplied, Cause: Gone, Places: f.places(places)}, true
	case r != nil:
		return nil, "", r, true
	}
	counter := lineCounter{text: f.content, nl: f.style.nl}
	return found, s.note(counter.at(there.start)), nil, true
}

// lf is a place with its line endings as '\n'.
func (f finder) lf(s span) string {
	text := string(f.content[s.start:s.end])
	if f.style.nl == '\r' {
		return strings.ReplaceAll(text, "\r", "\n")
	}
	return lf(text)
}

// spelledPlaces finds the places that read like the old text once escapes are characters, at most maxCount. It finds
// none where the old text stands as it is: that is not its business.
func (f finder) spelledPlaces(old string) []span {
	if !utf8.ValidString(old) {
		return nil
	}
	plain := unspelled(f.content)
	want := unspelled([]byte(lf(old)))
	if len(plain.shifts) == 0 && len(want.shifts) == 0 {
		return nil
	}
	found, ok := newPattern(string(want.text), f.style.nl).find(plain.text, false, maxCount)
	if !ok {
		return nil
	}
	for i, s := range found {
		found[i] = span{plain.origin(s.start), plain.origin(s.end)}
	}
	return found
}

// An unspelling is a text with the characters for which escapes stood.
type unspelling struct {
	text   []byte
	shifts []shift
}

// A shift says from which offset of the text on it is how far behind its origin.
type shift struct{ from, by int }

// unspelled puts characters for the escapes of a text.
func unspelled(b []byte) unspelling {
	out := unspelling{text: make([]byte, 0, len(b))}
	copied, at := 0, 0
	for {
		i := bytes.IndexByte(b[at:], '\\')
		if i < 0 {
			out.text = append(out.text, b[copied:]...)
			return out
		}
		at += i
		r, n := escaped(b[at:])
		if n == 0 {
			at += min(2, len(b)-at) // a backslash that is escaped itself begins no escape
			continue
		}
		out.text = append(out.text, b[copied:at]...)
		out.text = utf8.AppendRune(out.text, r)
		at += n
		copied = at
		out.shifts = append(out.shifts, shift{from: len(out.text), by: at - len(out.text)})
	}
}

// origin is the offset that an offset had before escapes became characters.
func (u unspelling) origin(at int) int {
	before := sort.Search(len(u.shifts), func(i int) bool { return u.shifts[i].from > at })
	if before == 0 {
		return at
	}
	return at + u.shifts[before-1].by
}

// escaped reads the escape that b begins with: \u2013, \ud83d\ude00, \u{1F600} or \U0001F600, n being its length and 0
// if it is none. What is no text, and quotes and backslashes, which are escaped for a reason, do not count.
func escaped(b []byte) (r rune, n int) {
	switch {
	case bytes.HasPrefix(b, []byte(`\u{`)):
		end := bytes.IndexByte(b[:min(len(b), len(`\u{10FFFF}`))], '}')
		if end < 0 {
			return 0, 0
		}
		r, n = hex(b[3:end]), end+1
	case bytes.HasPrefix(b, []byte(`\U`)) && len(b) >= 10:
		r, n = hex(b[2:10]), 10
	case bytes.HasPrefix(b, []byte(`\u`)) && len(b) >= 6:
		r, n = hex(b[2:6]), 6
		if utf16.IsSurrogate(r) && len(b) >= 12 && bytes.HasPrefix(b[6:], []byte(`\u`)) {
			r, n = utf16.DecodeRune(r, hex(b[8:12])), 12
		}
	}
	if r == utf8.RuneError || !utf8.ValidRune(r) || unicode.IsControl(r) || r == '"' || r == '\'' || r == '\\' {
		return 0, 0
	}
	return r, n
}

// hex reads hexadecimal digits; -1 if they are none.
func hex(digits []byte) rune {
	var r rune
	for _, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	if len(digits) == 0 {
		return -1
	}
	return r
}

// letters are the characters of a text as they are spelled.
func letters(s string) []letter {
	var out []letter
	for len(s) > 0 {
		r, n := escaped([]byte(s[:min(len(s), 12)]))
		if n == 0 {
			r, n = utf8.DecodeRuneInString(s)
		}
		out = append(out, letter{r, s[:n]})
		s = s[n:]
		if r == '\\' && s != "" { // the next is escaped by it
			r, n := utf8.DecodeRuneInString(s)
			out = append(out, letter{r, s[:n]})
			s = s[n:]
		}
	}
	return out
}

// A spelling knows how a place spells the characters of an old text.
type spelling struct {
	old     string            // the old text as the place spells it
	form    map[string]string // of each letter of the old text
	clashes map[string]bool   // letters that the place spells in two ways
	first   [2]string         // the first letter that differs, as the edit has it and as the file has it
}

// newSpelling compares letters that are the same characters; nil if they are not.
func newSpelling(old, there []letter) *spelling {
	if !slices.EqualFunc(old, there, func(a, b letter) bool { return a.r == b.r }) {
		return nil
	}
	s := &spelling{form: map[string]string{}, clashes: map[string]bool{}}
	var b strings.Builder
	for i, l := range old {
		form := there[i].spelled
		b.WriteString(form)
		if have, ok := s.form[l.spelled]; ok && have != form {
			s.clashes[l.spelled] = true
		}
		s.form[l.spelled] = form
		if form != l.spelled && s.first[0] == "" {
			s.first = [2]string{l.spelled, form}
		}
	}
	s.old = b.String()
	return s
}

// respell writes the new text as the place spells it: lines that the edit keeps as they are there, and in the others
// the characters that the old text has too. It gives up on one that the place spells in two ways.
func (s *spelling) respell(old, new string) (string, bool) {
	lines := strings.Split(new, "\n")
	there := strings.Split(s.old, "\n")
	kept := align(strings.Split(old, "\n"), lines)
	for i, l := range lines {
		if kept[i] >= 0 {
			lines[i] = there[kept[i]]
			continue
		}
		var b strings.Builder
		for _, c := range letters(l) {
			form, known := s.form[c.spelled]
			switch {
			case s.clashes[c.spelled]:
				return "", false
			case known:
				b.WriteString(form)
			default:
				b.WriteString(c.spelled)
			}
		}
		lines[i] = b.String()
	}
	return strings.Join(lines, "\n"), true
}

func (s *spelling) note(line int) string {
	return fmt.Sprintf("old_string had %s where the file has %s; applied at line %d, the only place that fits, with the file's own spelling",
		s.first[0], s.first[1], line)
}
