package tree

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"strings"
)

// Entry is a visible file of a tree.
type Entry struct {
	Path string // slash-separated, relative to the root
	Stat Stat
}

// Snapshot is the table of the visible files at one moment. It does not change.
type Snapshot struct {
	base  *Table
	dead  []uint64 // by place in base.Files: it is gone or among extra; nil if there are none
	gone  int      // bits set in dead
	extra []Entry  // changed since base was made, the newest first
}

// Table is the part of a snapshot that many snapshots share: one pointer means the same files.
type Table struct {
	Files     []Entry   // by path
	Newest    []int32   // places in Files, last changed first
	stretches []stretch // of Files
}

// A stretch is files of one directory that follow each other in a table. What lies in subdirectories stands between
// them.
type stretch struct {
	dir      string // as in Dir.Path
	from, to int32
}

// maxExtra is how many changed files a snapshot carries before a new table is made: copying them for every change
// must stay below a tenth of a millisecond.
const maxExtra = 1000

// newTable sorts files, which it takes over, in both orders.
func newTable(files []Entry) *Table {
	slices.SortFunc(files, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	pack(files)
	t := &Table{
		Files:     files,
		Newest:    make([]int32, len(files)),
		stretches: stretchesOf(files),
	}
	for i := range t.Newest {
		t.Newest[i] = int32(i)
	}
	slices.SortFunc(t.Newest, func(a, b int32) int { // by place where times are equal: that is by path
		return cmp.Or(cmp.Compare(files[b].Stat.MTime, files[a].Stat.MTime), cmp.Compare(a, b))
	})
	return t
}

// pack lays the paths one behind the other in memory: to go through all of them takes a third of the time then.
func pack(files []Entry) {
	size := 0
	for i := range files {
		size += len(files[i].Path)
	}
	var all strings.Builder
	all.Grow(size)
	for i := range files {
		all.WriteString(files[i].Path)
	}
	rest := all.String()
	for i := range files {
		n := len(files[i].Path)
		files[i].Path, rest = rest[:n], rest[n:]
	}
}

// stretchesOf finds the stretches in files that are sorted by path.
func stretchesOf(files []Entry) []stretch {
	var list []stretch
	for i := range files {
		p := files[i].Path
		dir := p[:strings.LastIndexByte(p, '/')+1]
		if len(list) == 0 || list[len(list)-1].dir != dir {
			list = append(list, stretch{dir: dir, from: int32(i)})
		}
		list[len(list)-1].to = int32(i) + 1
	}
	return list
}

func newer(a, b Entry) int {
	return cmp.Or(cmp.Compare(b.Stat.MTime, a.Stat.MTime), strings.Compare(a.Path, b.Path))
}

// Newer reports whether a comes before b where the last changed come first and the path breaks ties.
func Newer(a, b *Entry) bool { return newer(*a, *b) < 0 }

// Len is the number of files.
func (s *Snapshot) Len() int { return len(s.base.Files) - s.gone + len(s.extra) }

// Table is the shared part; the snapshot differs from it by Dead and Extra.
func (s *Snapshot) Table() *Table { return s.base }

// Dead reports whether the file at a place in the table no longer counts.
func (s *Snapshot) Dead(place int32) bool {
	if s.dead == nil {
		return false
	}
	word, bit := place>>6, place&63
	return s.dead[word]>>bit&1 == 1
}

// Extra are the files that changed since the table was made, the newest first. It must not be written to.
func (s *Snapshot) Extra() []Entry { return s.extra }

// Has reports whether there are files whose path begins with prefix.
func (s *Snapshot) Has(prefix string) bool {
	for i := range s.extra {
		if strings.HasPrefix(s.extra[i].Path, prefix) {
			return true
		}
	}
	from, to := s.base.below(prefix)
	for i := from; i < to; i++ {
		if !s.Dead(int32(i)) {
			return true
		}
	}
	return false
}

// Newest yields all files, last changed first, the path breaking ties, each with its place in the table or -1. It
// merges two sorted lists: the table's order without what is dead, and what changed since.
func (s *Snapshot) Newest() iter.Seq2[int32, *Entry] {
	return func(yield func(int32, *Entry) bool) {
		rest := s.extra
		for _, place := range s.base.Newest {
			if s.Dead(place) {
				continue
			}
			e := &s.base.Files[place]
			for len(rest) > 0 && newer(rest[0], *e) < 0 {
				if !yield(-1, &rest[0]) {
					return
				}
				rest = rest[1:]
			}
			if !yield(place, e) {
				return
			}
		}
		for i := range rest {
			if !yield(-1, &rest[i]) {
				return
			}
		}
	}
}

// below returns the places in the table of the files whose path begins with prefix.
func (t *Table) below(prefix string) (from, to int) {
	from = sort.Search(len(t.Files), func(i int) bool { return t.Files[i].Path >= prefix })
	rest := t.Files[from:]
	n := sort.Search(len(rest), func(i int) bool { return !strings.HasPrefix(rest[i].Path, prefix) })
	return from, from + n
}

// Place returns the place of a path in the table, or -1.
func (t *Table) Place(path string) int32 {
	byPath := func(e Entry, p string) int { return strings.Compare(e.Path, p) }
	i, ok := slices.BinarySearchFunc(t.Files, path, byPath)
	if !ok {
		return -1
	}
	return int32(i)
}

// change is what happened to files since a snapshot: those to drop, by path or prefix, and those to put in their place.
type change struct {
	drop map[string]bool // a path, or a prefix with a slash at its end
	put  map[string]Stat
}

// apply makes the next snapshot. It shares the table with this one, so that what was derived from the table stays
// valid, until so much has changed that a new one is cheaper.
func (s *Snapshot) apply(c change) *Snapshot {
	n := &Snapshot{base: s.base, gone: s.gone, dead: slices.Clone(s.dead)}
	if n.dead == nil {
		words := (len(s.base.Files) + 63) / 64
		n.dead = make([]uint64, words)
	}
	for path := range c.drop {
		n.bury(path)
	}
	for path := range c.put {
		n.bury(path)
	}
	for _, e := range s.extra {
		_, again := c.put[e.Path]
		if !again && !c.drops(e.Path) {
			n.extra = append(n.extra, e)
		}
	}
	for path, st := range c.put {
		n.extra = append(n.extra, Entry{path, st})
	}
	slices.SortFunc(n.extra, newer)
	if len(n.extra) > maxExtra {
		return &Snapshot{base: newTable(n.files())}
	}
	return n
}

// become makes the snapshot that has these files, whose map it takes over. What depends on the table stays valid if
// few differ from those of s, which may be nil.
func (s *Snapshot) become(files map[string]Stat) *Snapshot {
	if s == nil {
		return &Snapshot{base: newTable(entries(files))}
	}
	c := change{drop: map[string]bool{}, put: files}
	for _, e := range s.Newest() {
		st, ok := files[e.Path]
		switch {
		case !ok:
			c.drop[e.Path] = true
		case st == e.Stat:
			delete(files, e.Path) // what is left in the map is what changed
		}
	}
	switch changes := len(c.drop) + len(c.put); {
	case changes == 0:
		return s
	case changes <= maxExtra:
		return s.apply(c)
	}
	all := entries(c.put)
	for _, e := range s.Newest() {
		_, again := c.put[e.Path]
		if !again && !c.drop[e.Path] {
			all = append(all, *e)
		}
	}
	return &Snapshot{base: newTable(all)}
}

// entries are files in no order.
func entries(files map[string]Stat) []Entry {
	all := make([]Entry, 0, len(files))
	for p, st := range files {
		all = append(all, Entry{p, st})
	}
	return all
}

// drops reports whether a path, or a directory that it lies in, is dropped.
func (c *change) drops(path string) bool {
	if c.drop[path] || c.drop[""] {
		return true
	}
	for i := range len(path) {
		if path[i] == '/' && c.drop[path[:i+1]] {
			return true
		}
	}
	return false
}

// bury marks files of the table: one, or all below a prefix.
func (s *Snapshot) bury(path string) {
	from := int(s.base.Place(path))
	to := from + 1
	if path == "" || strings.HasSuffix(path, "/") {
		from, to = s.base.below(path)
	}
	if from < 0 {
		return
	}
	for i := from; i < to; i++ {
		if !s.Dead(int32(i)) {
			s.dead[i>>6] |= 1 << (i & 63)
			s.gone++
		}
	}
}

// files are all files as a list of their own.
func (s *Snapshot) files() []Entry {
	all := make([]Entry, 0, s.Len())
	for _, e := range s.Newest() {
		all = append(all, *e)
	}
	return all
}
