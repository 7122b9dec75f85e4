package edit

import (
	"bytes"
	"strings"
)

// An ending is how a text ends its lines.
type ending struct {
	nl    byte // '\n', or '\r' in a text that has no other
	mixed bool // some lines end with "\r\n"
}

// style looks at the whole text: the endings of generated and merged files change on the way.
func style(b []byte) ending {
	if bytes.IndexByte(b, '\r') < 0 {
		return ending{nl: '\n'}
	}
	if bytes.IndexByte(b, '\n') < 0 {
		return ending{nl: '\r'}
	}
	return ending{nl: '\n', mixed: true}
}

// plain tells of a text whose lines all end with "\n".
func (e ending) plain() bool {
	return e.nl == '\n' && !e.mixed
}

// lf is a text with its line endings as '\n'. Done twice it may find more of them: "\r\r\n".
func lf(s string) string {
	return strings.ReplaceAll(s, "\r\n", "\n")
}

// linesOf are the lines of a text of an edit, whatever their endings. Behind the last ending there
// is one more, which is empty.
func linesOf(s string) []string {
	return strings.Split(lf(s), "\n")
}

// A span is where a text was found.
type span struct{ start, end int }

// within tells whether one place is inside another.
func (s span) within(o span) bool {
	return o.start <= s.start && s.end <= o.end
}

// A finder looks for an edit's old text in one content and knows how its new text is to be written
// there.
type finder struct {
	content []byte
	style   ending
}

// text is what stands at a place.
func (f finder) text(s span) []byte {
	return f.content[s.start:s.end]
}

// has tells of a line that the file has itself, so that it is no sign of a mistake in the edit.
func (f finder) has(line string) bool {
	return bytes.Contains(f.content, []byte(line))
}

// number is the line of an offset, counted from 1.
func (f finder) number(at int) int {
	return bytes.Count(f.content[:at], []byte{f.style.nl}) + 1
}

// endsAt is the length of the line ending that begins at an offset, 0 if none does.
func (f finder) endsAt(at int) int {
	return endingAt(f.content[at:], f.style.nl)
}

// endsBefore is the length of the line ending that ends at an offset, 0 if none does.
func (f finder) endsBefore(at int) int {
	return endingBefore(f.content[:at], f.style.nl)
}

// lineStart is where the line begins that an offset is in.
func (f finder) lineStart(at int) int {
	return lineStart(f.content, at, f.style.nl)
}

// nextLine is where the line after that of an offset begins, or the end.
func (f finder) nextLine(at int) int {
	return nextLine(f.content, at, f.style.nl)
}

// lineAt is the line that an offset is in, without its ending.
func (f finder) lineAt(at int) span {
	line := span{f.lineStart(at), f.nextLine(at)}
	line.end -= endingBefore(f.text(line), f.style.nl)
	return line
}

// linesFrom lists n lines, the first being the one that an offset is in.
func (f finder) linesFrom(at, n int) []span {
	lines := make([]span, n)
	for i := range lines {
		lines[i] = f.lineAt(at)
		at = lines[i].end
		at += f.endsAt(at)
	}
	return lines
}

// lines are those of a place, without their endings.
func (f finder) lines(s span) []string {
	nl := []byte{f.style.nl}
	var out []string
	for l := range bytes.SplitSeq(bytes.TrimSuffix(f.text(s), nl), nl) {
		out = append(out, string(bytes.TrimSuffix(l, []byte{'\r'})))
	}
	return out
}

// lf is a place with its line endings as '\n'.
func (f finder) lf(s span) string {
	text := string(f.text(s))
	if f.style.nl == '\r' {
		return strings.ReplaceAll(text, "\r", "\n")
	}
	return lf(text)
}

func lineStart(b []byte, at int, nl byte) int {
	return bytes.LastIndexByte(b[:at], nl) + 1
}

// nextLine is behind the next ending, or at the end of the text.
func nextLine(b []byte, at int, nl byte) int {
	i := bytes.IndexByte(b[at:], nl)
	if i < 0 {
		return len(b)
	}
	return at + i + 1
}

// endingBefore is the length of the line ending that b ends with.
func endingBefore(b []byte, nl byte) int {
	n := len(b)
	if n == 0 || b[n-1] != nl {
		return 0
	}
	if nl == '\n' && n > 1 && b[n-2] == '\r' {
		return 2
	}
	return 1
}

// endingAt is the length of the line ending that b begins with.
func endingAt(b []byte, nl byte) int {
	switch {
	case len(b) == 0:
		return 0
	case b[0] == nl:
		return 1
	case nl == '\n' && b[0] == '\r' && len(b) > 1 && b[1] == '\n':
		return 2
	}
	return 0
}

// A lineCounter numbers ascending offsets without counting from the start each time.
type lineCounter struct {
	text []byte
	nl   byte
	pos  int
	line int
}

func (f finder) counter() lineCounter {
	return lineCounter{text: f.content, nl: f.style.nl}
}

// at is the line of an offset, counted from 1.
func (c *lineCounter) at(offset int) int {
	if offset < c.pos {
		c.pos, c.line = 0, 0
	}
	passed := c.text[c.pos:offset]
	c.line += bytes.Count(passed, []byte{c.nl})
	c.pos = offset
	return c.line + 1
}
