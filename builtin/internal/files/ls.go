package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"helve/builtin/internal/doc"
	"helve/builtin/internal/folders"
	"helve/builtin/internal/render"
	"helve/engine/tree"
	"helve/internal/fsroot"
	"helve/tool"
)

// lsShown is how many entries a listing brings: some 10,000 tokens.
const lsShown = 1000

// allLevels is deeper than any tree of folders: names of one byte nest 2,048 deep.
const allLevels = 1 << 16

// lsIn are the parameters of ls.
type lsIn struct {
	Path  string `json:"path,omitempty" jsonschema:"Directory; default: the workspace"`
	Depth int    `json:"depth,omitempty" jsonschema:"description=Levels shown,default=3,minimum=1,maximum=20"`
}

func (in lsIn) String() string {
	if in.Path == "" {
		return "list ."
	}
	return "list " + in.Path
}

var _ tool.Stringer = lsIn{}

// lsMeta is the metadata of ls.
type lsMeta struct {
	Path    string `json:"path"`              // from its root
	Depth   int    `json:"depth"`             // levels asked for
	Files   int    `json:"files"`             // below it, at any depth
	Dirs    int    `json:"directories"`       // below it, at any depth
	Bytes   int64  `json:"bytes"`             // of these files
	Shown   int    `json:"entries_shown"`     // lines of the tree
	Hidden  int    `json:"files_hidden"`      // files that ignore rules hide
	Capped  bool   `json:"capped,omitempty"`  // there are more entries than are shown
	Partial bool   `json:"partial,omitempty"` // time ran out
}

// Ls shows a directory as a tree with sizes and counts, and says what ignore rules hide.
func Ls(w *Files) tool.Tool {
	s := tool.Spec{
		Name:      "ls",
		Aliases:   []string{"LS", "list", "list_dir", "list_directory", "directory_tree"},
		Title:     "Directory List",
		Origin:    folders.Origin("ls"),
		Doc:       doc.Of("ls"),
		Kind:      tool.Read,
		Category:  "file",
		Tags:      []string{"file", "directory", "list"},
		Params:    lsParams(),
		Translate: lsWords(),
		Limits:    []string{"depth"},
	}
	return tool.Renders[lsData](tool.Plan(s, func(_ context.Context, c *tool.Call, in lsIn) (*tool.Job, error) {
		dir, err := w.Resolve(c, in.Path)
		if err != nil {
			return nil, err
		}
		return &tool.Job{
			Effects:   []tool.Effect{{Kind: tool.Read, Target: dir.Target()}},
			Signature: dir.String(),
			Rule:      "Ls:" + dir.Pattern() + "/*",
			Run: func(ctx context.Context) (*tool.Result, error) {
				return w.ls(ctx, c, in, dir)
			},
		}, nil
	}))
}

// ls walks all of a directory, since the counts are those of everything below, and shows the upper levels.
func (w *Files) ls(ctx context.Context, c *tool.Call, in lsIn, dir fsroot.Path) (*tool.Result, error) {
	if err := w.MustBeDir(dir); err != nil {
		return nil, err
	}
	e, err := w.Engine(dir.Root())
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	l := newListing(dir, in.Depth)
	if c.Whole > 0 { // no more are held than a program can take
		l.depth, l.most, l.odds = cmp.Or(in.Depth, allLevels), c.Whole/lsAround, math.MaxInt
	}
	opt := tree.Options{
		From:         from(dir),
		Hidden:       true,
		Skip:         neverSearched,
		Stat:         true,
		Count:        true,
		GlobalIgnore: tree.GitIgnoreFile(w.Getenv),
	}
	stats, err := e.Tree.Walk(limited, opt, l.visit)
	partial := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
	if err != nil && !partial {
		return nil, folders.ToolError(err)
	}
	l.choose()
	l.oddities(w.Files)
	meta := lsMeta{
		Path:    dir.String(),
		Depth:   in.Depth,
		Files:   l.top.files,
		Dirs:    l.top.dirs,
		Bytes:   l.top.bytes,
		Shown:   l.shown,
		Capped:  l.capped,
		Partial: partial,
	}
	for _, h := range stats.Hidden {
		meta.Hidden += h.Files
	}
	switch {
	case c.Whole > 0 && partial:
		return nil, tool.Errorf(tool.TimedOut, "not listed to the end: time ran out").WithHint("Name a directory.")
	case c.Whole > 0 && l.capped:
		return nil, c.TooLarge()
	}
	res := tool.Render(l.data(stats, partial)).WithMeta(meta)
	return res.WithSummary("%s: %s in %s", dir, render.Quantity(l.top.files, "file"), directories(l.top.dirs+1)), nil
}

// from is where a walk of dir begins: none for the root.
func from(dir fsroot.Path) []string {
	if dir.Rel() == "." {
		return nil
	}
	return []string{dir.Rel()}
}

// directories is "1 directory" or "2 directories".
func directories(n int) string {
	if n == 1 {
		return "1 directory"
	}
	return fmt.Sprintf("%d directories", n)
}
