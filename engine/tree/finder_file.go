package tree

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"time"

	"helve/internal/state"
)

const (
	// finderForm is the form of the file. It changes with what a record holds.
	finderForm = 1
	// maxFinderFile bounds the file: 200,000 directories with long names take less.
	maxFinderFile = 32 << 20
	// minFresh is how many directories must have been read since the file was written before it is written again, and
	// freshShare how many of all: to read some anew is faster than to write a file.
	minFresh   = 64
	freshShare = 16
	// unusedTime is how long a file stays that nobody uses: its workspace may be gone. Who comes back later reads every
	// directory once. usedDay is how long a use is not noted again.
	unusedTime = 30 * 24 * time.Hour
	usedDay    = 24 * time.Hour
	// maxSwept bounds the files that are looked at for it, by whoever writes one: there is one for each workspace.
	maxSwept = 1000
)

// head begins the file: its form, and what it depends on.
func (f *Finder) head(what Wanted) []byte {
	words := fmt.Sprintf("%d\n%s\n%s\n%s", finderForm, f.root, what.Key, strings.Join(what.Skip, "/"))
	sum := sha256.Sum256([]byte(words))
	return sum[:]
}

// load reads what another process, or an earlier one, found; nil if there is nothing to rely on.
func (f *Finder) load(what Wanted) *branch {
	if f.file == "" {
		return nil
	}
	data, err := state.Read(f.file, maxFinderFile)
	head := f.head(what)
	if err != nil || len(data) < len(head)+crc32.Size || string(data[:len(head)]) != string(head) {
		return nil
	}
	body, sum := data[len(head):len(data)-crc32.Size], data[len(data)-crc32.Size:]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(sum) {
		return nil
	}
	r := &branchReader{rest: string(body)}
	top := r.branch(0)
	if r.bad {
		return nil
	}
	f.used(time.Now())
	return top
}

// used notes that the file is in use, so that it stays.
func (f *Finder) used(now time.Time) {
	fi, err := os.Stat(f.file)
	if err == nil && now.Sub(fi.ModTime()) > usedDay {
		_ = os.Chtimes(f.file, now, now) // where that fails, the file is written again some day
	}
}

// sweep removes files beside this one that nobody used for long, and what a killed process left of one.
func (f *Finder) sweep(now time.Time) {
	dir, err := os.Open(filepath.Dir(f.file))
	if err != nil {
		return
	}
	defer dir.Close()
	list, _ := dir.ReadDir(maxSwept) // what was read before an error counts
	for _, e := range list {
		fi, err := e.Info()
		old := err == nil && fi.Mode().IsRegular() && now.Sub(fi.ModTime()) > unusedTime
		if old && e.Name() != filepath.Base(f.file) {
			_ = os.Remove(filepath.Join(dir.Name(), e.Name()))
		}
	}
}

// keep writes the file if that saves others more than it costs. That it cannot be written costs them time alone.
func (f *Finder) keep(what Wanted) {
	if f.file == "" || f.fresh < minFresh || f.fresh < f.top.count()/freshShare {
		return
	}
	f.fresh = 0
	body := f.top.appendTo(nil)
	data := append(f.head(what), body...)
	data = binary.LittleEndian.AppendUint32(data, crc32.ChecksumIEEE(body))
	if len(data) > maxFinderFile || os.MkdirAll(filepath.Dir(f.file), 0o700) != nil {
		return
	}
	_ = state.Replace(f.file, data, 0o600)
	f.sweep(time.Now())
}

// count is the number of directories.
func (b *branch) count() int {
	n := 1
	for _, d := range b.dirs {
		n += d.count()
	}
	return n
}

// appendTo writes a directory and those below: names with their lengths, and numbers.
func (b *branch) appendTo(to []byte) []byte {
	to = appendText(to, b.name)
	known := byte(0)
	if b.read {
		known = 1
	}
	to = append(to, known)
	for _, n := range []int64{b.stat.Size, b.stat.MTime, b.stat.CTime} {
		to = binary.AppendVarint(to, n)
	}
	to = binary.AppendUvarint(to, b.stat.Inode)
	to = binary.AppendUvarint(to, uint64(b.files))
	to = binary.AppendUvarint(to, uint64(len(b.found)))
	for _, name := range b.found {
		to = appendText(to, name)
	}
	to = binary.AppendUvarint(to, uint64(len(b.dirs)))
	for _, d := range b.dirs {
		to = d.appendTo(to)
	}
	return to
}

func appendText(to []byte, text string) []byte {
	to = binary.AppendUvarint(to, uint64(len(text)))
	return append(to, text...)
}

// branchReader reads what appendTo wrote.
type branchReader struct {
	rest string
	bad  bool // it is nothing that appendTo writes
}

func (r *branchReader) branch(depth int) *branch {
	b := &branch{name: r.text(), read: r.number() == 1}
	b.stat = Stat{Size: r.signed(), MTime: r.signed(), CTime: r.signed(), Inode: r.number()}
	b.files = int(r.number())
	for range r.length() {
		b.found = append(b.found, r.text())
	}
	n := r.length()
	if depth >= maxDepth {
		r.bad = true
	}
	if n > 0 && !r.bad {
		b.dirs = make([]*branch, 0, n)
	}
	for range n {
		if r.bad {
			break
		}
		b.dirs = append(b.dirs, r.branch(depth+1))
	}
	return b
}

// number reads one number; 0 where there is none.
func (r *branchReader) number() uint64 {
	var n uint64
	for i := range min(len(r.rest), binary.MaxVarintLen64) {
		c := r.rest[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.rest = r.rest[i+1:]
			return n
		}
	}
	r.rest, r.bad = "", true
	return 0
}

// signed reads a number as binary.AppendVarint writes it.
func (r *branchReader) signed() int64 {
	n := r.number()
	return int64(n>>1) ^ -int64(n&1)
}

// length reads how many things follow. Each takes a byte or more, so that there cannot be more than bytes.
func (r *branchReader) length() int {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.rest, r.bad = "", true
		return 0
	}
	return int(n)
}

func (r *branchReader) text() string {
	n := r.length()
	text := r.rest[:n]
	r.rest = r.rest[n:]
	return text
}
