package trigram

import (
	"encoding/binary"
	"sort"
	"strings"

	"helve/engine/tree"
)

// The table of a segment says which files and directories there are. It is read in one piece and used as it is, since
// a command that asks one question has no time to parse a hundred thousand records: records of a fixed size, in the
// order directories, files, blocks, rule files, and then all names. A record is numbers of 32 bits, and in some the
// state of a file or directory, of four numbers of 64 bits.
const (
	statBytes   = 4 * 8
	dirRecord   = dirFields*4 + statBytes
	fileRecord  = statBytes + fileFields*4
	blockRecord = blockFields * 4
	ruleRecord  = ruleFields*4 + statBytes
)

// The numbers of each kind of record. A name is two numbers, the first of every record: where it is among the names,
// and how long it is.
const (
	dirFirstFile = 2
	dirFiles     = 3
	dirEnd       = 4 // the place of the first directory behind it that does not lie in it
	dirFirstRule = 5
	dirRules     = 6
	dirFields    = 8 // the last is not used; the state comes behind it

	fileDir        = 2
	fileFlags      = 3 // flagBinary and flagLoose, and above them the chapter
	fileFirstDoc   = 4 // the number of its first block in the chapter
	fileFirstBlock = 5 // the place of its first block in the table
	fileBlocks     = 6
	fileFields     = 7 // behind the state

	blockBytes  = 0
	blockLines  = 1
	blockFields = 2

	ruleFields = 2 // the state comes behind the name
)

// Flags of a file record.
const (
	flagBinary = 1 << iota
	flagLoose

	chapterShift = 2
)

// table is the table as it is in memory, checked so that no record points out of it.
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

// record is the numbers of one record.
type record []byte

func (r record) number(i int) int {
	n := binary.LittleEndian.Uint32(r[4*i:])
	return int(n)
}

// span are two numbers: where something begins and how much of it there is.
func (r record) span(first, count int) (from, to int) {
	from = r.number(first)
	return from, from + r.number(count)
}

func statOf(b []byte) tree.Stat {
	le := binary.LittleEndian
	return tree.Stat{
		Size:  int64(le.Uint64(b)),
		MTime: int64(le.Uint64(b[8:])),
		CTime: int64(le.Uint64(b[16:])),
		Inode: le.Uint64(b[24:]),
	}
}

// cutTable takes a table apart and checks it. counts are those that encodeTable gave.
func cutTable(b []byte, counts [5]int) (*table, error) {
	t := &table{}
	parts := []struct {
		into *[]byte
		size int
	}{
		{&t.dirs, dirRecord},
		{&t.files, fileRecord},
		{&t.blocks, blockRecord},
		{&t.rules, ruleRecord},
	}
	for i, p := range parts {
		n := counts[i] * p.size
		if counts[i] > len(b) || n > len(b) { // the first keeps the product from overflowing
			return nil, corrupt("table")
		}
		*p.into, b = b[:n:n], b[n:]
	}
	if len(b) != counts[4] {
		return nil, corrupt("names")
	}
	t.names = string(b)
	return t, t.check()
}

// check makes sure that what records point to is there: no question has to look again.
func (t *table) check() error {
	for i := range t.dirCount() {
		if !t.soundDir(i) {
			return corrupt("directories")
		}
	}
	for i := range t.fileCount() {
		if !t.soundFile(i) {
			return corrupt("files")
		}
	}
	for i := range t.ruleCount() {
		if !t.soundName(t.rule(i)) {
			return corrupt("rules")
		}
	}
	return nil
}

func (t *table) soundDir(i int) bool {
	r := t.dir(i)
	_, files := r.span(dirFirstFile, dirFiles)
	_, rules := r.span(dirFirstRule, dirRules)
	if files > t.fileCount() || rules > t.ruleCount() {
		return false
	}
	end := r.number(dirEnd)
	forward := i < end && end <= t.dirCount() // or going from one to the next might not end
	return forward && t.soundName(r)
}

func (t *table) soundFile(i int) bool {
	r := t.file(i)
	_, blocks := r.span(fileFirstBlock, fileBlocks)
	if r.number(fileDir) >= t.dirCount() || blocks > t.blockCount() {
		return false
	}
	return t.soundName(r)
}

func (t *table) soundName(r record) bool {
	_, to := r.span(0, 1)
	return to <= len(t.names)
}

func (t *table) dirCount() int   { return len(t.dirs) / dirRecord }
func (t *table) fileCount() int  { return len(t.files) / fileRecord }
func (t *table) blockCount() int { return len(t.blocks) / blockRecord }
func (t *table) ruleCount() int  { return len(t.rules) / ruleRecord }

// dir, file and rule are the numbers of a record; its state is dirStat, fileStat, ruleStat.
func (t *table) dir(i int) record {
	return t.dirs[i*dirRecord:]
}

func (t *table) dirStat(i int) tree.Stat {
	state := t.dir(i)[dirFields*4:]
	return statOf(state)
}

func (t *table) file(i int) record {
	return t.files[i*fileRecord+statBytes:]
}

func (t *table) fileStat(i int) tree.Stat {
	return statOf(t.files[i*fileRecord:])
}

func (t *table) rule(i int) record {
	return t.rules[i*ruleRecord:]
}

func (t *table) ruleStat(i int) tree.Stat {
	state := t.rule(i)[ruleFields*4:]
	return statOf(state)
}

// name is the name of a record: in all of them it is the first two numbers.
func (t *table) name(r record) string {
	from, to := r.span(0, 1)
	return t.names[from:to]
}

func (t *table) dirPath(i int) string  { return t.name(t.dir(i)) }
func (t *table) fileName(i int) string { return t.name(t.file(i)) }

// findDir returns the place of a directory, given with its slash, or -1.
func (t *table) findDir(path string) int {
	n := t.dirCount()
	i := sort.Search(n, func(i int) bool { return t.dirPath(i) >= path })
	if i == n || t.dirPath(i) != path {
		return -1
	}
	return i
}

// Len is the number of files.
func (s *Segment) Len() int { return s.table.fileCount() }

// Stat is the state of a file when it was indexed; zero for one that is not indexed.
func (s *Segment) Stat(i int) tree.Stat { return s.table.fileStat(i) }

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
	r := s.table.file(i)
	flags := r.number(fileFlags)
	from, to := r.span(fileFirstBlock, fileBlocks)
	return Entry{
		Stat:    s.table.fileStat(i),
		Binary:  flags&flagBinary != 0,
		Loose:   flags&flagLoose != 0,
		Chapter: int32(flags >> chapterShift),
		First:   int32(r.number(fileFirstDoc)),
		blocks:  s.table.blocks[from*blockRecord : to*blockRecord],
	}
}

// Blocks is the number of the file's blocks.
func (e *Entry) Blocks() int { return len(e.blocks) / blockRecord }

// Block returns one of them.
func (e *Entry) Block(i int) Block {
	r := record(e.blocks[i*blockRecord:])
	return Block{
		Bytes: uint32(r.number(blockBytes)),
		Lines: uint32(r.number(blockLines)),
	}
}

// InDir returns the places of the files of one directory, given with its slash.
func (s *Segment) InDir(dir string) (from, to int) {
	i := s.table.findDir(dir)
	if i < 0 {
		return 0, 0
	}
	return s.table.dir(i).span(dirFirstFile, dirFiles)
}

// Find returns the place of a name among those of one directory, or -1.
func (s *Segment) Find(from, to int, name string) int {
	t := s.table
	i := sort.Search(to-from, func(i int) bool { return t.fileName(from+i) >= name })
	i += from
	if i < to && t.fileName(i) == name {
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
	d = Dir{Path: dir, Stat: t.dirStat(i)}
	if d.Stat == (tree.Stat{}) {
		return d, 0, nil, nil, false
	}
	r := t.dir(i)
	first, end := r.span(dirFirstFile, dirFiles)
	files = make([]string, end-first)
	for k := range files {
		files[k] = t.fileName(first + k)
	}

	// Directories are sorted, so those within come right behind: each with its own, which dirEnd leads past.
	for k := i + 1; k < r.number(dirEnd); k = t.dir(k).number(dirEnd) {
		name := t.dirPath(k)[len(dir):]
		dirs = append(dirs, strings.TrimSuffix(name, "/"))
	}
	d.Rules = t.ruleFiles(r.span(dirFirstRule, dirRules))
	return d, first, files, dirs, true
}

func (t *table) ruleFiles(from, to int) []RuleFile {
	var list []RuleFile
	for i := from; i < to; i++ {
		r := RuleFile{Path: t.name(t.rule(i)), Stat: t.ruleStat(i)}
		list = append(list, r)
	}
	return list
}

// Outside returns the ignore files that lie outside the root and count in it, as they were when the segment was made.
func (s *Segment) Outside() []RuleFile { return s.outside }
