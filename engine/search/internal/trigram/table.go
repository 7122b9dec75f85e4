package trigram

import (
	"encoding/binary"
	"hash/crc32"
	"sort"
	"strings"

	"helve/engine/tree"
)

// The table of a segment says which files and directories there are. It is read in one piece and used as it lies
// there, since a command that asks one question has no time to parse a hundred thousand records: records of a fixed
// size, in the order directories, files, blocks, rule files, and then all names.
const (
	dirRecord   = 7*4 + 4 + statBytes
	fileRecord  = statBytes + 7*4
	blockRecord = 2 * 4
	ruleRecord  = 2*4 + statBytes
	statBytes   = 4 * 8
)

// Flags of a file record.
const (
	flagBinary = 1 << iota
	flagLoose
)

// table is the table as it lies in memory, checked so that no record points out of it.
type table struct {
	dirs, files, blocks, rules []byte
	names                      string
}

// Dir is what an index knows about one directory.
type Dir struct {
	Path  string     // with its slash; "" for the root
	Stat  tree.Stat  // before it was read; zero if that says nothing about what is in it
	Rules []RuleFile // the ignore files that were read for it
}

// RuleFile is an ignore file in the state in which it was read.
type RuleFile struct {
	Path string
	Stat tree.Stat
}

func appendStat(b []byte, st tree.Stat) []byte {
	for _, n := range [...]uint64{uint64(st.Size), uint64(st.MTime), uint64(st.CTime), st.Inode} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

func statOf(b []byte) tree.Stat {
	le := binary.LittleEndian
	return tree.Stat{Size: int64(le.Uint64(b)), MTime: int64(le.Uint64(b[8:])), CTime: int64(le.Uint64(b[16:])), Inode: le.Uint64(b[24:])}
}

func append32(b []byte, numbers ...int) []byte {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return b
}

func number(b []byte, i int) int { return int(binary.LittleEndian.Uint32(b[4*i:])) }

// encode writes the table of files, which are sorted, and of directories.
func encodeTable(files []File, dirs []Dir) (b []byte, counts [5]int) {
	dirs = withDirsOf(files, dirs)
	var dirPart, filePart, blockPart, rulePart, names []byte
	name := func(s string) (int, int) {
		names = append(names, s...)
		return len(names) - len(s), len(s)
	}
	next := 0 // the first file that has no directory yet
	for i, d := range dirs {
		first := next
		for next < len(files) && files[next].dir() == d.Path {
			f := &files[next]
			at, n := name(f.Path[f.Dir:])
			flags := int(boolByte(f.Binary))*flagBinary | int(boolByte(f.Loose))*flagLoose
			filePart = append32(appendStat(filePart, f.Stat), at, n, i, flags|int(f.Chapter)<<2, int(f.First), len(blockPart)/blockRecord, len(f.Blocks))
			for _, blk := range f.Blocks {
				blockPart = append32(blockPart, int(blk.Bytes), int(blk.Lines))
			}
			next++
		}
		end := i + 1 + sort.Search(len(dirs)-i-1, func(k int) bool { return !strings.HasPrefix(dirs[i+1+k].Path, d.Path) })
		at, n := name(d.Path)
		dirPart = append32(dirPart, at, n, first, next-first, end, len(rulePart)/ruleRecord, len(d.Rules), 0)
		dirPart = appendStat(dirPart, d.Stat)
		for _, r := range d.Rules {
			at, n := name(r.Path)
			rulePart = appendStat(append32(rulePart, at, n), r.Stat)
		}
	}
	counts = [5]int{len(dirPart) / dirRecord, len(filePart) / fileRecord, len(blockPart) / blockRecord, len(rulePart) / ruleRecord, len(names)}
	b = dirPart
	for _, part := range [...][]byte{filePart, blockPart, rulePart, names} {
		b = append(b, part...)
	}
	return b, counts
}

// withDirsOf returns the directories, sorted, with those that only a file's path names.
func withDirsOf(files []File, dirs []Dir) []Dir {
	known := make(map[string]bool, len(dirs))
	for i := range dirs {
		known[dirs[i].Path] = true
	}
	for i := range files {
		if p := files[i].dir(); !known[p] {
			known[p] = true
			dirs = append(dirs, Dir{Path: p})
		}
	}
	sort.Slice(dirs, func(i, k int) bool { return dirs[i].Path < dirs[k].Path })
	return dirs
}

// cutTable takes a table apart and checks it.
func cutTable(b []byte, counts [5]int) (*table, error) {
	t := &table{}
	for i, size := range [...]int{dirRecord, fileRecord, blockRecord, ruleRecord} {
		n := counts[i] * size
		if counts[i] > len(b) || n > len(b) {
			return nil, corrupt("table")
		}
		part := [...]*[]byte{&t.dirs, &t.files, &t.blocks, &t.rules}[i]
		*part, b = b[:n:n], b[n:]
	}
	if len(b) != counts[4] {
		return nil, corrupt("names")
	}
	t.names = string(b)
	return t, t.check()
}

// check makes sure that what records point to is there.
func (t *table) check() error {
	files, dirs, blocks, rules := t.fileCount(), t.dirCount(), len(t.blocks)/blockRecord, len(t.rules)/ruleRecord
	name := func(r []byte) bool { return number(r, 0)+number(r, 1) <= len(t.names) }
	for i := range dirs {
		r := t.dirs[i*dirRecord:]
		if !name(r) || number(r, 2)+number(r, 3) > files || number(r, 4) <= i || number(r, 4) > dirs || number(r, 5)+number(r, 6) > rules {
			return corrupt("directories")
		}
	}
	for i := range files {
		r := t.files[i*fileRecord+statBytes:]
		if !name(r) || number(r, 2) >= dirs || number(r, 5)+number(r, 6) > blocks {
			return corrupt("files")
		}
	}
	for i := range rules {
		if !name(t.rules[i*ruleRecord:]) {
			return corrupt("rules")
		}
	}
	return nil
}

func (t *table) dirCount() int  { return len(t.dirs) / dirRecord }
func (t *table) fileCount() int { return len(t.files) / fileRecord }

func (t *table) name(r []byte) string {
	at := number(r, 0)
	return t.names[at : at+number(r, 1)]
}

func (t *table) dir(i int) []byte      { return t.dirs[i*dirRecord : (i+1)*dirRecord] }
func (t *table) dirPath(i int) string  { return t.name(t.dir(i)) }
func (t *table) fileName(i int) string { return t.name(t.files[i*fileRecord+statBytes:]) }

// findDir returns the place of a directory, given with its slash, or -1.
func (t *table) findDir(path string) int {
	i := sort.Search(t.dirCount(), func(i int) bool { return t.dirPath(i) >= path })
	if i == t.dirCount() || t.dirPath(i) != path {
		return -1
	}
	return i
}

// Len is the number of files.
func (s *Segment) Len() int { return s.table.fileCount() }

// Stat is the state of a file when it was indexed; zero for one that is not indexed.
func (s *Segment) Stat(i int) tree.Stat { return statOf(s.table.files[i*fileRecord:]) }

// Entry is what a question wants to know about a file.
type Entry struct {
	Stat    tree.Stat
	Binary  bool  // it has a NUL near its beginning and is not searched
	Loose   bool  // it is there, and nothing is known about its text
	Chapter int32 // of its blocks
	First   int32 // number of its first block in the chapter
	blocks  []byte
}

// Entry returns the file at a place.
func (s *Segment) Entry(i int) Entry {
	r := s.table.files[i*fileRecord : (i+1)*fileRecord]
	n := r[statBytes:]
	flags, at := number(n, 3), number(n, 5)*blockRecord
	return Entry{statOf(r), flags&flagBinary != 0, flags&flagLoose != 0, int32(flags >> 2), int32(number(n, 4)), s.table.blocks[at : at+number(n, 6)*blockRecord]}
}

// Blocks is the number of the file's blocks.
func (e *Entry) Blocks() int { return len(e.blocks) / blockRecord }

// Block returns one of them.
func (e *Entry) Block(i int) Block {
	r := e.blocks[i*blockRecord:]
	return Block{uint32(number(r, 0)), uint32(number(r, 1))}
}

// InDir returns the places of the files of one directory, given with its slash.
func (s *Segment) InDir(dir string) (from, to int) {
	i := s.table.findDir(dir)
	if i < 0 {
		return 0, 0
	}
	r := s.table.dir(i)
	return number(r, 2), number(r, 2) + number(r, 3)
}

// Find returns the place of a name among those of one directory, or -1.
func (s *Segment) Find(from, to int, name string) int {
	i := from + sort.Search(to-from, func(i int) bool { return s.table.fileName(from+i) >= name })
	if i < to && s.table.fileName(i) == name {
		return i
	}
	return -1
}

// Listing returns what was in a directory, given with its slash: the names of its files, which have places from first
// on, and of its directories. ok is false if that is not known.
func (s *Segment) Listing(dir string) (d Dir, first int, files, dirs []string, ok bool) {
	t := s.table
	i := t.findDir(dir)
	if i < 0 {
		return Dir{}, 0, nil, nil, false
	}
	r := t.dir(i)
	d = Dir{Path: dir, Stat: statOf(r[dirRecord-statBytes:])}
	if d.Stat == (tree.Stat{}) {
		return d, 0, nil, nil, false
	}
	first = number(r, 2)
	files = make([]string, number(r, 3))
	for k := range files {
		files[k] = t.fileName(first + k)
	}
	for k := i + 1; k < number(r, 4); k = number(t.dir(k), 4) {
		dirs = append(dirs, strings.TrimSuffix(t.dirPath(k)[len(dir):], "/"))
	}
	d.Rules = t.ruleFiles(number(r, 5), number(r, 6))
	return d, first, files, dirs, true
}

func (t *table) ruleFiles(at, n int) []RuleFile {
	var list []RuleFile
	for i := at; i < at+n; i++ {
		r := t.rules[i*ruleRecord : (i+1)*ruleRecord]
		list = append(list, RuleFile{t.name(r), statOf(r[8:])})
	}
	return list
}

// Outside returns the ignore files that lie outside the root or beside it, as they were when the segment was made.
func (s *Segment) Outside() []RuleFile { return s.outside }

// readTable reads a contiguous part of the pages, checked, without keeping it among the pages.
func (s *Segment) readTable(off int64, n int) ([]byte, error) {
	if off < 0 || n < 0 || off+int64(n) > s.size {
		return nil, corrupt("offset %d", off)
	}
	from := off / pageSize * pageSize
	to := min((off+int64(n)+pageSize-1)/pageSize*pageSize, s.size)
	b := make([]byte, to-from)
	if _, err := s.f.ReadAt(b, from); err != nil {
		return nil, corrupt("%v", err)
	}
	for at := from; at < to; at += pageSize {
		page := b[at-from : min(at+pageSize, to)-from]
		if crc32.Checksum(page, castagnoli()) != binary.LittleEndian.Uint32(s.crcs[4*(at/pageSize):]) {
			return nil, corrupt("checksum of page %d", at/pageSize)
		}
	}
	return b[off-from:][:n], nil
}
