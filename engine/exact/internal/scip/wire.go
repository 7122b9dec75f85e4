package scip

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// SCIP is a message of Protocol Buffers. What is read of it are few fields, so that they are read by hand.

// ErrFormat is what is wrong with bytes that are no index.
var ErrFormat = errors.New("no SCIP index")

// The kinds of fields.
const (
	varint  = 0
	fixed64 = 1
	bytes   = 2
	fixed32 = 5
)

// A field is one of a message.
type field struct {
	number int
	value  uint64 // of a varint
	data   []byte // of bytes
}

// fields calls each for the fields of a message, in their order. The data of a field are a part of b.
func fields(b []byte, each func(f field) error) error {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return ErrFormat
		}
		b = b[n:]
		f := field{number: int(tag >> 3)}
		size := 0
		switch tag & 7 {
		case varint:
			f.value, size = binary.Uvarint(b)
		case fixed64:
			size = 8
		case fixed32:
			size = 4
		case bytes:
			length, n := binary.Uvarint(b)
			if n <= 0 || length > uint64(len(b)-n) {
				return ErrFormat
			}
			f.data = b[n : n+int(length)]
			size = n + int(length)
		}
		if size <= 0 || size > len(b) {
			return ErrFormat
		}
		b = b[size:]
		if err := each(f); err != nil {
			return err
		}
	}
	return nil
}

// numbers calls each for the integers of a repeated field, which are packed or come one by one.
func numbers(f field, each func(v uint64)) error {
	if f.data == nil {
		each(f.value)
		return nil
	}
	for b := f.data; len(b) > 0; {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return ErrFormat
		}
		each(v)
		b = b[n:]
	}
	return nil
}

// messages calls each for the fields of the outermost message that have one number, without reading the others into
// memory. The bytes are valid until the next one.
func messages(r *bufio.Reader, number int, limit uint64, each func(data []byte) error) error {
	var buf []byte
	for {
		tag, err := binary.ReadUvarint(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFormat, err)
		}
		if tag&7 != bytes {
			return ErrFormat // an index has none
		}
		length, err := binary.ReadUvarint(r)
		if err != nil || length > limit {
			return fmt.Errorf("%w: a part of %d bytes", ErrFormat, length)
		}
		if tag>>3 != uint64(number) {
			if _, err := r.Discard(int(length)); err != nil {
				return fmt.Errorf("%w: %w", ErrFormat, err)
			}
			continue
		}
		buf, err = readFull(r, buf[:0], int(length))
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFormat, err)
		}
		if err := each(buf); err != nil {
			return err
		}
	}
}

// readFull reads so many bytes. Memory grows with what comes, not with what was announced.
func readFull(r io.Reader, buf []byte, length int) ([]byte, error) {
	const step = 1 << 20
	for len(buf) < length {
		n := min(step, length-len(buf))
		from := len(buf)
		buf = append(buf, make([]byte, n)...)
		if _, err := io.ReadFull(r, buf[from:]); err != nil {
			return nil, err
		}
	}
	return buf, nil
}
