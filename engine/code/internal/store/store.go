package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"

	"helve/engine/code/internal/syntax"
)

// A persistent index is one file: a magic word with the version of the format, the key, the names, the files with
// their packed rows, the postings, and a checksum over all of it. Whatever does not fit is ignored and built anew;
// nothing in the file is ever executed.
const (
	Magic = "helve code index 5\n"
	// maxIndexFile bounds what is read from the cache: twice the index of a Linux kernel.
	maxIndexFile = 2 << 30
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// IndexPath is the file that keeps the index of this key, or nothing when there is no cache.
func (x *Index) IndexPath() string {
	if x.o.Cache == "" {
		return ""
	}
	return filepath.Join(x.o.Cache, CacheName(x.o.Key))
}

// CacheName is the name of the file in Options.Cache that keeps the index of this key. It may be removed at any time.
func CacheName(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "code-" + hex.EncodeToString(sum[:8]) + ".idx"
}

// writer is the key of an index with the version of the program that wrote it.
func (o *Options) writer() string {
	if o.Version == "" {
		return o.Key
	}
	return o.Key + "\x00" + o.Version
}

// save writes the index. A cache that cannot be written costs time at the next start, nothing else.
func (x *Index) save(b *base) {
	path := x.IndexPath()
	if path == "" || len(b.Files) == 0 {
		return
	}
	if os.MkdirAll(x.o.Cache, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(x.o.Cache, "code-*.tmp")
	if err != nil {
		return
	}
	w := &encoder{file: f}
	w.all(x.o.writer(), b)
	err = w.finish()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
}

// load reads the index that an earlier process saved; nil: there is none that fits.
func (x *Index) load() *Snapshot {
	path := x.IndexPath()
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxIndexFile {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	b, err := decodeBase(data, x.o.writer())
	if err != nil {
		return nil
	}
	return b.Snapshot(0, x.source, x.o.Checker)
}

// encoder writes an index and sums it up.
type encoder struct {
	file *os.File
	buf  []byte
	sum  uint32
	err  error
}

// flushAt is the amount of bytes gathered before they are written.
const flushAt = 256 << 10

func (w *encoder) flush() {
	w.sum = crc32.Update(w.sum, castagnoli, w.buf)
	if w.err == nil {
		_, w.err = w.file.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

func (w *encoder) num(v uint64) {
	w.buf = binary.AppendUvarint(w.buf, v)
}

func (w *encoder) blob(b []byte) {
	w.num(uint64(len(b)))
	w.buf = append(w.buf, b...)
	if len(w.buf) > flushAt {
		w.flush()
	}
}

func (w *encoder) words(list []uint32) {
	w.num(uint64(len(list)))
	for _, v := range list {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, v)
		if len(w.buf) > flushAt {
			w.flush()
		}
	}
}

func (w *encoder) all(key string, b *base) {
	w.buf = append(w.buf, Magic...)
	w.blob([]byte(key))
	w.num(uint64(len(b.Names.chunks)))
	for _, c := range b.Names.chunks {
		w.blob(c)
	}
	w.words(b.Names.offs)
	w.words(b.Names.table)
	w.num(uint64(len(b.Files)))
	for _, f := range b.Files {
		w.one(f)
	}
	w.words(b.Posts.Start)
	w.words(b.Posts.list)
}

func (w *encoder) one(f *File) {
	w.blob([]byte(f.Path))
	for _, v := range []uint64{
		uint64(f.Size), uint64(f.ModTime), f.Digest,
		uint64(f.Lang), uint64(f.Package), uint64(f.Lines),
		uint64(f.Funcs), uint64(f.Types), uint64(f.defs),
	} {
		w.num(v)
	}
	flags := uint64(0)
	if f.Generic {
		flags = genericFile
	}
	if f.Test {
		flags |= testFile
	}
	w.num(flags)
	w.blob([]byte(f.Skipped))
	w.blob(f.Packed)
}

func (w *encoder) finish() error {
	w.flush()
	w.buf = binary.LittleEndian.AppendUint32(w.buf, w.sum)
	if w.err == nil {
		_, w.err = w.file.Write(w.buf)
	}
	return w.err
}

// Flags of a file in an index.
const (
	genericFile = 1 << iota
	testFile
)

var errForeign = errors.New("index: another format, version or tree")

// decoder reads what encoder wrote. After a mistake everything is empty and err is set.
type decoder struct {
	b   []byte
	err error
}

// decodeBase checks and reads a whole index. It keeps parts of data.
func decodeBase(data []byte, key string) (*base, error) {
	n := len(data) - 4
	if n < len(Magic) || !bytes.HasPrefix(data, []byte(Magic)) {
		return nil, errForeign
	}
	if crc32.Checksum(data[:n], castagnoli) != binary.LittleEndian.Uint32(data[n:]) {
		return nil, errCorrupt
	}
	return DecodeBody(data[len(Magic):n], key)
}

// DecodeBody reads what stands between the magic word and the checksum.
func DecodeBody(body []byte, key string) (*base, error) {
	d := &decoder{b: body}
	if string(d.blob()) != key {
		return nil, errForeign
	}
	names := &names{}
	for range d.count(1) {
		names.chunks = append(names.chunks, d.blob())
	}
	names.offs, names.table = d.words(), d.words()
	files := make([]*File, 0, 1024)
	for range d.count(8) {
		files = append(files, d.one())
	}
	b := &base{Names: names, Files: files, Posts: postings{Start: d.words(), list: d.words()}}
	b.unread = unreadOf(files)
	if d.err == nil && (len(d.b) != 0 || !b.sound()) {
		d.err = errCorrupt
	}
	return b, d.err
}

func (d *decoder) num() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.b, d.err = nil, errCorrupt
		return 0
	}
	d.b = d.b[n:]
	return v
}

// count reads a number of things that take at least size bytes each.
func (d *decoder) count(size uint64) int {
	n := d.num()
	if n > uint64(len(d.b))/size {
		d.b, d.err = nil, errCorrupt
		return 0
	}
	return int(n)
}

func (d *decoder) blob() []byte {
	n := d.count(1)
	b := d.b[:n:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) words() []uint32 {
	n := d.count(4)
	list := make([]uint32, n)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(d.b[4*i:])
	}
	d.b = d.b[4*n:]
	return list
}

func (d *decoder) one() *File {
	f := &File{Entry: Entry{Path: string(d.blob()), Size: int64(d.num()), ModTime: int64(d.num())}, Digest: d.num()}
	f.Lang = syntax.Language(d.num())
	f.Package, f.Lines = uint32(d.num()), int32(d.num())
	f.Funcs, f.Types, f.defs = int32(d.num()), int32(d.num()), int32(d.num())
	flags := d.num()
	f.Generic, f.Test = flags&genericFile != 0, flags&testFile != 0
	f.Skipped = string(d.blob())
	f.Packed = d.blob()
	if len(f.Packed) == 0 {
		f.Packed = nil
	}
	f.Foreign = isForeign(f.Path)
	return f
}

// sound reports whether all numbers in an index lead somewhere.
func (b *base) sound() bool {
	n := b.Names
	size := len(n.table)
	if len(n.offs) == 0 || len(n.chunks) == 0 || size == 0 || size&(size-1) != 0 || size <= len(n.offs) {
		return false
	}
	for _, off := range n.offs {
		if c := off >> chunkBits; int(c) >= len(n.chunks) || int(off&(chunkSize-1)) >= len(n.chunks[c]) {
			return false
		}
	}
	free := false
	for _, y := range n.table {
		free = free || y == 0
		if int(y) >= len(n.offs) {
			return false
		}
	}
	for i := 1; i < len(b.Files); i++ {
		if b.Files[i].Path <= b.Files[i-1].Path {
			return false
		}
	}
	return free && b.Posts.sound(len(b.Files))
}

func (p *postings) sound(files int) bool {
	if len(p.Start) == 0 || len(p.list) > math.MaxInt32 || int(p.Start[len(p.Start)-1]) != len(p.list) {
		return false
	}
	for i := 1; i < len(p.Start); i++ {
		if p.Start[i] < p.Start[i-1] {
			return false
		}
	}
	for _, item := range p.list {
		if int(item>>postingShift) >= files {
			return false
		}
	}
	return true
}
