package edit

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the search for places that differ in white space: how many, and how many characters may be passed for it.
// A text made of one word repeated would take for ever; beyond the bound nothing is known to be the only place.
const (
	maxFits = 100
	maxWork = 100 << 20
)

// A fit is a place that reads like the old text but for the kind and amount of white space within its lines.
type fit struct {
	span
	head bool // the place begins at the start of a line
	tail bool // only blanks follow it on its last line
	// Set for the only place:
	lines []span // the file's lines, without their endings
	final bool   // the old text ends with a line break, and so does the place, if the file does
}

// An oldText is the old text as lines of words.
type oldText struct {
	words  [][]string
	final  bool
	anchor int // the line of the longest word
	word   int // its place in the line
}

func newOldText(old string) (oldText, bool) {
	lines := strings.Split(lf(old), "\n")
	t := oldText{}
	if n := len(lines); n > 1 && lines[n-1] == "" {
		lines, t.final = lines[:n-1], true
	}
	size := 0
	for i, l := range lines {
		t.words = append(t.words, words(l))
		for j, w := range t.words[i] {
			if len(w) > size {
				size, t.anchor, t.word = len(w), i, j
			}
		}
	}
	return t, size > 0
}

// spaced finds the places that differ in white space alone: line by line the same words, separated where these are. It
// gives none where it had to stop early.
func (f finder) spaced(e Edit) []fit {
	t, ok := newOldText(e.Old)
	if !ok {
		return nil
	}
	w := &spacing{finder: f, old: t}
	key := []byte(t.words[t.anchor][t.word])
	var out []fit
	for at := 0; len(out) < maxFits; at++ {
		i := bytes.Index(f.content[at:], key)
		if i < 0 {
			break
		}
		at += i
		if m, ok := w.fitAt(at); ok {
			out = append(out, m)
		}
		if w.work > maxWork {
			return nil
		}
	}
	if len(out) == 1 {
		out[0].lines, out[0].final = f.linesFrom(out[0].start, len(t.words)), t.final
	}
	return out
}

// A spacing compares the words of an old text with those around a place.
type spacing struct {
	finder
	old  oldText
	work int // characters passed
}

// fitAt compares in both directions from where the anchor word was found.
func (w *spacing) fitAt(at int) (fit, bool) {
	end, ok := w.forward(at)
	if !ok {
		return fit{}, false
	}
	start, ok := w.backward(at)
	if !ok {
		return fit{}, false
	}
	m := fit{span: span{start, end}}
	if s := w.blanksBefore(start); w.startsLine(s) {
		m.start, m.head = s, true
	}
	last := end - endingBefore(w.content[:end], w.style.nl)
	s := w.blanksAfter(last)
	m.tail = s == len(w.content) || endingAt(w.content[s:], w.style.nl) > 0
	return m, true
}

func (w *spacing) startsLine(at int) bool {
	return at == 0 || endingBefore(w.content[:at], w.style.nl) > 0
}

// forward follows the old text from its anchor word to its end.
func (w *spacing) forward(at int) (int, bool) {
	last := len(w.old.words) - 1
	from := w.old.word
	for i := w.old.anchor; ; i++ {
		end, ok := w.wordsAfter(at, w.old.words[i][from:])
		if !ok {
			return 0, false
		}
		if i == last && !w.old.final {
			return end, true
		}
		at = w.blanksAfter(end)
		n := endingAt(w.content[at:], w.style.nl)
		if n == 0 && !(i == last && at == len(w.content)) {
			return 0, false
		}
		at += n
		if i == last {
			return at, true
		}
		from = 0
	}
}

// wordsAfter passes words and the blanks between them; it ends behind the last word.
func (w *spacing) wordsAfter(at int, list []string) (int, bool) {
	end := at
	for _, word := range list {
		at = w.blanksAfter(at)
		w.work += len(word)
		if !bytes.HasPrefix(w.content[at:], []byte(word)) {
			return 0, false
		}
		at += len(word)
		if r, n := utf8.DecodeRune(w.content[at:]); n > 0 && !unicode.IsSpace(r) {
			return 0, false
		}
		end = at
	}
	return end, true
}

// backward follows the old text from its anchor word to its start.
func (w *spacing) backward(at int) (int, bool) {
	until := w.old.word
	if r, n := utf8.DecodeLastRune(w.content[:at]); n > 0 && !unicode.IsSpace(r) {
		return 0, false
	}
	for i := w.old.anchor; ; i-- {
		start, ok := w.wordsBefore(at, w.old.words[i][:until])
		if !ok || i == 0 {
			return start, ok
		}
		at = w.blanksBefore(start)
		n := endingBefore(w.content[:at], w.style.nl)
		if n == 0 {
			return 0, false
		}
		at -= n
		until = len(w.old.words[i-1])
	}
}

// wordsBefore passes words backwards; it ends before the first.
func (w *spacing) wordsBefore(at int, list []string) (int, bool) {
	start := at
	for i := len(list) - 1; i >= 0; i-- {
		at = w.blanksBefore(at)
		w.work += len(list[i])
		if !bytes.HasSuffix(w.content[:at], []byte(list[i])) {
			return 0, false
		}
		at -= len(list[i])
		if r, n := utf8.DecodeLastRune(w.content[:at]); n > 0 && !unicode.IsSpace(r) {
			return 0, false
		}
		start = at
	}
	return start, true
}

// blanksAfter passes white space within the line.
func (w *spacing) blanksAfter(at int) int {
	for at < len(w.content) && endingAt(w.content[at:], w.style.nl) == 0 {
		r, n := utf8.DecodeRune(w.content[at:])
		if !unicode.IsSpace(r) {
			break
		}
		at += n
		w.work++
	}
	return at
}

func (w *spacing) blanksBefore(at int) int {
	for at > 0 && endingBefore(w.content[:at], w.style.nl) == 0 {
		r, n := utf8.DecodeLastRune(w.content[:at])
		if !unicode.IsSpace(r) {
			break
		}
		at -= n
		w.work++
	}
	return at
}

// linesFrom lists n lines, the first being the one that an offset is in.
func (f finder) linesFrom(at, n int) []span {
	lines := make([]span, n)
	for i := range lines {
		lines[i] = f.lineAt(at)
		at = lines[i].end
		at += endingAt(f.content[at:], f.style.nl)
	}
	return lines
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

func words(s string) []string { return strings.Fields(s) }

// sameWords tells whether two texts differ in white space alone.
func sameWords(a, b string) bool { return strings.Join(words(a), " ") == strings.Join(words(b), " ") }

func spaceNote(line int) string {
	return fmt.Sprintf("old_string differed from the file in white space only; applied at line %d, the only place that fits, with the file's own white space", line)
}
