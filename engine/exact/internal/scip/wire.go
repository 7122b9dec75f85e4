package scip

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// SCIP is a message of Protocol Buffers, of which few fields are read: as they stand, without code that is generated.

// ErrFormat is what is wrong with bytes that are no index.
var ErrFormat = errors.New("no SCIP index")

// A field is one of a message.
type field struct {
	number int
	value  uint64 // of a varint
	data   []byte // of bytes
}

// fields calls each for the fields of a message, in their order. The data of a field are a part of b.
func fields(b []byte, each func(f field) error) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return ErrFormat
		}
		b = b[n:]
		f := field{number: int(number)}
		switch kind {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			f.data, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(number, kind, b)
		}
		if n < 0 {
			return ErrFormat
		}
		b = b[n:]
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
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return ErrFormat
		}
		each(v)
		b = b[n:]
	}
	return nil
}

// messages calls each for the fields of the outermost message that have one number, without reading the others into
// memory. The bytes are valid until the next one.
func messages(r *bufio.Reader, number protowire.Number, limit uint64, each func(data []byte) error) error {
	var buf []byte
	for {
		tag, err := binary.ReadUvarint(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFormat, err)
		}
		at, kind := protowire.DecodeTag(tag)
		if kind != protowire.BytesType {
			return ErrFormat // an index has none
		}
		length, err := binary.ReadUvarint(r)
		if err != nil || length > limit {
			return fmt.Errorf("%w: a part of %d bytes", ErrFormat, length)
		}
		if at != number {
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
