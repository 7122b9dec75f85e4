package trigram

import (
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"helve/engine/tree"
)

// encoder writes the table, each kind of record by itself.
type encoder struct {
	dirs, files, blocks, rules, names []byte
}

// encodeTable writes the table of files, which are sorted, and of directories. The counts say how many records of each
// kind there are, and how many bytes of names.
func encodeTable(files []File, dirs []Dir) (b []byte, counts [5]int) {
	dirs = withDirsOf(files, dirs)
	var e encoder
	next := 0 // the first file that has no directory yet
	for i := range dirs {
		d := &dirs[i]
		first := next
		for next < len(files) && files[next].dir() == d.Path {
			e.file(&files[next], i)
			next++
		}
		e.dir(d, first, next-first, endOf(dirs, i))
	}
	counts = [5]int{
		len(e.dirs) / dirRecord,
		len(e.files) / fileRecord,
		len(e.blocks) / blockRecord,
		len(e.rules) / ruleRecord,
		len(e.names),
	}
	b = slices.Concat(e.dirs, e.files, e.blocks, e.rules, e.names)
	return b, counts
}

// endOf is the place of the first directory behind i that does not lie in it.
func endOf(dirs []Dir, i int) int {
	behind := dirs[i+1:]
	inner := sort.Search(len(behind), func(k int) bool {
		return !strings.HasPrefix(behind[k].Path, dirs[i].Path)
	})
	return i + 1 + inner
}

// name adds a name; the two numbers go into the record that has it.
func (e *encoder) name(s string) (at, n int) {
	e.names = append(e.names, s...)
	return len(e.names) - len(s), len(s)
}

// file adds a file, which lies in the directory at the place dir, and its blocks.
func (e *encoder) file(f *File, dir int) {
	flags := int(f.Chapter) << chapterShift
	if f.Binary {
		flags |= flagBinary
	}
	if f.Loose {
		flags |= flagLoose
	}
	at, n := e.name(f.name())
	firstBlock := len(e.blocks) / blockRecord
	e.files = appendStat(e.files, f.Stat)
	e.files = append32(e.files, at, n, dir, flags, int(f.First), firstBlock, len(f.Blocks))
	for _, b := range f.Blocks {
		e.blocks = append32(e.blocks, int(b.Bytes), int(b.Lines))
	}
}

// dir adds a directory, its files already added, and its rule files.
func (e *encoder) dir(d *Dir, firstFile, files, end int) {
	at, n := e.name(d.Path)
	firstRule := len(e.rules) / ruleRecord
	e.dirs = append32(e.dirs, at, n, firstFile, files, end, firstRule, len(d.Rules), 0)
	e.dirs = appendStat(e.dirs, d.Stat)
	for _, r := range d.Rules {
		at, n := e.name(r.Path)
		e.rules = append32(e.rules, at, n)
		e.rules = appendStat(e.rules, r.Stat)
	}
}

func appendStat(b []byte, st tree.Stat) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, uint64(st.Size))
	b = le.AppendUint64(b, uint64(st.MTime))
	b = le.AppendUint64(b, uint64(st.CTime))
	return le.AppendUint64(b, st.Inode)
}

func append32(b []byte, numbers ...int) []byte {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return b
}

// withDirsOf returns the directories, sorted, with those that only a file's path names.
func withDirsOf(files []File, dirs []Dir) []Dir {
	known := make(map[string]bool, len(dirs))
	for i := range dirs {
		known[dirs[i].Path] = true
	}
	for i := range files {
		p := files[i].dir()
		if !known[p] {
			known[p] = true
			dirs = append(dirs, Dir{Path: p})
		}
	}
	sort.Slice(dirs, func(i, k int) bool { return dirs[i].Path < dirs[k].Path })
	return dirs
}
