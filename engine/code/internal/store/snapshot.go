package store

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
	Names  *names
	Files  []*File
	Posts  postings
	unread []int32 // the files that were not read whole
	once   sync.Once
	places places
}

func newBase(n *names, files []*File) *base {
	return &base{Names: n, Files: files, Posts: newPostings(files, n.Len()), unread: unreadOf(files)}
}

func (b *base) Snapshot(version uint64, source Source, checker Checker) *Snapshot {
	s := &Snapshot{
		version: version,
		Source:  source,
		Base:    b,
		Files:   b.Files,
		live:    len(b.Files),
		Lex:     &lexicon{base: b.Names, index: map[string]uint32{}},
	}
	s.cache, s.overlay, s.Checker = newCache(), &overlay{}, checker
	return s
}

// Snapshot is one immutable state of an Index. Its methods are safe for concurrent use.
type Snapshot struct {
	version uint64
	Base    *base
	Files   []*File // those of the base, then those that changed later; nil: gone
	live    int
	Later   map[string]int32 // the later files by path
	Lex     *lexicon
	Source  Source
	Checker Checker // nil: none

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
	modules []GoModule // of the whole snapshot
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

// Number is the number of the file at path, or -1.
func (s *Snapshot) Number(path string) int32 {
	if n, ok := s.Later[path]; ok {
		return n
	}
	n, ok := slices.BinarySearchFunc(s.Base.Files, path, func(f *File, p string) int {
		return strings.Compare(f.Path, p)
	})
	if ok && s.Files[n] != nil {
		return int32(n)
	}
	return -1
}

// changes are the differences to a listing. Both are sorted by path.
func (s *Snapshot) changes(entries []Entry) []change {
	var list []change
	known := s.Sorted()
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

// Sorted are the files by path.
func (s *Snapshot) Sorted() []*File {
	if len(s.Later) == 0 && s.live == len(s.Base.Files) {
		return s.Base.Files
	}
	return s.order()
}

// apply makes the snapshot after some changes.
func (s *Snapshot) apply(ctx context.Context, x *Index, listing Listing, diff []change) (*Snapshot, int, error) {
	t := &Snapshot{
		version: listing.Version,
		Base:    s.Base,
		Files:   slices.Clone(s.Files),
		live:    s.live,
		Source:  s.Source,
		Checker: s.Checker,
	}
	t.cache, t.overlay = newCache(), &overlay{marks: slices.Clone(s.overlay.marks)}
	t.Later = maps.Clone(s.Later)
	if t.Later == nil {
		t.Later = map[string]int32{}
	}
	t.Lex = &lexicon{base: s.Lex.base, Extra: slices.Clip(s.Lex.Extra), index: maps.Clone(s.Lex.index)}
	var entries []Entry
	for _, c := range diff {
		if n := t.Number(c.path); n >= 0 {
			t.drop(n)
		}
		delete(t.Later, c.path)
		if !c.gone {
			entries = append(entries, c.entry)
		}
	}
	files, err := readFiles(ctx, x.source, t.Lex, entries, x.o.Workers, x.report(len(entries)))
	if err != nil {
		return nil, 0, err
	}
	for _, f := range files {
		t.place(f)
	}
	if len(t.Files)-len(t.Base.Files) > MaxOverlay || len(t.Lex.Extra) > maxExtra {
		b := t.compact()
		x.save(b)
		u := b.Snapshot(listing.Version, s.Source, s.Checker)
		return u, len(files), nil
	}
	t.remember(s)
	return t, len(files), nil
}

// drop forgets the file with number n.
func (s *Snapshot) drop(n int32) {
	s.Files[n] = nil
	if k := int(n) - len(s.Base.Files); k >= 0 {
		s.overlay.marks[k] = nil
	}
	s.live--
}

// place adds a later file where an earlier one is gone, or at the end.
func (s *Snapshot) place(f *File) {
	n := len(s.Base.Files)
	for n < len(s.Files) && s.Files[n] != nil {
		n++
	}
	if n == len(s.Files) {
		s.Files = append(s.Files, nil)
		s.overlay.marks = append(s.overlay.marks, nil)
	}
	s.Files[n], s.overlay.marks[n-len(s.Base.Files)] = f, marksOf(f)
	s.Later[f.Path] = int32(n)
	s.live++
}

// remember takes over the unpacked rows of files that are the same in the snapshot before: numbers of files and names
// stay what they are.
func (s *Snapshot) remember(was *Snapshot) {
	same := func(n int32) bool { return s.Files[n] == was.Files[n] }
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
	n := s.Base.Names
	if len(s.Lex.Extra) > 0 {
		n = n.clone()
		for _, text := range s.Lex.Extra {
			n.add(text, HashOf(text))
		}
	}
	files := slices.Clone(s.order())
	return newBase(n, files)
}

// order is sorted without shortcut.
func (s *Snapshot) order() []*File {
	later := make([]*File, 0, len(s.Later))
	for _, n := range s.Later {
		later = append(later, s.Files[n])
	}
	slices.SortFunc(later, func(a, b *File) int { return cmp.Compare(a.Path, b.Path) })
	out := make([]*File, 0, s.live)
	k := 0
	for _, f := range s.Files[:len(s.Base.Files)] {
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

// Entries are the files of the snapshot.
func (s *Snapshot) Entries(yield func(Entry) bool) {
	for _, f := range s.Files {
		if f != nil && !yield(f.Entry) {
			return
		}
	}
}

// DefID is a definition: its file's number and its place there.
type DefID struct{ File, Def int32 }

// At is the definition with this number in a file.
func At(file, def int32) DefID { return DefID{file, def} }

func (s *Snapshot) Def(y DefID) *Def { return &s.DefsOf(y.File)[y.Def] }
