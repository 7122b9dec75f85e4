package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"helve/engine/code/internal/syntax"
)

const (
	// maxFiles bounds an index: the number of a file has 30 bits in the postings, and a listing of a million takes 1 s.
	maxFiles = 2_000_000
	// MaxOverlay is the number of changed files that questions look through one by one. Beyond, everything is put in
	// order again, which takes 25 ms for a thousand files.
	MaxOverlay = 128
	// maxExtra is the number of names that changed files add before everything is put in order.
	maxExtra = 1 << 14
)

// ErrBuilding says that the index is not ready yet and goes on being built.
var ErrBuilding = errors.New("the index is being built")

// ErrClosed says that the index was closed.
var ErrClosed = errors.New("the index is closed")

// Options of an Index.
type Options struct {
	// Cache is a directory for the persistent index, made when needed. Empty: nothing is written.
	Cache string
	// Key tells the trees that share a Cache apart, usually the root's absolute path.
	Key string
	// Version names the program: what another version wrote into the Cache is built anew, since it may have read the
	// same files otherwise.
	Version string
	// Workers is how many files are read at a time; 0: one for each processor.
	Workers int
	// Checker settles what an index alone leaves open. It may be nil. Who gives it closes it.
	Checker Checker
	// Progress is told, by any goroutine, how many of the files to read have been read. It may be nil.
	Progress func(done, total int)
}

// Index is what is known of one source. It does nothing before the first Snapshot. Safe for concurrent use.
type Index struct {
	source Source
	o      Options

	mu     sync.Mutex
	state  *Snapshot // nil: nothing read yet
	run    *run      // the update that is under way
	closed bool
	stats  Stats
}

// Stats count the work of an Index.
type Stats struct {
	Loads     int           // indexes taken from the cache
	Updates   int           // times that something had changed
	FilesRead int           // files read and understood, again and again
	Busy      time.Duration // spent on them
}

// run is an update under way.
type run struct {
	cancel context.CancelFunc
	files  int // to look at; -1: all
	done   chan struct{}
	err    error
}

// New makes the index of source.
func New(source Source, o Options) *Index {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return &Index{source: source, o: o}
}

// Stats answers the work done so far.
func (x *Index) Stats() Stats {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.stats
}

// Snapshot answers the state of the source as it is now, after reading what has changed. When ctx ends first, the
// reading goes on and the error is ErrBuilding: ask again.
func (x *Index) Snapshot(ctx context.Context) (*Snapshot, error) { return x.within(ctx, math.MaxInt) }

// SnapshotWithin is Snapshot for who waits for no more than so many changed files to be read. Where more are to be, the
// reading goes on and the error is ErrBuilding.
func (x *Index) SnapshotWithin(ctx context.Context, files int) (*Snapshot, error) {
	return x.within(ctx, files)
}

// within waits until the state is that of a new listing.
func (x *Index) within(ctx context.Context, files int) (*Snapshot, error) {
	listing, err := x.source.Files(ctx)
	if err != nil {
		return nil, fmt.Errorf("code: list files: %w", err)
	}
	if len(listing.Files) > maxFiles {
		return nil, fmt.Errorf("code: %d files are more than %d: open a smaller folder", len(listing.Files), maxFiles)
	}
	for {
		s, r, err := x.fresh(listing)
		if s != nil || err != nil {
			return s, err
		}
		if files < math.MaxInt && (r.files < 0 || r.files > files) {
			return nil, fmt.Errorf("code: %w", ErrBuilding)
		}
		select {
		case <-r.done:
			if r.err != nil {
				return nil, fmt.Errorf("code: index: %w", r.err)
			}
		case <-ctx.Done():
			return nil, fmt.Errorf("code: %w (%w)", ErrBuilding, ctx.Err())
		}
	}
}

// fresh answers the snapshot if it is that of listing, else the update that makes it so.
func (x *Index) fresh(listing Listing) (*Snapshot, *run, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.closed:
		return nil, nil, fmt.Errorf("code: %w", ErrClosed)
	case x.run != nil:
		return nil, x.run, nil
	case x.state != nil && listing.Version != 0 && x.state.version == listing.Version:
		return x.state, nil, nil
	}
	var diff []change
	if x.state != nil {
		if diff = x.state.changes(listing.Files); len(diff) == 0 {
			x.state = x.state.at(listing.Version)
			return x.state, nil, nil
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &run{cancel: cancel, files: len(diff), done: make(chan struct{})}
	if x.state == nil {
		r.files = -1
	}
	x.run = r
	go x.update(ctx, r, x.state, listing, diff)
	return nil, r, nil
}

// update makes the next snapshot. It runs in its own goroutine, which Close ends.
func (x *Index) update(ctx context.Context, r *run, was *Snapshot, listing Listing, diff []change) {
	started := time.Now()
	loaded := false
	if was == nil {
		if s := x.load(); s != nil {
			was, loaded = s, true
			diff = was.changes(listing.Files)
		}
	}
	next, read, err := x.next(ctx, was, listing, diff)
	x.mu.Lock()
	defer x.mu.Unlock()
	r.err = err
	if err == nil {
		x.state = next
		x.stats.Updates++
		x.stats.FilesRead += read
		x.stats.Busy += time.Since(started)
		if loaded {
			x.stats.Loads++
		}
	}
	x.run = nil
	r.cancel()
	close(r.done)
}

// next applies the differences to was; without a snapshot before, it reads everything.
func (x *Index) next(ctx context.Context, was *Snapshot, listing Listing, diff []change) (*Snapshot, int, error) {
	if was == nil {
		s, err := x.build(ctx, listing)
		if err != nil {
			return nil, 0, err
		}
		return s, len(s.Files), nil
	}
	if len(diff) == 0 {
		return was.at(listing.Version), 0, nil
	}
	return was.apply(ctx, x, listing, diff)
}

// build reads the whole listing.
func (x *Index) build(ctx context.Context, listing Listing) (*Snapshot, error) {
	entries := slices.DeleteFunc(slices.Clone(listing.Files), func(e Entry) bool { return !indexed(e) })
	n := newNames()
	files, err := readFiles(ctx, x.source, n, entries, x.o.Workers, x.report(len(entries)))
	if err != nil {
		return nil, err
	}
	if len(files) > manyFiles {
		runtime.GC() // the postings take the place of what the workers leave
	}
	b := newBase(n, files)
	s := b.Snapshot(listing.Version, x.source, x.o.Checker)
	x.save(b)
	if len(files) > manyFiles {
		debug.FreeOSMemory() // the buffers of the workers are larger than the index, and stay unused from now on
	}
	return s, nil
}

func (x *Index) report(total int) func(int) {
	if x.o.Progress == nil {
		return nil
	}
	return func(done int) { x.o.Progress(done, total) }
}

// manyFiles is the number of files from which a build leaves garbage worth returning at once.
const manyFiles = 500

// maxScript is the largest file without an extension that is opened to see whether it is a script.
const maxScript = 256 << 10

// indexed reports whether a file may hold symbols.
func indexed(e Entry) bool {
	if !syntax.Readable(e.Path) {
		return false
	}
	if manifest(e.Path) {
		return e.Size <= maxManifest
	}
	l := syntax.Of(e.Path, nil)
	if l == syntax.Unknown && !syntax.Guessed(e.Path) {
		return e.Size <= maxScript
	}
	return l.Code() || l == syntax.Unknown
}

// Close ends what is under way. Snapshots stay usable.
func (x *Index) Close() error {
	x.mu.Lock()
	x.closed = true
	r := x.run
	x.mu.Unlock()
	if r != nil {
		r.cancel()
		<-r.done
	}
	return nil
}
