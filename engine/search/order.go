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
	opt.From, opt.Stat, opt.Known = dirs, j.q.Sort == Newest || j.plan != nil, j.known()
	lists := make([][]target, len(j.team))
	st, err := j.e.tree.Walk(j.ctx, opt, func(worker int, d *tree.Dir) error {
		for i := range d.Files {
			t := target{d.Path + d.Files[i].Name, d.Files[i].Stat, fileRef{-1, -1}}
			if j.plan != nil {
				t.ref = j.plan.set.ref(d.Path, &d.Files[i])
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
	ref := fileRef{-1, -1}
	if j.plan != nil {
		ref = j.plan.set.find(dir, name, st)
	}
	return target{dir + name, st, ref}
}

// each searches files in no order, with all workers.
func (j *job) each(list []target) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	for id := range min(len(j.team), (len(list)+share-1)/share) {
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
		if due = append(due, t); len(due) < size {
			continue
		}
		if err := j.batch(due); err != nil || j.stop.Load() {
			return err
		}
		due = due[:0]
		size = min(size*2, maxBatch)
	}
	return j.batch(due)
}

func (j *job) batch(list []target) error {
	results := make([][]*File, len(list))
	var next atomic.Int64
	work := func(id int) {
		s := j.team[id]
		defer func(emit func(*File) error) { s.emit = emit }(s.emit)
		for !j.stop.Load() {
			i := int(next.Add(1)) - 1
			if i >= len(list) {
				return
			}
			s.emit = func(f *File) error {
				results[i] = append(results[i], f.clone())
				return nil
			}
			if list[i].stat.Size < streamed {
				j.target(id, &list[i])
			}
		}
	}
	if len(list) <= firstBatch {
		work(0)
	} else {
		var wg sync.WaitGroup
		for id := range j.team {
			wg.Go(func() { work(id) })
		}
		wg.Wait()
	}
	return j.deliver(list, results)
}

func (j *job) deliver(list []target, results [][]*File) error {
	for i := range list {
		if list[i].stat.Size >= streamed && !j.stop.Load() {
			j.target(0, &list[i])
		}
		for _, f := range results[i] {
			if err := j.take(0, f); err != nil {
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
