package search

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/cmd/internal/terminal"
	"helve/codetool"
	"helve/engine/search"
	"helve/internal/version"
)

// indexOptions say which indexes a command is about: without a flag both.
type indexOptions struct {
	command.Common
	action       string // build, status or clear
	search, code bool
	json         bool
}

func IndexCommand(c *command.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Build, show or clear the indexes of a workspace",
		Long: `Build, show or clear what makes searches in large workspaces fast, and what the code-structure tools
know of the code: two indexes, both unless one is named. They lie in the cache directory, never in
the workspace. Without them every search reads the files, and the first question about code builds
its index. Searches in workspaces under about 20 MB need none.`,
		Example: `  helve index build
  helve index status --json
  helve index clear --code`,
	}
	cmd.AddCommand(
		indexAction(c, "build", "Bring the indexes up to date"),
		indexAction(c, "status", "Tell what is indexed, and where"),
		indexAction(c, "clear", "Remove the indexes"),
	)
	return cmd
}

// indexAction makes one of the three commands, which have the same flags.
func indexAction(c *command.Line, name, short string) *cobra.Command {
	o := indexOptions{action: name}
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common = c.Flags.Common
			return index(cmd.Context(), c.Streams(), o)
		},
	}
	cmd.Flags().BoolVar(&o.search, "search", false, "only the index for searching")
	cmd.Flags().BoolVar(&o.code, "code", false, "only the index of the code's structure")
	command.JSONFlag(cmd, &o.json)
	return cmd
}

// index does what the action names, and prints what stands there afterwards.
func index(ctx context.Context, s command.Streams, o indexOptions) error {
	dir, err := o.OnlyFolder(s, "index")
	if err != nil {
		return err
	}
	if o.action == "build" {
		if err := mayKeep(s.Places().CacheDir); err != nil {
			return command.Failed(fmt.Errorf("index: nothing can be kept: %w\n"+
				"hint: set XDG_CACHE_HOME to a folder that you may write", err))
		}
	}
	have, err := indexesOf(ctx, s, dir, o)
	switch {
	case err != nil:
		return command.Failed(fmt.Errorf("index: %w", err))
	case o.action == "clear":
		return nil
	case o.json:
		return s.PrintJSON(have)
	}
	have.Print(s.Stdout)
	return nil
}

// mayKeep tells why a folder cannot be written: who asks for an index wants it kept, where others do without.
func mayKeep(cache string) error {
	if cache == "" {
		return nil // who wants one says so
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(cache, "try-*.tmp")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Indexes is what stands in the cache for a workspace; one that was not asked about is nil.
type Indexes struct {
	Search *searchIndex `json:"search,omitempty"`
	Code   *codeIndex   `json:"code,omitempty"`
}

// A searchIndex is what grep and glob have. Sizes are in bytes.
type searchIndex struct {
	Bytes    int64  `json:"bytes"`
	Dir      string `json:"dir"`
	Files    int    `json:"files"`
	Segments int    `json:"segments"` // 0: there is none
	Small    bool   `json:"small"`    // the workspace needs none
	Source   int64  `json:"source"`   // bytes of the files in it
}

// A codeIndex is what the questions about code have.
type codeIndex struct {
	Bytes int64  `json:"bytes"` // 0: there is none
	Path  string `json:"path"`
}

// Status tells how both indexes of a workspace stand.
func Status(ctx context.Context, s command.Streams, dir string) (Indexes, error) {
	return indexesOf(ctx, s, dir, indexOptions{action: "status"})
}

// indexesOf does what the action names to the indexes that are asked about.
func indexesOf(ctx context.Context, s command.Streams, dir string, o indexOptions) (have Indexes, err error) {
	// No flag means both, and so do both flags.
	if o.search || !o.code {
		have.Search, err = searchIndexOf(ctx, s, dir, o.action)
		if err != nil {
			return have, err
		}
	}
	if o.code || !o.search {
		have.Code, err = codeIndexOf(ctx, s, dir, o.action)
	}
	return have, err
}

// searchIndexOf builds or clears the index of the search, and tells how it stands then.
func searchIndexOf(ctx context.Context, s command.Streams, dir, action string) (_ *searchIndex, err error) {
	e, done, err := engine(s, dir, true)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	st := e.IndexStatus()
	switch action {
	case "build":
		debug.SetGCPercent(buildGC)
		spin := spinner(s)
		st, err = e.BuildIndex(ctx, indexing(spin))
		spin.Stop()
		if err == nil && st.Small {
			s.Note("the workspace is small enough to be searched without an index")
		}
	case "clear":
		err = e.ClearIndex()
	}
	return &searchIndex{
		Bytes:    st.Bytes,
		Dir:      st.Dir,
		Files:    st.Files,
		Segments: st.Segments,
		Small:    st.Small,
		Source:   st.Source,
	}, err
}

// codeIndexOf does the same for the index of the code. Building it is taking a snapshot of the tree: what changed
// since the last one is read, and the cache keeps it.
func codeIndexOf(ctx context.Context, s command.Streams, dir, action string) (_ *codeIndex, err error) {
	x, err := codetool.Open(codetool.Options{Dir: dir, Cache: s.Places().CacheDir, Version: version.String(),
		Environ: s.Environ})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	switch action {
	case "build":
		spin := spinner(s)
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
	return &codeIndex{Bytes: size, Path: x.Path()}, err
}

// spinner shows on a terminal that something takes its time, and elsewhere nothing.
func spinner(s command.Streams) *terminal.Spinner {
	if !command.IsTerminal(s.Stderr) || s.Quiet || s.Terminal().Plain() {
		return nil
	}
	return &terminal.Spinner{To: s.Stderr}
}

// buildGC keeps the memory of a build, most of which is in use, near what is in use.
const buildGC = 40

// indexing shows on a terminal how far a build has come.
func indexing(spin *terminal.Spinner) (report func(search.Progress)) {
	if spin == nil {
		return nil
	}
	const what = "building the index of the search"
	spin.Start(what) // the size comes with the first report
	return func(p search.Progress) {
		share := 100 * p.Bytes / max(p.TotalBytes, 1)
		spin.Start(fmt.Sprintf("%s: %d %% of %.0f MB", what, share, megabytes(p.TotalBytes)))
	}
}

// Print prints how the indexes stand, a line each. One that was not asked about has none.
func (have Indexes) Print(out io.Writer) {
	switch x := have.Search; {
	case x == nil:
	case x.Segments == 0:
		fmt.Fprintln(out, "search: no index")
	default:
		fmt.Fprintf(out, "search: %d files, %.1f MB of source in %.1f MB, %d segments, at %s\n",
			x.Files, megabytes(x.Source), megabytes(x.Bytes), x.Segments, x.Dir)
	}
	switch x := have.Code; {
	case x == nil:
	case x.Bytes == 0:
		fmt.Fprintln(out, "code: no index")
	default:
		fmt.Fprintf(out, "code: %.1f MB at %s\n", megabytes(x.Bytes), x.Path)
	}
}

// megabytes are binary ones, as file managers show them.
func megabytes(n int64) float64 { return float64(n) / (1 << 20) }
