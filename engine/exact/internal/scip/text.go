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

// A lined is a text with the offsets at which its lines begin.
type lined struct {
	text   []byte
	begins []int
}

func lines(text []byte) lined {
	begins := []int{0}
	for i, c := range text {
		if c == '\n' {
			begins = append(begins, i+1)
		}
	}
	return lined{text, begins}
}

// line is a line of the text, counted from 0, without its end, and the offset at which it begins; false: there is none.
func (l lined) line(n int) (line []byte, begin int, ok bool) {
	if n < 0 || n >= len(l.begins) {
		return nil, 0, false
	}
	begin, end := l.begins[n], len(l.text)
	if n+1 < len(l.begins) {
		end = l.begins[n+1] - 1
	}
	return l.text[begin:end], begin, true
}

// foreign reports whether a line has other letters than those of ASCII.
func (l lined) foreign(n int) bool {
	line, _, _ := l.line(n)
	return slices.ContainsFunc(line, func(c byte) bool { return c >= utf8.RuneSelf })
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

// within is where a name stands in a text; false: it stands on no whole word.
func (d *Document) within(l lined, n name) (from, to int, ok bool) {
	line, begin, ok := l.line(int(n.line))
	if !ok {
		return 0, 0, false
	}
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
	l := lines(text)
	locals := map[int32]string{}
	for _, n := range d.names {
		from, to, ok := d.within(l, n)
		if !ok {
			if d.units == unitsUnknown && l.foreign(int(n.line)) {
				continue // nobody knows where it stands
			}
			return false
		}
		word := string(text[from:to])
		s := &d.index.symbols[n.symbol]
		if !s.local {
			if !s.fits(word, n.defines) {
				return false
			}
			continue
		}
		if first, met := locals[n.symbol]; !met {
			locals[n.symbol] = word
		} else if otherNames(first, word) {
			return false
		}
	}
	return true
}

// fits reports whether a word may be what a text calls the symbol. A use may have another name, or quotes around it.
func (s *symbol) fits(word string, defines bool) bool {
	if s.name == word || s.name == "" {
		return true
	}
	return !defines && (ownName(word) || strings.Contains(word, s.name))
}

// otherNames reports whether two words cannot be one local symbol.
func otherNames(a, b string) bool { return a != b && ownName(a) && ownName(b) }

// ownName reports whether a word is one that a local symbol has everywhere: indexers have others for it where it is
// what a file exports, and mark more than the name where it gets another one.
func ownName(word string) bool {
	return word != "exports" && word != "module" && wordEnd([]byte(word), 0) == len(word)
}

// At are the definitions of the name that begins at a place of the text and ends with its word; none: it is one of the
// language's own library. false: the document does not say. The column counts UTF-16, as do those of Position.
func (d *Document) At(text []byte, line, column int) ([]Place, bool) {
	l := lines(text)
	whole, begin, ok := l.line(line)
	if !ok {
		return nil, false
	}
	off, ok := unitsUTF16.offset(whole, int32(column))
	if !ok {
		return nil, false
	}
	off += begin
	var out []Place
	found := false
	for _, n := range d.on(line) {
		from, to, ok := d.within(l, n)
		if !ok || from != off || to != wordEnd(text, off) {
			continue
		}
		s := &d.index.symbols[n.symbol]
		if !s.known(string(text[from:to])) {
			return nil, false
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

// on are the names on a line.
func (d *Document) on(line int) []name {
	from := sort.Search(len(d.names), func(i int) bool { return int(d.names[i].line) >= line })
	to := from
	for to < len(d.names) && int(d.names[to].line) == line {
		to++
	}
	return d.names[from:to]
}

// known reports whether the index knows where a symbol is defined that a text calls so.
func (s *symbol) known(word string) bool {
	if len(s.at) == 0 && !s.outside {
		return false // it may be defined in a part of the project that was not indexed
	}
	return s.local || s.name == "" || s.name == word // else it has another name here, or the index is wrong
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
	l := lines(text)
	from, _, ok := p.Doc.within(l, n)
	if !ok {
		return 0, 0, false
	}
	for _, r := range string(text[l.begins[n.line]:from]) {
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
