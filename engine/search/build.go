package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"helve/engine/search/internal/trigram"
	"helve/engine/tree"
)

const (
	// minIndexed are the bytes of a tree below which reading it all is as fast as asking an index.
	minIndexed = 20 << 20
	// maxSegments: more make every question slower than one build makes it faster.
	maxSegments = 6
	// staleShare: when one file of so many is not in the index as it is, all are indexed anew.
	staleShare = 5
	// tooYoung: a file changed so shortly before it was read may change again within one tick of its clock.
	tooYoung = 200 * time.Millisecond
	// largeFile: only one file above it is in memory at a time, whatever the number of workers.
	largeFile = 8 << 20
	// progressGap is the least time between two calls of a build's progress: people see no more.
	progressGap = 100 * time.Millisecond
	// repairAfter are the changed files that a resident process lets come together before it indexes them, and
	// repairEvery is how often it looks.
	repairAfter = 500
	repairEvery = 30 * time.Second
)

// ErrIndexBusy is returned when another process builds the same index.
var ErrIndexBusy = errors.New("index: another process is building it")

// Progress is how far a build has come.
type Progress struct {
	Files, TotalFiles int
	Bytes, TotalBytes int64
}

// IndexStatus describes an index.
type IndexStatus struct {
	Dir      string // where it lies; "" if the engine has no place for one
	Segments int    // 0: there is none
	Files    int
	Bytes    int64 // on disk
	Source   int64 // bytes of the files in it
	Small    bool  // after BuildIndex: the tree is too small to need one
}

// BuildIndex brings the index up to date: it indexes the files that changed, or all if they are many. Searches go on
// meanwhile, on the old index or without one. progress, if not nil, is called now and then, one call at a time.
// Cancelled or failed, it leaves the old index as it was.
func (e *Engine) BuildIndex(ctx context.Context, progress func(Progress)) (IndexStatus, error) {
	dir := e.index.dir
	if dir == "" {
		return IndexStatus{}, errors.New("index: the engine was made without a cache directory")
	}
	err := os.MkdirAll(dir, 0o700)
	if err != nil {
		return IndexStatus{}, fmt.Errorf("index: %w", err)
	}
	unlock, err := lockFile(filepath.Join(dir, lockName))
	if err != nil {
		return IndexStatus{}, err
	}
	defer unlock()
	removeLeftovers(dir)
	snap, err := e.tree.Snapshot(ctx)
	if err != nil {
		return IndexStatus{}, fmt.Errorf("index: %w", err)
	}
	b := &builder{e: e, progress: progress}
	b.choose(snap)
	if b.total.TotalBytes < minIndexed && b.set == nil {
		return IndexStatus{Dir: dir, Small: true}, nil
	}
	if len(b.files) > 0 {
		err = b.run(ctx)
	}
	if err != nil {
		return IndexStatus{}, fmt.Errorf("index: %w", err)
	}
	return e.IndexStatus(), nil
}

// IndexStatus says what there is. It reads the segments' tables, not the files of the tree.
func (e *Engine) IndexStatus() IndexStatus {
	st := IndexStatus{Dir: e.index.dir}
	set := e.index.open(e.tree.Root())
	if set == nil {
		return st
	}
	for _, seg := range set.segments {
		st.Segments++
		st.Bytes += seg.Size()
		for i := range seg.Len() {
			f := seg.Entry(i)
			if f.Loose { // only its name is known
				continue
			}
			st.Files++
			st.Source += f.Stat.Size
		}
	}
	return st
}

// ClearIndex deletes the index. Searches under way go on with the files that they have open.
func (e *Engine) ClearIndex() error {
	if e.index.dir == "" {
		return nil
	}
	e.index.drop()
	err := os.RemoveAll(e.index.dir)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	return nil
}

// KeepIndexed builds the index and keeps it up to date until the context is done, whose error it returns. A resident
// process runs it in the background. A build that fails is tried again later; failed, if not nil, hears of it.
func (e *Engine) KeepIndexed(ctx context.Context, failed func(error)) error {
	tick := time.NewTicker(repairEvery)
	defer tick.Stop()
	for {
		snap, err := e.tree.Snapshot(ctx)
		if err == nil {
			_, err = e.BuildIndex(ctx, nil)
		}
		if err != nil && ctx.Err() == nil && failed != nil {
			failed(err)
		}
		for due := false; !due; {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-tick.C:
			}
			now, failed := e.tree.Snapshot(ctx)
			again := err != nil // the last build failed, or what it was built from could not be read
			due = failed == nil && (again || outgrown(snap, now))
		}
	}
}

// outgrown reports whether so much changed between two snapshots that the index is to learn of it.
func outgrown(was, now *tree.Snapshot) bool {
	return was.Table() != now.Table() || len(now.Extra()) >= len(was.Extra())+repairAfter
}

// builder is one build.
type builder struct {
	e        *Engine
	set      *indexSet    // what there is; nil: nothing
	files    []tree.Entry // to be indexed
	replaces bool         // the new segment has everything: the others are not needed any more
	large    sync.Mutex   // held while a large file is in memory: one at a time

	progress func(Progress)
	total    Progress
	done     [2]atomic.Int64 // files and bytes
	mu       sync.Mutex      // held while progress is called
	told     time.Time       // when that was last
}

// choose finds the files that the index does not have as they are.
func (b *builder) choose(snap *tree.Snapshot) {
	b.set = b.e.index.open(b.e.tree.Root())
	var all []tree.Entry
	for _, f := range snap.Newest() {
		all = append(all, *f)
		b.total.TotalBytes += f.Stat.Size
		if b.set == nil || b.set.findPath(f.Path, f.Stat) == unknown {
			b.files = append(b.files, *f)
		}
	}
	stale := len(b.files)*staleShare > len(all)
	if b.set == nil || stale || len(b.set.segments) >= maxSegments {
		b.files, b.replaces = all, true
	} else {
		b.total.TotalBytes = 0
		for i := range b.files {
			b.total.TotalBytes += b.files[i].Stat.Size
		}
	}
	b.total.TotalFiles = len(b.files)
}

// run writes a segment under a name of its own and then gives it that of a segment: whoever opens the index meanwhile
// sees the old one or the new one, never half of it.
func (b *builder) run(ctx context.Context) error {
	dir := b.e.index.dir
	f, err := os.CreateTemp(dir, tempPrefix)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	err = b.write(ctx, trigram.NewWriter(f, tree.Workers()))
	if err != nil {
		return err
	}
	err = f.Close()
	if err != nil {
		return err
	}
	old := segmentNames(dir)
	err = os.Rename(f.Name(), filepath.Join(dir, nextSegment(old)))
	if err != nil {
		return err
	}
	if b.replaces {
		for _, name := range old {
			_ = os.Remove(filepath.Join(dir, name))
		}
	}
	b.e.index.forget()
	return nil
}

// write puts the files to be indexed into a segment.
func (b *builder) write(ctx context.Context, w *trigram.Writer) error {
	if b.replaces {
		err := b.learn(ctx, w)
		if err != nil {
			return err
		}
	}
	err := b.fill(ctx, w)
	if err != nil {
		return err
	}
	return w.Finish(b.e.tree.Root(), b.replaces)
}

// learn walks the tree, for the files to index and for the listings of its directories, which later commands compare
// with the directories' times instead of reading them.
func (b *builder) learn(ctx context.Context, w *trigram.Writer) error {
	t := b.e.tree
	outside := ruleFiles(tree.Settled(tree.OutsideRules(t.Root(), t.GlobalIgnore())))
	var mu sync.Mutex
	var dirs []trigram.Dir
	b.files = b.files[:0:0] // a list of its own: what choose found is a snapshot's
	_, err := t.Walk(ctx, tree.Options{Stat: true, Learn: true}, func(_ int, d *tree.Dir) error {
		mu.Lock()
		defer mu.Unlock()
		if d.Part == 0 {
			listed := trigram.Dir{Path: d.Path, Stat: d.Stat, Rules: ruleFiles(d.Rules)}
			dirs = append(dirs, listed)
		}
		for i := range d.Files {
			f := &d.Files[i]
			b.files = append(b.files, tree.Entry{Path: d.Path + f.Name, Stat: f.Stat})
		}
		return nil
	})
	w.Dirs(dirs, outside)
	return err
}

// forget has the next search open the segments anew.
func (s *indexStore) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set = nil
}

// nextSegment is a name that sorts behind all others.
func nextSegment(old []string) string {
	n := 0
	if len(old) > 0 {
		_, _ = fmt.Sscanf(old[len(old)-1], segmentPrefix+"%d", &n)
	}
	return fmt.Sprintf("%s%010d%s", segmentPrefix, n+1, segmentSuffix)
}

// removeLeftovers deletes what a build that was killed left behind. The caller has the lock.
func removeLeftovers(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, tempPrefix+"*"))
	for _, name := range left {
		_ = os.Remove(name)
	}
}

// fill indexes the files with all workers, in the order of their paths: neighbours have much in common.
func (b *builder) fill(ctx context.Context, w *trigram.Writer) error {
	sortEntries(b.files)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range tree.Workers() {
		wg.Go(func() {
			r := &indexer{b: b, shard: w.Shard(), buf: make([]byte, window)}
			err := r.work(ctx, &next)
			if err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// advance counts a file and tells.
func (b *builder) advance(size int64) {
	files, bytes := b.done[0].Add(1), b.done[1].Add(size)
	if b.progress == nil || !b.mu.TryLock() {
		return
	}
	defer b.mu.Unlock()
	now := time.Now()
	if now.Sub(b.told) < progressGap && int(files) != b.total.TotalFiles {
		return
	}
	b.told = now
	p := b.total
	p.Files, p.Bytes = int(files), bytes
	b.progress(p)
}
