package syntax

import "bytes"

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
