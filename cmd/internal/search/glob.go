package search

import (
	"bufio"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/engine/search"
	"helve/internal/fsroot"
)

// globOptions are a pattern and where it is looked for.
type globOptions struct {
	command.Common
	query search.GlobQuery
	path  []string // at most one, the folder to look in
	sort  string   // path or modified
	json  bool
}

func GlobCommand(c *command.Line) *cobra.Command {
	var o globOptions
	cmd := &cobra.Command{
		Use:     "glob PATTERN [PATH]",
		Short:   "List the files that a pattern matches",
		Example: "  helve glob '*.go'\n  helve glob 'src/**/*.{ts,tsx}' --sort modified",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return command.Usage("glob: want a pattern and perhaps a path\nhint: helve glob --help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common, o.query.Pattern, o.path = c.Flags.Common, args[0], args[1:]
			return glob(cmd.Context(), c.Streams(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.sort, "sort", "path", "order: path or modified (newest first)")
	f.IntVar(&o.query.Limit, "max", 0, "stop after so many files (0: none)")
	f.BoolVar(&o.query.NoIgnore, "no-ignore", false, "ignore rules do not count")
	f.BoolVar(&o.query.Hidden, "hidden", false, "also names that begin with a dot")
	command.JSONFlag(cmd, &o.json)
	command.CompleteFlag(cmd, "sort", "path", "modified")
	return cmd
}

// glob prints the paths that a pattern matches.
func glob(ctx context.Context, s command.Streams, o globOptions) error {
	q := o.query
	var err error
	if q.Sort, err = parseSort(o.sort); err != nil {
		return err
	}
	dir, err := o.OnlyFolder(s, "glob")
	if err != nil {
		return err
	}
	paths, missing, err := there(dir, o.path)
	switch {
	case err != nil:
		return err
	case len(missing) > 0:
		return command.Usage("%w\nhint: %s", missing[0], listFiles)
	case len(paths) > 0:
		q.Path = paths[0]
	}
	// An index that is there is used; its answers are those of the files.
	e, done, err := engine(s, dir, true)
	if err != nil {
		return command.Misused(err)
	}
	defer done()
	found, sum, err := e.Glob(ctx, q)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return command.Misused(fmt.Errorf("glob: %w", err))
	}
	if err := printPaths(ctx, s, found, o.json); err != nil {
		return err
	}
	sum.Files = len(found)
	return summed(s, sum)
}

// printPaths prints names as they are, whatever bytes they have, for xargs and its like; JSON, which cannot hold all
// of them, has them quoted.
func printPaths(ctx context.Context, s command.Streams, found []search.GlobFile, asJSON bool) error {
	if asJSON {
		paths := make([]string, len(found))
		for i, f := range found {
			paths[i] = fsroot.Quote(f.Path) // JSON cannot hold every name
		}
		return s.PrintJSON(paths)
	}
	w := bufio.NewWriterSize(interruptible(ctx, s.Stdout), outBuffer)
	for _, f := range found {
		w.WriteString(f.Path)
		w.WriteByte('\n')
	}
	return w.Flush()
}
