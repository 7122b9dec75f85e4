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

// A letter is one character of a text and how it stands there: as itself, as an escape such as
// \u2013, or as a curly quote, which is read as the straight one.
type letter struct {
	r       rune
	spelled string
}

// respelled applies an edit whose old text differs from the only place that fits in how characters
// are spelled: – in one and \u2013 in the other, or ' in one and ’ in the other. Models write one for
// the other because their arguments are JSON, where the first two are the same, and because they see
// little of what quotes look like. ok is false where the old text is in no place, so
// that the search goes on.
func (f finder) respelled(e Edit) (out outcome, ok bool) {
	found := f.spelledPlaces(e.Old)
	if len(found) == 0 {
		return outcome{}, false
	}
	old := lf(e.Old)
	s := newSpelling(letters(old), letters(f.lf(found[0])))
	if s == nil || s.old == old && len(found) == 1 { // nothing would change, and the search would come here again
		return outcome{}, false
	}
	r := Refusal{Kind: Ambiguous, Cause: s.cause(), Count: len(found), Places: f.places(found)}
	if len(found) > 1 {
		r.Capped = len(found) == maxCount
		return refuse(r), true
	}
	text, clear := s.respell(old, lf(e.New))
	if !clear {
		return refuse(r), true
	}
	// In the file's spelling it is an edit like any other, with every check of one.
	out = f.place(Edit{Old: s.old, New: text})
	if out.refusal != nil && out.refusal.Kind == Identical { // the edit itself has two texts
		r.Kind, r.Cause = AlreadyApplied, Gone
		return refuse(r), true
	}
	out.note = s.note(f.number(found[0].start))
	return out, true
}

// spelledPlaces finds the places that read like the old text once escapes are characters, at most
// maxCount.
func (f finder) spelledPlaces(old string) []span {
	if !utf8.ValidString(old) {
		return nil
	}
	plain := unspelled(f.content)
	want := unspelled([]byte(lf(old)))
	if len(plain.shifts)+len(want.shifts) == 0 {
		return nil
	}
	p := f.pattern(string(want.text))
	found, ok := p.find(plain.text, false, maxCount)
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

// unspelled puts characters for the escapes of a text, and straight quotes for curly ones.
func unspelled(b []byte) unspelling {
	at := spelledAt(b)
	if at == len(b) { // most texts: they need no copy
		return unspelling{text: b}
	}
	out := unspelling{text: make([]byte, 0, len(b))}
	copied := 0
	for at < len(b) {
		r, n := escaped(b[at:])
		if n == 0 && b[at] != '\\' {
			r, n = utf8.DecodeRune(b[at:])
		}
		if n == 0 {
			at += min(2, len(b)-at) // a backslash that is escaped itself begins no escape
			at += spelledAt(b[at:])
			continue
		}
		out.text = append(out.text, b[copied:at]...)
		out.text = utf8.AppendRune(out.text, straight(r))
		at += n
		copied = at
		out.shifts = append(out.shifts, shift{from: len(out.text), by: at - len(out.text)})
		at += spelledAt(b[at:])
	}
	out.text = append(out.text, b[copied:]...)
	return out
}

// spelledAt is where the next backslash or curly quote stands, or the end.
func spelledAt(b []byte) int {
	const quote = "\xe2\x80" // what the four of them begin with
	for i, c := range b {
		if c == '\\' {
			return i
		}
		if c != quote[0] || !bytes.HasPrefix(b[i:], []byte(quote)) {
			continue
		}
		r, _ := utf8.DecodeRune(b[i:])
		if straight(r) != r {
			return i
		}
	}
	return len(b)
}

// straight is the quote of a keyboard for a curly one.
func straight(r rune) rune {
	switch r {
	case '‘', '’':
		return '\''
	case '“', '”':
		return '"'
	}
	return r
}

// origin is the offset that an offset had before escapes became characters.
func (u unspelling) origin(at int) int {
	before := sort.Search(len(u.shifts), func(i int) bool { return u.shifts[i].from > at })
	if before == 0 {
		return at
	}
	return at + u.shifts[before-1].by
}

// escaped reads the escape that b begins with: \u2013, \ud83d\ude00, \u{1F600} or \U0001F600, n
// being its length and 0 if it is none.
func escaped(b []byte) (r rune, n int) {
	switch {
	case bytes.HasPrefix(b, []byte(`\u{`)):
		r, n = braced(b)
	case bytes.HasPrefix(b, []byte(`\U`)) && len(b) >= 10:
		r, n = hex(b[2:10]), 10
	case bytes.HasPrefix(b, []byte(`\u`)) && len(b) >= 6:
		r, n = hex(b[2:6]), 6
	}
	second := b[n:]
	if utf16.IsSurrogate(r) && len(second) >= 6 && bytes.HasPrefix(second, []byte(`\u`)) {
		r = utf16.DecodeRune(r, hex(second[2:6]))
		n += 6
	}
	if !meant(r) {
		return 0, 0
	}
	return r, n
}

// braced reads an escape of one to six digits in braces.
func braced(b []byte) (r rune, n int) {
	longest := b[:min(len(b), len(`\u{10FFFF}`))]
	end := bytes.IndexByte(longest, '}')
	if end < 0 {
		return -1, 0
	}
	return hex(b[3:end]), end + 1
}

// meant tells of a character for which it may be all the same whether it is escaped. Controls, and
// what ends or escapes a string, are escaped for a reason.
func meant(r rune) bool {
	switch r {
	case '"', '\'', '\\', utf8.RuneError:
		return false
	}
	return utf8.ValidRune(r) && !unicode.IsControl(r)
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

// longestEscape is in bytes: a pair of surrogates.
const longestEscape = len(`\ud83d\ude00`)

// letters are the characters of a text as they are spelled.
func letters(s string) []letter {
	var out []letter
	take := func(r rune, n int) {
		out = append(out, letter{straight(r), s[:n]})
		s = s[n:]
	}
	for s != "" {
		r, n := escaped([]byte(s[:min(len(s), longestEscape)]))
		if n > 0 {
			take(r, n)
			continue
		}
		r, n = utf8.DecodeRuneInString(s)
		take(r, n)
		if r == '\\' && s != "" { // the next is escaped by it
			take(utf8.DecodeRuneInString(s))
		}
	}
	return out
}

// A spelling knows how a place spells the characters of an old text.
type spelling struct {
	old     string            // the old text as the place spells it
	form    map[string]string // of each letter of the old text
	clashes map[string]bool   // letters that the place spells in two ways
	curly   bool              // the place has curly quotes for straight ones
	mine    string            // the first letter that differs, as the edit has it
	theirs  string            // and as the file has it
}

// newSpelling compares letters that are the same characters; nil if they are not.
func newSpelling(old, there []letter) *spelling {
	same := func(a, b letter) bool { return a.r == b.r }
	if !slices.EqualFunc(old, there, same) {
		return nil
	}
	s := &spelling{
		form:    map[string]string{},
		clashes: map[string]bool{},
	}
	var b strings.Builder
	for i, l := range old {
		form := there[i].spelled
		b.WriteString(form)
		have, seen := s.form[l.spelled]
		if seen && have != form {
			s.clashes[l.spelled] = true
		}
		s.form[l.spelled] = form
		s.curly = s.curly || form != l.spelled && isQuote(l.spelled)
		if form != l.spelled && s.mine == "" {
			s.mine, s.theirs = l.spelled, form
		}
	}
	s.old = b.String()
	return s
}

// isQuote tells of a straight quote: where it stands for a curly one, it may be the opening or the
// closing one.
func isQuote(spelled string) bool { return spelled == "'" || spelled == `"` }

// cause says what differs: of all that is one character on both sides, quotes alone read alike.
func (s *spelling) cause() Cause {
	if utf8.RuneCountInString(s.mine) == 1 && utf8.RuneCountInString(s.theirs) == 1 {
		return Quotes
	}
	return Spelled
}

// respell writes the new text as the place spells it, both texts with '\n' alone: lines that the
// edit keeps as they are there, and in the others the characters that the old text has too. It
// gives up on one that the place spells in two ways.
func (s *spelling) respell(old, new string) (string, bool) {
	lines := strings.Split(new, "\n")
	mine := strings.Split(old, "\n")
	there := strings.Split(s.old, "\n")
	kept := align(mine, lines)
	before := 0 // lines of the old text that are passed
	for i := 0; i < len(lines); {
		if kept[i] >= 0 {
			lines[i] = there[kept[i]]
			before = kept[i] + 1
			i++
			continue
		}
		end := i
		for end < len(lines) && kept[end] < 0 {
			end++
		}
		after := len(mine)
		if end < len(lines) {
			after = kept[end]
		}
		if !s.rewrite(lines[i:end], mine[before:after], there[before:after]) {
			return "", false
		}
		i = end
	}
	return strings.Join(lines, "\n"), true
}

// rewrite spells lines that stand for others. Where a curly quote may be the opening or the closing
// one, what the first and last of the characters have in common stays as it is there.
func (s *spelling) rewrite(lines, mine, there []string) bool {
	clear := true
	out := make([]string, len(lines))
	for i, l := range lines {
		var ok bool
		out[i], ok = s.line(l)
		clear = clear && ok
	}
	if clear {
		copy(lines, out)
		return true
	}
	if !s.curly {
		return false
	}
	text, ok := s.between(strings.Join(lines, "\n"), strings.Join(mine, "\n"), strings.Join(there, "\n"))
	if ok {
		copy(lines, strings.Split(text, "\n"))
	}
	return ok
}

// between writes a text in whose middle alone it is another than the old one.
func (s *spelling) between(text, mine, there string) (string, bool) {
	old, now, form := letters(mine), letters(text), letters(there)
	if len(form) != len(old) {
		return "", false
	}
	head, tail := 0, 0
	for head < min(len(old), len(now)) && old[head].spelled == now[head].spelled {
		head++
	}
	for tail < min(len(old), len(now))-head && old[len(old)-1-tail].spelled == now[len(now)-1-tail].spelled {
		tail++
	}
	middle, ok := s.line(spelled(now[head : len(now)-tail]))
	return spelled(form[:head]) + middle + spelled(form[len(form)-tail:]), ok
}

// spelled is the text of letters.
func spelled(list []letter) string {
	var b strings.Builder
	for _, l := range list {
		b.WriteString(l.spelled)
	}
	return b.String()
}

// line writes one line with the place's letters. A letter that the old text has not stays as it is:
// how the file would spell it is a guess.
func (s *spelling) line(l string) (string, bool) {
	var b strings.Builder
	for _, c := range letters(l) {
		if s.clashes[c.spelled] || s.curly && isQuote(c.spelled) {
			return "", false
		}
		form, known := s.form[c.spelled]
		if !known {
			form = c.spelled
		}
		b.WriteString(form)
	}
	return b.String(), true
}

// note shows the first letter that differs; more of them differ in the same way.
func (s *spelling) note(line int) string {
	const said = "old_string had %s where the file has %s; applied at line %d, " +
		"the only place that fits, with the file's own spelling"
	return fmt.Sprintf(said, s.mine, s.theirs, line)
}
