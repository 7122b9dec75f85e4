package journal

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
)

// blockSize is how much of a file is read at once, from its end: a page of lines.
const blockSize = 64 << 10

// A part is one file of a journal, as far as it went when it was opened.
type part struct {
	f    *os.File
	size int64
}

// parts opens the files and returns them oldest first. They are opened newest first: one that is moved on meanwhile
// comes twice then, which can be seen, and otherwise not at all. The caller closes them.
func (j *File) parts() (parts []part, err error) {
	defer func() {
		if err != nil {
			closeParts(parts)
			parts, err = nil, fmt.Errorf("journal: %w", err)
		}
	}()
	for n := range Kept + 1 {
		f, err := open(j.numbered(n), os.O_RDONLY, 0)
		if missing(err) {
			continue
		}
		if err != nil {
			return parts, err
		}
		st, err := f.Stat()
		if err != nil {
			f.Close()
			return parts, err
		}
		if len(parts) > 0 && sameFile(parts[0].f, st) {
			f.Close()
			continue
		}
		parts = slices.Insert(parts, 0, part{f, st.Size()})
	}
	return parts, nil
}

func sameFile(f *os.File, other os.FileInfo) bool {
	st, err := f.Stat()
	return err == nil && os.SameFile(st, other)
}

func closeParts(parts []part) {
	for _, p := range parts {
		p.f.Close()
	}
}

// Lines calls yield with every line that is kept, oldest first, until it returns false. The slice
// is valid during the call only.
func (j *File) Lines(yield func(line []byte) bool) error {
	parts, err := j.parts()
	if err != nil {
		return err
	}
	defer closeParts(parts)
	for _, p := range parts {
		more, err := p.lines(yield)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func (p part) lines(yield func(line []byte) bool) (more bool, err error) {
	sc := bufio.NewScanner(io.NewSectionReader(p.f, 0, p.size))
	sc.Buffer(make([]byte, blockSize), maxLine+1)
	more = true
	for more && sc.Scan() {
		more = yield(sc.Bytes())
	}
	if err := sc.Err(); err != nil {
		return false, fmt.Errorf("journal: %s: %w", p.f.Name(), err)
	}
	return more, nil
}

// Newest calls yield with every line that is kept, newest first, until it returns false: it reads no more of the files
// than that takes. The slice is valid during the call only.
func (j *File) Newest(yield func(line []byte) bool) error {
	parts, err := j.parts()
	if err != nil {
		return err
	}
	defer closeParts(parts)
	for i := len(parts) - 1; i >= 0; i-- {
		more, err := parts[i].backwards(yield)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// backwards reads blocks from the end. held is the beginning of what was read, whose first line may go on before it.
func (p part) backwards(yield func(line []byte) bool) (more bool, err error) {
	var held []byte
	for end := p.size; end > 0; {
		n := min(end, blockSize)
		block := make([]byte, n, n+int64(len(held)))
		if _, err := p.f.ReadAt(block, end-n); err != nil {
			return false, fmt.Errorf("journal: %w", err)
		}
		if end == p.size {
			block = bytes.TrimSuffix(block, []byte("\n"))
		}
		end -= n
		seam := len(block) // no line end is looked for in what was searched before
		block = append(block, held...)
		for {
			i := bytes.LastIndexByte(block[:seam], '\n')
			if i < 0 {
				break
			}
			if !yield(block[i+1:]) {
				return false, nil
			}
			block = block[:i]
			seam = i
		}
		if len(block) > maxLine {
			return false, fmt.Errorf("journal: %s: a line of more than %d bytes", p.f.Name(), maxLine)
		}
		held = block
	}
	if p.size == 0 {
		return true, nil
	}
	return yield(held), nil
}
