package edit

import (
	"bytes"
	"strings"
	"unicode"
)

// minRepeat is the number of characters from which a new text that is found counts as an edit applied before: a shorter
// one may stand there by chance.
const minRepeat = 8

// place finds what an edit replaces in a text, or why it does not.
func (f finder) place(e Edit) (found []splice, note string, r *Refusal) {
	e.Old = strings.TrimPrefix(e.Old, "\ufeff") // the mark is not part of the text
	switch {
	case e.Old == e.New:
		return nil, "", &Refusal{Kind: Identical}
	case e.Old == "":
		return nil, "", &Refusal{Kind: EmptyOld}
	}
	if lf(e.Old) == lf(e.New) && !f.style.mixed {
		return nil, "", &Refusal{Kind: Identical}
	}
	limit := maxCount
	if e.All {
		limit = maxPlaces
	}
	spans, literal, ok := f.exact(e, limit)
	switch {
	case !ok || e.All && len(spans) == limit:
		return nil, "", &Refusal{Kind: TooLarge}
	case len(spans) == 0:
		return f.inexact(e)
	case len(spans) > 1 && !e.All:
		return nil, "", &Refusal{Kind: Multiple, Count: len(spans), Capped: len(spans) == limit, Places: f.places(spans)}
	}
	if r := f.suspicious(e, spans); r != nil {
		return nil, "", r
	}
	found = f.splices(e, spans, literal)
	if f.idle(found) {
		return nil, "", &Refusal{Kind: Identical}
	}
	return found, "", nil
}

// maxCount is how many places a refusal counts.
const maxCount = 1000

// idle tells whether splices change nothing: an edit of line endings alone, where each line keeps its own.
func (f finder) idle(found []splice) bool {
	for _, s := range found {
		if !bytes.Equal(f.content[s.start:s.end], s.new) {
			return false
		}
	}
	return true
}

func (f finder) splices(e Edit, spans []span, literal bool) []splice {
	out := make([]splice, len(spans))
	same := []byte(e.New)
	for i, s := range spans {
		text := same
		if !literal && (f.style.mixed || f.style.nl == '\r' || strings.Contains(e.New, "\r\n")) {
			text = f.written(e.Old, e.New, s)
		}
		out[i] = splice{s.start, s.end, text}
	}
	return out
}

// suspicious looks for the signs of a new text that is not meant as it stands.
func (f finder) suspicious(e Edit, spans []span) *Refusal {
	if line, ok := f.placeholder(e); ok {
		return &Refusal{Kind: Placeholder, Line: line}
	}
	if line, ok := numbered(e.New); ok && !f.has(line) {
		if _, old := numbered(e.Old); !old {
			return &Refusal{Kind: LineNumbers, Line: line}
		}
	}
	if len(spans) == 1 && !e.All && f.applied(e, spans[0]) {
		return &Refusal{Kind: AlreadyApplied, Places: f.places(spans)}
	}
	return nil
}

// applied tells whether an edit that adds to its old text was made before: the place already reads like the new text.
func (f finder) applied(e Edit, s span) bool {
	old, new := lf(e.Old), lf(e.New)
	at := strings.Index(new, old)
	if at < 0 || len(strings.TrimSpace(new))-len(strings.TrimSpace(old)) < minRepeat {
		return false
	}
	for _, t := range newPattern(new, f.style.nl).some(f.content) {
		if t.start <= s.start && s.end <= t.end {
			return true
		}
	}
	return false
}

func (f finder) has(line string) bool { return bytes.Contains(f.content, []byte(line)) }

// inexact goes on where the old text does not occur as it is.
func (f finder) inexact(e Edit) ([]splice, string, *Refusal) {
	if line, ok := numbered(e.Old); ok {
		return nil, "", &Refusal{Kind: LineNumbers, Line: line}
	}
	if spans := f.doneBefore(e); len(spans) > 0 {
		return nil, "", &Refusal{Kind: AlreadyApplied, Cause: Gone, Places: f.places(spans)}
	}
	if found, note, r, ok := f.respelled(e); ok {
		return found, note, r
	}
	fits := f.spaced(e)
	switch {
	case len(fits) > 1:
		spans := make([]span, len(fits))
		for i, m := range fits {
			spans[i] = m.span
		}
		return nil, "", &Refusal{Kind: Ambiguous, Count: len(fits), Capped: len(fits) == maxFits, Places: f.places(spans)}
	case len(fits) == 1:
		return f.respaced(e, fits[0])
	}
	return nil, "", f.nearest(e)
}

// doneBefore finds the new text where the old one is gone: in one place, or it may stand there for other reasons.
func (f finder) doneBefore(e Edit) []span {
	if len(strings.TrimSpace(e.New)) < minRepeat {
		return nil
	}
	found := newPattern(lf(e.New), f.style.nl).some(f.content)
	if len(found) != 1 {
		return nil
	}
	return found
}

// respaced applies an edit at the only place that differs in white space alone.
func (f finder) respaced(e Edit, m fit) ([]splice, string, *Refusal) {
	refuse := func(c Cause) ([]splice, string, *Refusal) {
		return nil, "", &Refusal{Kind: Ambiguous, Count: 1, Cause: c, Places: f.places([]span{m.span})}
	}
	switch {
	case sameWords(e.Old, e.New):
		return refuse(SpaceOnly)
	case !sure(e.Old, m):
		return refuse(Blanks)
	}
	if r := f.suspicious(e, []span{m.span}); r != nil {
		return nil, "", r
	}
	if f.addedBefore(e, m) {
		return nil, "", &Refusal{Kind: AlreadyApplied, Places: f.places([]span{m.span})}
	}
	text, ok := f.reindent(e, m)
	if !ok {
		return refuse(Indentation)
	}
	c := lineCounter{text: f.content, nl: f.style.nl}
	return []splice{{m.start, m.end, text}}, spaceNote(c.at(m.start)), nil
}

// addedBefore is applied for a place that differs in white space.
func (f finder) addedBefore(e Edit, m fit) bool {
	if len(strings.TrimSpace(e.New))-len(strings.TrimSpace(e.Old)) < minRepeat {
		return false
	}
	for _, n := range f.spaced(Edit{Old: e.New}) {
		if n.start <= m.start && m.end <= n.end {
			return true
		}
	}
	return false
}

// sure tells whether an old text is long enough to be recognised by its words: three letters or digits in whole lines,
// two words of eight inside a line.
func sure(old string, m fit) bool {
	n := 0
	for _, r := range old {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	if len(m.lines) > 1 || m.head && m.tail {
		return n >= 3
	}
	return n >= 8 && len(words(old)) >= 2
}
