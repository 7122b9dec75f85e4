package edit

import (
	"bytes"
	"strings"
)

// A pattern is an old text to look for: its lines, between which any line ending stands.
type pattern struct {
	lines  [][]byte
	anchor int // the longest line, which is searched for
	nl     byte
}

// pattern is for a text whose lines end with '\n'.
func (f finder) pattern(old string) pattern {
	lines := bytes.Split([]byte(old), []byte("\n"))
	p := pattern{lines: lines, nl: f.style.nl}
	for i, l := range lines {
		if len(l) > len(lines[p.anchor]) {
			p.anchor = i
		}
	}
	return p
}

// find lists the places where the pattern occurs, overlapping ones too unless apart is set; at most
// limit. It gives up, and says so, when the text repeats itself so much that comparing lines would
// take for ever.
func (p pattern) find(b []byte, apart bool, limit int) (out []span, ok bool) {
	key := p.lines[p.anchor]
	if len(key) == 0 {
		key = []byte{p.nl} // only line breaks: the first ends the anchor, which is empty
	}
	floor := 0
	budget := maxCompared
	for at := 0; len(out) < limit; at++ {
		i := bytes.Index(b[at:], key)
		if i < 0 {
			break
		}
		at += i
		s, ok := p.match(b, p.begin(b, at), &budget)
		if ok && s.start >= floor {
			out = append(out, s)
			if apart {
				floor = s.end
			}
		}
		if budget < 0 {
			return nil, false
		}
	}
	return out, true
}

// some are the first places of a text, as many as a refusal shows.
func (f finder) some(text string) []span {
	found, _ := f.pattern(lf(text)).find(f.content, false, shownPlaces)
	return found
}

// maxCompared bounds the lines that find compares: about a second.
const maxCompared = 50 << 20

// begin is where the anchor line begins when its key was found. An anchor that is empty was found
// by the ending behind it, which may have a carriage return.
func (p pattern) begin(b []byte, at int) int {
	if len(p.lines[p.anchor]) > 0 || p.nl == '\r' {
		return at
	}
	if at > 0 && b[at-1] == '\r' {
		return at - 1
	}
	return at
}

// match checks the lines before and after the anchor.
func (p pattern) match(b []byte, at int, budget *int) (span, bool) {
	found := span{at, at + len(p.lines[p.anchor])}
	for i := p.anchor - 1; i >= 0; i-- {
		*budget--
		n := endingBefore(b[:found.start], p.nl)
		before := b[:found.start-n]
		if n == 0 || !bytes.HasSuffix(before, p.lines[i]) {
			return span{}, false
		}
		found.start = len(before) - len(p.lines[i])
	}
	for _, l := range p.lines[p.anchor+1:] {
		*budget--
		n := endingAt(b[found.end:], p.nl)
		begin := found.end + n
		if n == 0 || !bytes.HasPrefix(b[begin:], l) {
			return span{}, false
		}
		found.end = begin + len(l)
	}
	return found, true
}

// exact finds the old text: as it is when it has carriage returns of its own and occurs so; else
// whatever the line endings. literal tells that the new text is meant byte by byte; ok is false
// where the search gave up.
func (f finder) exact(e Edit, limit int) (found []span, literal, ok bool) {
	if strings.Contains(e.Old, "\r") && !f.style.plain() {
		found = findBytes(f.content, e.Old, e.All, limit)
		if len(found) > 0 {
			return found, true, true
		}
	}
	if f.style.plain() {
		return findBytes(f.content, lf(e.Old), e.All, limit), false, true
	}
	found, ok = f.pattern(lf(e.Old)).find(f.content, e.All, limit)
	return found, false, ok
}

// findBytes is for a text whose endings are those of the file: the whole is one key.
func findBytes(b []byte, text string, apart bool, limit int) []span {
	key, step := []byte(text), 1
	if apart {
		step = len(key)
	}
	var out []span
	for at := 0; len(out) < limit; {
		i := bytes.Index(b[at:], key)
		if i < 0 {
			break
		}
		at += i
		out = append(out, span{at, at + len(key)})
		at += step
	}
	return out
}
