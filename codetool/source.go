package codetool

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"helve/engine/code"
	"helve/engine/tree"
)

// A source gives a working tree to the index, without what must not be read. What is ignored or hidden is not in the
// tree.
type source struct {
	tree   *tree.Tree
	denied func(target string) bool

	mu      sync.Mutex
	of      *tree.Snapshot
	version uint64
	files   []code.Entry // never changed, only replaced
	name    string       // of this version, "" until somebody asks
}

var _ code.Source = (*source)(nil)

// Files lists the visible files.
func (s *source) Files(ctx context.Context) (code.Listing, error) {
	snap, err := s.tree.Snapshot(ctx)
	if err != nil {
		return code.Listing{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if snap != s.of { // a tree in which nothing changed gives the same snapshot again
		s.of = snap
		s.files = s.list(snap)
		s.version++
		s.name = ""
	}
	return code.Listing{Files: s.files, Version: s.version}, nil
}

// state names the listing as it is now: equal lists of paths, sizes and times have equal names in every process.
func (s *source) state(ctx context.Context) string {
	list, err := s.Files(ctx)
	if err != nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.name != "" && s.version == list.Version {
		return s.name
	}
	h := fnv.New32a()
	var row []byte
	for i := range list.Files {
		e := &list.Files[i]
		row = append(row[:0], e.Path...)
		row = binary.LittleEndian.AppendUint64(row, uint64(e.Size))
		h.Write(binary.LittleEndian.AppendUint64(row, uint64(e.ModTime)))
	}
	name := strconv.FormatUint(uint64(h.Sum32()), 36)
	if s.version == list.Version { // or another call has listed the tree anew meanwhile
		s.name = name
	}
	return name
}

// list is the snapshot's files by path: its table without what is gone, and what came since the table was made.
func (s *source) list(snap *tree.Snapshot) []code.Entry {
	table := snap.Table()
	out := make([]code.Entry, 0, snap.Len())
	for i := range table.Files {
		if !snap.Dead(int32(i)) {
			out = s.add(out, &table.Files[i])
		}
	}
	extra := snap.Extra()
	for i := range extra {
		out = s.add(out, &extra[i])
	}
	if len(extra) > 0 {
		sort.SliceStable(out, func(i, j int) bool { return byPath(out[i], out[j]) < 0 })
	}
	return out
}

func byPath(a, b code.Entry) int { return strings.Compare(a.Path, b.Path) }

// add appends a file unless it must not be read.
func (s *source) add(out []code.Entry, e *tree.Entry) []code.Entry {
	if s.denied != nil && s.denied(e.Path) {
		return out
	}
	entry := code.Entry{Path: e.Path, Size: e.Stat.Size, ModTime: e.Stat.MTime}
	return append(out, entry)
}

// Open opens a listed file. The tree follows no link out of its root, even one that was put there a moment ago.
func (s *source) Open(path string) (io.ReadCloser, error) { return s.tree.Open(path) }

// size is how many bytes a file has, 0 if it is gone.
func (s *source) size(path string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := slices.BinarySearchFunc(s.files, code.Entry{Path: path}, byPath)
	if ok {
		return s.files[i].Size
	}
	_, st, err := s.tree.Lookup(path) // a search needs no listing
	if err != nil {
		return 0
	}
	return st.Size
}
