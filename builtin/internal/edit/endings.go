package edit

import "strings"

// written is the new text as it stands in the file at the place s: with the endings that the lines
// there have.
func (f finder) written(old, new string, s span) []byte {
	new = lf(new)
	if f.style.nl == '\r' {
		return []byte(strings.ReplaceAll(new, "\n", "\r"))
	}
	if !f.style.mixed {
		return []byte(new)
	}
	lines := strings.Split(new, "\n")
	ends := f.endings(linesOf(old), lines, s)
	var out []byte
	for i, l := range lines {
		out = append(out, l...)
		if i < len(ends) {
			out = append(out, ends[i]...)
		}
	}
	return out
}

// endings gives every line break of the new lines its form: that of the old line it keeps, else
// that of the break before it, else that of the line where the place is.
func (f finder) endings(old, new []string, s span) []string {
	have := f.breaks(s)
	last := f.nearBreak(s)
	if len(have) > 0 {
		last = have[0]
	}
	ends := make([]string, len(new)-1)
	kept := align(old, new)
	for i := range ends {
		j := kept[i]
		if j >= 0 && j < len(have) {
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
		at = f.nextLine(at)
		if at > s.end || f.endsBefore(at) == 0 {
			break
		}
		out = append(out, f.breakAt(at))
	}
	return out
}

// breakAt is the form of the line break that ends before at.
func (f finder) breakAt(at int) string {
	if f.endsBefore(at) == 2 {
		return "\r\n"
	}
	return "\n"
}

// nearBreak is the form of the break of the place's last line, or of the line before when it has
// none.
func (f finder) nearBreak(s span) string {
	next := f.nextLine(s.end)
	if f.endsBefore(next) > 0 && next > s.end {
		return f.breakAt(next)
	}
	return f.breakAt(f.lineStart(s.start))
}

// maxAlign bounds the table of align; longer texts are aligned at both ends only.
const maxAlign = 4 << 20

// align finds for every new line the old line that it keeps, -1 for a line of its own: a longest
// common subsequence.
func align(old, new []string) []int {
	kept := make([]int, len(new))
	for i := range kept {
		kept[i] = -1
	}
	most := min(len(old), len(new))
	head := 0
	for head < most && old[head] == new[head] {
		kept[head] = head
		head++
	}
	tail := 0
	lastOld, lastNew := len(old)-1, len(new)-1
	for tail < most-head && old[lastOld-tail] == new[lastNew-tail] {
		kept[lastNew-tail] = lastOld - tail
		tail++
	}
	a := old[head : len(old)-tail]
	b := new[head : len(new)-tail]
	if len(a)*len(b) <= maxAlign {
		common(a, b, head, kept[head:])
	}
	return kept
}

// common marks in kept the lines of b that a longest common subsequence with a keeps. The length of
// that of a[i:] and b[j:] stands at i, j of a table, which is filled from its end.
func common(a, b []string, shift int, kept []int) {
	rows := make([][]int32, len(a)+1)
	for i := range rows {
		rows[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		row, below := rows[i], rows[i+1]
		for j := len(b) - 1; j >= 0; j-- {
			row[j] = max(below[j], row[j+1])
			if a[i] == b[j] {
				row[j] = below[j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			kept[j] = i + shift
			i++
			j++
		case rows[i+1][j] >= rows[i][j+1]:
			i++
		default:
			j++
		}
	}
}
