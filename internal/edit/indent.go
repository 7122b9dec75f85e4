package edit

import (
	"bytes"
	"strings"
)

// reindent writes the new text for a fit: lines that the edit keeps are the file's own bytes, the others are indented
// as the file indents. It gives up when that is not clear.
func (f finder) reindent(e Edit, m fit) ([]byte, bool) {
	old, new := strings.Split(lf(e.Old), "\n"), strings.Split(lf(e.New), "\n")
	if e.New == "" {
		return nil, true
	}
	kept := align(old, new)
	in := f.learn(old, new, m)
	out := make([]string, len(new))
	for i, l := range new {
		switch {
		case kept[i] >= 0 && kept[i] < len(m.lines):
			out[i] = f.kept(m, kept[i])
		case i == 0 && !m.head:
			out[i] = strings.TrimLeft(l, " \t")
		default:
			moved, ok := in.move(l)
			if !ok {
				return nil, false
			}
			out[i] = moved
		}
	}
	return f.join(e, m, old, out), true
}

// kept is the file's own form of an old line.
func (f finder) kept(m fit, i int) string {
	start, end := m.lines[i].start, m.lines[i].end
	if i == 0 {
		start = m.start
	}
	if i == len(m.lines)-1 && !m.final {
		end = m.end
	}
	return string(f.content[start:end])
}

// join puts the line endings back: those of the place, and none at the end of a file that has none.
func (f finder) join(e Edit, m fit, old, lines []string) []byte {
	text := strings.Join(lines, "\n")
	if m.final && endingBefore(f.content[:m.end], f.style.nl) == 0 {
		text = strings.TrimSuffix(text, "\n")
	}
	return f.written(strings.Join(old, "\n"), text, m.span)
}

// indents knows how the indentation of the edit's lines is written in the file.
type indents struct {
	pairs    map[string]string
	clashes  map[string]bool
	from, to string // one step, in the edit and in the file; "" where it is not known
}

// learn compares the old lines' indentation with that of the file's lines they face.
func (f finder) learn(old, new []string, m fit) indents {
	in := indents{pairs: map[string]string{}, clashes: map[string]bool{}}
	for i, l := range m.lines {
		if i == 0 && !m.head || strings.TrimSpace(old[i]) == "" {
			continue
		}
		mine, theirs := indentOf(old[i]), indentOf(string(f.content[l.start:l.end]))
		if have, ok := in.pairs[mine]; ok && have != theirs {
			in.clashes[mine] = true
		}
		in.pairs[mine] = theirs
	}
	in.from = step(append(append([]string(nil), old...), new...))
	in.to = step(f.nearby(m))
	return in
}

// nearbyBytes is how far around a place the file's indentation is looked at.
const nearbyBytes = 16 << 10

func (f finder) nearby(m fit) []string {
	start := lineStart(f.content, max(0, m.start-nearbyBytes), f.style.nl)
	end := min(len(f.content), m.end+nearbyBytes)
	var out []string
	for _, l := range splitLines(f.content[start:end], f.style.nl) {
		out = append(out, string(l))
	}
	return out
}

func splitLines(b []byte, nl byte) [][]byte {
	lines := bytes.Split(bytes.TrimSuffix(b, []byte{nl}), []byte{nl})
	for i, l := range lines {
		lines[i] = bytes.TrimSuffix(l, []byte{'\r'})
	}
	return lines
}

func indentOf(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// step is one level of indentation: a tab where lines begin with tabs, else the spaces that all depths are a multiple
// of. It is "" where lines do not agree.
func step(lines []string) string {
	tabs, depth := 0, 0
	for _, l := range lines {
		in := indentOf(l)
		switch {
		case in == "" || in == l:
		case strings.Trim(in, "\t") == "":
			tabs++
		case strings.Trim(in, " ") == "":
			depth = gcd(depth, len(in))
		}
	}
	switch {
	case tabs > 0 && depth > 1:
		return "" // both: which one a new line takes is a guess
	case tabs > 0:
		return "\t"
	}
	return strings.Repeat(" ", depth)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// move writes a line with the file's indentation.
func (in indents) move(l string) (string, bool) {
	if strings.TrimSpace(l) == "" {
		return "", true
	}
	mine := indentOf(l)
	theirs, ok := in.file(mine)
	return theirs + l[len(mine):], ok
}

// file finds the file's indentation for one of the edit's: as an old line had it, else deeper or less deep than one.
func (in indents) file(mine string) (string, bool) {
	if theirs, ok := in.pairs[mine]; ok {
		return theirs, !in.clashes[mine]
	}
	base, above := "", ""
	hasBase, hasAbove := false, false
	for k := range in.pairs {
		if strings.HasPrefix(mine, k) && (!hasBase || len(k) > len(base)) {
			base, hasBase = k, true
		}
		if strings.HasPrefix(k, mine) && (!hasAbove || len(k) < len(above)) {
			above, hasAbove = k, true
		}
	}
	switch {
	case hasBase && !in.clashes[base]:
		extra, ok := in.convert(mine[len(base):])
		return in.pairs[base] + extra, ok
	case hasAbove && !in.clashes[above]:
		less, ok := in.convert(above[len(mine):])
		theirs := in.pairs[above]
		return strings.TrimSuffix(theirs, less), ok && strings.HasSuffix(theirs, less)
	}
	return "", len(in.pairs) == 0 && mine == ""
}

// convert writes levels of the edit as levels of the file.
func (in indents) convert(rest string) (string, bool) {
	if in.from == "" || in.to == "" {
		return "", false
	}
	n := strings.Count(rest, in.from)
	if strings.Repeat(in.from, n) != rest {
		return "", false
	}
	return strings.Repeat(in.to, n), true
}
