package edit

import (
	"bytes"
	"strings"
	"unicode"
)

// minRepeat is the number of characters from which a new text that is found counts as an edit
// applied before: a shorter one may stand there by chance.
const minRepeat = 8

// maxCount is how many places a refusal counts.
const maxCount = 1000

// An outcome is what an edit replaces in a text, with a note where that is not exactly what it
// says; or why it replaces nothing.
type outcome struct {
	splices []splice
	note    string
	refusal *Refusal
}

// refuse is the outcome of an edit that replaces nothing.
func refuse(r Refusal) outcome {
	return outcome{refusal: &r}
}

// place finds what an edit replaces in a text, or why it does not.
func (f finder) place(e Edit) outcome {
	e.Old = strings.TrimPrefix(e.Old, "\ufeff") // the mark is not part of the text
	switch {
	case e.Old == e.New:
		return refuse(Refusal{Kind: Identical})
	case e.Old == "":
		return refuse(Refusal{Kind: EmptyOld})
	case lf(e.Old) == lf(e.New) && !f.style.mixed:
		return refuse(Refusal{Kind: Identical})
	}
	limit := maxCount
	if e.All {
		limit = maxPlaces
	}
	found, literal, ok := f.exact(e, limit)
	capped := len(found) == limit
	switch {
	case !ok || e.All && capped:
		return refuse(Refusal{Kind: TooLarge})
	case len(found) == 0:
		return f.inexact(e)
	case len(found) > 1 && !e.All:
		return refuse(Refusal{Kind: Multiple, Count: len(found), Capped: capped, Places: f.places(found)})
	}
	if r := f.suspicious(e, found); r != nil {
		return outcome{refusal: r}
	}
	out := f.replacing(e, found, literal)
	if f.idle(out) {
		return refuse(Refusal{Kind: Identical})
	}
	return outcome{splices: out}
}

// idle tells whether splices change nothing: an edit of line endings alone, where each line keeps
// its own.
func (f finder) idle(found []splice) bool {
	for _, s := range found {
		old := f.content[s.start:s.end]
		if !bytes.Equal(old, s.new) {
			return false
		}
	}
	return true
}

// replacing puts the new text at each place. Where all lines end alike and the text ends its own
// so, the places share its bytes.
func (f finder) replacing(e Edit, found []span, literal bool) []splice {
	same := literal || f.style.plain() && !strings.Contains(e.New, "\r\n")
	text := []byte(e.New)
	out := make([]splice, len(found))
	for i, s := range found {
		if !same {
			text = f.written(e.Old, e.New, s)
		}
		out[i] = splice{s.start, s.end, text}
	}
	return out
}

// suspicious looks for the signs of a new text that is not meant as it stands.
func (f finder) suspicious(e Edit, found []span) *Refusal {
	line, ok := f.placeholder(e)
	if ok {
		return &Refusal{Kind: Placeholder, Line: line}
	}
	line, ok = numbered(e.New)
	if ok && !f.has(line) {
		_, both := numbered(e.Old)
		if !both {
			return &Refusal{Kind: LineNumbers, Line: line}
		}
	}
	if len(found) == 1 && !e.All && f.applied(e, found[0]) {
		return &Refusal{Kind: AlreadyApplied, Places: f.places(found)}
	}
	return nil
}

// longer tells of an edit whose new text adds enough to its old one to be known again.
func longer(e Edit) bool {
	old, new := strings.TrimSpace(lf(e.Old)), strings.TrimSpace(lf(e.New))
	return len(new)-len(old) >= minRepeat
}

// applied tells whether an edit that adds to its old text was made before: the place already reads
// like the new text.
func (f finder) applied(e Edit, s span) bool {
	if !strings.Contains(lf(e.New), lf(e.Old)) || !longer(e) {
		return false
	}
	for _, there := range f.some(e.New) {
		if s.within(there) {
			return true
		}
	}
	return false
}

// inexact goes on where the old text does not occur as it is.
func (f finder) inexact(e Edit) outcome {
	if line, ok := numbered(e.Old); ok {
		return refuse(Refusal{Kind: LineNumbers, Line: line})
	}
	if done := f.doneBefore(e); len(done) > 0 {
		return refuse(Refusal{Kind: AlreadyApplied, Cause: Gone, Places: f.places(done)})
	}
	if out, ok := f.respelled(e); ok {
		return out
	}
	fits := f.spaced(e)
	if len(fits) == 1 {
		return f.respaced(e, fits[0])
	}
	if len(fits) == 0 {
		return outcome{refusal: f.nearest(e)}
	}
	var found []span
	for _, m := range fits {
		found = append(found, m.span)
	}
	capped := len(fits) == maxFits
	return refuse(Refusal{Kind: Ambiguous, Count: len(fits), Capped: capped, Places: f.places(found)})
}

// doneBefore finds the new text where the old one is gone: in one place, or it may stand there for
// other reasons.
func (f finder) doneBefore(e Edit) []span {
	if len(strings.TrimSpace(e.New)) < minRepeat {
		return nil
	}
	found := f.some(e.New)
	if len(found) != 1 {
		return nil
	}
	return found
}

// respaced applies an edit at the only place that differs in white space alone.
func (f finder) respaced(e Edit, m fit) outcome {
	there := []span{m.span}
	unclear := func(c Cause) outcome {
		return refuse(Refusal{Kind: Ambiguous, Count: 1, Cause: c, Places: f.places(there)})
	}
	if sameWords(e.Old, e.New) {
		return unclear(SpaceOnly)
	}
	if !sure(e.Old, m) {
		return unclear(Blanks)
	}
	if r := f.suspicious(e, there); r != nil {
		return outcome{refusal: r}
	}
	if f.addedBefore(e, m) {
		return refuse(Refusal{Kind: AlreadyApplied, Places: f.places(there)})
	}
	text, ok := f.reindent(e, m)
	if !ok {
		return unclear(Indentation)
	}
	return outcome{
		splices: []splice{{m.start, m.end, text}},
		note:    spaceNote(f.number(m.start)),
	}
}

// addedBefore is applied for a place that differs in white space.
func (f finder) addedBefore(e Edit, m fit) bool {
	if !longer(e) {
		return false
	}
	for _, there := range f.spaced(Edit{Old: e.New}) {
		if m.within(there.span) {
			return true
		}
	}
	return false
}

// How many letters and digits an old text has at least to be recognised by its words: in whole
// lines, and inside a line, where there must be two words.
const (
	sureInLines = 3
	sureInside  = 8
)

// sure tells whether an old text is long enough to be the one that is meant. A bracket with other
// blanks around it stands everywhere.
func sure(old string, m fit) bool {
	n := 0
	for _, r := range old {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	whole := m.head && m.tail
	if whole || len(m.lines) > 1 {
		return n >= sureInLines
	}
	return n >= sureInside && len(words(old)) >= 2
}
