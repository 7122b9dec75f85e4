package syntax

import (
	"strings"

	"helve/engine/code/internal/syntax/internal/lex"
)

// Sym is a name's number in a Names. The zero Sym is the empty name.
type Sym uint32

// Names numbers names. It never forgets one, except by Reset. Not safe for concurrent use. Make one with NewNames.
type Names struct {
	text   []string
	hashes []uint32
	table  []nameSlot
	arena  strings.Builder
}

// nameSlot is one of a table of open addressing: most names are told apart by their hash, in the memory that was just
// looked at.
type nameSlot struct {
	hash uint32
	sym  Sym // 0: the slot is free
}

// nameChunk is the size of the blocks that hold the text of names.
const nameChunk = 64 << 10

// NewNames returns a table that holds the empty name only.
func NewNames() *Names {
	n := &Names{}
	n.Reset()
	return n
}

// Reset forgets all names but the empty one.
func (n *Names) Reset() {
	n.text = append(n.text[:0], "")
	n.hashes = append(n.hashes[:0], lex.HashString(""))
	if len(n.table) == 0 || len(n.table) > 1<<17 {
		n.table = make([]nameSlot, 1<<12)
	} else {
		clear(n.table)
	}
	n.arena = strings.Builder{}
}

// Len counts the names, the empty one included.
func (n *Names) Len() int { return len(n.text) }

// Text is the name of s. An unknown s is the empty name.
func (n *Names) Text(s Sym) string {
	if int(s) >= len(n.text) {
		return ""
	}
	return n.text[s]
}

// Hash is the hash of s's text: what HashBytes answers for it.
func (n *Names) Hash(s Sym) uint32 { return n.hashes[s] }

// HashBytes is the hash that Names uses: FNV-1a of 32 bits.
func HashBytes(b []byte) uint32 { return lex.Hash(b) }

// Intern numbers the name b.
func (n *Names) Intern(b []byte) Sym { return n.intern(b, lex.Hash(b)) }

// InternString numbers the name s.
func (n *Names) InternString(s string) Sym {
	if s == "" {
		return 0
	}
	h := lex.HashString(s)
	mask := uint32(len(n.table) - 1)
	for i := lex.Spread(h) & mask; ; i = (i + 1) & mask {
		slot := n.table[i]
		if slot.sym == 0 {
			return n.add(n.keepString(s), h, i)
		}
		if slot.hash == h && n.text[slot.sym] == s {
			return slot.sym
		}
	}
}

// Lookup finds the number of s without adding it.
func (n *Names) Lookup(s string) (Sym, bool) {
	if s == "" {
		return 0, true
	}
	h := lex.HashString(s)
	mask := uint32(len(n.table) - 1)
	for i := lex.Spread(h) & mask; ; i = (i + 1) & mask {
		slot := n.table[i]
		if slot.sym == 0 {
			return 0, false
		}
		if slot.hash == h && n.text[slot.sym] == s {
			return slot.sym, true
		}
	}
}

func (n *Names) intern(b []byte, h uint32) Sym {
	if len(b) == 0 {
		return 0
	}
	mask := uint32(len(n.table) - 1)
	for i := lex.Spread(h) & mask; ; i = (i + 1) & mask {
		slot := n.table[i]
		if slot.sym == 0 {
			return n.add(n.keep(b), h, i)
		}
		if slot.hash == h && n.text[slot.sym] == string(b) {
			return slot.sym
		}
	}
}

func (n *Names) add(text string, h, slot uint32) Sym {
	y := Sym(len(n.text))
	n.text = append(n.text, text)
	n.hashes = append(n.hashes, h)
	n.table[slot] = nameSlot{h, y}
	if len(n.text)*4 > len(n.table)*3 {
		n.grow()
	}
	return y
}

func (n *Names) grow() {
	n.table = make([]nameSlot, 2*len(n.table))
	mask := uint32(len(n.table) - 1)
	for y := 1; y < len(n.text); y++ {
		i := lex.Spread(n.hashes[y]) & mask
		for n.table[i].sym != 0 {
			i = (i + 1) & mask
		}
		n.table[i] = nameSlot{n.hashes[y], Sym(y)}
	}
}

// keep copies b into the arena: one allocation for thousands of names.
func (n *Names) keep(b []byte) string {
	n.room(len(b))
	start := n.arena.Len()
	n.arena.Write(b)
	return n.arena.String()[start:]
}

func (n *Names) keepString(s string) string {
	n.room(len(s))
	start := n.arena.Len()
	n.arena.WriteString(s)
	return n.arena.String()[start:]
}

func (n *Names) room(size int) {
	if n.arena.Cap()-n.arena.Len() < size {
		n.arena = strings.Builder{}
		n.arena.Grow(max(nameChunk, size))
	}
}
