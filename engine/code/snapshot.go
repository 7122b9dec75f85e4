package code

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
)

// base is an index in order: all names, all files by path, the postings, and the places, found when first needed.
// Nobody changes it.
type base struct {
	names  *names
	files  []*file
	posts  postings
	unread []int32 // the files that were not read whole
	once   sync.Once
	places places
}

func newBase(n *names, files []*file) *base {
	return &base{names: n, files: files, posts: newPostings(files, n.len()), unread: unreadOf(files)}
}

func (b *base) snapshot(version uint64, source Source, checker Checker) *Snapshot {
	s := &Snapshot{version: version, source: source, base: b, files: b.files, live: len(b.files), lex: &lexicon{base: b.names, index: map[string]uint32{}}}
	s.cache, s.overlay, s.checker = newCache(), &overlay{}, checker
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
	checker Checker // nil: none

	cache   *cache
	overlay *overlay
	plain   bool // IDs hold no blank and no colon
}

// overlay is what is known of the later files together.
type overlay struct {
	marks   [][]uint32 // marksOf each of them
	once    sync.Once
	places  places
	mods    sync.Once
	modules []goModule // of the whole snapshot
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
	t := *s
	t.version = version
	return &t
}

// number is the number of the file at path, or -1.
func (s *Snapshot) number(path string) int32 {
	if n, ok := s.later[path]; ok {
		return n
	}
	n, ok := slices.BinarySearchFunc(s.base.files, path, func(f *file, p string) int {
		return strings.Compare(f.Path, p)
	})
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
	t := &Snapshot{version: listing.Version, base: s.base, files: slices.Clone(s.files), live: s.live, source: s.source, checker: s.checker}
	t.cache, t.overlay = newCache(), &overlay{marks: slices.Clone(s.overlay.marks)}
	t.later = maps.Clone(s.later)
	if t.later == nil {
		t.later = map[string]int32{}
	}
	t.lex = &lexicon{base: s.lex.base, extra: slices.Clip(s.lex.extra), index: maps.Clone(s.lex.index)}
	var entries []Entry
	for _, c := range diff {
		if n := t.number(c.path); n >= 0 {
			t.drop(n)
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
		t.place(f)
	}
	if len(t.files)-len(t.base.files) > maxOverlay || len(t.lex.extra) > maxExtra {
		b := t.compact()
		x.save(b)
		u := b.snapshot(listing.Version, s.source, s.checker)
		return u, len(files), nil
	}
	t.remember(s)
	return t, len(files), nil
}

// drop forgets the file with number n.
func (s *Snapshot) drop(n int32) {
	s.files[n] = nil
	if k := int(n) - len(s.base.files); k >= 0 {
		s.overlay.marks[k] = nil
	}
	s.live--
}

// place adds a later file where an earlier one is gone, or at the end.
func (s *Snapshot) place(f *file) {
	n := len(s.base.files)
	for n < len(s.files) && s.files[n] != nil {
		n++
	}
	if n == len(s.files) {
		s.files = append(s.files, nil)
		s.overlay.marks = append(s.overlay.marks, nil)
	}
	s.files[n], s.overlay.marks[n-len(s.base.files)] = f, marksOf(f)
	s.later[f.Path] = int32(n)
	s.live++
}

// remember takes over the unpacked rows of files that are the same in the snapshot before: numbers of files and names
// stay what they are.
func (s *Snapshot) remember(was *Snapshot) {
	same := func(n int32) bool { return s.files[n] == was.files[n] }
	was.cache.mu.Lock()
	defer was.cache.mu.Unlock()
	s.cache.rows = takeOver(s.cache.defs, was.cache.defs, same) + takeOver(s.cache.imports, was.cache.imports, same) +
		takeOver(s.cache.bases, was.cache.bases, same)
}

// takeOver copies the rows of files that keep allows and counts them.
func takeOver[T any](to, from map[int32][]T, keep func(int32) bool) int {
	count := 0
	for n, rows := range from {
		if keep(n) {
			to[n] = rows
			count += len(rows)
		}
	}
	return count
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

// entries are the files of the snapshot.
func (s *Snapshot) entries(yield func(Entry) bool) {
	for _, f := range s.files {
		if f != nil && !yield(f.Entry) {
			return
		}
	}
}

// symbol is a definition: its file's number and its place there.
type symbol struct{ file, def int32 }

func (s *Snapshot) def(y symbol) *def { return &s.defsOf(y.file)[y.def] }
