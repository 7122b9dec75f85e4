package git

import (
	"bytes"
	"encoding/binary"

	"helve/internal/change"
)

// An IndexedFile is a file as git's index knows it. Name and Object are valid until the next one.
type IndexedFile struct {
	Name   string // below the worktree
	Object []byte // the digest of its content
	raw    []byte // the entry
}

// The places of what an entry says of a file, behind its start.
const (
	statChanged = 0
	statTime    = 8
	statInode   = 20
	statMode    = 24
	statSize    = 36
	statEnd     = 40 // what is in front of the digest
	stageBits   = 0x3000
	skipBits    = 0x4000 | 0x2000 // of the second flags: not in the worktree, only to be added
	regular     = 0o100000
	typeBits    = 0o170000
)

// Indexed visits the regular files of an index whose digests are SHA-1: those that are merged, and in the worktree.
func Indexed(text []byte, visit func(IndexedFile)) error {
	r, count, err := entriesOf(text, SHA1Size)
	if err != nil {
		return err
	}
	for range count {
		raw := r.text
		mode, err := r.entry()
		if err != nil {
			return err
		}
		flags := binary.BigEndian.Uint16(raw[statEnd+SHA1Size:])
		more := uint16(0)
		if flags&extended != 0 {
			more = binary.BigEndian.Uint16(raw[statEnd+SHA1Size+2:])
		}
		if mode&typeBits != regular || flags&stageBits != 0 || more&skipBits != 0 {
			continue
		}
		visit(IndexedFile{
			Name:   string(r.name),
			Object: raw[statEnd : statEnd+SHA1Size],
			raw:    raw,
		})
	}
	return nil
}

// Knows tells whether the index knows a file as it is now: by size, number and times, as git itself compares.
func (f IndexedFile) Knows(e change.Entry) bool {
	if e.Type != change.File {
		return false
	}
	number := func(at int) uint32 { return binary.BigEndian.Uint32(f.raw[at:]) }
	same := number(statSize) == uint32(e.Size) && number(statInode) == uint32(e.ID.Inode)
	return same && isMoment(f.raw[statTime:], e.Time) && isMoment(f.raw[statChanged:], e.Changed)
}

// isMoment compares a time of an index with nanoseconds since 1970.
func isMoment(raw []byte, t int64) bool {
	const second = 1_000_000_000
	sec, nano := binary.BigEndian.Uint32(raw), binary.BigEndian.Uint32(raw[4:])
	return sec == uint32(t/second) && nano == uint32(t%second)
}

// SameIndex tells whether two indexes say the same of every path: they may differ in times and numbers of the files, as
// they do after a git status.
func SameIndex(a, b []byte) bool {
	x, n, err := entriesOf(a, SHA1Size)
	if err != nil {
		return false
	}
	y, m, err := entriesOf(b, SHA1Size)
	if err != nil || n != m {
		return false
	}
	for range n {
		one, other := x.text, y.text
		_, errA := x.entry()
		_, errB := y.entry()
		if errA != nil || errB != nil || !bytes.Equal(x.name, y.name) || !sameEntry(one, other) {
			return false
		}
	}
	return true
}

// sameEntry compares mode, digest, and flags but for the length of the name.
func sameEntry(a, b []byte) bool {
	const nameBits = 0x0fff
	flagsA := binary.BigEndian.Uint16(a[statEnd+SHA1Size:])
	flagsB := binary.BigEndian.Uint16(b[statEnd+SHA1Size:])
	return bytes.Equal(a[statMode:statMode+4], b[statMode:statMode+4]) &&
		bytes.Equal(a[statEnd:statEnd+SHA1Size], b[statEnd:statEnd+SHA1Size]) &&
		flagsA&^nameBits == flagsB&^nameBits
}
