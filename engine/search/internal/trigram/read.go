package trigram

import (
	"encoding/binary"
	"io"
	"math"
	"os"
	"sync"
)

// Segment is an index file open for reading. It is safe for concurrent use.
type Segment struct {
	Root     string // whose files these are
	Replaces bool   // it has all of them: older segments are not needed

	f        *os.File
	table    *table
	outside  []RuleFile
	size     int64  // of the pages
	crcs     []byte // a checksum for each
	chapters []chapter
	seven    *[256]uint8

	mu    sync.Mutex
	pages map[int64][]byte // those that were read and are sound, by number
}

const (
	maxPages  = 2048    // pages kept in memory: 32 MB
	maxTail   = 1 << 30 // bytes of an index's own tables; an index of a terabyte stays below
	lessLists = 5       // lists read for one literal at most: the rarest say almost all
	fewEnough = 4       // candidates below which no further list is worth reading
)

// Open reads a segment's tables and checks them. The pages of the lists are checked as they are read.
func Open(path string) (*Segment, error) {
	f, err := openShared(path)
	if err != nil {
		return nil, err
	}
	s := &Segment{
		f:     f,
		seven: sevenBits(),
		pages: map[int64][]byte{},
	}
	err = s.load()
	if err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// Close ends the use of the segment. Running questions fail.
func (s *Segment) Close() error { return s.f.Close() }

// Size is the number of bytes on disk.
func (s *Segment) Size() int64 {
	info, err := s.f.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// load reads everything but the pages, from the end of the file: the footer says how long the parts before it are.
func (s *Segment) load() error {
	foot, err := s.footer()
	if err != nil {
		return err
	}
	s.size = foot.pages
	tail := make([]byte, foot.crcs+foot.meta)
	_, err = s.f.ReadAt(tail, s.size)
	if err != nil {
		return corrupt("%v", err)
	}
	if checksum(tail) != foot.tailSum {
		return corrupt("checksum of the tables")
	}
	s.crcs = tail[:foot.crcs]
	return s.parse(&reader{b: tail[foot.crcs:]})
}

// footer are the lengths of a segment's parts.
type footer struct {
	pages, crcs, meta int64
	tailSum           uint32 // the checksum of crcs and meta
}

// footer reads the last bytes of the file and checks that they say what can be.
func (s *Segment) footer() (footer, error) {
	size := s.Size()
	if size < footerSize {
		return footer{}, corrupt("%d bytes", size)
	}
	b := make([]byte, footerSize)
	_, err := s.f.ReadAt(b, size-footerSize)
	if err != nil && err != io.EOF {
		return footer{}, corrupt("%d bytes", size)
	}
	if string(b[:len(magic)]) != magic {
		return footer{}, corrupt("of another version")
	}
	le := binary.LittleEndian
	if checksum(b[:footerSize-4]) != le.Uint32(b[footerSize-4:]) {
		return footer{}, corrupt("checksum of the footer")
	}
	numbers := b[len(magic):]
	f := footer{
		pages:   int64(le.Uint64(numbers)),
		crcs:    int64(le.Uint64(numbers[8:])),
		meta:    int64(le.Uint64(numbers[16:])),
		tailSum: le.Uint32(b[footerSize-8:]),
	}
	if !f.sound(size) {
		return footer{}, corrupt("lengths do not add up")
	}
	return f, nil
}

// sound reports whether the lengths can be those of a file of this size. The bounds come first: what is read by them is
// read into memory.
func (f footer) sound(size int64) bool {
	if min(f.crcs, f.meta) < 0 || max(f.crcs, f.meta) > maxTail {
		return false
	}
	if f.pages+f.crcs+f.meta+footerSize != size {
		return false
	}
	covered := f.crcs / 4 * pageSize // by a checksum of four bytes for each page
	return covered >= f.pages
}

// parse reads the metadata, in the order in which Finish writes it, and then the table.
func (s *Segment) parse(r *reader) error {
	s.Root = string(r.bytes(r.int()))
	s.Replaces = r.int() == 1
	at, length := int64(r.int()), r.int()
	var counts [5]int
	for i := range counts {
		counts[i] = r.int()
	}
	err := s.parseChapters(r)
	if err != nil {
		return err
	}
	for range r.int() {
		path := string(r.bytes(r.int()))
		st := r.bytes(statBytes)
		if r.bad {
			return corrupt("rules outside")
		}
		s.outside = append(s.outside, RuleFile{path, statOf(st)})
	}
	if r.bad || int64(length) > s.size {
		return corrupt("tables")
	}
	b, err := s.readTable(at, length)
	if err != nil {
		return err
	}
	s.table, err = cutTable(b, counts)
	if err != nil {
		return err
	}
	return s.checkBlocks()
}

// topBytes is the size of a chapter's table: where each bucket begins, and where the last one ends.
const topBytes = 4 * (buckets + 1)

func (s *Segment) parseChapters(r *reader) error {
	for range r.int() {
		c := chapter{
			blocks:   r.int(),
			lists:    int64(r.int()),
			buckets:  int64(r.int()),
			top:      int64(r.int()),
			topBytes: int64(r.int()),
		}
		if r.bad || c.blocks > chapterDocs || c.topBytes != topBytes {
			return corrupt("chapters")
		}
		s.chapters = append(s.chapters, c)
	}
	return nil
}

// checkBlocks makes sure that every file's blocks are in its chapter.
func (s *Segment) checkBlocks() error {
	for i := range s.Len() {
		r := s.table.file(i)
		flags := r.number(fileFlags)
		if flags&flagLoose != 0 {
			continue
		}
		_, end := r.span(fileFirstDoc, fileBlocks)
		chapter := flags >> chapterShift
		if chapter >= len(s.chapters) || end > s.chapters[chapter].blocks {
			return corrupt("files")
		}
	}
	return nil
}

// readTable reads a contiguous part of the pages, checked, without keeping it among the pages.
func (s *Segment) readTable(off int64, n int) ([]byte, error) {
	if off < 0 || n < 0 || off+int64(n) > s.size {
		return nil, corrupt("offset %d", off)
	}
	from := off / pageSize * pageSize
	pages := (off + int64(n) + pageSize - 1) / pageSize
	to := min(pages*pageSize, s.size)
	b := make([]byte, to-from)
	_, err := s.f.ReadAt(b, from)
	if err != nil {
		return nil, corrupt("%v", err)
	}
	for at := from; at < to; at += pageSize {
		page := b[at-from : min(at+pageSize, to)-from]
		err := s.checkPage(page, at/pageSize)
		if err != nil {
			return nil, err
		}
	}
	return b[off-from:][:n], nil
}

// checkPage compares a page with the checksum that was written for it.
func (s *Segment) checkPage(page []byte, i int64) error {
	written := binary.LittleEndian.Uint32(s.crcs[4*i:])
	if checksum(page) != written {
		return corrupt("checksum of page %d", i)
	}
	return nil
}

// reader takes numbers off a byte slice. After an error it is bad and gives zeros.
type reader struct {
	b   []byte
	bad bool
}

// next, int and bytes take a number, a number that is a length or a place, and so many bytes.
func (r *reader) next() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) int() int {
	v := r.next()
	if v > math.MaxInt64/2 {
		r.bad = true
		return 0
	}
	return int(v)
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	p := r.b[:n]
	r.b = r.b[n:]
	return p
}

// read appends n bytes at off to b, out of checked pages.
func (s *Segment) read(b []byte, off int64, n int) ([]byte, error) {
	if off < 0 || n < 0 || off+int64(n) > s.size {
		return b, corrupt("offset %d", off)
	}
	for n > 0 {
		p, err := s.page(off / pageSize)
		if err != nil {
			return b, err
		}
		p = p[off%pageSize:]
		p = p[:min(n, len(p))]
		b = append(b, p...)
		off += int64(len(p))
		n -= len(p)
	}
	return b, nil
}

// page is one page, out of memory or checked. When there is no more room, all are forgotten: a question reads few, and
// keeping account of which were used last would cost more than reading them again.
func (s *Segment) page(i int64) ([]byte, error) {
	s.mu.Lock()
	p := s.pages[i]
	s.mu.Unlock()
	if p != nil {
		return p, nil
	}
	p = make([]byte, min(pageSize, s.size-i*pageSize))
	_, err := s.f.ReadAt(p, i*pageSize)
	if err != nil {
		return nil, corrupt("page %d: %v", i, err)
	}
	err = s.checkPage(p, i)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pages) >= maxPages {
		clear(s.pages)
	}
	s.pages[i] = p
	return p, nil
}

// Chapters is the number of bitmaps that Candidates returns.
func (s *Segment) Chapters() int { return len(s.chapters) }

// Owners returns, by chapter, a slot for every block, filled with -1.
func (s *Segment) Owners() [][]int32 {
	all := make([][]int32, len(s.chapters))
	for i := range all {
		all[i] = make([]int32, s.chapters[i].blocks)
		for k := range all[i] {
			all[i][k] = -1
		}
	}
	return all
}
