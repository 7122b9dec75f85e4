package search

import (
	"io"
	"regexp"
	"strconv"
	"strings"

	"helve/cmd/internal/command"
	"helve/cmd/internal/terminal"
	"helve/engine/search"
)

// headings print what a search finds for a person at a terminal: the lines of a file below its name, with colours.
// What files contain does not steer the terminal: hidden characters are written out.
type headings struct {
	to    io.Writer
	paint terminal.Painter
	query search.Query
	match *regexp.Regexp // what is marked in a line; nil: nothing

	file string // whose lines were printed last; "": none were
	last int    // the number of the last of them
}

// newHeadings prints to a terminal. Without colours nothing is marked, so that no expression is made.
func newHeadings(s command.Streams, to io.Writer, q search.Query) *headings {
	at := terminal.Terminal{In: s.Stdin, Out: s.Stdout, Environ: s.Environ}
	h := &headings{to: to, paint: at.Painter(), query: q}
	if h.paint.On && !q.Invert {
		h.match = marked(q)
	}
	return h
}

// marked is an expression for what a query finds within a line, for the colours alone: its \w \d \b are those of
// ASCII, where the search has Unicode's. nil: there is no such expression.
func marked(q search.Query) *regexp.Regexp {
	var all []string
	for _, p := range q.Patterns {
		if q.Fixed {
			p = regexp.QuoteMeta(p)
		}
		all = append(all, "(?:"+p+")")
	}
	expr := "(?:" + strings.Join(all, "|") + ")"
	if q.Word {
		expr = `\b` + expr + `\b`
	}
	lower := strings.Join(q.Patterns, "")
	if q.IgnoreCase || q.SmartCase && lower == strings.ToLower(lower) {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil { // the search takes more than this does
		return nil
	}
	return re
}

// print prints a file, or a part of one.
func (h *headings) print(f *search.File) error {
	var b strings.Builder
	path := h.paint.Path(command.Printable(f.Path))
	switch h.query.Mode {
	case search.Files:
		b.WriteString(path + "\n")
	case search.Count:
		if !f.More { // before the last part the count is not whole
			b.WriteString(path + ":" + strconv.Itoa(f.Count) + "\n")
		}
	default:
		h.lines(&b, f, path)
	}
	_, err := io.WriteString(h.to, b.String())
	return err
}

// lines prints lines with their numbers; -- stands where some are left out between lines of context.
func (h *headings) lines(b *strings.Builder, f *search.File, path string) {
	if f.Path != h.file {
		if h.file != "" {
			b.WriteByte('\n')
		}
		b.WriteString(path + "\n")
		h.file, h.last = f.Path, 0
	}
	context := h.query.Before > 0 || h.query.After > 0
	for _, l := range f.Lines {
		if context && h.last > 0 && l.Number > h.last+1 {
			b.WriteString(h.paint.Dim("--") + "\n")
		}
		h.last = l.Number
		separator := ":"
		if l.Context {
			separator = "-"
		}
		b.WriteString(h.paint.Number(strconv.Itoa(l.Number)) + separator)
		if l.Column > 0 && h.query.Columns {
			b.WriteString(strconv.Itoa(l.Column) + separator)
		}
		b.WriteString(h.text(l) + "\n")
	}
}

// text is a line with its matches marked.
func (h *headings) text(l search.Line) string {
	line := strings.TrimSuffix(string(l.Text), "\r") // which would move the cursor, and is no part of the text
	if l.Context || h.match == nil {
		return command.Printable(line)
	}
	var b strings.Builder
	end := 0
	for _, span := range h.match.FindAllStringIndex(line, -1) {
		b.WriteString(command.Printable(line[end:span[0]]))
		b.WriteString(h.paint.Match(command.Printable(line[span[0]:span[1]])))
		end = span[1]
	}
	b.WriteString(command.Printable(line[end:]))
	return b.String()
}
