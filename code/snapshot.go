package code

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
)

// base is an index in order: all names, all files by path, the postings. Nobody changes it.
type base struct {
	names *names
	files []*file
	posts postings
}

func newBase(n *names, files []*file) *base {
	return &base{names: n, files: files, posts: newPostings(files, n.len())}
}

func (b *base) snapshot(version uint64, source Source) *Snapshot {
	s := &Snapshot{version: version, source: source, base: b, files: b.files, live: len(b.files), lex: &lexicon{base: b.names, index: map[string]uint32{}}}
	s.prepare()
	return s
}

// Snapshot is one immutable state of an Index. Its methods are safe for concurrent use.
type Snapshot struct {
	version uint64
	base    *base
	files   []*file // those of the base, then those that changed later; nil: gone
	live    int
	later   map[string]int32 // the later files by path
	lex     *lexicon
	source  Source

	cache cache
	roots moduleRoots
}

// change is a difference between a snapshot and a listing.
type change struct {
	path  string
	entry Entry
	gone  bool
}

// at is the same state under another version.
func (s *Snapshot) at(version uint64) *Snapshot {
	if s.version == version {
		return s
	}
	t := &Snapshot{version: version, base: s.base, files: s.files, live: s.live, later: s.later, lex: s.lex, source: s.source}
	t.prepare()
	return t
}

// number is the number of the file at path, or -1.
func (s *Snapshot) number(path string) int32 {
	if n, ok := s.later[path]; ok {
		return n
	}
	n, ok := slices.BinarySearchFunc(s.base.files, path, func(f *file, p string) int { return strings.Compare(f.Path, p) })
	if ok && s.files[n] != nil {
		return int32(n)
	}
	return -1
}

// changes are the differences to a listing. Both are sorted by path.
func (s *Snapshot) changes(entries []Entry) []change {
	var list []change
	known := s.sorted()
	k := 0
	for i := range entries {
		e := &entries[i]
		for k < len(known) && known[k].Path < e.Path {
			list = append(list, change{path: known[k].Path, gone: true})
			k++
		}
		if k < len(known) && known[k].Path == e.Path {
			if known[k].Size != e.Size || known[k].ModTime != e.ModTime {
				list = append(list, change{path: e.Path, entry: *e})
			}
			k++
			continue
		}
		if indexed(*e) {
			list = append(list, change{path: e.Path, entry: *e})
		}
	}
	for ; k < len(known); k++ {
		list = append(list, change{path: known[k].Path, gone: true})
	}
	return list
}

// sorted are the files by path.
func (s *Snapshot) sorted() []*file {
	if len(s.later) == 0 && s.live == len(s.base.files) {
		return s.base.files
	}
	return s.order()
}

// apply makes the snapshot after some changes.
func (s *Snapshot) apply(ctx context.Context, x *Index, listing Listing, diff []change) (*Snapshot, int, error) {
	t := &Snapshot{version: listing.Version, base: s.base, files: slices.Clone(s.files), live: s.live, source: s.source}
	t.later = maps.Clone(s.later)
	if t.later == nil {
		t.later = map[string]int32{}
	}
	t.lex = &lexicon{base: s.lex.base, extra: slices.Clip(s.lex.extra), index: maps.Clone(s.lex.index)}
	var entries []Entry
	for _, c := range diff {
		if n := t.number(c.path); n >= 0 {
			t.files[n] = nil
			t.live--
		}
		delete(t.later, c.path)
		if !c.gone {
			entries = append(entries, c.entry)
		}
	}
	files, err := readFiles(ctx, x.source, t.lex, entries, x.o.Workers, x.report(len(entries)))
	if err != nil {
		return nil, 0, err
	}
	for _, f := range files {
		t.later[f.Path] = int32(len(t.files))
		t.files = append(t.files, f)
		t.live++
	}
	if len(t.files)-len(t.base.files) > maxOverlay {
		b := t.compact()
		x.save(b)
		u := b.snapshot(listing.Version, s.source)
		return u, len(files), nil
	}
	t.prepare()
	t.remember(s)
	return t, len(files), nil
}

// remember takes over the unpacked rows of files that are the same in the snapshot before: numbers of files and names stay what they are.
func (s *Snapshot) remember(was *Snapshot) {
	was.cache.mu.Lock()
	defer was.cache.mu.Unlock()
	for n, rows := range was.cache.defs {
		if s.files[n] != nil {
			s.cache.defs[n] = rows
			s.cache.rows += len(rows)
		}
	}
	for n, rows := range was.cache.imports {
		if s.files[n] != nil {
			s.cache.imports[n] = rows
			s.cache.rows += len(rows)
		}
	}
}

// compact puts everything in order: one base with all files and names.
func (s *Snapshot) compact() *base {
	n := s.base.names
	if len(s.lex.extra) > 0 {
		n = n.clone()
		for _, text := range s.lex.extra {
			n.add(text, hashOf(text))
		}
	}
	files := slices.Clone(s.order())
	return newBase(n, files)
}

// order is sorted without shortcut.
func (s *Snapshot) order() []*file {
	later := make([]*file, 0, len(s.later))
	for _, n := range s.later {
		later = append(later, s.files[n])
	}
	slices.SortFunc(later, func(a, b *file) int { return cmp.Compare(a.Path, b.Path) })
	out := make([]*file, 0, s.live)
	k := 0
	for _, f := range s.files[:len(s.base.files)] {
		if f == nil {
			continue
		}
		for k < len(later) && later[k].Path < f.Path {
			out = append(out, later[k])
			k++
		}
		out = append(out, f)
	}
	return append(out, later[k:]...)
}

// cache holds unpacked rows of the files that questions looked at.
type cache struct {
	mu      sync.Mutex
	defs    map[int32][]def
	imports map[int32][]importRow
	rows    int
}

// maxCachedRows bounds the cache: 48 bytes a row.
const maxCachedRows = 1 << 18

// defsOf are the definitions of file n.
func (s *Snapshot) defsOf(n int32) []def {
	s.cache.mu.Lock()
	rows, ok := s.cache.defs[n]
	s.cache.mu.Unlock()
	if ok {
		return rows
	}
	f := s.files[n]
	if f == nil {
		return nil
	}
	rows = unpackDefs(f.packed)
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	if s.cache.rows += len(rows); s.cache.rows > maxCachedRows {
		clear(s.cache.defs)
		s.cache.rows = len(rows)
	}
	s.cache.defs[n] = rows
	return rows
}

// importsOf are the imports of file n.
func (s *Snapshot) importsOf(n int32) []importRow {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	rows, ok := s.cache.imports[n]
	if !ok && s.files[n] != nil {
		rows = unpackImports(s.files[n].packed)
		if s.cache.rows += len(rows); s.cache.rows > maxCachedRows {
			clear(s.cache.imports)
			s.cache.rows = len(rows)
		}
		s.cache.imports[n] = rows
	}
	return rows
}

func (s *Snapshot) refsOf(n int32) []ref {
	if f := s.files[n]; f != nil {
		return unpackRefs(f.packed)
	}
	return nil
}

// mentioning calls each for every file that defines (or, for all, also mentions) the name y, in the order of numbers.
func (s *Snapshot) mentioning(y uint32, all bool, each func(n int32)) {
	mark := uint32(markDefined)
	if all {
		mark = 0
	}
	s.marked(y, mark, each)
}

// marked calls each for every file that has the name y with this mark.
func (s *Snapshot) marked(y, mark uint32, each func(n int32)) {
	for _, item := range s.base.posts.of(y) {
		if n := int32(item >> postingShift); item&mark == mark && s.files[n] != nil {
			each(n)
		}
	}
	for n := len(s.base.files); n < len(s.files); n++ {
		if s.files[n] != nil && s.laterHas(int32(n), y, mark == 0) {
			each(int32(n))
		}
	}
}

// laterHas reports whether a file outside the postings defines or, for all, mentions y.
func (s *Snapshot) laterHas(n int32, y uint32, all bool) bool {
	defs := s.defsOf(n)
	for i := range defs {
		if defs[i].name == y {
			return true
		}
	}
	if !all {
		return false
	}
	for _, r := range s.refsOf(n) {
		if r.name == y {
			return true
		}
	}
	for _, m := range s.importsOf(n) {
		if m.name == y {
			return true
		}
	}
	return false
}
