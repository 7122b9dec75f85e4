package edit

import (
	"bytes"
	"fmt"
	"strings"
)

// A Kind is the reason for which an edit is refused.
type Kind int

// The kinds.
const (
	NotFound       Kind = iota // the old text does not occur
	Multiple                   // it occurs more than once
	Identical                  // old and new text are the same
	EmptyOld                   // there is no old text
	Placeholder                // a line such as "// rest of the code" stands for text that was left out
	LineNumbers                // the numbers that read shows were pasted into the text
	AlreadyApplied             // the new text is there already
	Ambiguous                  // it fits but for white space, in several places or in a way that leaves a choice
	TooLarge                   // the result, the number of places or the work to find them is beyond the bounds
)

// A Cause is what the old text has that the nearest place has not, where that is known.
type Cause string

// The causes.
const (
	Unknown     Cause = ""
	Separation  Cause = "white space stands between words in one and not in the other"
	Quotes      Cause = "quotation marks, dashes or dots are typographic in one and plain in the other"
	Composition Cause = "accented letters are composed in one and decomposed in the other (NFC, NFD)"
	Escapes     Cause = `old_string is escaped once too often: write a line break and not \n, " and not \"`
	LetterCase  Cause = "the case of letters differs"
	Spelled     Cause = `a character stands as itself in one and as an escape such as \u2013 in the other`
	Blanks      Cause = "only white space differs, but the text is too short to be sure"
	SpaceOnly   Cause = "the edit changes white space only, so that old_string must match exactly"
	Indentation Cause = "it is not clear how the new lines are to be indented"
	Gone        Cause = "old_string does not occur"
	Shortened   Cause = "a line of old_string stands for text that was left out"
)

// A Place is a run of lines in the text, numbered from 1.
type Place struct {
	Line, Lines int
	Text        string // the lines, cut to a readable size
}

// A Refusal says why an edit is not applied, and what to do.
type Refusal struct {
	Kind   Kind
	Edit   int     // which of the edits, from 0
	Of     int     // how many there are
	Count  int     // Multiple, Ambiguous: the number of places
	Capped bool    // there are more places than Count
	Places []Place // Multiple, Ambiguous, AlreadyApplied: the first ten; NotFound: the nearest, best first
	Cause  Cause
	Diff   string // NotFound: the nearest place (-) against the old text (+), as hunks of a unified diff
	Line   string // Placeholder, LineNumbers: the line that gave it away
}

// prefix names one of several edits.
func prefix(i, of int) string {
	if of < 2 {
		return ""
	}
	return fmt.Sprintf("edits[%d]: ", i)
}

// Error is one sentence and its remedy, followed by the nearest place where there is one.
func (r *Refusal) Error() string {
	return prefix(r.Edit, r.Of) + r.sentence()
}

func (r *Refusal) sentence() string {
	switch r.Kind {
	case NotFound:
		return r.notFound()
	case Multiple:
		const said = "old_string occurs %s times (%s): give more lines around it, or set replace_all%s"
		return fmt.Sprintf(said, r.count(), lineList(r.Places), contexts(r.Places))
	case Identical:
		return "old_string and new_string are the same: there is nothing to change"
	case EmptyOld:
		return "old_string is empty: give the text to replace, or use write to replace the whole file"
	case Placeholder:
		const said = "the line %q stands for text that was left out: " +
			"write that text in full, or choose a smaller edit"
		return fmt.Sprintf(said, r.Line)
	case LineNumbers:
		const said = "the line %q begins with the line number that read shows: " +
			"leave the numbers and the bar out"
		return fmt.Sprintf(said, r.Line)
	case AlreadyApplied:
		return r.applied()
	case Ambiguous:
		return r.ambiguous()
	}
	return "the edit has too many places or makes too large a text: " +
		"choose a smaller edit with more lines around it"
}

// notFound shows the nearest place as a diff: what is different there is what was remembered
// wrongly.
func (r *Refusal) notFound() string {
	s := "old_string does not occur"
	if r.Cause != Unknown {
		s += ": " + string(r.Cause)
	}
	if len(r.Places) == 0 {
		return s + ": nothing similar is there; read the file again"
	}
	s += fmt.Sprintf(": the nearest place is line %d", r.Places[0].Line)
	if len(r.Places) > 1 {
		s += fmt.Sprintf(" (then %s)", lineList(r.Places[1:]))
	}
	return s + "; copy the text exactly as it is there. In this diff - is the file, + is old_string:\n" + r.Diff
}

func (r *Refusal) applied() string {
	const (
		before = "old_string does not occur, and new_string is already there (%s): " +
			"the edit seems to have been made before; nothing was changed"
		there = "new_string is already there (%s): nothing was changed; " +
			"if it is wanted once more, give more lines around the place"
	)
	if r.Cause == Gone {
		return fmt.Sprintf(before, lineList(r.Places))
	}
	return fmt.Sprintf(there, lineList(r.Places))
}

func (r *Refusal) ambiguous() string {
	const (
		one = "old_string does not occur exactly (%s): %s; " +
			"copy the text exactly as it is there%s"
		several = "old_string does not occur exactly, and but for %s it occurs %s times (%s): " +
			"copy the text exactly as it is there%s"
	)
	lines, shown := lineList(r.Places), contexts(r.Places)
	if r.Count == 1 {
		return fmt.Sprintf(one, lines, r.Cause, shown)
	}
	difference := "white space"
	switch r.Cause {
	case Spelled:
		difference = "how characters are escaped"
	case Quotes:
		difference = "the form of quotation marks"
	}
	return fmt.Sprintf(several, difference, r.count(), lines, shown)
}

// count is how many places there are, as far as they were counted.
func (r *Refusal) count() string {
	if r.Capped {
		return fmt.Sprintf("more than %d", r.Count)
	}
	return fmt.Sprint(r.Count)
}

// lineList names each line once.
func lineList(places []Place) string {
	var numbers []string
	for i, p := range places {
		if i == 0 || p.Line != places[i-1].Line {
			numbers = append(numbers, fmt.Sprint(p.Line))
		}
	}
	if len(numbers) == 1 {
		return "line " + numbers[0]
	}
	return "lines " + strings.Join(numbers, ", ")
}

// contexts shows the places; those of several lines are set apart.
func contexts(places []Place) string {
	gap := ""
	for _, p := range places {
		if strings.Contains(p.Text, "\n") {
			gap = "\n"
		}
	}
	var b strings.Builder
	for i, p := range places {
		if i > 0 {
			if p.Line == places[i-1].Line { // shown already
				continue
			}
			b.WriteString(gap)
		}
		for j, l := range strings.Split(p.Text, "\n") {
			fmt.Fprintf(&b, "\n%6d|%s", p.Line+j, l)
		}
	}
	return b.String()
}

// What a refusal shows at most: places, lines of one, bytes of a line.
const (
	shownPlaces = 10
	shownLines  = 4
	shownBytes  = 200
)

// places shows where spans are, at most ten.
func (f finder) places(found []span) []Place {
	counter := f.counter()
	var out []Place
	for _, s := range found[:min(len(found), shownPlaces)] {
		breaks := bytes.Count(f.text(s), []byte{f.style.nl})
		out = append(out, Place{
			Line:  counter.at(s.start),
			Lines: breaks + 1,
			Text:  f.excerpt(s),
		})
	}
	return out
}

// excerpt is the first lines of a place, whole and cut to a readable size.
func (f finder) excerpt(s span) string {
	last := max(s.start, s.end-1) // an ending belongs to its own line, not to the next
	lines := f.lines(span{f.lineStart(s.start), f.nextLine(last)})
	lines = lines[:min(len(lines), shownLines)]
	for i, l := range lines {
		lines[i] = cut(l)
	}
	return strings.Join(lines, "\n")
}

// cut shortens a line without breaking a character.
func cut(l string) string {
	if len(l) <= shownBytes {
		return l
	}
	return strings.ToValidUTF8(l[:shownBytes], "") + "…"
}
