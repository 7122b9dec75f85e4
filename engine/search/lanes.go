package search

import "bytes"

// minLanes is the shortest text worth cutting in four.
const minLanes = 512

// nothing reports whether no line of b can match. It runs the automaton over four parts of the text at once, so that
// the processor has something to do while it waits for the next state of one of them: that is the cost of an
// automaton. On false nothing is known.
func (d *dfa) nothing(b []byte) bool {
	if len(b) < minLanes || d.p.multi {
		return false
	}
	var part [4][]byte
	for i := range 3 {
		even := len(b) / (4 - i)
		cut := even + bytes.IndexByte(b[even:], '\n') + 1
		part[i], b = b[:cut], b[cut:]
	}
	part[3] = b
	short := min(len(part[0]), len(part[1]), len(part[2]), len(part[3]))
	states := [4]int32{d.start, d.start, d.start, d.start}
	for from := 0; from < short; from += stretch / 4 {
		end := min(short, from+stretch/4)
		if d.stop.Load() || !d.lockstep(&part, from, end, &states) {
			return false
		}
	}
	resets := d.resets
	for i, s := range states {
		if d.resets != resets { // the states were dropped, and s is the number of another
			return false
		}
		if !d.finish(part[i][short:], s) {
			return false
		}
	}
	return true
}

// lockstep feeds the bytes from:to of every part. It reports whether none of them came to a match. The four states are
// variables, not an array, so that they stay in registers; the codes below zero show in the sign of all four or-ed.
func (d *dfa) lockstep(part *[4][]byte, from, to int, states *[4]int32) bool {
	a, b := part[0][from:to], part[1][from:to]
	c, e := part[2][from:to], part[3][from:to]
	s, t, u, v := states[0], states[1], states[2], states[3]
	next := d.next
	for i := range a {
		if i >= len(b) || i >= len(c) || i >= len(e) {
			break // never: it spares the compiler's own checks
		}
		n := next[s+int32(a[i])]
		m := next[t+int32(b[i])]
		o := next[u+int32(c[i])]
		p := next[v+int32(e[i])]
		if n|m|o|p < 0 {
			codes := [4]int32{n, m, o, p}
			if !d.settle(&codes, [4]int32{s, t, u, v}, [4]byte{a[i], b[i], c[i], e[i]}) {
				return false
			}
			n, m, o, p = codes[0], codes[1], codes[2], codes[3]
			next = d.next
		}
		s, t, u, v = n, m, o, p
	}
	d.fed += 4 * (to - from)
	*states = [4]int32{s, t, u, v}
	return true
}

// settle computes the transitions that are not known yet. It fails on a match, and when the states were dropped
// meanwhile.
func (d *dfa) settle(codes *[4]int32, from [4]int32, c [4]byte) bool {
	for i := range codes {
		if codes[i] == stepUnknown {
			before := d.resets
			codes[i] = d.step(from[i], c[i])
			if d.resets != before {
				return false
			}
		}
		if codes[i] < 0 {
			return false
		}
	}
	return true
}

// finish feeds the rest of one part.
func (d *dfa) finish(b []byte, s int32) bool {
	_, s = d.run(s, b, 0)
	if s < 0 {
		return false
	}
	_, found := d.end(s, 0)
	return found == noMatch
}
