package json

import (
	"bytes"
	"slices"
)

// Lines turns byte offsets of one text into places that a person can find.
type Lines []int // offsets of the line ends

// LinesOf finds the lines of a text.
func LinesOf(text []byte) Lines {
	ends := make(Lines, 0, bytes.Count(text, []byte("\n")))
	for i, c := range text {
		if c == '\n' {
			ends = append(ends, i)
		}
	}
	return ends
}

// Place is the line and the column of an offset, both from 1; the column counts bytes.
func (l Lines) Place(offset int) (line, column int) {
	before, _ := slices.BinarySearch(l, offset)
	if before == 0 {
		return 1, offset + 1
	}
	return before + 1, offset - l[before-1]
}
