package edit

import "strings"

// reindent writes the new text for a fit: lines that the edit keeps are the file's own bytes, the
// others are indented as the file indents. It gives up when that is not clear.
func (f finder) reindent(e Edit, m fit) ([]byte, bool) {
	if e.New == "" {
		return nil, true
	}
	old, new := linesOf(e.Old), linesOf(e.New)
	in := f.learn(old, new, m)
	kept := align(old, new)
	for i, l := range new {
		switch {
		case kept[i] >= 0 && kept[i] < len(m.lines):
			new[i] = f.kept(m, kept[i])
		case i == 0 && !m.head:
			// What stands before it on its line has the indentation.
			new[i] = strings.TrimLeft(l, " \t")
		default:
			moved, ok := in.move(l)
			if !ok {
				return nil, false
			}
			new[i] = moved
		}
	}
	text := strings.Join(new, "\n")
	if m.final && f.endsBefore(m.end) == 0 { // the file's last line has no ending, and gets none
		text = strings.TrimSuffix(text, "\n")
	}
	return f.written(e.Old, text, m.span), true
}

// kept is the file's own form of an old line.
func (f finder) kept(m fit, i int) string {
	line := m.lines[i]
	last := len(m.lines) - 1
	if i == 0 {
		line.start = m.start
	}
	if i == last && !m.final {
		line.end = m.end
	}
	return string(f.text(line))
}

// indents knows how the indentation of the edit's lines is written in the file.
type indents struct {
	pairs    map[string]string
	clashes  map[string]bool
	from, to string // one step, in the edit and in the file; "" where it is not known
}

// learn compares the old lines' indentation with that of the file's lines they face.
func (f finder) learn(old, new []string, m fit) indents {
	in := indents{
		pairs:   map[string]string{},
		clashes: map[string]bool{},
		from:    step(append(old[:len(old):len(old)], new...)),
		to:      step(f.nearby(m)),
	}
	for i, l := range m.lines {
		// A place that begins inside a line says nothing of how that line is indented.
		if i == 0 && !m.head || blankLine(old[i]) {
			continue
		}
		mine := indentOf(old[i])
		theirs := indentOf(string(f.text(l)))
		have, seen := in.pairs[mine]
		if seen && have != theirs {
			in.clashes[mine] = true
		}
		in.pairs[mine] = theirs
	}
	return in
}

// nearbyBytes is how far around a place the file's indentation is looked at.
const nearbyBytes = 16 << 10

// nearby are the lines around a place: they show the step where the place itself has one level
// only.
func (f finder) nearby(m fit) []string {
	around := span{
		start: f.lineStart(max(0, m.start-nearbyBytes)),
		end:   min(len(f.content), m.end+nearbyBytes),
	}
	return f.lines(around)
}

// blankLine tells of a line whose indentation means nothing.
func blankLine(l string) bool {
	return strings.TrimSpace(l) == ""
}

func indentOf(line string) string {
	rest := strings.TrimLeft(line, " \t")
	return strings.TrimSuffix(line, rest)
}

// step is one level of indentation: a tab where lines begin with tabs, else the spaces that all
// depths are a multiple of. It is "" where lines do not agree.
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
	if blankLine(l) {
		return "", true
	}
	mine := indentOf(l)
	theirs, ok := in.file(mine)
	return theirs + l[len(mine):], ok
}

// file finds the file's indentation for one of the edit's: as an old line had it, else deeper or
// less deep than the nearest that one had.
func (in indents) file(mine string) (string, bool) {
	theirs, ok := in.pairs[mine]
	if ok {
		return theirs, !in.clashes[mine]
	}
	base, deeper := in.base(mine)
	if deeper && !in.clashes[base] {
		extra, ok := in.convert(mine[len(base):])
		return in.pairs[base] + extra, ok
	}
	above, less := in.above(mine)
	if less && !in.clashes[above] {
		extra, ok := in.convert(above[len(mine):])
		rest, fits := strings.CutSuffix(in.pairs[above], extra)
		return rest, ok && fits
	}
	return "", len(in.pairs) == 0 && mine == ""
}

// base is the deepest indentation that another goes on from.
func (in indents) base(mine string) (best string, found bool) {
	for k := range in.pairs {
		if !strings.HasPrefix(mine, k) {
			continue
		}
		if !found || len(k) > len(best) {
			best, found = k, true
		}
	}
	return best, found
}

// above is the least deep indentation that goes on from another.
func (in indents) above(mine string) (best string, found bool) {
	for k := range in.pairs {
		if !strings.HasPrefix(k, mine) {
			continue
		}
		if !found || len(k) < len(best) {
			best, found = k, true
		}
	}
	return best, found
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
