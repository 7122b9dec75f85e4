package scip

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// units are what columns count.
type units uint64

const (
	unitsUnknown units = iota // what goes is a line of ASCII, where all are the same
	unitsUTF8
	unitsUTF16
	unitsUTF32
)

// Doc is the part of a file; nil: there is none.
func (x *Index) Doc(path string) *Document { return x.docs[path] }

// Docs are the paths of all files.
func (x *Index) Docs(yield func(path string) bool) {
	for p := range x.docs {
		if !yield(p) {
			return
		}
	}
}

// lines are the offsets at which the lines of a text begin.
func lines(text []byte) []int {
	out := []int{0}
	for i, c := range text {
		if c == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

// offset is the place of a column in a line; false: the line has none such.
func (u units) offset(line []byte, column int32) (int, bool) {
	left := int(column)
	if left < 0 {
		return 0, false
	}
	off := 0
	for left > 0 {
		if off >= len(line) {
			return 0, false
		}
		r, size := utf8.DecodeRune(line[off:])
		switch {
		case r < utf8.RuneSelf:
			left--
		case u == unitsUTF8:
			left -= size
		case u == unitsUTF16 && r > 0xffff:
			left -= 2
		case u == unitsUnknown:
			return 0, false
		default:
			left--
		}
		off += size
	}
	return off, left == 0
}

// within is where a name stands in a text that begins its lines there; false: it stands on no whole word.
func (d *Document) within(text []byte, begins []int, n name) (from, to int, ok bool) {
	if int(n.line) >= len(begins) {
		return 0, 0, false
	}
	begin, end := begins[n.line], len(text)
	if int(n.line)+1 < len(begins) {
		end = begins[n.line+1] - 1
	}
	line := text[begin:end]
	from, ok1 := d.units.offset(line, n.start)
	to, ok2 := d.units.offset(line, n.end)
	if !ok1 || !ok2 || from >= to {
		return 0, 0, false
	}
	cut := func(i int) bool { return i > 0 && i < len(line) && isWord(line[i-1]) && isWord(line[i]) }
	return begin + from, begin + to, !cut(from) && !cut(to)
}

// Agrees tells whether the document may speak of this text: all of its names stand on whole words, those that it
// defines have their own name, and what is local to the file has one name there. A file that was changed otherwise,
// as by another value in a line, has the same names at the same places.
func (d *Document) Agrees(text []byte) bool {
	begins := lines(text)
	locals := map[int32]string{}
	for _, n := range d.names {
		from, to, ok := d.within(text, begins, n)
		switch {
		case !ok && d.units == unitsUnknown && others(text, begins, n.line):
			continue // nobody knows where it stands
		case !ok:
			return false
		}
		word := string(text[from:to])
		s := &d.index.symbols[n.symbol]
		switch {
		case s.local:
			if first, ok := locals[n.symbol]; !ok {
				locals[n.symbol] = word
			} else if first != word && ownName(first) && ownName(word) {
				return false
			}
		case s.name == word || s.name == "":
		case n.defines || !ownName(word) && !strings.Contains(word, s.name):
			return false // a use may have another name, or quotes around it
		}
	}
	return true
}

// others reports whether a line has other letters than those of ASCII.
func others(text []byte, begins []int, line int32) bool {
	if int(line) >= len(begins) {
		return false
	}
	for _, c := range text[begins[line]:] {
		if c >= utf8.RuneSelf || c == '\n' {
			return c != '\n'
		}
	}
	return false
}

// ownName reports whether a word is one that a local symbol has everywhere: indexers have others for it where it is
// what a file exports, and mark more than the name where it gets another one.
func ownName(word string) bool {
	return word != "exports" && word != "module" && wordEnd([]byte(word), 0) == len(word)
}

// At are the definitions of the name that begins at a place of the text and ends with its word; none: it is one of the
// language's own library. false: the document does not say. The column counts UTF-16, as do those of Position.
func (d *Document) At(text []byte, line, column int) ([]Place, bool) {
	i := sort.Search(len(d.names), func(i int) bool { return int(d.names[i].line) >= line })
	begins := lines(text)
	if line < 0 || line >= len(begins) {
		return nil, false
	}
	off, ok := unitsUTF16.offset(text[begins[line]:], int32(column))
	if !ok {
		return nil, false
	}
	off += begins[line]
	var out []Place
	found := false
	for ; i < len(d.names) && int(d.names[i].line) == line; i++ {
		n := d.names[i]
		from, to, ok := d.within(text, begins, n)
		if !ok || from != off || to != wordEnd(text, off) {
			continue
		}
		s := &d.index.symbols[n.symbol]
		switch {
		case len(s.at) == 0 && !s.outside:
			return nil, false // it may be defined in a part of the project that was not indexed
		case !s.local && s.name != "" && s.name != string(text[from:to]):
			return nil, false // it has another name here, or the index is wrong
		}
		found = true
		for _, p := range s.at {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out, found
}

// wordEnd is where the word at an offset ends.
func wordEnd(text []byte, off int) int {
	for off < len(text) && isWord(text[off]) {
		off++
	}
	return off
}

// Position is a place's line, and its column in units of UTF-16, in the text of its document; false: it is not there.
func (p Place) Position(text []byte) (line, column int, ok bool) {
	n := p.Doc.names[p.name]
	begins := lines(text)
	from, _, ok := p.Doc.within(text, begins, n)
	if !ok {
		return 0, 0, false
	}
	for _, r := range string(text[begins[n.line]:from]) {
		column++
		if r > 0xffff {
			column++
		}
	}
	return int(n.line), column, true
}

// Uses are the documents that define what names of this one mean.
func (d *Document) Uses() []*Document {
	var out []*Document
	seen := map[*Document]bool{d: true}
	for _, n := range d.names {
		s := &d.index.symbols[n.symbol]
		if s.local || s.name == "" {
			continue
		}
		for _, p := range s.at {
			if !seen[p.Doc] {
				seen[p.Doc] = true
				out = append(out, p.Doc)
			}
		}
	}
	return out
}
