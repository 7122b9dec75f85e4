// Package diff shows what changed between two texts, line by line: hunks with context, their
// counts, and the unified form that patch reads. It is for texts of any size: what both ends have
// in common is cut off first, and where the rest is too large to compare it is shown as one block
// that was replaced.
package diff

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Bounds: what is compared line by line (beyond it a comparison costs more than a reader can use),
// and the context.
const (
	maxCompare     = 1 << 20
	defaultContext = 3
)

// Options of a comparison. The zero value shows three lines of context and every line that changed.
type Options struct {
	Context  int // lines around a change; 0 is three, negative none
	MaxLines int // lines shown at most, over all hunks; 0 is no bound
}

// Kind tells what became of a line.
type Kind byte

// The kinds, as the unified form writes them.
const (
	Equal  Kind = ' '
	Delete Kind = '-'
	Insert Kind = '+'
)

// A Line of a hunk.
type Line struct {
	Kind Kind
	Text string // without its final newline; a carriage return is part of it
	Open bool   // the last line of its text, which has no newline
}

// A Hunk is a run of lines with changes in it. Lines are counted from 1.
type Hunk struct {
	Old, OldLines int
	New, NewLines int
	Lines         []Line
}

// A Diff is what changed. Added and Removed count all lines, also those that MaxLines left out.
type Diff struct {
	Hunks          []Hunk
	Added, Removed int
	Cut            int // lines that MaxLines left out
}

// Of compares two texts.
func Of(old, new string, o Options) *Diff {
	context := o.Context
	if context == 0 {
		context = defaultContext
	}
	b := &builder{old: old, context: max(context, 0)}
	for _, e := range edits(old, new) {
		b.change(e)
	}
	b.close()
	d := &b.diff
	if o.MaxLines > 0 {
		d.limit(o.MaxLines)
	}
	return d
}

// edits finds the changed ranges, at line borders.
func edits(old, new string) []udiff.Edit {
	head := commonHead(old, new)
	tail := commonTail(old[head:], new[head:])
	a, b := old[head:len(old)-tail], new[head:len(new)-tail]
	switch {
	case a == b:
		return nil
	case a == "", b == "", len(a) > maxCompare, len(b) > maxCompare:
		return []udiff.Edit{{Start: head, End: head + len(a), New: b}}
	}
	list := udiff.Lines(a, b)
	for i := range list {
		list[i].Start += head
		list[i].End += head
	}
	return list
}

// step is how many bytes are compared at once: the runtime compares blocks much faster than a loop
// does bytes.
const step = 4096

// commonHead is the length of the whole lines that both begin with.
func commonHead(a, b string) int {
	n, limit := 0, min(len(a), len(b))
	for n+step <= limit && a[n:n+step] == b[n:n+step] {
		n += step
	}
	for n < limit && a[n] == b[n] {
		n++
	}
	if n == len(a) && n == len(b) {
		return n
	}
	return strings.LastIndexByte(a[:n], '\n') + 1
}

// commonTail is the length of the whole lines that both end with.
func commonTail(a, b string) int {
	n, limit := 0, min(len(a), len(b))
	for n+step <= limit && strings.HasSuffix(a[:len(a)-n], b[len(b)-n-step:len(b)-n]) {
		n += step
	}
	for n < limit && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	// The byte before the tail must end a line in both, or the tail begin both.
	for n > 0 && !(startsLine(a, len(a)-n) && startsLine(b, len(b)-n)) {
		i := strings.IndexByte(a[len(a)-n:], '\n')
		if i < 0 {
			return 0
		}
		n -= i + 1
	}
	return n
}

func startsLine(s string, at int) bool { return at == 0 || s[at-1] == '\n' }

// A builder turns changed ranges into hunks.
type builder struct {
	old     string
	context int
	diff    Diff
	hunk    *Hunk
	at      int // bytes of old that were passed
	line    int // lines of old that were passed
	shift   int // lines that new has more than old so far
}

// change takes the next range. It belongs to the open hunk where the context behind the one and
// before the other would touch: two hunks would show the same lines twice.
func (b *builder) change(e udiff.Edit) {
	gap := b.old[b.at:e.Start]
	if b.hunk != nil && countLines(gap) > 2*b.context {
		b.trail(gap)
		b.finish()
		gap = b.old[b.at:e.Start]
	}
	if b.hunk == nil {
		b.begin(gap)
	} else {
		b.add(Equal, gap)
	}
	b.add(Delete, b.old[e.Start:e.End])
	b.add(Insert, e.New)
	b.at = e.End
}

// begin opens a hunk after skipping all of gap but the context.
func (b *builder) begin(gap string) {
	lead := lastLines(gap, b.context)
	b.line += countLines(gap[:len(gap)-len(lead)])
	b.hunk = &Hunk{Old: b.line + 1, New: b.line + b.shift + 1}
	b.add(Equal, lead)
}

func (b *builder) add(k Kind, text string) {
	for text != "" {
		line, rest, ended := strings.Cut(text, "\n")
		b.hunk.Lines = append(b.hunk.Lines, Line{Kind: k, Text: line, Open: !ended})
		b.count(k)
		text = rest
	}
}

// count numbers one line. A line of the new text only moves on what follows it in the old one.
func (b *builder) count(k Kind) {
	if k != Insert {
		b.hunk.OldLines++
		b.line++
	}
	if k != Delete {
		b.hunk.NewLines++
	}
	switch k {
	case Insert:
		b.diff.Added++
		b.shift++
	case Delete:
		b.diff.Removed++
		b.shift--
	}
}

// trail adds the context after the last change of a hunk and passes it.
func (b *builder) trail(gap string) {
	context := firstLines(gap, b.context)
	b.add(Equal, context)
	b.at += len(context)
}

func (b *builder) finish() {
	h := b.hunk
	if h.OldLines == 0 {
		h.Old-- // the form's own rule: an empty range stands at the line before it
	}
	if h.NewLines == 0 {
		h.New--
	}
	b.diff.Hunks = append(b.diff.Hunks, *h)
	b.hunk = nil
}

func (b *builder) close() {
	if b.hunk == nil {
		return
	}
	b.trail(b.old[b.at:])
	b.finish()
}

// countLines counts the last line also where it has no end.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

func firstLines(s string, n int) string {
	end := 0
	for ; n > 0 && end < len(s); n-- {
		i := strings.IndexByte(s[end:], '\n')
		if i < 0 {
			return s
		}
		end += i + 1
	}
	return s[:end]
}

func lastLines(s string, n int) string {
	start := len(s)
	for ; n > 0 && start > 0; n-- {
		start = strings.LastIndexByte(s[:start-1], '\n') + 1
	}
	return s[start:]
}

// limit leaves out what comes after the first lines.
func (d *Diff) limit(lines int) {
	for i := range d.Hunks {
		h := &d.Hunks[i]
		if len(h.Lines) <= lines {
			lines -= len(h.Lines)
			continue
		}
		d.Cut += len(h.Lines) - lines
		h.Lines = h.Lines[:lines:lines]
		lines = 0
	}
	for len(d.Hunks) > 0 && len(d.Hunks[len(d.Hunks)-1].Lines) == 0 {
		d.Hunks = d.Hunks[:len(d.Hunks)-1]
	}
}
