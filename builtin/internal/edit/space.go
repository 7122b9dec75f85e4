package edit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the search for places that differ in white space: how many, and how many characters may
// be passed for it. A text made of one word repeated would take for ever; beyond the bound nothing
// is known to be the only place.
const (
	maxFits = 100
	maxWork = 100 << 20
)

// A fit is a place that reads like the old text but for the kind and amount of white space within
// its lines.
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

// newOldText splits an old text; false for one that has no word, which nothing can be told by.
func newOldText(old string) (oldText, bool) {
	lines := linesOf(old)
	t := oldText{}
	last := len(lines) - 1
	if last > 0 && lines[last] == "" {
		lines = lines[:last]
		t.final = true
	}
	size := 0
	for i, l := range lines {
		list := words(l)
		t.words = append(t.words, list)
		for j, w := range list {
			if len(w) > size {
				size = len(w)
				t.anchor, t.word = i, j
			}
		}
	}
	return t, size > 0
}

// spaced finds the places that differ in white space alone: line by line the same words, separated
// where these are. It gives none where it had to stop early.
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
		m, ok := w.fitAt(at)
		if ok {
			out = append(out, m)
		}
		if w.work > maxWork {
			return nil
		}
	}
	if len(out) == 1 {
		only := &out[0]
		only.lines = f.linesFrom(only.start, len(t.words))
		only.final = t.final
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
		m.start = s
		m.head = true
	}
	last := end - w.endsBefore(end)
	m.tail = w.endsLine(w.blanksAfter(last))
	return m, true
}

// startsLine tells of a place before which its line has nothing but what was passed.
func (w *spacing) startsLine(at int) bool {
	return at == 0 || w.endsBefore(at) > 0
}

func (w *spacing) endsLine(at int) bool {
	return at == len(w.content) || w.endsAt(at) > 0
}

// forward follows the old text from its anchor word to its end.
func (w *spacing) forward(at int) (int, bool) {
	last := len(w.old.words) - 1
	from := w.old.word
	for i := w.old.anchor; ; i++ {
		rest := w.old.words[i][from:]
		end, ok := w.wordsAfter(at, rest)
		if !ok {
			return 0, false
		}
		if i == last && !w.old.final {
			return end, true
		}
		at = w.blanksAfter(end)
		if i == last {
			// The last line of a file needs no ending.
			return at + w.endsAt(at), w.endsLine(at)
		}
		n := w.endsAt(at)
		if n == 0 {
			return 0, false
		}
		at += n
		from = 0
	}
}

// wordsAfter passes words and the blanks between them; it ends behind the last word.
func (w *spacing) wordsAfter(at int, list []string) (int, bool) {
	end := at
	for _, word := range list {
		at = w.blanksAfter(at)
		w.work += len(word)
		rest, found := bytes.CutPrefix(w.content[at:], []byte(word))
		if !found {
			return 0, false
		}
		r, n := utf8.DecodeRune(rest)
		if n > 0 && !unicode.IsSpace(r) { // the file's word goes on
			return 0, false
		}
		at += len(word)
		end = at
	}
	return end, true
}

// backward follows the old text from its anchor word to its start.
func (w *spacing) backward(at int) (int, bool) {
	r, n := utf8.DecodeLastRune(w.content[:at])
	if n > 0 && !unicode.IsSpace(r) {
		return 0, false
	}
	until := w.old.word
	for i := w.old.anchor; ; i-- {
		list := w.old.words[i][:until]
		start, ok := w.wordsBefore(at, list)
		if !ok || i == 0 {
			return start, ok
		}
		at = w.blanksBefore(start)
		n := w.endsBefore(at)
		if n == 0 {
			return 0, false
		}
		at -= n
		until = len(w.old.words[i-1])
	}
}

// wordsBefore passes words backwards; it ends before the first. They are shorter than the anchor, so that no place is
// passed for two anchors: no bound is needed.
func (w *spacing) wordsBefore(at int, list []string) (int, bool) {
	start := at
	for _, word := range slices.Backward(list) {
		at = w.blanksBefore(at)
		rest, found := bytes.CutSuffix(w.content[:at], []byte(word))
		if !found {
			return 0, false
		}
		r, n := utf8.DecodeLastRune(rest)
		if n > 0 && !unicode.IsSpace(r) { // the file's word begins earlier
			return 0, false
		}
		at -= len(word)
		start = at
	}
	return start, true
}

// blanksAfter passes white space within the line.
func (w *spacing) blanksAfter(at int) int {
	for at < len(w.content) && w.endsAt(at) == 0 {
		r, n := utf8.DecodeRune(w.content[at:])
		if !unicode.IsSpace(r) {
			break
		}
		at += n
		w.work++
	}
	return at
}

// blanksBefore is blanksAfter backwards.
func (w *spacing) blanksBefore(at int) int {
	for at > 0 && w.endsBefore(at) == 0 {
		r, n := utf8.DecodeLastRune(w.content[:at])
		if !unicode.IsSpace(r) {
			break
		}
		at -= n
		w.work++
	}
	return at
}

func words(s string) []string { return strings.Fields(s) }

// sameWords tells whether two texts differ in white space alone.
func sameWords(a, b string) bool {
	return slices.Equal(words(a), words(b))
}

// spaceNote tells of an edit whose place was found by its words.
func spaceNote(line int) string {
	const said = "old_string differed from the file in white space only; applied at line %d, " +
		"the only place that fits, with the file's own white space"
	return fmt.Sprintf(said, line)
}
