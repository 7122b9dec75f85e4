package change

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// copySparse copies a file and leaves its holes holes: a file of a terabyte may hold a few bytes.
func copySparse(out, in *os.File, size int64) error {
	for at := int64(0); at < size; {
		data, err := in.Seek(at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) { // only a hole is left
			break
		}
		if err != nil { // a file system that knows no holes
			return copyFrom(out, in, at)
		}
		hole, err := in.Seek(data, unix.SEEK_HOLE)
		if err != nil {
			return err
		}
		if err := copyPart(out, in, data, hole); err != nil {
			return err
		}
		at = hole
	}
	return out.Truncate(size)
}

// copyPart copies the bytes between two offsets to the same place.
func copyPart(out, in *os.File, from, to int64) error {
	if _, err := in.Seek(from, io.SeekStart); err != nil {
		return err
	}
	if _, err := out.Seek(from, io.SeekStart); err != nil {
		return err
	}
	_, err := io.CopyN(out, in, to-from)
	return err
}

// copyFrom copies everything behind an offset.
func copyFrom(out, in *os.File, at int64) error {
	if _, err := in.Seek(at, io.SeekStart); err != nil {
		return err
	}
	if _, err := out.Seek(at, io.SeekStart); err != nil {
		return err
	}
	return copyPlain(out, in)
}
