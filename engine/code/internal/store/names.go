package store

import (
	"encoding/binary"
	"math"
	"slices"

	"helve/engine/code/internal/syntax"
)

// names numbers all names of an index: identifiers and the expressions before them. Number 0 is the empty name.
// A text is a varint length and its bytes, in chunks; a name costs its text and about ten bytes.
type names struct {
	chunks [][]byte
	offs   []uint32 // chunk and offset of each name
	table  []uint32 // open addressing over hashes; 0 is free
}

const (
	chunkBits = 18
	chunkSize = 1 << chunkBits
	// maxNames keeps an offset in 32 bits: 16,384 chunks of 256 KB.
	maxNames = math.MaxUint32 >> 2
	// maxName is the longest name kept; longer ones, which only generated files have, are cut.
	maxName = 1 << 12
)

func newNames() *names {
	first := append(make([]byte, 0, chunkSize), 0) // the empty name: its length alone
	return &names{
		offs:   []uint32{0},
		chunks: [][]byte{first},
		table:  make([]uint32, 1<<12),
	}
}

func (n *names) Len() int { return len(n.offs) }

// Text is the name with number y, or nothing.
func (n *names) Text(y uint32) string { return string(n.Bytes(y)) }

func (n *names) Bytes(y uint32) []byte {
	if int(y) >= len(n.offs) {
		return nil
	}
	off := n.offs[y]
	chunk := n.chunks[off>>chunkBits]
	b := chunk[off&(chunkSize-1):]
	size, w := binary.Uvarint(b)
	if w <= 0 || size > uint64(len(b)-w) {
		return nil
	}
	return b[w : w+int(size)]
}

func slot(h uint32) uint32 { return h ^ h>>15 }

// find is the number of a name, or false.
func (n *names) find(text string) (uint32, bool) {
	if text == "" {
		return 0, true
	}
	if len(text) > maxName {
		return 0, false
	}
	mask := uint32(len(n.table) - 1)
	for i := slot(syntax.HashBytes([]byte(text))) & mask; n.table[i] != 0; i = (i + 1) & mask {
		if string(n.Bytes(n.table[i])) == text {
			return n.table[i], true
		}
	}
	return 0, false
}

// add numbers the name whose hash is h.
func (n *names) add(text string, h uint32) uint32 {
	if text == "" {
		return 0
	}
	if len(text) > maxName {
		text = text[:maxName]
		h = syntax.HashBytes([]byte(text))
	}
	mask := uint32(len(n.table) - 1)
	i := slot(h) & mask
	for ; n.table[i] != 0; i = (i + 1) & mask {
		if string(n.Bytes(n.table[i])) == text {
			return n.table[i]
		}
	}
	if len(n.offs) >= maxNames {
		return 0
	}
	y := uint32(len(n.offs))
	n.keep(text)
	n.table[i] = y
	if len(n.offs)*4 > len(n.table)*3 {
		n.rehash(2 * len(n.table))
	}
	return y
}

func (n *names) keep(text string) {
	last := len(n.chunks) - 1
	if len(n.chunks[last])+len(text)+3 > chunkSize {
		n.chunks = append(n.chunks, make([]byte, 0, chunkSize))
		last++
	}
	n.offs = append(n.offs, uint32(last)<<chunkBits|uint32(len(n.chunks[last])))
	b := binary.AppendUvarint(n.chunks[last], uint64(len(text)))
	n.chunks[last] = append(b, text...)
}

func (n *names) rehash(size int) {
	n.table = make([]uint32, size)
	mask := uint32(size - 1)
	for y := 1; y < len(n.offs); y++ {
		i := slot(syntax.HashBytes(n.Bytes(uint32(y)))) & mask
		for n.table[i] != 0 {
			i = (i + 1) & mask
		}
		n.table[i] = uint32(y)
	}
}

// lexicon is the names of a snapshot: those of its base, which nobody changes any more, and those that later files
// added. Its zero value is not usable.
type lexicon struct {
	base  *names
	Extra []string // numbers base.len() and up
	index map[string]uint32
}

func (l *lexicon) Text(y uint32) string {
	if n := uint32(l.base.Len()); y >= n {
		if int(y-n) < len(l.Extra) {
			return l.Extra[y-n]
		}
		return ""
	}
	return l.base.Text(y)
}

func (l *lexicon) Find(text string) (uint32, bool) {
	if y, ok := l.base.find(text); ok {
		return y, true
	}
	y, ok := l.index[text]
	return y, ok
}

// add numbers a name. Only the writer of the next snapshot calls it.
func (l *lexicon) add(text string, _ uint32) uint32 {
	if len(text) > maxName {
		text = text[:maxName]
	}
	if y, ok := l.Find(text); ok {
		return y
	}
	y := uint32(l.base.Len() + len(l.Extra))
	l.Extra = append(l.Extra, text)
	l.index[text] = y
	return y
}

func HashOf(text string) uint32 { return syntax.HashBytes([]byte(text)) }

// clone is a copy that may grow: full chunks are shared, the last one is copied.
func (n *names) clone() *names {
	c := &names{chunks: slices.Clone(n.chunks), offs: slices.Clone(n.offs), table: slices.Clone(n.table)}
	last := len(c.chunks) - 1
	c.chunks[last] = append(make([]byte, 0, chunkSize), c.chunks[last]...)
	return c
}
