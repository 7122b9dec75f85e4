package terminal

import "strings"

// The colours of a terminal (ECMA-48).
const (
	bold   = "\x1b[1m"
	faint  = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	purple = "\x1b[35m"
	cyan   = "\x1b[36m"
	strong = "\x1b[1;31m" // bold and red
	reset  = "\x1b[0m"
)

// A Painter colours text, or leaves it alone. The zero value leaves it alone.
type Painter struct{ On bool }

func (p Painter) with(colour, text string) string {
	if !p.On || text == "" {
		return text
	}
	return colour + text + reset
}

func (p Painter) Bold(s string) string { return p.with(bold, s) }
func (p Painter) Dim(s string) string  { return p.with(faint, s) }

// What a search finds, in the colours that people know from grep: where it is, and what matches.
func (p Painter) Path(s string) string   { return p.with(purple, s) }
func (p Painter) Number(s string) string { return p.with(green, s) }
func (p Painter) Match(s string) string  { return p.with(strong, s) }

func (p Painter) warn(s string) string { return p.with(yellow, s) }

// DiffLine colours a line of a unified diff.
func (p Painter) DiffLine(s string) string { return p.diff(s, s) }

// diff colours a part of a line of a unified diff by the line's first character.
func (p Painter) diff(line, part string) string {
	switch {
	case strings.HasPrefix(line, "+"):
		return p.with(green, part)
	case strings.HasPrefix(line, "-"):
		return p.with(red, part)
	case strings.HasPrefix(line, "@"):
		return p.with(cyan, part)
	}
	return part
}
