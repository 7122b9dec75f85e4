package git

import (
	"crypto/sha1" // the digest that ends an index of git
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"strings"

	"helve/internal/change"
)

// A Move is a file as the index may know it, and as it is now.
type Move struct {
	Was, Now change.Entry
}

// Restamp sets the time of change and the number of every entry whose file was moved and is otherwise as the index has
// it. The text is changed in place: no entry grows.
func Restamp(text []byte, hash int, moved func(name string) (Move, bool)) error {
	r, count, err := entriesOf(text, hash)
	if err != nil {
		return err
	}
	for range count {
		this := r.text
		if _, err := r.entry(); err != nil {
			return err
		}
		m, found := moved(string(r.name))
		if found && indexedAs(m.Was, this) {
			putTime(this[statChanged:], m.Now.Changed)
			binary.BigEndian.PutUint32(this[statInode:], uint32(m.Now.ID.Inode))
		}
	}
	return nil
}

// indexedAs reports that an entry of the index speaks of this very file, unchanged since: its times tell that. Of the
// time of change git itself compares whole seconds only, unless it is built otherwise. The number tells nothing: an
// overlay shows a file that it copied under the number of the old one.
func indexedAs(e change.Entry, raw []byte) bool {
	changed := binary.BigEndian.Uint32(raw[statChanged:])
	size := binary.BigEndian.Uint32(raw[statSize:])
	switch {
	case timeOf(raw[statTime:]) != e.Time:
		return false
	case e.Changed != 0 && changed != uint32(e.Changed/second):
		return false // a file that only gets another time has none: its content was compared
	}
	return size == uint32(e.Size)
}

const second = 1_000_000_000

func timeOf(raw []byte) int64 {
	sec, nano := binary.BigEndian.Uint32(raw), binary.BigEndian.Uint32(raw[4:])
	return int64(sec)*second + int64(nano)
}

func putTime(raw []byte, t int64) {
	binary.BigEndian.PutUint32(raw, uint32(t/second))
	binary.BigEndian.PutUint32(raw[4:], uint32(t%second))
}

// Sign writes the digest that ends an index. One that git left out stays out.
func Sign(text []byte, size int) {
	body, end := text[:len(text)-size], text[len(text)-size:]
	if strings.Trim(string(end), "\x00") == "" {
		return
	}
	var h hash.Hash = sha1.New()
	if size == SHA256Size {
		h = sha256.New()
	}
	h.Write(body)
	copy(end, h.Sum(nil))
}
