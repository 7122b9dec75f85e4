package edit

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxFits is how many places that differ in white space are looked for.
const maxFits = 100

// A fit is a place that reads like the old text but for the kind and amount of white space within its lines.
type fit struct {
	span
	lines []span // the file's lines, without their endings
	head  bool   // the first line is there from its start
	final bool   // the old text ends with a line break, and so does the place, if the file does
	whole bool   // the place is whole lines
}

// An oldText is the old text as lines of words.
type oldText struct {
	lines  []string
	words  [][]span
	final  bool
	anchor int // the line of the longest word
	word   int // its place in the line
}

func newOldText(old string) (oldText, bool) {
	t := oldText{lines: strings.Split(lf(old), "\n")}
	if n := len(t.lines); n > 1 && t.lines[n-1] == "" {
		t.lines, t.final = t.lines[:n-1], true
	}
	size := 0
	for i, l := range t.lines {
		t.words = append(t.words, wordSpans([]byte(l)))
		for j, w := range t.words[i] {
			if w.end-w.start > size {
				size, t.anchor, t.word = w.end-w.start, i, j
			}
		}
	}
	return t, size > 0
}

func (t oldText) wordAt(line, word int) string {
	w := t.words[line][word]
	return t.lines[line][w.start:w.end]
}

// spaced finds the places that differ in white space alone: line by line the same words, separated where these are.
func (f finder) spaced(e Edit) []fit {
	t, ok := newOldText(e.Old)
	if !ok {
		return nil
	}
	var out []fit
	key := []byte(t.wordAt(t.anchor, t.word))
	for at := 0; len(out) < maxFits; at++ {
		i := bytes.Index(f.content[at:], key)
		if i < 0 {
			break
		}
		at += i
		if m, ok := f.fitAt(t, at); ok {
			out = append(out, m)
		}
	}
	return out
}

// fitAt checks the lines around one place where the anchor word stands.
func (f finder) fitAt(t oldText, at int) (fit, bool) {
	line := f.lineAt(at)
	got := wordSpans(f.content[line.start:line.end])
	first := -1 // the file's word where the anchor line's words begin
	for i, w := range got {
		if line.start+w.start == at {
			first = i - t.word
		}
	}
	if first < 0 || !f.sameLine(t, t.anchor, line, got, first) {
		return fit{}, false
	}
	lines, ok := f.around(t, line)
	if !ok {
		return fit{}, false
	}
	for i, l := range lines {
		if i == t.anchor {
			continue
		}
		words := wordSpans(f.content[l.start:l.end])
		from := 0
		if i == 0 {
			from = len(words) - len(t.words[0]) // the first line may begin before the place
		}
		if from < 0 || !f.sameLine(t, i, l, words, from) {
			return fit{}, false
		}
	}
	return f.extent(t, lines, first), true
}

// sameLine compares the words of an old line with those of a file's line from one on. Lines in the middle must be whole,
// the first must reach its line's end, the last its line's start.
func (f finder) sameLine(t oldText, i int, line span, got []span, from int) bool {
	want := t.words[i]
	last := len(t.lines) - 1
	if from+len(want) > len(got) || i > 0 && from != 0 || (i < last || t.final) && from+len(want) != len(got) {
		return false
	}
	for j := range want {
		w := got[from+j]
		if string(f.content[line.start+w.start:line.start+w.end]) != t.wordAt(i, j) {
			return false
		}
	}
	return true
}

// lineAt is the line that an offset is in, without its ending.
func (f finder) lineAt(at int) span {
	start := lineStart(f.content, at, f.style.nl)
	end := len(f.content)
	if i := bytes.IndexByte(f.content[at:], f.style.nl); i >= 0 {
		end = at + i + 1
		end -= endingBefore(f.content[start:end], f.style.nl)
	}
	return span{start, end}
}

// around lists the file's lines that face the old lines when the anchor line is at.
func (f finder) around(t oldText, at span) ([]span, bool) {
	lines := make([]span, len(t.lines))
	lines[t.anchor] = at
	for i := t.anchor - 1; i >= 0; i-- {
		n := endingBefore(f.content[:lines[i+1].start], f.style.nl)
		if n == 0 {
			return nil, false
		}
		end := lines[i+1].start - n
		lines[i] = span{lineStart(f.content, end, f.style.nl), end}
	}
	for i := t.anchor + 1; i < len(lines); i++ {
		next := lines[i-1].end
		n := endingAt(f.content[next:], f.style.nl)
		if n == 0 {
			return nil, false
		}
		lines[i] = f.lineAt(next + n)
	}
	return lines, true
}

// extent is the range that a fit replaces: from the start of the first line when all its words are in the old text, to
// the last word, or with the line break when the old text has it.
func (f finder) extent(t oldText, lines []span, anchorFirst int) fit {
	last := len(lines) - 1
	head := wordSpans(f.content[lines[0].start:lines[0].end])
	tail := wordSpans(f.content[lines[last].start:lines[last].end])
	from := len(head) - len(t.words[0])
	if t.anchor == 0 {
		from = anchorFirst
	}
	m := fit{lines: lines, final: t.final, head: from == 0}
	m.start = lines[0].start
	if from > 0 {
		m.start = lines[0].end
		if from < len(head) {
			m.start = lines[0].start + head[from].start
		}
	}
	to := len(t.words[last])
	if last == 0 {
		to += from
	}
	m.end = lines[last].start
	if to > 0 {
		m.end = lines[last].start + tail[to-1].end
	}
	if t.final {
		m.end = lines[last].end + endingAt(f.content[lines[last].end:], f.style.nl)
	}
	m.whole = last > 0 || from == 0 && to == len(tail)
	return m
}

// wordSpans lists the runs of what is not white space, in any script's sense of it.
func wordSpans(line []byte) []span {
	var out []span
	start := -1
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRune(line[i:])
		switch {
		case unicode.IsSpace(r) && start >= 0:
			out = append(out, span{start, i})
			start = -1
		case !unicode.IsSpace(r) && start < 0:
			start = i
		}
		i += n
	}
	if start >= 0 {
		out = append(out, span{start, len(line)})
	}
	return out
}

func words(s string) []string { return strings.Fields(s) }

// sameWords tells whether two texts differ in white space alone.
func sameWords(a, b string) bool { return strings.Join(words(a), " ") == strings.Join(words(b), " ") }

func spaceNote(line int) string {
	return fmt.Sprintf("old_string differed from the file in white space only; applied at line %d, the only place that fits, with the file's own white space", line)
}
