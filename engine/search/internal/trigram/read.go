package trigram

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"os"
	"sync"
)

// Segment is an index file open for reading. It is safe for concurrent use.
type Segment struct {
	Root     string
	Replaces bool
	f        *os.File
	table    *table
	outside  []RuleFile
	size     int64 // of the pages
	crcs     []byte
	chapters []chapter
	seven    *[256]uint8

	mu    sync.Mutex
	pages map[int64][]byte
}

const (
	maxPages  = 2048    // pages kept in memory: 32 MB
	maxTail   = 1 << 30 // bytes of an index's own tables; an index of a terabyte stays below
	lessLists = 5       // lists read for one literal at most: the rarest say almost all
	fewEnough = 4       // candidates below which no further list is worth reading
)

// Open reads a segment's tables and checks them. The pages of the lists are checked as they are read.
func Open(path string) (*Segment, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &Segment{f: f, seven: sevenBits(), pages: map[int64][]byte{}}
	if err := s.load(); err != nil {
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

func (s *Segment) load() error {
	size := s.Size()
	foot := make([]byte, footerSize)
	if _, err := s.f.ReadAt(foot, max(size-footerSize, 0)); err != nil && err != io.EOF || size < footerSize {
		return corrupt("%d bytes", size)
	}
	if string(foot[:16]) != magic {
		return corrupt("of another version")
	}
	if crc32.Checksum(foot[:footerSize-4], castagnoli()) != binary.LittleEndian.Uint32(foot[footerSize-4:]) {
		return corrupt("checksum of the footer")
	}
	number := func(i int) int64 { return int64(binary.LittleEndian.Uint64(foot[16+8*i:])) }
	s.size = number(0)
	crcs, meta := number(1), number(2)
	if crcs < 0 || meta < 0 || crcs > maxTail || meta > maxTail || s.size+crcs+meta+footerSize != size || crcs/4*pageSize < s.size {
		return corrupt("lengths do not add up")
	}
	tail := make([]byte, crcs+meta)
	if _, err := s.f.ReadAt(tail, s.size); err != nil {
		return corrupt("%v", err)
	}
	if crc32.Checksum(tail, castagnoli()) != binary.LittleEndian.Uint32(foot[footerSize-8:]) {
		return corrupt("checksum of the tables")
	}
	s.crcs = tail[:crcs]
	return s.parse(&reader{b: tail[crcs:]})
}

func (s *Segment) parse(r *reader) error {
	s.Root = string(r.bytes(r.int()))
	s.Replaces = r.int() == 1
	at, length := int64(r.int()), r.int()
	var counts [5]int
	for i := range counts {
		counts[i] = r.int()
	}
	for range r.int() {
		c := chapter{blocks: r.int()}
		for _, n := range [...]*int64{&c.lists, &c.buckets, &c.top, &c.topBytes} {
			*n = int64(r.int())
		}
		if s.chapters = append(s.chapters, c); r.bad || c.blocks > chapterDocs || c.topBytes != 4*(buckets+1) {
			return corrupt("chapters")
		}
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
	if s.table, err = cutTable(b, counts); err != nil {
		return err
	}
	return s.checkBlocks()
}

// checkBlocks makes sure that every file's blocks are in its chapter.
func (s *Segment) checkBlocks() error {
	for i := range s.Len() {
		r := s.table.files[i*fileRecord+statBytes:]
		flags, first, n := number(r, 3), number(r, 4), number(r, 6)
		if flags&flagLoose == 0 && (flags>>2 >= len(s.chapters) || first+n > s.chapters[flags>>2].blocks) {
			return corrupt("files")
		}
	}
	return nil
}

// reader takes numbers off a byte slice. After an error it is bad and gives zeros.
type reader struct {
	b   []byte
	bad bool
}

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

func (s *Segment) page(i int64) ([]byte, error) {
	s.mu.Lock()
	p := s.pages[i]
	s.mu.Unlock()
	if p != nil {
		return p, nil
	}
	p = make([]byte, min(pageSize, s.size-i*pageSize))
	if _, err := s.f.ReadAt(p, i*pageSize); err != nil {
		return nil, corrupt("page %d: %v", i, err)
	}
	if crc32.Checksum(p, castagnoli()) != binary.LittleEndian.Uint32(s.crcs[4*i:]) {
		return nil, corrupt("checksum of page %d", i)
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
