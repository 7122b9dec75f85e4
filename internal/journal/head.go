package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"
)

const (
	// lockWait is how long a line waits for other processes, which hold the lock for microseconds. One that was stopped
	// with it in its hands must not stop all others: their calls go on without a record, and say so.
	lockWait = 2 * time.Second
	lockPoll = 50 * time.Microsecond
)

// A sum is the SHA-256 of a line without its end; all zeros: there is no line.
type sum [sha256.Size]byte

// A head says how a chained journal ended, so that lines that are missing there are noticed: nothing follows them. It
// is written a moment after the line, by whoever wrote that.
type head struct {
	size int64 // of the file at Path, in bytes
	last sum
}

// The whole file: a title and two lines, the number in hexadecimal. Its length never changes, so that one write
// replaces it.
const (
	headTitle = "helve journal, the end of it\n"
	headLen   = len(headTitle) + len("size ")
	headLast  = headLen + numberLen + len("\nlast ")
	headSize  = headLast + 2*sha256.Size + len("\n")
	numberLen = 16
)

// parse reads what text wrote, and tells whether it was that.
func (h *head) parse(b []byte) bool {
	size, err := strconv.ParseInt(string(b[headLen:headLen+numberLen]), 16, 64)
	_, err2 := hex.Decode(h.last[:], b[headLast:headSize-1])
	h.size = size
	return err == nil && err2 == nil && string(b[:len(headTitle)]) == headTitle
}

func (h *head) text() []byte {
	var size [numberLen / 2]byte
	binary.BigEndian.PutUint64(size[:], uint64(h.size))
	b := make([]byte, 0, headSize)
	b = append(b, headTitle...)
	b = hex.AppendEncode(append(b, "size "...), size[:])
	b = hex.AppendEncode(append(b, "\nlast "...), h.last[:])
	return append(b, '\n')
}

func (j *File) headPath() string { return j.Path + ".head" }

// readHead is what the head says; ok is false where there is none, or none that can be read.
func (j *File) readHead() (h head, ok bool, err error) {
	f, err := open(j.headPath(), os.O_RDONLY, 0)
	if missing(err) {
		return h, false, nil
	}
	if err != nil {
		return h, false, err
	}
	defer f.Close()
	var b [headSize + 1]byte
	n, err := f.ReadAt(b[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return h, false, err
	}
	if n != headSize || !h.parse(b[:n]) {
		return head{}, false, nil
	}
	return h, true, nil
}

func (j *File) writeHead(h head) error {
	f, err := open(j.headPath(), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(h.text(), 0)
	return errors.Join(err, f.Close())
}

// lockFile waits until no other process has the file.
func lockFile(f *os.File) error {
	var end time.Time
	for {
		free, err := tryLock(f)
		if err != nil || free {
			return err
		}
		if end.IsZero() {
			end = time.Now().Add(lockWait)
		} else if time.Now().After(end) {
			return fmt.Errorf("%s: another process has held it for %v", f.Name(), lockWait)
		}
		time.Sleep(lockPoll)
	}
}

// stands tells whether the file is still the one at its path: somebody may have removed it.
func stands(path string, f *os.File) bool {
	here, err := os.Stat(path)
	if err != nil {
		return false
	}
	mine, err := f.Stat()
	return err == nil && os.SameFile(here, mine)
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
