package code

import (
	"slices"
	"strings"
	"sync"
)

// cache holds unpacked rows of the files that questions looked at.
type cache struct {
	mu      sync.Mutex
	defs    map[int32][]def
	imports map[int32][]importRow
	bases   map[int32][]ref // the references to bases, in the order of the definitions that have them
	rows    int

	ordinals map[int32][]int32 // of the definitions of large files
	numbered int               // ordinals in them
}

// maxCachedRows bounds the cache: 48 bytes a row.
const maxCachedRows = 1 << 18

func newCache() *cache {
	return &cache{
		defs:     map[int32][]def{},
		imports:  map[int32][]importRow{},
		bases:    map[int32][]ref{},
		ordinals: map[int32][]int32{},
	}
}

// cached answers the rows of file n from list, a map of c, and unpacks them when they are not there.
func cached[T any](c *cache, list map[int32][]T, n int32, f *file, unpack func([]byte) []T) []T {
	c.mu.Lock()
	rows, ok := list[n]
	c.mu.Unlock()
	if ok || f == nil {
		return rows
	}
	rows = unpack(f.packed)
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

// defsOf are the definitions of file n.
func (s *Snapshot) defsOf(n int32) []def {
	return cached(s.cache, s.cache.defs, n, s.files[n], unpackDefs)
}

// importsOf are the imports of file n.
func (s *Snapshot) importsOf(n int32) []importRow {
	return cached(s.cache, s.cache.imports, n, s.files[n], unpackImports)
}

// basesIn are the references of file n to bases, by the definitions that have them.
func (s *Snapshot) basesIn(n int32) []ref {
	return cached(s.cache, s.cache.bases, n, s.files[n], func(packed []byte) []ref {
		rows := unpackBases(packed)
		slices.SortStableFunc(rows, func(a, b ref) int { return int(a.from) - int(b.from) })
		return rows
	})
}

func (s *Snapshot) refsOf(n int32) []ref {
	if f := s.files[n]; f != nil {
		return unpackRefs(f.packed)
	}
	return nil
}

// mentioning calls each for every file that defines (or, for all, also mentions) the name y, by path.
func (s *Snapshot) mentioning(y uint32, all bool, each func(n int32)) {
	mark := uint32(markDefined)
	if all {
		mark = 0
	}
	s.marked(y, mark, each)
}

// marked calls each for every file that has the name y with this mark, by path.
func (s *Snapshot) marked(y, mark uint32, each func(n int32)) {
	var later []int32
	for k, list := range s.overlay.marks {
		i, _ := slices.BinarySearch(list, y<<postingShift)
		if i < len(list) && list[i]>>postingShift == y && list[i]&mark == mark {
			later = append(later, int32(len(s.base.files)+k))
		}
	}
	slices.SortFunc(later, s.byPath)
	for _, item := range s.base.posts.of(y) {
		n := int32(item >> postingShift)
		if item&mark != mark || s.files[n] == nil {
			continue
		}
		for len(later) > 0 && s.byPath(later[0], n) < 0 {
			each(later[0])
			later = later[1:]
		}
		each(n)
	}
	for _, n := range later {
		each(n)
	}
}

// byPath orders the numbers of files as their paths: what an answer says first must not depend on which files were
// edited.
func (s *Snapshot) byPath(a, b int32) int {
	if first := int32(len(s.base.files)); a < first && b < first || a == b {
		return int(a) - int(b)
	}
	return strings.Compare(s.files[a].Path, s.files[b].Path)
}
