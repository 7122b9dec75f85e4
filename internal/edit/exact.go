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

func style(b []byte) ending {
	if bytes.IndexByte(b, '\r') < 0 {
		return ending{nl: '\n'}
	}
	if bytes.IndexByte(b, '\n') < 0 {
		return ending{nl: '\r'}
	}
	return ending{nl: '\n', mixed: true}
}

// A pattern is an old text to look for: its lines, between which any line ending stands.
type pattern struct {
	lines  []string
	anchor int // the longest line, which is searched for
	nl     byte
}

// newPattern takes a text whose lines end with '\n'.
func newPattern(old string, nl byte) pattern {
	p := pattern{lines: strings.Split(old, "\n"), nl: nl}
	for i, l := range p.lines {
		if len(l) > len(p.lines[p.anchor]) {
			p.anchor = i
		}
	}
	return p
}

// A span is where a text was found.
type span struct{ start, end int }

// find lists the places where the pattern occurs, overlapping ones too unless apart is set; at most limit.
// It gives up, and says so, when the text repeats itself so much that comparing lines would take for ever.
func (p pattern) find(b []byte, apart bool, limit int) (out []span, ok bool) {
	key := []byte(p.lines[p.anchor])
	if len(key) == 0 {
		key = []byte{p.nl} // only line breaks: the first ends the anchor, which is empty
	}
	floor, budget := 0, maxCompared
	for at := 0; len(out) < limit; {
		i := bytes.Index(b[at:], key)
		if i < 0 {
			break
		}
		at += i
		if s, ok := p.match(b, p.begin(b, at), &budget); ok && s.start >= floor {
			out = append(out, s)
			if apart {
				floor = s.end
			}
		}
		if at++; budget < 0 {
			return nil, false
		}
	}
	return out, true
}

// some is find for the places that a refusal shows.
func (p pattern) some(b []byte) []span {
	found, _ := p.find(b, false, shownPlaces)
	return found
}

// maxCompared bounds the lines that find compares: about a second.
const maxCompared = 50 << 20

// begin is where the anchor line begins when its key was found.
func (p pattern) begin(b []byte, at int) int {
	if len(p.lines[p.anchor]) == 0 && p.nl == '\n' && at > 0 && b[at-1] == '\r' {
		return at - 1
	}
	return at
}

// match checks the lines before and after the anchor.
func (p pattern) match(b []byte, at int, budget *int) (span, bool) {
	start, end := at, at+len(p.lines[p.anchor])
	for i := p.anchor - 1; i >= 0; i-- {
		*budget--
		n := endingBefore(b[:start], p.nl)
		if n == 0 || !bytes.HasSuffix(b[:start-n], []byte(p.lines[i])) {
			return span{}, false
		}
		start -= n + len(p.lines[i])
	}
	for _, l := range p.lines[p.anchor+1:] {
		*budget--
		n := endingAt(b[end:], p.nl)
		if n == 0 || !bytes.HasPrefix(b[end+n:], []byte(l)) {
			return span{}, false
		}
		end += n + len(l)
	}
	return span{start, end}, true
}

// endingBefore is the length of the line ending that b ends with.
func endingBefore(b []byte, nl byte) int {
	switch {
	case len(b) == 0 || b[len(b)-1] != nl:
		return 0
	case nl == '\n' && len(b) > 1 && b[len(b)-2] == '\r':
		return 2
	}
	return 1
}

// endingAt is the length of the line ending that b begins with.
func endingAt(b []byte, nl byte) int {
	switch {
	case len(b) > 0 && b[0] == nl:
		return 1
	case nl == '\n' && len(b) > 1 && b[0] == '\r' && b[1] == '\n':
		return 2
	}
	return 0
}

// A finder looks for an edit's old text in one content and knows how its new text is to be written there.
type finder struct {
	content []byte
	style   ending
}

// lf is a text with its line endings as '\n'.
func lf(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// exact finds the old text: as it is when it has carriage returns of its own and occurs so; else whatever the line
// endings. literal tells that the new text is meant byte by byte; ok is false where the search gave up.
func (f finder) exact(e Edit, limit int) (found []span, literal, ok bool) {
	if strings.Contains(e.Old, "\r") && (f.style.mixed || f.style.nl == '\r') {
		if found := findBytes(f.content, []byte(e.Old), e.All, limit); len(found) > 0 {
			return found, true, true
		}
	}
	if !f.style.mixed && f.style.nl == '\n' {
		return findBytes(f.content, []byte(lf(e.Old)), e.All, limit), false, true
	}
	found, ok = newPattern(lf(e.Old), f.style.nl).find(f.content, e.All, limit)
	return found, false, ok
}

func findBytes(b, key []byte, apart bool, limit int) []span {
	var out []span
	for at := 0; len(out) < limit; {
		i := bytes.Index(b[at:], key)
		if i < 0 {
			break
		}
		out = append(out, span{at + i, at + i + len(key)})
		at += i + 1
		if apart {
			at += len(key) - 1
		}
	}
	return out
}

// written is the new text as it stands in the file at the place s: with the endings that the lines there have.
func (f finder) written(old, new string, s span) []byte {
	new = lf(new)
	if f.style.nl == '\r' {
		return []byte(strings.ReplaceAll(new, "\n", "\r"))
	}
	if !f.style.mixed {
		return []byte(new)
	}
	lines := strings.Split(new, "\n")
	ends := f.endings(strings.Split(lf(old), "\n"), lines, s)
	var out []byte
	for i, l := range lines {
		out = append(out, l...)
		if i < len(lines)-1 {
			out = append(out, ends[i]...)
		}
	}
	return out
}

// endings gives every line break of the new lines its form: that of the old line it keeps, else that of the break
// before it, else that of the line where the place is.
func (f finder) endings(old, new []string, s span) []string {
	have := f.breaks(s)
	ends := make([]string, len(new)-1)
	last := f.nearBreak(s)
	if len(have) > 0 {
		last = have[0]
	}
	kept := align(old, new)
	for i := range ends {
		if j := kept[i]; j >= 0 && j < len(have) {
			last = have[j]
		}
		ends[i] = last
	}
	return ends
}

// breaks lists the line breaks inside a place.
func (f finder) breaks(s span) []string {
	var out []string
	for at := s.start; at < s.end; {
		i := bytes.IndexByte(f.content[at:s.end], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		out = append(out, f.breakAt(at))
	}
	return out
}

// breakAt is the form of the line break that ends before at.
func (f finder) breakAt(at int) string {
	if endingBefore(f.content[:at], '\n') == 2 {
		return "\r\n"
	}
	return "\n"
}

// nearBreak is the form of the break of the place's last line, or of the line before when it has none.
func (f finder) nearBreak(s span) string {
	if i := bytes.IndexByte(f.content[s.end:], '\n'); i >= 0 {
		return f.breakAt(s.end + i + 1)
	}
	return f.breakAt(bytes.LastIndexByte(f.content[:s.start], '\n') + 1)
}

// maxAlign bounds the table of align; longer texts are aligned at both ends only.
const maxAlign = 4 << 20

// align finds for every new line the old line that it keeps, -1 for a line of its own: a longest common subsequence.
func align(old, new []string) []int {
	kept := make([]int, len(new))
	for i := range kept {
		kept[i] = -1
	}
	head := 0
	for head < len(old) && head < len(new) && old[head] == new[head] {
		kept[head] = head
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(new)-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		kept[len(new)-1-tail] = len(old) - 1 - tail
		tail++
	}
	a, b := old[head:len(old)-tail], new[head:len(new)-tail]
	if len(a)*len(b) <= maxAlign {
		common(a, b, head, kept[head:])
	}
	return kept
}

// common marks in kept the lines of b that a longest common subsequence with a keeps.
func common(a, b []string, shift int, kept []int) {
	w := len(b) + 1
	length := make([]int32, (len(a)+1)*w)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i*w+j] = length[(i+1)*w+j+1] + 1
			} else {
				length[i*w+j] = max(length[(i+1)*w+j], length[i*w+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			kept[j] = i + shift
			i, j = i+1, j+1
		case length[(i+1)*w+j] >= length[i*w+j+1]:
			i++
		default:
			j++
		}
	}
}
