package terminal

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A row is what stands in one line of the terminal.
type row struct {
	text string
	line string // what its colour goes by: the line of the text that it is a part of, or titleRow
}

// titleRow marks the rows of a title. No line of a text has a line feed in it.
const titleRow = "\n"

// wrapped is text from outside in rows of no more than width cells, safe to show.
func wrapped(text string, width int) []row {
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return nil
	}
	var out []row
	for line := range strings.SplitSeq(text, "\n") {
		line = Text(line)
		for part := range parts(line, max(width, 1)) {
			out = append(out, row{part, line})
		}
	}
	return out
}

// folded is the same for words, which are broken between them where that can be.
func folded(text string, width int) []row {
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return nil
	}
	var out []row
	for line := range strings.SplitSeq(text, "\n") {
		line = Text(line)
		for part := range strings.SplitSeq(ansi.Wrap(line, max(width, 1), ""), "\n") {
			out = append(out, row{part, line})
		}
	}
	return out
}

// parts cuts a line at the width, wide characters being whole. A line of ASCII may have megabytes, and is cut without a
// look at it.
func parts(line string, width int) func(yield func(string) bool) {
	if !ascii(line) {
		return strings.SplitSeq(ansi.Hardwrap(line, width, true), "\n")
	}
	return func(yield func(string) bool) {
		for len(line) > width {
			if !yield(line[:width]) {
				return
			}
			line = line[width:]
		}
		yield(line)
	}
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Fit cuts a line of visible text to a number of cells: one that wraps cannot be drawn over.
func Fit(s string, cells int) string { return ansi.Truncate(s, cells, "…") }

// Cells is how many cells a line of visible text takes.
func Cells(s string) int { return ansi.StringWidth(s) }

// Wrap breaks text into lines of no more than so many cells, between words where that can be. What is hidden in it is
// written out.
func Wrap(text string, cells int) []string {
	var out []string
	for _, r := range folded(text, cells) {
		out = append(out, r.text)
	}
	return out
}
