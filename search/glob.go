package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"helve/tree"
)

// GlobQuery asks for files by name. Its zero value but for Pattern lists what `rg --files -g` would, less what is hidden.
type GlobQuery struct {
	Pattern  string // *.go, src/**/*.{ts,tsx}; without a slash it matches in every directory, as **/ before it
	Path     string // the directory to look in, which the pattern is relative to; "": the root
	Types    []string
	NoIgnore bool
	Hidden   bool
	Skip     []string // directories never entered, such as node_modules
	Sort     Sort     // Unsorted here is ByPath: a list has an order
	Limit    int      // 0: all
	Offset   int
}

// GlobFile is one file found.
type GlobFile struct {
	Path string    // relative to the root
	Stat tree.Stat // filled with Sort Newest
}

// Glob lists the files that a pattern matches. When the context's deadline passes the list is what was found so far, and Summary.Partial is set.
func (e *Engine) Glob(ctx context.Context, q GlobQuery) ([]GlobFile, Summary, error) {
	opt, err := q.options(e.tree.Root())
	if err != nil {
		return nil, Summary{}, err
	}
	j := &job{e: e, ctx: ctx, q: &Query{Sort: q.Sort}, team: make([]*scanner, tree.Workers()), opt: opt}
	found, err := j.list(opt.From)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		j.sum.Partial = true
	case err != nil:
		return nil, j.sum, err
	}
	sortFiles(found, q.Sort)
	j.sum.Files, j.sum.Searched = len(found), len(found)
	if len(found) == 0 && !j.sum.Partial {
		if err := j.explain(); err != nil {
			return nil, j.sum, err
		}
	}
	return q.page(found, &j.sum), j.sum, nil
}

func (q *GlobQuery) options(root string) (tree.Options, error) {
	from := "."
	if q.Path != "" {
		from = path.Clean(q.Path)
	}
	if !fs.ValidPath(from) {
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
	f, err := tree.NewFilter(tree.FilterSpec{Include: []string{pattern}, Types: q.Types})
	if err != nil {
		return tree.Options{}, err
	}
	return tree.Options{From: []string{from}, Filter: f, NoIgnore: q.NoIgnore, Hidden: q.Hidden, Skip: q.Skip}, nil
}

// quoteGlob makes a path match itself alone.
func quoteGlob(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`, `}`, `\}`).Replace(p)
}

func (q *GlobQuery) page(found []target, sum *Summary) []GlobFile {
	found = found[min(q.Offset, len(found)):]
	if q.Limit > 0 && len(found) > q.Limit {
		found, sum.Capped = found[:q.Limit], true
	}
	list := make([]GlobFile, len(found))
	for i, t := range found {
		list[i] = GlobFile{t.path, t.stat}
	}
	return list
}
