package meaning

import (
	"bytes"
	"unicode/utf8"

	"helve/engine/code/internal/store"
)

// This file finds the places in a text that a Checker is asked about, and those that it names.

// placesOf are the places that a mention stands for: those on its line first, then further ones in the same
// definition, of which an index keeps the first only. Lines that have a mention of their own are left to it.
func (r *checking) placesOf(m *Mention, text []byte) []store.Position {
	name, line := r.Tree.Lex.Text(m.Name), int(m.Line)
	list := namesOn(text, line, line, name)
	if len(list) == 0 || m.From < 0 {
		return list
	}
	d := r.Def(store.At(m.File, m.From))
	more := namesOn(text, line+1, int(d.EndLine), name)
	if len(more) == 0 {
		return list
	}
	own := map[int32]bool{}
	for _, u := range r.ahead.named(r.Tree.Files[m.File].Packed, m.File, m.Name) {
		if u.From == m.From {
			own[u.Line] = true
		}
	}
	for _, p := range more {
		if !own[int32(p.Line)+1] {
			list = append(list, p)
		}
	}
	if len(list) > maxNamed {
		return nil
	}
	return list
}

// namesOn are the places of a name on some lines, which are counted from 1.
func namesOn(text []byte, first, last int, name string) []store.Position {
	var list []store.Position
	for line := 1; line <= last && len(text) > 0; line++ {
		rest := []byte(nil)
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			text, rest = text[:i], text[i+1:]
		}
		for at := 0; line >= first; {
			i := bytes.Index(text[at:], []byte(name))
			if i < 0 {
				break
			}
			from := at + i
			at = from + max(1, len(name))
			if (from == 0 || !IsNameByte(text[from-1])) && (at >= len(text) || !IsNameByte(text[at])) {
				list = append(list, store.Position{Line: line - 1, Column: Units(text[:from])})
			}
		}
		text = rest
	}
	return list
}

// Units counts the units of UTF-16 in a text.
func Units(text []byte) int {
	n := 0
	for _, c := range string(text) {
		if n++; c > 0xffff {
			n++
		}
	}
	return n
}

// offsetOf is the offset of a position in a text; false where the text has no such position.
func offsetOf(text []byte, at store.Position) (int, bool) {
	if at.Line < 0 || at.Column < 0 {
		return 0, false
	}
	off := 0
	for range at.Line {
		i := bytes.IndexByte(text[off:], '\n')
		if i < 0 {
			return 0, false
		}
		off += i + 1
	}
	for n := at.Column; n > 0; n-- {
		if off >= len(text) || text[off] == '\n' {
			return 0, false
		}
		c, size := utf8.DecodeRune(text[off:])
		if c > 0xffff {
			n--
		}
		off += size
	}
	return off, true
}
