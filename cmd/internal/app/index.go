package app

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"helve/cmd/internal/terminal"
	"helve/codetool"
	"helve/engine/search"
)

func (a *app) indexCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Build, show or clear the indexes of a workspace",
		Long: `Build, show or clear what makes searches in large workspaces fast, and what the code-structure tools know of the code: two indexes,
both unless one is named. They lie in the cache directory, never in the workspace. Without them every search reads the files, and the first question
about code builds its index. Searches in workspaces under about 20 MB need none.`,
		Example: `  helve index build
  helve index status --json
  helve index clear --code`,
	}
	cmd.AddCommand(a.indexSub("build", "Bring the indexes up to date"), a.indexSub("status", "Tell what is indexed, and where"), a.indexSub("clear", "Remove the indexes"))
	return cmd
}

func (a *app) indexSub(name, short string) *cobra.Command {
	var search, code bool
	cmd := &cobra.Command{Use: name, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		dir, err := a.workspace()
		if err != nil {
			return &exitError{exitUsage, err}
		}
		st, err := a.indexes(cmd.Context(), dir, name, search || !code, code || !search)
		if err != nil {
			return &exitError{exitFailed, fmt.Errorf("index: %w", err)}
		}
		if name == "clear" {
			return nil
		}
		return a.printIndexes(st)
	}}
	cmd.Flags().BoolVar(&search, "search", false, "only the index for searching")
	cmd.Flags().BoolVar(&code, "code", false, "only the index of the code's structure")
	a.jsonFlag(cmd)
	return cmd
}

// indexes is what stands in the cache for a workspace; one that was not asked about is nil.
type indexes struct {
	Search *searchIndex `json:"search,omitempty"`
	Code   *codeIndex   `json:"code,omitempty"`
}

type searchIndex struct {
	Bytes    int64  `json:"bytes"`
	Dir      string `json:"dir"`
	Files    int    `json:"files"`
	Segments int    `json:"segments"` // 0: there is none
	Small    bool   `json:"small"`    // the workspace needs none
	Source   int64  `json:"source"`   // bytes of the files in it
}

type codeIndex struct {
	Bytes int64  `json:"bytes"` // 0: there is none
	Path  string `json:"path"`
}

// indexes does what a sub-command is named for.
func (a *app) indexes(ctx context.Context, dir, sub string, search, code bool) (st indexes, err error) {
	if search {
		if st.Search, err = a.searchIndex(ctx, dir, sub); err != nil {
			return st, err
		}
	}
	if code {
		st.Code, err = a.codeIndex(ctx, dir, sub)
	}
	return st, err
}

func (a *app) searchIndex(ctx context.Context, dir, sub string) (_ *searchIndex, err error) {
	e, done, err := a.engine(dir, true)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	st := e.IndexStatus()
	switch sub {
	case "build":
		debug.SetGCPercent(buildGC)
		report, end := a.progress("indexing")
		st, err = e.BuildIndex(ctx, report)
		end()
		if err == nil && st.Small {
			a.note("the workspace is small enough to be searched without an index")
		}
	case "clear":
		err = e.ClearIndex()
	}
	return &searchIndex{st.Bytes, st.Dir, st.Files, st.Segments, st.Small, st.Source}, err
}

func (a *app) codeIndex(ctx context.Context, dir, sub string) (_ *codeIndex, err error) {
	x, err := codetool.Open(codetool.Options{Dir: dir, Cache: a.places().CacheDir, Environ: a.env.Environ})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	switch sub {
	case "build":
		spin := a.waiting()
		spin.Start("reading the code's structure")
		_, err = x.Snapshot(ctx)
		spin.Stop()
	case "clear":
		err = x.Clear()
	}
	if err != nil {
		return nil, err
	}
	size, err := x.Cached()
	return &codeIndex{size, x.Path()}, err
}

// waiting is a spinner on a terminal, and nothing elsewhere.
func (a *app) waiting() *terminal.Spinner {
	if !isTerminal(a.env.Stderr) || a.flags.quiet || a.plain() {
		return nil
	}
	return &terminal.Spinner{To: a.env.Stderr}
}

// buildGC keeps the memory of a build, most of which is in use, near what is in use.
const buildGC = 40

// progress is a bar on a terminal, and nothing elsewhere.
func (a *app) progress(what string) (report func(search.Progress), end func()) {
	if !isTerminal(a.env.Stderr) || a.flags.quiet {
		return nil, func() {}
	}
	bar := progressbar.NewOptions64(-1, progressbar.OptionSetDescription(what), progressbar.OptionSetWriter(a.env.Stderr),
		progressbar.OptionShowBytes(true), progressbar.OptionClearOnFinish())
	return func(p search.Progress) {
		bar.ChangeMax64(p.TotalBytes)
		bar.Set64(p.Bytes)
	}, func() { bar.Finish() }
}

func (a *app) printIndexes(st indexes) error {
	if a.flags.json {
		return a.printJSON(st)
	}
	out := a.env.Stdout
	switch s := st.Search; {
	case s == nil:
	case s.Segments == 0:
		fmt.Fprintln(out, "search: no index")
	default:
		fmt.Fprintf(out, "search: %d files, %.1f MB of source in %.1f MB, %d segments, at %s\n", s.Files, megabytes(s.Source), megabytes(s.Bytes), s.Segments, s.Dir)
	}
	switch c := st.Code; {
	case c == nil:
	case c.Bytes == 0:
		fmt.Fprintln(out, "code: no index")
	default:
		fmt.Fprintf(out, "code: %.1f MB at %s\n", megabytes(c.Bytes), c.Path)
	}
	return nil
}

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }
