package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"helve/search"
)

func (a *app) indexCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Build, show or clear the search index of a workspace",
		Long: `Build, show or clear the index that makes searches in large workspaces fast. It lies in the cache directory, never in the workspace;
without it every search reads the files. Workspaces under about 20 MB need none.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		a.indexSub("build", "Bring the index up to date", a.indexBuild),
		a.indexSub("status", "Tell what is indexed, and where", a.indexStatus),
		a.indexSub("clear", "Remove the index", a.indexClear),
	)
	return cmd
}

func (a *app) indexSub(name, short string, run func(context.Context, *search.Engine) error) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) (err error) {
		dir, err := a.workspace()
		if err != nil {
			return &exitError{exitUsage, err}
		}
		e, done, err := a.engine(dir, true)
		if err != nil {
			return &exitError{exitFailed, err}
		}
		defer func() { err = errors.Join(err, done()) }()
		return run(cmd.Context(), e)
	}}
	a.jsonFlag(cmd)
	return a.onCode(cmd)
}

func (a *app) indexBuild(ctx context.Context, e *search.Engine) error {
	debug.SetGCPercent(buildGC)
	report, end := a.progress("indexing")
	st, err := e.BuildIndex(ctx, report)
	end()
	if err != nil {
		return &exitError{exitFailed, fmt.Errorf("index: %w", err)}
	}
	if st.Small {
		a.say("the workspace is small enough to be searched without an index")
	}
	return a.printIndex(st)
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

func (a *app) indexStatus(_ context.Context, e *search.Engine) error {
	return a.printIndex(e.IndexStatus())
}

func (a *app) indexClear(_ context.Context, e *search.Engine) error {
	if err := e.ClearIndex(); err != nil {
		return &exitError{exitFailed, fmt.Errorf("index: %w", err)}
	}
	return nil
}

func (a *app) printIndex(st search.IndexStatus) error {
	if a.flags.json {
		return a.printJSON(map[string]any{"search": map[string]any{"dir": st.Dir, "segments": st.Segments, "files": st.Files, "bytes": st.Bytes, "source": st.Source, "small": st.Small}})
	}
	if st.Segments == 0 {
		_, err := fmt.Fprintln(a.env.Stdout, "search: no index")
		return err
	}
	_, err := fmt.Fprintf(a.env.Stdout, "search: %d files, %.1f MB of source in %.1f MB, %d segments, at %s\n", st.Files, megabytes(st.Source), megabytes(st.Bytes), st.Segments, st.Dir)
	return err
}

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }

// cacheDir is where indexes and other things lie that can be made again, outside every workspace.
func (a *app) cacheDir() string {
	if d := a.env.getenv("XDG_CACHE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "helve")
	}
	if h := a.env.getenv("HOME"); h != "" {
		return filepath.Join(h, ".cache", "helve")
	}
	return filepath.Join(a.stateDir(), "cache")
}
