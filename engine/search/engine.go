package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"helve/engine/search/internal/trigram"
	"helve/engine/tree"
)

// Engine searches one tree. It is safe for concurrent use.
type Engine struct {
	tree    *tree.Tree
	index   indexStore
	buffers sync.Pool // of *[]byte, each of window bytes
}

// New returns an engine on a tree, which must stay open while the engine is used.
func New(t *tree.Tree) *Engine { return &Engine{tree: t} }

// Grep searches the files for lines and calls visit for every file that has one, one call at a time. An error of
// visit ends the search and is returned. When the context's deadline passes, Grep returns what it found with
// Summary.Partial set and no error; when the context is cancelled, its error. No goroutine is left when Grep returns.
func (e *Engine) Grep(ctx context.Context, q Query, visit func(*File) error) (Summary, error) {
	return e.grep(ctx, &q, &visitor{visit: visit})
}

// consumer takes what workers find. take is called from several goroutines at a time, with the parts of one file in
// order by one of them; worker is below the number that begin was given. What take is given is valid until it returns.
type consumer interface {
	begin(workers int)
	take(worker int, f *File) error
}

// visitor passes files on one at a time, and keeps the parts of a file together.
type visitor struct {
	mu    sync.Mutex
	held  []bool // by worker: it has the lock, as more of its file is to come
	visit func(*File) error
}

func (v *visitor) begin(workers int) { v.held = make([]bool, workers) }

func (v *visitor) take(worker int, f *File) error {
	if !v.held[worker] {
		v.mu.Lock()
		v.held[worker] = true
	}
	err := v.visit(f)
	if !f.More || err != nil {
		v.held[worker] = false
		v.mu.Unlock()
	}
	return err
}

// job is one search under way.
type job struct {
	e      *Engine
	ctx    context.Context
	q      *Query
	m      *matcher
	out    consumer
	opt    tree.Options
	plan   *plan       // nil: no index
	stop   atomic.Bool // everybody is to end: the limit is reached, the time is over, the consumer failed
	team   []*scanner  // one for every worker
	meter  *meter
	dirs   []string // the directories to search; none if only files are named
	tabled bool     // they are in the table of a resident tree

	mu    sync.Mutex
	sum   Summary
	first error // of the consumer
}

// grep compiles a query, which is then known to be sound, and runs it.
func (e *Engine) grep(ctx context.Context, q *Query, out consumer) (Summary, error) {
	err := q.check()
	if err != nil {
		return Summary{}, err
	}
	m, err := newMatcher(q)
	if err != nil {
		return Summary{}, err
	}
	f, err := tree.NewFilter(tree.FilterSpec{
		Globs:    q.Globs,
		Include:  q.Include,
		Types:    q.Types,
		TypesNot: q.TypesNot,
		Without:  q.Without,
	})
	if err != nil {
		return Summary{}, err
	}
	j := &job{e: e, ctx: ctx, q: q, m: m, out: out, meter: newMeter(q)}
	j.opt = tree.Options{
		NoIgnore: q.NoIgnore,
		Hidden:   q.Hidden,
		Skip:     q.Skip,
		Filter:   f,
	}
	return j.run()
}

// run searches and sums up. Of several reasons to end, the consumer's error counts most, then the context's; that
// enough was found is none.
func (j *job) run() (Summary, error) {
	defer context.AfterFunc(j.ctx, func() { j.stop.Store(true) })()
	j.hire()
	defer j.dismiss()
	err := j.search()
	ended := j.ctx.Err()
	switch {
	case errors.Is(ended, context.DeadlineExceeded):
		j.sum.Partial, err = true, nil
	case ended != nil:
		err = ended
	case errors.Is(err, errEnough):
		err = nil
	}
	if j.first != nil {
		err = j.first
	}
	j.sum.Files, j.sum.Lines, j.sum.Capped = j.meter.total()
	if err == nil && !j.sum.Partial {
		switch {
		case j.sum.Searched == 0:
			err = j.explain(explainTime)
		case j.sum.Files == 0 && j.q.Explain:
			err = j.glance()
		}
	}
	return j.sum, err
}

// hire makes one scanner for every worker.
func (j *job) hire() {
	n := tree.Workers()
	j.out.begin(n)
	j.meter.held = make([]bool, n)
	for id := range n {
		s := newScanner(j.q, j.m, &j.stop, j.e.buffer())
		s.emit = func(f *File) error { return j.take(id, f) }
		j.team = append(j.team, s)
	}
}

// dismiss keeps the scanners' buffers for the next search.
func (j *job) dismiss() {
	for _, s := range j.team {
		if len(s.buf) == window {
			j.e.buffers.Put(&s.buf)
		}
	}
}

// buffer is one of an earlier search, or a new one: clearing a megabyte for each worker costs more than most searches
// with an index.
func (e *Engine) buffer() []byte {
	b, ok := e.buffers.Get().(*[]byte)
	if ok {
		return *b
	}
	return make([]byte, window)
}

// search chooses the way. A resident tree has the list of files; else, without an order, the tree is walked and
// searched at once.
func (j *job) search() error {
	j.plan = j.newPlan()
	dirs, files, err := j.places()
	if err != nil {
		return err
	}
	j.dirs = dirs
	snap, err := j.table(dirs)
	if err != nil {
		return err
	}
	if snap != nil {
		return j.resident(snap, dirs, files)
	}
	j.sum.Searched = len(files)
	if j.q.Sort == Unsorted {
		err := j.each(files)
		if err != nil || dirs == nil {
			return err
		}
		return j.walk(dirs)
	}
	list := files
	if dirs != nil {
		more, err := j.list(dirs)
		if err != nil {
			return err
		}
		list = append(list, more...)
	}
	sortFiles(list, j.q.Sort)
	j.sum.Searched = len(list)
	return j.ordered(slices.Values(list))
}

// walk searches while it walks.
func (j *job) walk(dirs []string) error {
	opt := j.opt
	opt.From = dirs
	opt.Stat = j.plan != nil // the index knows files by their state
	opt.Known = j.known()
	st, err := j.e.tree.Walk(j.ctx, opt, func(worker int, d *tree.Dir) error {
		for i := range d.Files {
			if j.stop.Load() {
				return errEnough
			}
			ref := unknown
			if j.plan != nil {
				ref = j.plan.set.ref(d.Path, &d.Files[i])
			}
			j.file(worker, d, d.Path, d.Files[i].Name, ref)
		}
		return nil
	})
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sum.Searched += st.Files
	j.sum.Failures += st.Failures
	room := maxFailed - len(j.sum.Failed)
	j.sum.Failed = append(j.sum.Failed, st.Failed[:min(len(st.Failed), room)]...)
	return err
}

// known is what the index knows of the directories.
func (j *job) known() func(string) (tree.Listing, bool) {
	if j.plan == nil {
		return nil
	}
	return j.plan.set.known(j.e.tree.Root(), j.e.tree.GlobalIgnore())
}

// opener opens a file by name: a directory or a tree.
type opener interface {
	Open(name string) (tree.Handle, error)
}

// file searches one file with a worker's scanner, as far as the index has not ruled it out.
func (j *job) file(worker int, in opener, dir, name string, ref fileRef) {
	part, known := allOfIt, trigram.Entry{}
	if j.plan != nil {
		part, known = j.plan.choose(ref)
	}
	if part == noneOfIt {
		return
	}
	h, err := in.Open(name)
	if err != nil {
		j.failed(dir+name, err)
		return
	}
	s := j.team[worker]
	s.max = j.meter.want()
	if part == someOfIt {
		err = s.some(dir, name, h, &known, j.plan.blocksOf(ref, &known))
	} else {
		err = s.whole(dir, name, h)
	}
	h.Close()
	if err != nil {
		j.failed(dir+name, err)
	}
}

// failed notes why a file was not searched. One that is gone, or is no regular file any more, is no failure.
func (j *job) failed(path string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case errors.Is(err, errBinary):
		j.sum.Binary++
	case errors.Is(err, errEnough), isGone(err):
	default:
		j.sum.Failures++
		if len(j.sum.Failed) < maxFailed {
			j.sum.Failed = append(j.sum.Failed, fmt.Errorf("search: %s: %w", path, err))
		}
	}
}

// isGone reports an error that says that there is no such file any more: it was removed, or a link, a socket or a pipe
// without a writer is in its place.
func isGone(err error) bool {
	for _, gone := range []error{fs.ErrNotExist, syscall.ELOOP, syscall.ENXIO, syscall.EAGAIN} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// These bound the count of hidden files, of which there may be millions: what was counted until then says enough.
// Where files were searched it is a hint, and nobody waits for it.
const (
	explainTime = 2 * time.Second
	glanceTime  = 50 * time.Millisecond
	glanceMost  = 4000 // entries below hidden directories, where the visible ones are known: some three milliseconds
)

// glance finds out which rules hide files beside those that were searched. To look for a text that is not there is what
// is asked most often: a resident tree is not walked for it.
func (j *job) glance() error {
	if j.recall(j.ctx, tree.Glance{RulesOnly: true, Most: glanceMost}) {
		return nil
	}
	return j.explain(glanceTime)
}

// explain finds out who hides the files, when there are none.
func (j *job) explain(limit time.Duration) error {
	if len(j.dirs) == 0 {
		return nil // nothing hides a file that is named
	}
	ctx, cancel := context.WithTimeout(j.ctx, limit)
	defer cancel()
	if j.recall(ctx, tree.Glance{}) {
		return nil
	}
	opt := j.opt
	opt.From = j.dirs
	opt.Count = true
	st, err := j.e.tree.Walk(ctx, opt, func(int, *tree.Dir) error { return nil })
	j.sum.Hidden = st.Hidden
	if errors.Is(err, context.DeadlineExceeded) {
		j.sum.HiddenMore = true
		err = nil
	}
	return err
}

// recall asks a resident tree what it hides, which reads hidden directories only. It reports whether the tree could
// tell.
func (j *job) recall(ctx context.Context, g tree.Glance) bool {
	if !j.tabled {
		return false
	}
	opt := j.opt
	opt.From = j.dirs
	hidden, more, ok := j.e.tree.Hidden(ctx, opt, g)
	if ok {
		j.sum.Hidden, j.sum.HiddenMore = hidden, more
	}
	return ok
}
