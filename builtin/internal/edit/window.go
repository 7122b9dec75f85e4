package edit

import "bytes"

// windowLines is how many unchanged lines a window has around the changes: what a diff shows.
const windowLines = 3

// Window is the part of both texts that holds every change, with whole lines and three unchanged
// ones around it, and the number of lines before it. A diff of the parts costs what the change is
// worth and not what the text is.
func (p *Plan) Window() (before, after []byte, line int) {
	head, tail, middle := p.changed()
	old := p.before
	behind := len(old) - tail
	start, end := lineStart(old, head, '\n'), behind
	for range windowLines {
		if start > 0 {
			start = lineStart(old, start-1, '\n')
		}
	}
	for range windowLines + 1 {
		end = nextLine(old, end, '\n')
	}
	after = bytes.Join([][]byte{old[start:head], middle, old[behind:end]}, nil)
	line = bytes.Count(old[:start], []byte("\n"))
	return old[start:end], after, line
}

// changed tells how much both texts have in common at their ends, and what is new between.
func (p *Plan) changed() (head, tail int, middle []byte) {
	last := len(p.parts) - 1
	if p.single && last > 1 {
		middle = bytes.Join(p.parts[1:last], nil)
		return len(p.parts[0]), len(p.parts[last]), middle
	}
	now := p.flat()
	limit := min(len(now), len(p.before))
	head = agree(limit, func(from, to int) bool {
		return bytes.Equal(now[from:to], p.before[from:to])
	})
	now, old := now[head:], p.before[head:]
	tail = agree(limit-head, func(from, to int) bool {
		a := now[len(now)-to : len(now)-from]
		b := old[len(old)-to : len(old)-from]
		return bytes.Equal(a, b)
	})
	return head, tail, now[:len(now)-tail]
}

// agree is how long two texts are the same: blocks are compared much faster than bytes are.
func agree(limit int, same func(from, to int) bool) int {
	at := 0
	for step := 64 << 10; step > 0; step /= 16 {
		for at+step <= limit && same(at, at+step) {
			at += step
		}
	}
	return at
}
