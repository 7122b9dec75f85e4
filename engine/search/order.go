package search

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"helve/engine/tree"
)

// target is a file to search.
type target struct {
	path string
	stat tree.Stat
	ref  fileRef // with a plan: what the index knows of it
}

const (
	firstBatch = 8        // files searched before looking whether that is enough: the newest often are
	maxBatch   = 512      // files whose results are kept until they are due
	streamed   = 16 << 20 // bytes: larger files are searched when they are due, so that their results need not be kept
	share      = 16       // files a worker takes at a time
)

func sortFiles(list []target, by Sort) {
	slices.SortFunc(list, func(a, b target) int {
		if by == Newest && a.stat.MTime != b.stat.MTime {
			return cmp.Compare(b.stat.MTime, a.stat.MTime)
		}
		return strings.Compare(a.path, b.path)
	})
}

// list collects the files below dirs.
func (j *job) list(dirs []string) ([]target, error) {
	opt := j.opt
	opt.From = dirs
	opt.Stat = j.q.Sort == Newest || j.plan != nil
	opt.Known = j.known()
	lists := make([][]target, len(j.team))
	st, err := j.e.tree.Walk(j.ctx, opt, func(worker int, d *tree.Dir) error {
		for i := range d.Files {
			f := &d.Files[i]
			t := target{d.Path + f.Name, f.Stat, unknown}
			if j.plan != nil {
				t.ref = j.plan.set.ref(d.Path, f)
			}
			lists[worker] = append(lists[worker], t)
		}
		return nil
	})
	j.sum.Failures += st.Failures
	j.sum.Failed = append(j.sum.Failed, st.Failed...)
	return slices.Concat(lists...), err
}

// newTarget asks the index about a file that was found by a walk.
func (j *job) newTarget(dir, name string, st tree.Stat) target {
	ref := unknown
	if j.plan != nil {
		ref = j.plan.set.find(dir, name, st)
	}
	return target{dir + name, st, ref}
}

// each searches files in no order, with all workers.
func (j *job) each(list []target) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	shares := (len(list) + share - 1) / share
	for id := range min(len(j.team), shares) {
		wg.Go(func() {
			for {
				from := int(next.Add(share)) - share
				if from >= len(list) {
					return
				}
				for i := from; i < min(from+share, len(list)) && !j.stop.Load(); i++ {
					j.target(id, &list[i])
				}
			}
		})
	}
	wg.Wait()
	return nil
}

// target searches one file of a list.
func (j *job) target(worker int, t *target) {
	j.file(worker, j.e.tree, "", t.path, t.ref)
}

// ordered searches files in batches that grow, all workers on one batch, and hands the results out in the same order.
func (j *job) ordered(list iter.Seq[target]) error {
	size := firstBatch
	due := make([]target, 0, maxBatch)
	for t := range list {
		due = append(due, t)
		if len(due) < size {
			continue
		}
		err := j.batch(due)
		if err != nil || j.stop.Load() {
			return err
		}
		due = due[:0]
		size = min(size*2, maxBatch)
	}
	return j.batch(due)
}

// batch searches some files and hands out what was found in their order. A small batch is left to one worker: starting
// others takes longer.
func (j *job) batch(list []target) error {
	b := batch{
		list:   list,
		found:  make([][]*File, len(list)),
		done:   make([]bool, len(list)),
		needed: j.meter.needed(),
	}
	if len(list) <= firstBatch {
		b.work(j, 0)
	} else {
		var wg sync.WaitGroup
		for id := range j.team {
			wg.Go(func() { b.work(j, id) })
		}
		wg.Wait()
	}
	return b.deliver(j)
}

// batch are files with what was found in them so far.
type batch struct {
	list  []target
	found [][]*File
	next  atomic.Int64 // the first that no worker has taken

	needed int         // lines, or files, that suffice; 0: all
	enough atomic.Bool // the first files have as many: the others need not be searched

	mu    sync.Mutex
	done  []bool
	front int // files searched before the first that is not
	held  int // lines found in those; in the modes Files and Count files
}

// work searches files with one worker, which keeps what it finds instead of handing it out.
func (b *batch) work(j *job, id int) {
	s := j.team[id]
	emit := s.emit
	defer func() { s.emit = emit }()
	for !j.stop.Load() && !b.enough.Load() {
		i := int(b.next.Add(1)) - 1
		if i >= len(b.list) {
			return
		}
		s.emit = func(f *File) error {
			b.found[i] = append(b.found[i], f.clone())
			return nil
		}
		if b.list[i].stat.Size < streamed {
			j.target(id, &b.list[i])
		}
		b.finish(i, j.meter.byFile)
	}
}

// finish notes that a file was searched, or is left to deliver, and adds up what is known to be handed out first.
func (b *batch) finish(i int, byFile bool) {
	if b.needed == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done[i] = true
	for ; b.front < len(b.list) && b.done[b.front]; b.front++ {
		for _, f := range b.found[b.front] {
			switch {
			case !byFile:
				b.held += f.Count
			case !f.More:
				b.held++
			}
		}
	}
	if b.held >= b.needed {
		b.enough.Store(true)
	}
}

// deliver hands out what was found, and searches the large files when it is their turn.
func (b *batch) deliver(j *job) error {
	for i := range b.list {
		if b.list[i].stat.Size >= streamed && !j.stop.Load() {
			j.target(0, &b.list[i])
		}
		for _, f := range b.found[i] {
			err := j.take(0, f)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// sortEntries sorts files by path.
func sortEntries(list []tree.Entry) {
	slices.SortFunc(list, func(a, b tree.Entry) int { return strings.Compare(a.Path, b.Path) })
}
