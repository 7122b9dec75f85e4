package syntax

import "bytes"

// maxSections bounds the outline of a file of prose or data.
const maxSections = 20_000

// maxKeyDepth is how deep keys of data count as an outline.
const maxKeyDepth = 4

// outline is what the readers share that know lines only, and no tokens: sections of a file, one in another by their
// level.
type outline struct {
	*reader
	open []section // those around the line that is read, the outermost first
}

// section is a heading or key with the lines below it.
type section struct {
	def   int32
	level int // of two sections the one with the higher level stands in the other
}

// textLine is one line of a file.
type textLine struct {
	text       []byte // without its end
	start, end int    // in the file
	number     int    // from 1
}

// lines calls each for one line after the other, as long as the outline has room.
func (o *outline) lines(each func(l textLine)) {
	start := 0
	for n := 1; start < len(o.src) && len(o.rows.Defs) < maxSections; n++ {
		end := len(o.src)
		if k := bytes.IndexByte(o.src[start:], '\n'); k >= 0 {
			end = start + k
		}
		text := bytes.TrimRight(o.src[start:end], "\r")
		each(textLine{text, start, start + len(text), n})
		start = end + 1
	}
	for _, s := range o.open {
		o.end(s, len(o.src), o.rows.Lines)
	}
}

// section adds a heading or key, whose name stands in the lines from one to another, and ends the sections that it
// closes.
func (o *outline) section(kind Kind, name []byte, level int, from, to textLine) {
	for n := len(o.open); n > 0 && o.open[n-1].level >= level; n = len(o.open) {
		o.end(o.open[n-1], from.start, from.number-1)
		o.open = o.open[:n-1]
	}
	parent := noDef
	if n := len(o.open); n > 0 {
		parent = o.open[n-1].def
	}
	if len(name) > maxExpr {
		name = name[:maxExpr]
	}
	o.open = append(o.open, section{int32(len(o.rows.Defs)), level})
	o.rows.Defs = append(o.rows.Defs, Def{
		Name: o.names.Intern(name), Kind: kind, Parent: parent,
		Start: int32(from.start), End: int32(to.end), Body: int32(to.end),
		Line: int32(from.number), EndLine: int32(from.number),
	})
}

// end ends a section before an offset, with a line.
func (o *outline) end(s section, offset, line int) {
	def := o.def(s.def)
	def.End, def.EndLine = max(int32(offset), def.Start), max(int32(line), def.Line)
	def.Body = min(def.Body, def.End)
}

// markdownReader takes the headings of Markdown as sections. Fenced code holds none.
type markdownReader struct {
	outline
	fence  []byte   // what the fence began with that the line stands in, or nil
	before textLine // the line before, unless it belongs to a fence
}

func (r *reader) readMarkdown() {
	m := &markdownReader{outline: outline{reader: r}}
	m.lines(m.line)
}

func (r *markdownReader) line(l textLine) {
	text := bytes.TrimLeft(l.text, " ")
	if mark := fenceOf(text); mark != nil {
		r.fenced(mark, text)
		r.before = textLine{}
		return
	}
	if r.fence != nil {
		return
	}
	if level := headingLevel(text); level > 0 {
		name := bytes.TrimRight(bytes.TrimSpace(text[level:]), "#")
		r.section(Section, bytes.TrimSpace(name), level, l, l)
	} else if level := underline(text); level > 0 && len(bytes.TrimSpace(r.before.text)) > 0 {
		r.section(Section, bytes.TrimSpace(r.before.text), level, r.before, l)
	}
	r.before = l
}

// fenced begins a fence with the mark of a line, or ends the one around it.
func (r *markdownReader) fenced(mark, text []byte) {
	switch {
	case r.fence == nil:
		r.fence = mark
	case bytes.HasPrefix(mark, r.fence) && len(bytes.TrimLeft(text, string(r.fence[:1]))) == 0:
		r.fence = nil
	}
}

// fenceOf is the mark that begins or ends a fence: at least three ` or ~.
func fenceOf(text []byte) []byte {
	n := 0
	for n < len(text) && (text[n] == '`' || text[n] == '~') && text[n] == text[0] {
		n++
	}
	if n < 3 {
		return nil
	}
	return text[:n]
}

// headingLevel is the level of the heading in a line; 0: it is none.
func headingLevel(text []byte) int {
	n := 0
	for n < len(text) && text[n] == '#' {
		n++
	}
	if n == 0 || n > 6 || n == len(text) || text[n] != ' ' && text[n] != '\t' {
		return 0
	}
	return n
}

// underline is the level that a line of = or - gives to the line before it; 0: it is none.
func underline(text []byte) int {
	text = bytes.TrimSpace(text)
	if len(text) < 2 || len(bytes.Trim(text, string(text[:1]))) > 0 {
		return 0
	}
	switch text[0] {
	case '=':
		return 1
	case '-':
		return 2
	}
	return 0
}
