package history

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"helve/internal/change"
)

// A Recorded set is a transaction's whose changes are in the history, each with the numbers of what
// was recorded of it.
type Recorded struct {
	*Recording
	numbers [][]int
}

// Record adds what a set will do to the recording. Whole directories are recorded
// file by file. It is called before the set is made: after it, what was there is gone.
func (r *Recording) Record(t *change.Transaction, set *change.Set) (*Recorded, error) {
	folder, err := change.OpenTree(t.Folder())
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	out := &Recorded{Recording: r, numbers: make([][]int, len(set.Changes))}
	for i := range set.Changes {
		if out.numbers[i], err = r.addOne(folder, &set.Changes[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// A coming entry is what is to stand at a path.
type coming struct {
	entry   change.Entry
	content Content
}

// addOne adds a change, with what is in the directories that it brings or takes as
// a whole. It returns the numbers.
func (r *Recording) addOne(folder *change.Tree, c *change.Change) ([]int, error) {
	comes := map[change.Name]coming{c.Path: {c.Will, contentOf(folder, c)}}
	if c.Whole && c.Will.Type == change.Dir {
		err := folder.Walk(c.From, func(path change.Name, e change.Entry) error {
			comes[c.Place().Child(below(path, c.From)).Path] = coming{e, fileIn(folder, path, e)}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if c.Whole && c.Was.Type == change.Dir {
		root, err := r.tree(c.Root)
		if err != nil {
			return nil, err
		}
		err = root.Walk(c.Path, func(path change.Name, _ change.Entry) error {
			if _, stays := comes[path]; !stays {
				comes[path] = coming{}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var numbers []int
	for _, path := range slices.Sorted(maps.Keys(comes)) {
		if r.skips(change.Place{Root: c.Root, Path: path}) {
			continue
		}
		n, err := r.Add(change.Place{Root: c.Root, Path: path}, comes[path].entry, comes[path].content)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// skips tells whether a place is, or lies in, a directory that is not recorded. The call has such a directory among its
// gaps.
func (r *Recording) skips(p change.Place) bool {
	if r.s.o.Skip == nil || p.Path == "." {
		return false
	}
	if known, ok := r.skipped[p]; ok {
		return known
	}
	out := r.skips(p.Parent())
	if !out && r.s.o.Skip(p) {
		out = true
		const why = "%s is not kept: a build makes it again"
		r.call.Gaps = append(r.call.Gaps, fmt.Sprintf(why, p.Path))
	}
	r.skipped[p] = out
	return out
}

// below is a path relative to a directory that it lies in.
func below(path, dir change.Name) string { return string(path[len(dir)+1:]) }

// contentOf is the new content of a change; nil: it has none.
func contentOf(folder *change.Tree, c *change.Change) Content {
	switch {
	case c.Will.Type != change.File:
		return nil
	case c.Write != nil:
		return c.Write
	case c.From != "":
		return fileIn(folder, c.From, c.Will)
	}
	return nil
}

// fileIn is the content of a file in the transaction's folder.
func fileIn(folder *change.Tree, path change.Name, e change.Entry) Content {
	if e.Type != change.File {
		return nil
	}
	return func(w io.Writer) error {
		f, err := folder.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	}
}

// Made says what became of the set.
func (r *Recorded) Made(report *change.Report) error {
	var refused []int
	for _, no := range report.Refused {
		if no.Index >= 0 {
			refused = append(refused, r.numbers[no.Index]...)
		}
	}
	return r.Done(refused...)
}
