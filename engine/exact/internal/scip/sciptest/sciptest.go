// Package sciptest writes indexes for tests.
package sciptest

import "encoding/binary"

// A Doc is a file's part of an index.
type Doc struct {
	Path  string
	Units int
	Names []Name
}

// A Name stands in one line of a file.
type Name struct {
	Line, Start, End int
	Symbol           string
	Defines          bool
	New              bool // its range has the form of later versions
}

// Index writes an index of these files.
func Index(docs ...Doc) []byte {
	out := Bytes(nil, 1, Bytes(nil, 4, Number(nil, 1, 1))) // metadata, which nobody reads
	for _, d := range docs {
		out = Bytes(out, 2, d.bytes())
	}
	return out
}

func (d Doc) bytes() []byte {
	out := Bytes(nil, 1, []byte(d.Path))
	for _, n := range d.Names {
		out = Bytes(out, 2, n.bytes())
	}
	return Number(out, 6, d.Units)
}

func (n Name) bytes() []byte {
	var out []byte
	if n.New {
		out = Bytes(out, 8, Number(Number(Number(nil, 1, n.Line), 2, n.Start), 3, n.End))
	} else {
		var packed []byte
		for _, v := range []int{n.Line, n.Start, n.End} {
			packed = binary.AppendUvarint(packed, uint64(v))
		}
		out = Bytes(out, 1, packed)
	}
	out = Bytes(out, 2, []byte(n.Symbol))
	if n.Defines {
		out = Number(out, 3, 1)
	}
	return out
}

// Bytes appends a field of bytes to a message.
func Bytes(b []byte, number int, data []byte) []byte {
	b = binary.AppendUvarint(b, uint64(number)<<3|2)
	b = binary.AppendUvarint(b, uint64(len(data)))
	return append(b, data...)
}

// Number appends a field that is a number; 0 is left out, as the format has it.
func Number(b []byte, number, v int) []byte {
	if v == 0 {
		return b
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(number)<<3), uint64(v))
}
