package store

import (
	"slices"
	"strings"
	"sync"
)

// cache holds unpacked rows of the files that questions looked at.
type cache struct {
	mu      sync.Mutex
	defs    map[int32][]Def
	imports map[int32][]ImportRow
	bases   map[int32][]Ref // the references to bases, in the order of the definitions that have them
	rows    int

	ordinals map[int32][]int32 // of the definitions of large files
	numbered int               // ordinals in them
}

// maxCachedRows bounds the cache: 48 bytes a row.
const maxCachedRows = 1 << 18

func newCache() *cache {
	return &cache{
		defs:     map[int32][]Def{},
		imports:  map[int32][]ImportRow{},
		bases:    map[int32][]Ref{},
		ordinals: map[int32][]int32{},
	}
}

// cached answers the rows of file n from list, a map of c, and unpacks them when they are not there.
func cached[T any](c *cache, list map[int32][]T, n int32, f *File, unpack func([]byte) []T) []T {
	c.mu.Lock()
	rows, ok := list[n]
	c.mu.Unlock()
	if ok || f == nil {
		return rows
	}
	rows = unpack(f.Packed)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rows += len(rows); c.rows > maxCachedRows {
		clear(c.defs)
		clear(c.imports)
		clear(c.bases)
		c.rows = len(rows)
	}
	list[n] = rows
	return rows
}

// DefsOf are the definitions of file n.
func (s *Snapshot) DefsOf(n int32) []Def {
	return cached(s.cache, s.cache.defs, n, s.Files[n], UnpackDefs)
}

// ImportsOf are the imports of file n.
func (s *Snapshot) ImportsOf(n int32) []ImportRow {
	return cached(s.cache, s.cache.imports, n, s.Files[n], UnpackImports)
}

// BasesIn are the references of file n to bases, by the definitions that have them.
func (s *Snapshot) BasesIn(n int32) []Ref {
	return cached(s.cache, s.cache.bases, n, s.Files[n], func(packed []byte) []Ref {
		rows := unpackBases(packed)
		slices.SortStableFunc(rows, func(a, b Ref) int { return int(a.From) - int(b.From) })
		return rows
	})
}

func (s *Snapshot) RefsOf(n int32) []Ref {
	if f := s.Files[n]; f != nil {
		return unpackRefs(f.Packed)
	}
	return nil
}

// Mentioning calls each for every file that defines (or, for all, also mentions) the name y, by path.
func (s *Snapshot) Mentioning(y uint32, all bool, each func(n int32)) {
	mark := uint32(markDefined)
	if all {
		mark = 0
	}
	s.Marked(y, mark, each)
}

// Marked calls each for every file that has the name y with this mark, by path.
func (s *Snapshot) Marked(y, mark uint32, each func(n int32)) {
	var later []int32
	for k, list := range s.overlay.marks {
		i, _ := slices.BinarySearch(list, y<<postingShift)
		if i < len(list) && list[i]>>postingShift == y && list[i]&mark == mark {
			later = append(later, int32(len(s.Base.Files)+k))
		}
	}
	slices.SortFunc(later, s.ByPath)
	for _, item := range s.Base.Posts.of(y) {
		n := int32(item >> postingShift)
		if item&mark != mark || s.Files[n] == nil {
			continue
		}
		for len(later) > 0 && s.ByPath(later[0], n) < 0 {
			each(later[0])
			later = later[1:]
		}
		each(n)
	}
	for _, n := range later {
		each(n)
	}
}

// ByPath orders the numbers of files as their paths: what an answer says first must not depend on which files were
// edited.
func (s *Snapshot) ByPath(a, b int32) int {
	if first := int32(len(s.Base.Files)); a < first && b < first || a == b {
		return int(a) - int(b)
	}
	return strings.Compare(s.Files[a].Path, s.Files[b].Path)
}
