package edit

import "bytes"

// windowLines is how many unchanged lines a window has around the changes: what a diff shows.
const windowLines = 3

// Window is the part of both texts that holds every change, with whole lines and three unchanged ones around it, and the number of lines
// before it. A diff of the parts costs what the change is worth and not what the text is.
func (p *Plan) Window() (before, after []byte, line int) {
	head, tail, middle := p.changed()
	old := p.before
	start, end := lineStart(old, head, '\n'), len(old)-tail
	for range windowLines {
		if start > 0 {
			start = lineStart(old, start-1, '\n')
		}
	}
	for range windowLines + 1 {
		if i := bytes.IndexByte(old[end:], '\n'); i >= 0 {
			end += i + 1
		} else {
			end = len(old)
		}
	}
	after = make([]byte, 0, head-start+len(middle)+end-(len(old)-tail))
	after = append(append(append(after, old[start:head]...), middle...), old[len(old)-tail:end]...)
	return old[start:end], after, bytes.Count(old[:start], []byte{'\n'})
}

// changed tells how much both texts have in common at their ends, and what is new between.
func (p *Plan) changed() (head, tail int, middle []byte) {
	if n := len(p.parts); p.single && n > 2 {
		return len(p.parts[0]), len(p.parts[n-1]), bytes.Join(p.parts[1:n-1], nil)
	}
	now := p.flat()
	limit := min(len(now), len(p.before))
	head = agree(limit, func(at, n int) bool { return bytes.Equal(now[at:at+n], p.before[at:at+n]) })
	tail = agree(limit-head, func(at, n int) bool {
		return bytes.Equal(now[len(now)-at-n:len(now)-at], p.before[len(p.before)-at-n:len(p.before)-at])
	})
	return head, tail, now[head : len(now)-tail]
}

// agree is how long two texts are the same: blocks are compared much faster than bytes are.
func agree(limit int, same func(at, n int) bool) int {
	at := 0
	for step := 64 << 10; step > 0; step /= 16 {
		for at+step <= limit && same(at, step) {
			at += step
		}
	}
	return at
}
