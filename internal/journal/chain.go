package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"helve/internal/state"
)

// linkKey begins what is put before the closing brace of a line: the sum of the line before it.
const (
	linkKey = `"prev":"`
	linkEnd = `"}`
	linkLen = len(linkKey) + 2*sha256.Size + len(linkEnd)
)

// appendLinked appends a line, an object, with the sum of the one before it as its last member.
func appendLinked(b, line []byte, before *sum) ([]byte, error) {
	body, ok := bytes.CutSuffix(line, []byte("}"))
	if !ok || len(body) == 0 || body[0] != '{' {
		return nil, errors.New("a chained line must be a JSON object")
	}
	b = append(b, body...)
	if len(body) > 1 {
		b = append(b, ',')
	}
	b = append(b, linkKey...)
	b = hex.AppendEncode(b, before[:])
	return append(b, linkEnd...), nil
}

// link is the sum that a line names; ok is false where it names none.
func link(line []byte) (before sum, ok bool) {
	if len(line) <= linkLen {
		return before, false
	}
	end := line[len(line)-linkLen:]
	digits := end[len(linkKey) : len(end)-len(linkEnd)]
	if !bytes.HasPrefix(end, []byte(linkKey)) || !bytes.HasSuffix(end, []byte(linkEnd)) {
		return before, false
	}
	_, err := hex.Decode(before[:], digits)
	return before, err == nil
}

// headEvery is how long the head may be behind the lines: to write it with each would double the cost of a line.
const headEvery = 100 * time.Millisecond

// A writer is the open end of a chained journal. The zero value has nothing open.
type writer struct {
	f    *os.File
	seen time.Time // when f was last seen to be the file at the path
	head           // how the file ended when this process wrote or looked last
	torn bool      // it ended within a line
	late *time.Timer
	buf  []byte
}

// write appends lines behind the one that any process wrote last, in one write. j.mu is held.
func (j *File) write(lines ...[]byte) error {
	if len(lines) == 0 {
		return nil
	}
	w := &j.w
	if err := j.take(); err != nil {
		return err
	}
	defer unlock(w.f)
	out := w.buf[:0]
	if w.torn {
		out = append(out, '\n')
	}
	last := w.last
	for _, line := range lines {
		start := len(out)
		var err error
		if out, err = appendLinked(out, line, &last); err != nil {
			return err
		}
		last = sha256.Sum256(out[start:])
		out = append(out, '\n')
	}
	if cap(out) <= blockSize { // a long one is not kept for the next
		w.buf = out
	}
	n, err := w.f.Write(out)
	if err != nil {
		return err // what was written of it is found by the next line
	}
	w.last, w.torn = last, false
	w.size += int64(n)
	if w.late == nil {
		w.late = time.AfterFunc(headEvery, j.writeLate)
	}
	return nil
}

// take locks the file that lines are appended to, and knows how it ends. What is full is turned over: nobody writes to
// a full file, so that one that is not full is the one at the path, but for those that somebody removed.
func (j *File) take() error {
	w := &j.w
	if w.f != nil && time.Since(w.seen) >= lookEvery {
		if stands(j.Path, w.f) {
			w.seen = time.Now()
		} else {
			j.letGo()
		}
	}
	for {
		opened := w.f == nil
		if err := j.openEnd(); err != nil {
			return err
		}
		if err := lockFile(w.f); err != nil {
			return err
		}
		size, err := w.f.Seek(0, io.SeekEnd) // half the price of a Stat
		if err == nil {
			if opened && !stands(j.Path, w.f) { // it was turned over meanwhile
				j.letGo()
				continue
			}
			err = j.follow(size, opened)
		}
		full := size >= j.max()
		if err == nil && full && stands(j.Path, w.f) {
			// The next file follows this one's end, and the head says so, however soon that one is full, too.
			err = j.writeHead(w.head)
		}
		if err != nil {
			unlock(w.f)
			return err
		}
		if !full {
			return nil
		}
		j.letGo()
		if err := j.turn(); err != nil {
			return err
		}
	}
}

// letGo closes the file, and with it its lock.
func (j *File) letGo() {
	j.w.f.Close()
	j.w.f = nil
}

func (j *File) openEnd() (err error) {
	w := &j.w
	if w.f != nil {
		return nil
	}
	if err := state.MakeDir(filepath.Dir(j.Path)); err != nil {
		return err
	}
	w.f, err = open(j.Path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	w.seen = time.Now()
	return err
}

// follow finds what the next line follows. A file that is shorter than this process left it was cut: the line then
// follows what is gone, for all to see.
func (j *File) follow(size int64, opened bool) error {
	w := &j.w
	switch {
	case opened:
		return j.resume(size)
	case size > w.size:
		line, whole, err := lineBefore(w.f, size)
		if err != nil {
			return err
		}
		w.head = head{size, sha256.Sum256(line)}
		w.torn = !whole
	case size < w.size:
		w.size, w.torn = size, size > 0
	}
	return nil
}

// resume is follow for a file that was opened just now.
func (j *File) resume(size int64) error {
	w := &j.w
	h, ok, err := j.readHead()
	if err != nil {
		return err
	}
	line, whole, err := j.newestLine(size)
	if err != nil {
		return err
	}
	var last sum
	if line != nil {
		last = sha256.Sum256(line)
	}
	w.head, w.torn = head{size, last}, size > 0 && !whole
	switch _, chained := link(line); {
	case !ok && chained:
		// The head was taken away, and with it what could tell of lines that are missing. The chain begins anew, where
		// everybody can see it.
		w.last = sum{}
		return j.writeHead(w.head)
	case !ok:
		return j.writeHead(w.head) // a process that ends before it writes the next leaves one, too
	case h.last != last && h.last != (sum{}) && !j.holds(h):
		w.last = h.last // which is gone
	}
	return nil
}

// newestLine is the last line of the file, or of the one that was full before it; nil: there is none.
func (j *File) newestLine(size int64) (line []byte, whole bool, err error) {
	if size > 0 {
		return lineBefore(j.w.f, size)
	}
	f, err := open(j.numbered(1), os.O_RDONLY, 0)
	if missing(err) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return nil, true, err
	}
	return lineBefore(f, st.Size())
}

// holds tells whether the line that a head calls the last is where it says, or was when files were turned over since:
// then lines came after it.
func (j *File) holds(h head) bool {
	for n := range 2 {
		f, err := open(j.numbered(n), os.O_RDONLY, 0)
		if err != nil {
			continue
		}
		line, _, err := lineBefore(f, h.size)
		f.Close()
		if err == nil && sha256.Sum256(line) == h.last {
			return true
		}
	}
	return false
}

// lineBefore is the line that ends at a place of a file, and whether it has its end there.
func lineBefore(f *os.File, end int64) (line []byte, whole bool, err error) {
	for n := int64(4 << 10); ; n *= 4 {
		n = min(n, end, maxLine+1)
		b := make([]byte, n)
		if _, err := f.ReadAt(b, end-n); err != nil {
			return nil, false, err
		}
		line, whole = bytes.CutSuffix(b, []byte("\n"))
		if i := bytes.LastIndexByte(line, '\n'); i >= 0 {
			return line[i+1:], whole, nil
		}
		if n == end {
			return line, whole, nil
		}
		if n > maxLine {
			return nil, false, fmt.Errorf("%s: a line of more than %d bytes", f.Name(), maxLine)
		}
	}
}

// writeLate is called a moment after a line was written.
func (j *File) writeLate() {
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.finish() // where the head cannot be written, the next who opens the journal says so
}

// finish writes the head, if it is behind and this process wrote last. j.mu is held.
func (j *File) finish() error {
	w := &j.w
	if w.late == nil {
		return nil
	}
	w.late.Stop()
	w.late = nil
	if w.f == nil {
		return nil
	}
	if err := lockFile(w.f); err != nil {
		return err
	}
	defer unlock(w.f)
	st, err := w.f.Stat()
	if err != nil || st.Size() != w.size || !stands(j.Path, w.f) {
		return err // who wrote after us does it
	}
	return j.writeHead(w.head)
}

// closeWriter closes what is open. The next line opens it again.
func (j *File) closeWriter() error {
	err := j.finish()
	if j.w.f != nil {
		err = errors.Join(err, j.w.f.Close())
	}
	j.w = writer{}
	return err
}
