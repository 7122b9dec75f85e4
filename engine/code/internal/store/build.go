package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"helve/engine/code/internal/syntax"
)

const (
	// arenaSize is the size of the blocks that hold packed rows, so that thousands of files cost one allocation.
	arenaSize = 256 << 10
	// maxWorkerNames bounds the names a worker remembers between files.
	maxWorkerNames = 1 << 13
	// keptBuffer is the size from which the buffer of a file's text is given back.
	keptBuffer = 512 << 10
	// collectEvery is the amount of source after which garbage is collected. What stays of it is a fifth, and what
	// the runtime lets gather by itself is as much as everything that stays; a collection costs little, since nearly
	// nothing of an index is a pointer.
	collectEvery = 8 << 20
	// largeFile is the size from which files are read first.
	largeFile = 64 << 10
	// progressEvery is the number of files between two reports of progress.
	progressEvery = 256
)

// numbering gives global numbers to names. It is safe for concurrent use.
type numbering struct {
	mu sync.Mutex
	to interface {
		add(text string, hash uint32) uint32
	}
}

// worker reads files one after the other and reuses its memory.
type worker struct {
	source  Source
	numbers *numbering
	x       *syntax.Extractor
	pack    packer
	global  []uint32 // by the extractor's Sym: 1 + the global number
	buf     []byte
	arena   []byte
}

func newWorker(source Source, numbers *numbering) *worker {
	return &worker{source: source, numbers: numbers, x: syntax.NewExtractor()}
}

// read indexes the file e. A file that cannot be read is indexed as one that holds nothing, with the reason.
func (w *worker) read(e Entry) *File {
	f := &File{Entry: e, Test: IsTest(e.Path), Foreign: isForeign(e.Path)}
	if e.Size > syntax.MaxFileSize {
		f.Lang, f.Skipped = syntax.Of(e.Path, nil), syntax.TooLarge
		return f
	}
	src, err := w.content(e)
	if err != nil {
		f.Skipped = err.Error()
		return f
	}
	w.index(f, src)
	return f
}

// index fills f from its content.
func (w *worker) index(f *File, src []byte) {
	f.Digest = Digest(src)
	if manifest(f.Path) {
		w.declared(f, src)
		return
	}
	f.Lang = syntax.Of(f.Path, src)
	if !f.Lang.Code() && !syntax.Guessed(f.Path) {
		return // prose and data have outlines, made when asked for, but no symbols
	}
	if w.x.Names.Len() > maxWorkerNames {
		w.x.Names.Reset()
		clear(w.global)
	}
	rows := w.x.Rows(f.Path, src)
	f.Lang, f.Generic, f.Skipped = rows.Language, rows.Generic, rows.Skipped
	f.Lines, f.Package, f.defs = int32(rows.Lines), w.number(rows.Package), int32(len(rows.Defs))
	for i := range rows.Defs {
		switch k := rows.Defs[i].Kind; {
		case k.Callable() && k != syntax.Macro:
			f.Funcs++
		case k.Type():
			f.Types++
		}
	}
	f.Test = f.Test && !testsNothing(f, w.functions(rows))
	if len(rows.Defs)+len(rows.Refs)+len(rows.Imports) > 0 {
		f.Packed = w.keep(w.pack.pack(rows, w.number))
	}
}

// functions are the names of those that a file defines.
func (w *worker) functions(rows *syntax.Rows) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range rows.Defs {
			if d := &rows.Defs[i]; d.Kind.Callable() && !yield(w.x.Names.Text(d.Name)) {
				return
			}
		}
	}
}

// content reads a file into the worker's buffer.
func (w *worker) content(e Entry) ([]byte, error) {
	r, err := w.source.Open(e.Path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if need := int(e.Size) + 512; cap(w.buf) < need || cap(w.buf) > keptBuffer && cap(w.buf) > 2*need {
		w.buf = nil
		w.buf = make([]byte, need+need/4)
	}
	return readAll(r, w.buf[:0])
}

// readAll reads r to its end, at most syntax.MaxFileSize bytes, into buf.
func readAll(r io.Reader, buf []byte) ([]byte, error) {
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF || len(buf) > syntax.MaxFileSize {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// Digest is the first eight bytes of the SHA-256 of src.
func Digest(src []byte) uint64 {
	sum := sha256.Sum256(src)
	return binary.LittleEndian.Uint64(sum[:])
}

// number is the global number of the extractor's name s.
func (w *worker) number(s syntax.Sym) uint32 {
	if s == 0 {
		return 0
	}
	for int(s) >= len(w.global) {
		w.global = append(w.global, 0)
	}
	if y := w.global[s]; y > 0 {
		return y - 1
	}
	w.numbers.mu.Lock()
	y := w.numbers.to.add(w.x.Names.Text(s), w.x.Names.Hash(s))
	w.numbers.mu.Unlock()
	w.global[s] = y + 1
	return y
}

// keep copies b into the arena.
func (w *worker) keep(b []byte) []byte {
	if cap(w.arena)-len(w.arena) < len(b) {
		w.arena = make([]byte, 0, max(arenaSize, len(b)))
	}
	start := len(w.arena)
	w.arena = append(w.arena, b...)
	return w.arena[start:len(w.arena):len(w.arena)]
}

// readFiles indexes the entries in parallel, in their order. report, which may be nil, is told how many are done.
func readFiles(ctx context.Context, source Source, to interface {
	add(string, uint32) uint32
}, entries []Entry, workers int, report func(done int)) ([]*File, error) {
	files := make([]*File, len(entries))
	numbers := &numbering{to: to}
	var next, done atomic.Int64
	var due collector
	var wg sync.WaitGroup
	places := largestFirst(entries)
	for range max(1, min(workers, len(entries))) {
		wg.Go(func() {
			w := newWorker(source, numbers)
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(entries) {
					return
				}
				i = int(places[i])
				files[i] = w.read(entries[i])
				due.read(weight(entries[i].Size))
				if n := int(done.Add(1)); report != nil && (n%progressEvery == 0 || n == len(entries)) {
					report(n)
				}
			}
		})
	}
	wg.Wait()
	return files, ctx.Err()
}

// collector collects garbage now and then: after collectEvery of source, and the more is kept the later again.
type collector struct {
	bytes atomic.Int64 // read so far
	at    atomic.Int64 // when it last collected
}

// read notes that so many bytes of source were read.
func (c *collector) read(size int64) {
	bytes, at := c.bytes.Add(size), c.at.Load()
	if bytes-at >= max(collectEvery, bytes/32) && c.at.CompareAndSwap(at, bytes) {
		runtime.GC()
	}
}

// largestFirst are the numbers of entries in the order in which they are read: large files by size, so that the
// memory that they take is free again when the index grows, then the others as they come.
func largestFirst(entries []Entry) []int32 {
	places := make([]int32, len(entries))
	for i := range places {
		places[i] = int32(i)
	}
	slices.SortStableFunc(places, func(a, b int32) int {
		return cmp.Compare(large(entries[b].Size), large(entries[a].Size))
	})
	return places
}

// weight is what a file counts for when garbage is to be collected: the tokens and text of a large one are garbage
// soon.
func weight(size int64) int64 {
	if size < largeFile {
		return size
	}
	return 8 * size
}

// large is a size for sorting: 0 for all that are small.
func large(size int64) int64 {
	if size < largeFile {
		return 0
	}
	return size
}
