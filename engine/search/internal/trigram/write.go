package trigram

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"helve/engine/tree"
)

const (
	magic      = "helve search 2\n\x00" // 16 bytes; another version of the format has another number
	pageSize   = 16 << 10               // bytes under one checksum
	footerSize = 16 + 8*4 + 8           // magic, four numbers, two checksums
	// allGrams is how many entries all shards together collect before they write chapters: 64 MB, and half as much to
	// sort them.
	allGrams    = 16 << 20
	leastGrams  = 1 << 20 // of one shard: smaller chapters make a larger index
	chapterDocs = 1<<16 - 1
	bucketBits  = 7 // grams of one bucket share all but these bits
	buckets     = grams >> bucketBits
)

// File is what an index knows about one file.
type File struct {
	Path    string // relative to the root, slash-separated
	Dir     int    // length of the directory in Path, with its slash
	Stat    tree.Stat
	Binary  bool // has a NUL near its beginning: it is not searched
	Loose   bool // only its name is known: it is always searched
	Chapter int32
	First   int32   // number of its first block in the chapter
	Blocks  []Block // consecutive, from the beginning of the file
}

// Block is a part of a file.
type Block struct {
	Bytes uint32
	Lines uint32 // line ends in it
}

// Writer makes one segment. Shards fill it, each in a goroutine of its own.
type Writer struct {
	f     *os.File
	grams int // see allGrams, for each shard

	mu       sync.Mutex
	off      int64  // where the next byte goes
	page     []byte // of the page that is not full yet
	crcs     []byte // of those that are written
	chapters []chapter
	files    []File
	dirs     []Dir
	outside  []RuleFile
	err      error // the first of writing; nothing is written after it
}

// chapter is where in a segment the lists of up to 65,535 blocks are.
type chapter struct {
	blocks   int
	lists    int64 // offset of the lists
	buckets  int64 // offset of the buckets
	top      int64 // offset of the table of buckets
	topBytes int64
}

// NewWriter begins a segment in f, an empty file open for writing, which stays the caller's. shards is how many will
// fill it.
func NewWriter(f *os.File, shards int) *Writer {
	return &Writer{
		f:     f,
		page:  make([]byte, 0, pageSize),
		grams: max(allGrams/shards, leastGrams),
	}
}

// checksum is CRC-32C, for which processors have an instruction.
func checksum(b []byte) uint32 {
	return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
}

// append writes p and returns where. The caller holds mu.
func (w *Writer) append(p []byte) int64 {
	at := w.off
	w.off += int64(len(p))
	for len(p) > 0 && w.err == nil {
		n := min(len(p), pageSize-len(w.page))
		w.page = append(w.page, p[:n]...)
		p = p[n:]
		if len(w.page) == pageSize {
			w.flushPage()
		}
	}
	return at
}

func (w *Writer) flushPage() {
	w.crcs = binary.LittleEndian.AppendUint32(w.crcs, checksum(w.page))
	_, err := w.f.Write(w.page)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.page = w.page[:0]
}

// Dirs says which directories there are, each with all its files among those added, and which ignore files outside
// count.
func (w *Writer) Dirs(dirs []Dir, outside []RuleFile) {
	w.dirs = dirs
	w.outside = outside
}

// Finish writes what the shards collected. replaces says that the segment makes older ones superfluous.
func (w *Writer) Finish(root string, replaces bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortStableFunc(w.files, compareFiles)
	table, counts := encodeTable(w.files, w.dirs)
	if uint64(len(table)) > math.MaxUint32 {
		return errors.New("too many files for one index")
	}
	tableAt := w.append(table)
	meta := appendText(nil, root)
	meta = appendNumbers(meta, boolNumber(replaces), int(tableAt), len(table))
	meta = appendNumbers(meta, counts[:]...)
	meta = appendNumbers(meta, len(w.chapters))
	for _, c := range w.chapters {
		meta = appendNumbers(meta, c.blocks)
		meta = appendNumbers(meta, int(c.lists), int(c.buckets), int(c.top), int(c.topBytes))
	}
	meta = appendNumbers(meta, len(w.outside))
	for _, r := range w.outside {
		meta = appendText(meta, r.Path)
		meta = appendStat(meta, r.Stat)
	}
	return w.finish(meta)
}

// finish writes the last page, its checksums, the metadata and the footer.
func (w *Writer) finish(meta []byte) error {
	if len(w.page) > 0 {
		w.flushPage()
	}
	le := binary.LittleEndian
	foot := []byte(magic)
	foot = le.AppendUint64(foot, uint64(w.off))
	foot = le.AppendUint64(foot, uint64(len(w.crcs)))
	foot = le.AppendUint64(foot, uint64(len(meta)))
	foot = le.AppendUint64(foot, 0) // not used
	tail := append(w.crcs, meta...)
	foot = le.AppendUint32(foot, checksum(tail))
	foot = le.AppendUint32(foot, checksum(foot))
	if w.err == nil {
		_, w.err = w.f.Write(append(tail, foot...))
	}
	return w.err
}

func appendNumbers(b []byte, numbers ...int) []byte {
	for _, n := range numbers {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

func appendText(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func boolNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (f *File) dir() string  { return f.Path[:f.Dir] }
func (f *File) name() string { return f.Path[f.Dir:] }

func compareFiles(a, b File) int {
	return cmp.Or(
		strings.Compare(a.dir(), b.dir()),
		strings.Compare(a.name(), b.name()),
	)
}

// Shard collects files for a Writer. Each goroutine has its own.
type Shard struct {
	w     *Writer
	set   *gramSet
	raw   []uint32 // grams, block after block
	ends  []int    // in raw, by block
	files []File

	// What sorting and encoding need, kept from one chapter to the next.
	counts []uint32 // by gram
	docs   []uint16 // blocks, gram after gram
	out    []byte
}

// Shard returns a new shard.
func (w *Writer) Shard() *Shard {
	return &Shard{w: w, set: newGramSet()}
}

// Loose adds a file of which only the name is to be known.
func (s *Shard) Loose(path string, dir int) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	f := File{Path: path, Dir: dir, Loose: true}
	s.w.files = append(s.w.files, f)
}

// Add indexes a file: its text up to where it is searched.
func (s *Shard) Add(f File, text []byte) error {
	f.Blocks = cut(text)
	docs := len(s.ends) + len(f.Blocks)
	if len(s.raw) >= s.w.grams || docs > chapterDocs {
		err := s.Flush() // a file's blocks are in one chapter
		if err != nil {
			return err
		}
	}
	f.First = int32(len(s.ends))
	for _, b := range f.Blocks {
		s.set.collect(text[:b.Bytes])
		text = text[b.Bytes:]
		s.raw = append(s.raw, s.set.list...)
		s.ends = append(s.ends, len(s.raw))
	}
	s.files = append(s.files, f)
	return nil
}

// cut divides a text into blocks that end with a line.
func cut(text []byte) []Block {
	var list []Block
	for len(text) > 0 {
		n := len(text)
		if n > lastBlock {
			i := bytes.IndexByte(text[BlockSize:], '\n')
			if i >= 0 {
				n = BlockSize + i + 1
			}
		}
		lines := bytes.Count(text[:n], []byte{'\n'})
		b := Block{Bytes: uint32(n), Lines: uint32(lines)}
		list = append(list, b)
		text = text[n:]
	}
	return list
}

// Flush writes what was collected as a chapter.
func (s *Shard) Flush() error {
	if len(s.files) == 0 {
		return nil
	}
	s.sort()
	lists, index, top := s.encode()
	w := s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	c := chapter{
		blocks:   len(s.ends),
		lists:    w.append(lists),
		buckets:  w.append(index),
		top:      w.append(top),
		topBytes: int64(len(top)),
	}
	for i := range s.files {
		s.files[i].Chapter = int32(len(w.chapters))
	}
	w.chapters = append(w.chapters, c)
	w.files = append(w.files, s.files...)
	s.raw = s.raw[:0]
	s.ends = s.ends[:0]
	s.files = s.files[:0]
	return w.err
}

// sort turns grams by block into blocks by gram, by counting. Afterwards counts holds where each gram's blocks end in
// docs.
func (s *Shard) sort() {
	if s.counts == nil {
		s.counts = make([]uint32, grams+1)
	}
	clear(s.counts)
	for _, g := range s.raw {
		s.counts[g+1]++
	}
	for g := 1; g < len(s.counts); g++ {
		s.counts[g] += s.counts[g-1]
	}
	n := len(s.raw)
	s.docs = slices.Grow(s.docs[:0], n)[:n]
	from := 0
	for doc, end := range s.ends {
		for _, g := range s.raw[from:end] {
			s.docs[s.counts[g]] = uint16(doc)
			s.counts[g]++
		}
		from = end
	}
}

// encode writes the lists, the buckets that say where in them each gram's is, and the table of buckets.
func (s *Shard) encode() (lists, index, top []byte) {
	lists = s.out[:0]
	from := uint32(0) // in docs: where the next gram's blocks begin
	for b := range buckets {
		top = binary.LittleEndian.AppendUint32(top, uint32(len(index)))
		last := (b+1)<<bucketBits - 1
		if s.counts[last] == from {
			continue // no gram of this bucket has a block
		}
		index = binary.AppendUvarint(index, uint64(len(lists)))
		for low := range 1 << bucketBits {
			end := s.counts[b<<bucketBits+low]
			if end == from {
				continue
			}
			before := len(lists)
			var dense bool
			lists, dense = appendList(lists, s.docs[from:end], len(s.ends))
			size := len(lists) - before
			index = append(index, byte(low))
			index = appendNumbers(index, size<<1|boolNumber(dense))
			from = end
		}
	}
	top = binary.LittleEndian.AppendUint32(top, uint32(len(index)))
	s.out = lists
	return lists, index, top
}

// appendList writes block numbers as distances, or as a bitmap where that is shorter.
func appendList(b []byte, docs []uint16, blocks int) (_ []byte, dense bool) {
	from := len(b)
	size := (blocks + 7) / 8 // of the bitmap
	last := -1
	for _, d := range docs {
		distance := int(d) - last - 1
		b = binary.AppendUvarint(b, uint64(distance))
		last = int(d)
		if len(b)-from >= size {
			return appendDense(b[:from], docs, size), true
		}
	}
	return b, false
}

func appendDense(b []byte, docs []uint16, size int) []byte {
	from := len(b)
	b = append(b, make([]byte, size)...)
	for _, d := range docs {
		b[from+int(d>>3)] |= 1 << (d & 7)
	}
	return b
}

// errCorrupt is wrapped by every error about the content of a segment.
var errCorrupt = errors.New("not a sound index")

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errCorrupt, fmt.Sprintf(format, args...))
}

// Corrupt reports whether an error means that a segment must be built anew.
func Corrupt(err error) bool {
	return errors.Is(err, errCorrupt) || errors.Is(err, io.ErrUnexpectedEOF)
}
