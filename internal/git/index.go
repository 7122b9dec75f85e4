package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// errIndex wraps what is wrong with an index of git's.
var errIndex = errors.New("the index cannot be read")

// The parts of an entry of the index, as Documentation/gitformat-index.txt has them.
const (
	indexHeader = 12
	indexMode   = 24 // behind times, device and number
	indexHash   = 40
	SHA1Size    = 20
	SHA256Size  = 32
	gitlinkMode = 0o160000
	extended    = 0x4000 // a second pair of flags follows
)

// Submodules lists the paths of the submodules in an index. hash is the size of the repository's digests.
func Submodules(text []byte, hash int) ([]string, error) {
	r, count, err := entriesOf(text, hash)
	if err != nil {
		return nil, err
	}
	var out []string
	for range count {
		mode, err := r.entry()
		if err != nil {
			return nil, err
		}
		if mode == gitlinkMode {
			out = append(out, string(r.name))
		}
	}
	return out, nil
}

// entriesOf is a reader of the entries of an index, and how many it says there are. hash is the size of its digests.
func entriesOf(text []byte, hash int) (*indexReader, uint32, error) {
	if len(text) < indexHeader || string(text[:4]) != "DIRC" {
		return nil, 0, fmt.Errorf("%w: it has no header", errIndex)
	}
	version := binary.BigEndian.Uint32(text[4:])
	if version < 2 || version > 4 {
		return nil, 0, fmt.Errorf("%w: version %d", errIndex, version)
	}
	r := &indexReader{text: text[indexHeader:], hash: hash, version: version}
	return r, binary.BigEndian.Uint32(text[8:]), nil
}

// An indexReader goes from entry to entry. Trees and extensions behind them are of no interest.
type indexReader struct {
	text    []byte
	hash    int
	version uint32
	name    []byte // of the entry before: version 4 tells the difference only
}

// errIndexEnd is also what a header gets that promises more entries than there are bytes.
var errIndexEnd = fmt.Errorf("%w: it ends too early", errIndex)

// entry reads one entry's mode and name.
func (r *indexReader) entry() (mode uint32, err error) {
	fixed := indexHash + r.hash + 2
	if len(r.text) < fixed+2 {
		return 0, errIndexEnd
	}
	mode = binary.BigEndian.Uint32(r.text[indexMode:])
	if flags := binary.BigEndian.Uint16(r.text[fixed-2:]); flags&extended != 0 {
		fixed += 2
	}
	rest := r.text[fixed:]
	keep := 0
	if r.version == 4 {
		if keep, rest, err = r.prefix(rest); err != nil {
			return 0, err
		}
	}
	end := bytes.IndexByte(rest, 0)
	if end < 0 {
		return 0, errIndexEnd
	}
	if r.version == 4 {
		r.name = append(r.name[:keep:keep], rest[:end]...)
		r.text = rest[end+1:]
		return mode, nil
	}
	r.name = rest[:end]
	size := (fixed + end + 8) &^ 7 // entries are padded to eight bytes, with one NUL at least
	if size > len(r.text) {
		return 0, errIndexEnd
	}
	r.text = r.text[size:]
	return mode, nil
}

// prefix reads how much of the name before stays in front.
func (r *indexReader) prefix(text []byte) (keep int, rest []byte, err error) {
	drop := 0
	for i, c := range text {
		drop = drop<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			if drop > len(r.name) {
				break
			}
			return len(r.name) - drop, text[i+1:], nil
		}
		drop++
		if drop > len(r.name) {
			break
		}
	}
	return 0, nil, fmt.Errorf("%w: a name that goes on from none", errIndex)
}
