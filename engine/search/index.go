package search

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"helve/engine/search/internal/trigram"
	"helve/engine/tree"
)

// indexStore is the place of one tree's index in the cache, and what of it is open.
type indexStore struct {
	dir string // "": no index
	mu  sync.Mutex
	set *indexSet
	at  int64 // time of change of dir when set was read
	ref *tableRefs
}

// indexSet is the segments of an index, the newest first. It does not change. Files are closed with the last
// reference to it.
type indexSet struct{ segments []*trigram.Segment }

// fileRef is a file in a segment.
type fileRef struct {
	segment int32
	place   int32
}

// unknown is a file that no segment has as it is.
var unknown = fileRef{-1, -1}

// tableRefs finds the files of a resident tree's table in the index, and the other way round.
type tableRefs struct {
	table *tree.Table
	set   *indexSet
	refs  []fileRef   // by place
	ranks []int32     // by place: its place in Table.Newest
	loose []int32     // places of the files that no segment has
	owner [][][]int32 // by segment, chapter and block: the place of its file, or -1
}

const (
	segmentSuffix = ".hix"
	segmentPrefix = "seg-"
	tempPrefix    = "tmp-"
	lockName      = "lock"
)

// NewIndexed returns an engine that uses and builds an index for the tree. It lies in a folder of its own below
// cache, named after the root; nobody else may write there. A missing or damaged index only makes searches slower.
func NewIndexed(t *tree.Tree, cache string) *Engine {
	sum := sha256.Sum256([]byte(t.Root()))
	e := New(t)
	e.index.dir = filepath.Join(cache, hex.EncodeToString(sum[:12]))
	return e
}

// open returns the segments that are sound, nil if there are none.
func (s *indexStore) open(root string) *indexSet {
	if s.dir == "" {
		return nil
	}
	info, err := os.Stat(s.dir)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := info.ModTime().UnixNano() // with every segment that comes or goes
	if s.set == nil || s.at != changed {
		s.set, s.at = readSet(s.dir, root), changed
	}
	if len(s.set.segments) == 0 {
		return nil
	}
	return s.set
}

// readSet opens the segments of a folder down to the one that replaces all older.
func readSet(dir, root string) *indexSet {
	set := &indexSet{}
	for _, name := range slices.Backward(segmentNames(dir)) {
		seg, err := trigram.Open(filepath.Join(dir, name))
		if err != nil {
			continue // torn or of another version: the next build replaces it
		}
		if seg.Root != root {
			seg.Close()
			continue
		}
		set.segments = append(set.segments, seg)
		if seg.Replaces {
			break
		}
	}
	return set
}

// segmentNames lists the segments, the oldest first.
func segmentNames(dir string) []string {
	entries, _ := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, segmentPrefix) && strings.HasSuffix(name, segmentSuffix) {
			names = append(names, name)
		}
	}
	return names
}

// drop forgets the open segments after one of them turned out to be damaged.
func (s *indexStore) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set, s.ref = nil, nil
	for _, name := range segmentNames(s.dir) {
		_ = os.Remove(filepath.Join(s.dir, name))
	}
}

// find returns the file if a segment has it in this state.
func (s *indexSet) find(dir, name string, st tree.Stat) fileRef {
	for i, seg := range s.segments {
		from, to := seg.InDir(dir)
		at := seg.Find(from, to, name)
		if at >= 0 && seg.Stat(at) == st {
			return fileRef{int32(i), int32(at)}
		}
	}
	return unknown
}

// findPath is find for a whole path.
func (s *indexSet) findPath(path string, st tree.Stat) fileRef {
	cut := strings.LastIndexByte(path, '/') + 1
	return s.find(path[:cut], path[cut:], st)
}

// ref is find for a file of a walk, which may have been named by the index itself.
func (s *indexSet) ref(dir string, f *tree.File) fileRef {
	base := len(s.segments) - 1
	if f.Number >= 0 && s.segments[base].Stat(f.Number) == f.Stat {
		return fileRef{int32(base), int32(f.Number)}
	}
	return s.find(dir, f.Name, f.Stat)
}

// known returns what a walk may know of the directories, nil if rules outside the tree have changed since.
func (s *indexSet) known(root, global string) func(string) (tree.Listing, bool) {
	base := s.segments[len(s.segments)-1]
	outside := ruleFiles(tree.OutsideRules(root, global))
	if !base.Replaces || !slices.Equal(base.Outside(), outside) {
		return nil
	}
	return func(dir string) (tree.Listing, bool) {
		d, first, files, dirs, ok := base.Listing(dir)
		l := tree.Listing{Stat: d.Stat, Files: files, Dirs: dirs, First: first}
		for _, r := range d.Rules {
			l.Rules = append(l.Rules, tree.RuleFile(r))
		}
		return l, ok
	}
}

// ruleFiles are the tree's rule files in the words of the index, which knows nothing of trees.
func ruleFiles(list []tree.RuleFile) []trigram.RuleFile {
	var out []trigram.RuleFile
	for _, r := range list {
		out = append(out, trigram.RuleFile(r))
	}
	return out
}

// refsFor looks all files of a table up, once for every table.
func (s *indexStore) refsFor(t *tree.Table, set *indexSet) *tableRefs {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ref != nil && s.ref.table == t && s.ref.set == set {
		return s.ref
	}
	r := &tableRefs{
		table: t,
		set:   set,
		refs:  make([]fileRef, len(t.Files)),
		ranks: make([]int32, len(t.Files)),
	}
	for _, seg := range set.segments {
		r.owner = append(r.owner, seg.Owners())
	}
	for i := range t.Files {
		r.refs[i] = set.findPath(t.Files[i].Path, t.Files[i].Stat)
		r.own(set, int32(i))
	}
	for rank, place := range t.Newest {
		r.ranks[place] = int32(rank)
	}
	s.ref = r
	return r
}

// own notes which blocks belong to the file at a place.
func (r *tableRefs) own(set *indexSet, place int32) {
	ref := r.refs[place]
	if ref == unknown {
		r.loose = append(r.loose, place)
		return
	}
	f := set.segments[ref.segment].Entry(int(ref.place))
	owner := r.owner[ref.segment][f.Chapter]
	for i := range f.Blocks() {
		owner[int(f.First)+i] = place
	}
}

// plan is what the index says about one query.
type plan struct {
	set    *indexSet
	blocks [][]trigram.Bitmap // by segment and chapter; a nil bitmap is all blocks
	whole  bool               // files are searched as a whole: context or matches may extend over blocks
}

// newPlan asks the index; nil if it cannot help or there is none.
func (j *job) newPlan() *plan {
	if j.q.NoIndex || j.q.Invert || !j.m.indexable() {
		return nil
	}
	set := j.e.index.open(j.e.tree.Root())
	if set == nil {
		return nil
	}
	p := &plan{set: set, whole: j.q.grouped() || j.q.Multiline}
	for _, seg := range set.segments {
		blocks, err := j.m.ask(seg)
		if err != nil {
			j.e.index.drop()
			return nil
		}
		p.blocks = append(p.blocks, blocks)
	}
	j.sum.Indexed = true
	return p
}

// indexable reports whether the index can rule blocks out.
func (m *matcher) indexable() bool {
	return m.finder != nil && slices.ContainsFunc(m.all, literals.indexable)
}

// indexable reports whether the index knows all of the set: a shorter literal may be anywhere.
func (l literals) indexable() bool {
	short := func(s string) bool { return len(s) < trigram.Least }
	return !slices.ContainsFunc(l.set, short)
}

// ask returns the blocks of a segment that may hold one of each of the sets of literals. A match lies in one line and
// so in one block; in multi-line mode its literals may lie in several, and only one set is asked for.
func (m *matcher) ask(seg *trigram.Segment) ([]trigram.Bitmap, error) {
	var found []trigram.Bitmap
	for _, l := range m.all {
		other := !slices.Equal(l.set, m.lits.set)
		if !l.indexable() || m.prog.multi && other {
			continue
		}
		next, err := seg.Candidates(l.set, l.fold, found)
		if err != nil {
			return nil, err
		}
		found = next
	}
	if found == nil {
		found = make([]trigram.Bitmap, seg.Chapters())
	}
	return found, nil
}

// chosen is which part of a file to search.
type chosen uint8

const (
	allOfIt chosen = iota
	noneOfIt
	someOfIt
)

// choose decides about a file that the index knows in its present state.
func (p *plan) choose(r fileRef) (part chosen, f trigram.Entry) {
	if r == unknown {
		return allOfIt, f
	}
	f = p.set.segments[r.segment].Entry(int(r.place))
	if f.Loose {
		return allOfIt, f
	}
	if f.Binary {
		return noneOfIt, f
	}
	set := p.blocksOf(r, &f)
	if set == nil {
		return allOfIt, f
	}
	hits := 0
	for i := range f.Blocks() {
		if set.Has(int(f.First) + i) {
			hits++
		}
	}
	switch {
	case hits == 0:
		return noneOfIt, f
	case p.whole || hits == f.Blocks():
		return allOfIt, f
	}
	return someOfIt, f
}

// blocksOf are the blocks of the file's chapter that may match; nil is all.
func (p *plan) blocksOf(r fileRef, f *trigram.Entry) trigram.Bitmap {
	return p.blocks[r.segment][f.Chapter]
}

// some searches the candidate blocks of an open file, or all of it if it has changed after all. Lines found stay in the
// buffer until the file is closed: a block that has some is kept, the next is read behind it, and a full buffer is
// replaced. One that has none, as most of a large file, gives its room to the next.
func (s *scanner) some(dir, name string, h tree.Handle, f *trigram.Entry, candidates trigram.Bitmap) error {
	st, _, err := h.Stat()
	if err != nil || st != f.Stat {
		return s.whole(dir, name, h)
	}
	s.open(dir, name, 0, 1)
	defer s.shrink()
	off, number, used := int64(0), 1, 0
	for i := range f.Blocks() {
		b := f.Block(i)
		size := int(b.Bytes)
		if candidates.Has(int(f.First) + i) {
			if used+size > len(s.buf) {
				s.buf, used = make([]byte, max(window, size)), 0
			}
			text := s.buf[used : used+size]
			n, err := h.ReadAt(text, off)
			if err != nil || n < size {
				return s.close(err)
			}
			s.base, s.number, s.counted, s.shown = off, number, 0, 0
			if i == 0 {
				text = s.skipBOM(text)
			}
			had := len(s.file.Lines)
			err = s.piece(text, 0, true)
			if err != nil {
				return s.close(err)
			}
			if len(s.file.Lines) > had {
				used += size
			}
		}
		off += int64(size)
		number += int(b.Lines)
	}
	return s.close(nil)
}
