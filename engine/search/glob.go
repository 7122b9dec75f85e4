package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"helve/engine/tree"
)

// GlobQuery asks for files by name. Its zero value but for Pattern lists what `rg --files -g` would, less what is
// hidden.
type GlobQuery struct {
	Pattern  string   // *.go, src/**/*.{ts,tsx}; without a slash it matches in every directory, as **/ before it
	Path     string   // the directory to look in, which the pattern is relative to; "": the root
	Exclude  []string // but not these, written as in a .gitignore, relative to the root
	Types    []string
	NoIgnore bool
	Hidden   bool
	Skip     []string               // directories never entered, such as node_modules
	Without  func(path string) bool // files that are left out, by path; see tree.FilterSpec
	Sort     Sort
	Limit    int // 0: all
	Offset   int
}

// GlobFile is one file found.
type GlobFile struct {
	Path string    // relative to the root
	Stat tree.Stat // filled with Sort Newest
}

// Glob lists the files that a pattern matches. When the context's deadline passes the list is what was found so far,
// and Summary.Partial is set. On a resident tree nothing is read.
func (e *Engine) Glob(ctx context.Context, q GlobQuery) ([]GlobFile, Summary, error) {
	opt, err := q.options(e.tree.Root())
	if err != nil {
		return nil, Summary{}, err
	}
	asked := &Query{NoIgnore: q.NoIgnore, Hidden: q.Hidden, Types: q.Types, Skip: q.Skip}
	j := &job{e: e, ctx: ctx, q: asked, opt: opt}
	found, err := j.names()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		j.sum.Partial = true
	case err != nil:
		return nil, j.sum, err
	}
	q.sort(found)
	j.sum.Files, j.sum.Searched = len(found), len(found)
	if len(found) == 0 && !j.sum.Partial {
		err := j.explain(explainTime)
		if err != nil {
			return nil, j.sum, err
		}
	}
	found, j.sum.Capped = q.page(found)
	return found, j.sum, nil
}

// names lists the files that the options ask for, out of the table of a resident tree or by a walk.
func (j *job) names() ([]GlobFile, error) {
	j.dirs = j.opt.From
	snap, err := j.table(j.dirs)
	if err != nil {
		return nil, err
	}
	if snap != nil {
		return j.namesIn(snap), nil
	}
	t := j.e.tree
	set := j.e.index.open(t.Root())
	if set != nil {
		j.opt.Known = set.known(t.Root(), t.GlobalIgnore())
	}
	lists := make([][]GlobFile, tree.Workers()) // by worker, so that none waits for another
	st, err := t.Walk(j.ctx, j.opt, func(worker int, d *tree.Dir) error {
		for i := range d.Files {
			f := &d.Files[i]
			lists[worker] = append(lists[worker], GlobFile{d.Path + f.Name, f.Stat})
		}
		return nil
	})
	j.sum.Failures, j.sum.Failed = st.Failures, st.Failed
	return slices.Concat(lists...), err
}

// namesIn lists the files of the table that the options ask for, the newest first. They are chosen in the order of
// their paths, which is faster, and then listed in the other.
func (j *job) namesIn(snap *tree.Snapshot) []GlobFile {
	choose := j.chooser(j.opt.From)
	wanted := make([]bool, len(snap.Table().Files)) // by place
	for place := range choose.Places(snap.Table()) {
		wanted[place] = true
	}
	var list []GlobFile
	for place, e := range snap.Newest() {
		if place >= 0 && wanted[place] || place < 0 && choose.Wants(e.Path) {
			list = append(list, GlobFile{e.Path, e.Stat})
		}
	}
	return list
}

// sort puts the files in the order that is asked for.
func (q *GlobQuery) sort(list []GlobFile) {
	switch q.Sort {
	case ByPath:
		paths := make([]string, len(list)) // smaller than the files, and compared without a function
		for i := range list {
			paths[i] = list[i].Path
		}
		slices.Sort(paths)
		for i := range list {
			list[i] = GlobFile{Path: paths[i]}
		}
	case Newest:
		slices.SortFunc(list, func(a, b GlobFile) int {
			return cmp.Or(cmp.Compare(b.Stat.MTime, a.Stat.MTime), strings.Compare(a.Path, b.Path))
		})
	}
}

// options is the walk that finds the files. The pattern is relative to the directory that is asked about, and the
// filter's are relative to the root.
func (q *GlobQuery) options(root string) (tree.Options, error) {
	from := "."
	if q.Path != "" {
		from = path.Clean(q.Path)
	}
	if !fs.ValidPath(strings.ToValidUTF8(from, "x")) { // a name need not be UTF-8
		return tree.Options{}, fmt.Errorf("glob: %s: not below the root %s", q.Path, root)
	}
	if q.Limit < 0 || q.Offset < 0 {
		return tree.Options{}, errors.New("glob: limit and offset must not be negative")
	}
	pattern := strings.TrimPrefix(q.Pattern, "./")
	if from != "." && strings.Contains(pattern, "/") {
		pattern = quoteGlob(from) + "/" + strings.TrimPrefix(pattern, "/")
	}
	if pattern == "" || strings.HasPrefix(pattern, "!") {
		return tree.Options{}, fmt.Errorf("glob: pattern %q: write what to find, such as **/*.go", q.Pattern)
	}
	include := []string{pattern}
	for _, x := range q.Exclude {
		include = append(include, "!"+strings.TrimPrefix(x, "!"))
	}
	f, err := tree.NewFilter(tree.FilterSpec{Include: include, Types: q.Types, Without: q.Without})
	if err != nil {
		return tree.Options{}, err
	}
	opt := tree.Options{
		From:     []string{from},
		Filter:   f,
		Stat:     q.Sort == Newest,
		NoIgnore: q.NoIgnore,
		Hidden:   q.Hidden,
		Skip:     q.Skip,
	}
	return opt, nil
}

// quoteGlob makes a path match itself alone.
func quoteGlob(p string) string {
	var b strings.Builder
	for i := range len(p) {
		if strings.IndexByte(`\*?[{}`, p[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(p[i])
	}
	return b.String()
}

// page is what is asked for of the files found, and whether there are more.
func (q *GlobQuery) page(found []GlobFile) (page []GlobFile, more bool) {
	found = found[min(q.Offset, len(found)):]
	if q.Limit > 0 && len(found) > q.Limit {
		return found[:q.Limit], true
	}
	return found, false
}
