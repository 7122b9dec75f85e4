package charset

import (
	_ "embed"
	"encoding/binary"
	"slices"
	"sync"
	"unicode/utf8"

	"helve/internal/packed"
)

// The characters of the encodings, in the order of their codes: see pack in the tests, which makes them of
// golang.org/x/text.
//
//go:embed letters.zst
var packedLetters []byte

//go:embed pairs.zst
var packedPairs []byte

// The lists of runes that are packed in them.
var (
	letterLists = sync.OnceValue(func() [][]rune { return unpack(packedLetters) })
	pairLists   = sync.OnceValue(func() [][]rune { return unpack(packedPairs) })
)

// unpack reads lists of runes: the length of each, then how far each rune is from the one before, one more where it is
// no smaller. A code without a character is 0.
func unpack(b []byte) (out [][]rune) {
	for b = packed.Bytes(b); len(b) > 0; {
		length, n := binary.Uvarint(b)
		b = b[n:]
		list, last := make([]rune, length), rune(0)
		for i := range list {
			step, n := binary.Varint(b)
			b = b[n:]
			if step > 0 {
				step--
			} else if step == 0 {
				continue
			}
			last += rune(step)
			list[i] = last
		}
		out = append(out, list)
	}
	return out
}

// A table is what an encoding has beyond ASCII. It says where that is packed: a start of the program makes nothing.
type table struct {
	list int  // its number in letterLists, or
	wide bool // in pairLists
	late bool // of two codes for a character the later one is written

	codes sync.Once
	pages []*[1 << 8]code
}

// runes are the characters by their places: see place.
func (t *table) runes() []rune {
	if t.wide {
		return pairLists()[t.list]
	}
	return letterLists()[t.list]
}

// quadList is the number of what GB18030 writes in four bytes, by their numbers.
const quadList = 5

func quadRunes() []rune { return pairLists()[quadList] }

// planes are those of Unicode that these encodings have characters of.
const planes = 3

// Where codes have their places in a list: single bytes first, then two bytes by rows, then the three of EUC-JP.
const (
	singles  = 0x80
	rowFrom  = 0x40
	row      = 0xff - rowFrom
	twoBytes = (0xff - 0x81) * row
	rowThree = 0xff - 0xa1
)

// place is where a code stands in a list; -1 for one that no list has.
func place(c code) int {
	lead, trail := int(c>>8&0xff), int(c&0xff)
	switch {
	case c <= 0xff:
		return int(c) - singles
	case c>>16 != 0:
		return singles + twoBytes + (lead-0xa1)*rowThree + trail - 0xa1
	case lead < 0x81 || lead == 0xff || trail < rowFrom || trail == 0xff:
		return -1
	}
	return singles + (lead-0x81)*row + trail - rowFrom
}

// codeAt is the code at a place.
func codeAt(i int) code {
	switch {
	case i < singles:
		return code(i + singles)
	case i < singles+twoBytes:
		i -= singles
		return code(0x81+i/row)<<8 | code(rowFrom+i%row)
	}
	i -= singles + twoBytes
	return 0x8f<<16 | code(0xa1+i/rowThree)<<8 | code(0xa1+i%rowThree)
}

// at is the character of a code, 0 where it has none.
func at(runes []rune, c code) rune {
	i := place(c)
	if i < 0 || i >= len(runes) {
		return 0
	}
	return runes[i]
}

// code is that of a character, 0 where there is none.
func (t *table) code(r rune) code {
	t.codes.Do(t.invert)
	if int(r>>8) >= len(t.pages) || t.pages[r>>8] == nil {
		return 0
	}
	return t.pages[r>>8][r&0xff]
}

func (t *table) invert() {
	t.pages = make([]*[1 << 8]code, planes<<8)
	for i, r := range t.runes() {
		if r < utf8.RuneSelf {
			continue
		}
		page := &t.pages[r>>8]
		if *page == nil {
			*page = new([1 << 8]code)
		}
		if c := &(*page)[r&0xff]; *c == 0 || t.late {
			*c = codeAt(i)
		}
	}
}

// GB18030 numbers its codes of four bytes: first come the characters of the first plane that have no other code, and
// from astral on those of all other planes.
const astral = 189_000

func isQuad(b []byte) bool {
	return b[0] >= 0x81 && b[0] <= 0xfe && b[1] >= '0' && b[1] <= '9' &&
		len(b) > 3 && b[2] >= 0x81 && b[2] <= 0xfe && b[3] >= '0' && b[3] <= '9'
}

func numberOf(b []byte) int {
	return ((int(b[0]-0x81)*10+int(b[1]-'0'))*126+int(b[2]-0x81))*10 + int(b[3]-'0')
}

// quad is the character of a number, 0 where it has none.
func quad(n int) rune {
	switch {
	case n < len(quadRunes()):
		return quadRunes()[n]
	case n >= astral && n-astral <= utf8.MaxRune-0x10000:
		return rune(n - astral + 0x10000)
	}
	return 0
}

// quadOf is the code of four bytes of a character, 0 where it has none.
func quadOf(r rune) code {
	n := int(r) - 0x10000 + astral
	if r <= 0xffff {
		known := false
		n, known = slices.BinarySearch(quadRunes(), r)
		if !known { // one is out of order
			n = slices.Index(quadRunes(), r)
		}
	}
	if n < 0 {
		return 0
	}
	return quadCode(n)
}

func quadCode(n int) code {
	return code(0x81+n/12_600)<<24 | code('0'+n/1260%10)<<16 | code(0x81+n/10%126)<<8 | code('0'+n%10)
}

// Named is the encoding that the standard calls so, in lower case; nil where that is none of these.
func Named(name string) *Charset {
	i := slices.IndexFunc(all, func(c *Charset) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return all[i]
}
