package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"helve/engine/search"
	"helve/engine/tree"
	"helve/internal/fsroot"
)

type grepFlags struct {
	q             search.Query
	files, counts bool
	silent        bool
	around        around
	sort          string
	expressions   []string
}

func (a *app) grepCommand() *cobra.Command {
	var f grepFlags
	cmd := &cobra.Command{
		Use:   "grep PATTERN [PATH…]",
		Short: "Search file contents, with ripgrep's words and ignore rules",
		Long: `Search the files of the workspace for lines that match a regular expression (RE2; \w \d \s \b as Unicode has them) and print
path:line:text, with --json an object a line. Ignore rules, hidden files and binary files are treated as ripgrep treats them.

Exit status: 0 found, 1 nothing found, 2 error.`,
		Example: `  helve grep 'func \w+\(' -t go
  helve grep -i todo -C 2 src docs
  helve grep -l -g '*.ts' -g '!*.d.ts' useState`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.grep(cmd.Context(), f, args) },
	}
	fl := cmd.Flags()
	fl.StringArrayVarP(&f.expressions, "regexp", "e", nil, "a pattern; may be given several times")
	fl.BoolVarP(&f.q.IgnoreCase, "ignore-case", "i", false, "upper and lower case are the same")
	fl.BoolVarP(&f.q.SmartCase, "smart-case", "S", false, "ignore case if the pattern is all lower case")
	fl.BoolVarP(&f.q.Word, "word-regexp", "w", false, "whole words only")
	fl.BoolVarP(&f.q.Fixed, "fixed-strings", "F", false, "patterns are text, not expressions")
	fl.BoolVarP(&f.files, "files-with-matches", "l", false, "print only the paths")
	fl.BoolVarP(&f.counts, "count", "c", false, "print how many lines match in each file; with -o how many matches there are")
	fl.BoolVarP(&f.q.Invert, "invert-match", "v", false, "lines that do not match")
	fl.BoolVarP(&f.q.Multiline, "multiline", "U", false, "a match may span lines")
	fl.IntVarP(&f.q.After, "after-context", "A", 0, "lines of context after")
	fl.IntVarP(&f.q.Before, "before-context", "B", 0, "lines of context before")
	f.around.dir = &a.flags.dir
	fl.VarP(&f.around, "context", "C", "lines of context on both sides (or, if it is no number, the workspace)")
	fl.StringArrayVarP(&f.q.Globs, "glob", "g", nil, "only these files (!glob: not these)")
	fl.StringArrayVarP(&f.q.Types, "type", "t", nil, "only files of this type, such as go, py, ts")
	fl.StringArrayVarP(&f.q.TypesNot, "type-not", "T", nil, "no files of this type")
	fl.StringVar(&f.sort, "sort", "", "order of the files: path or modified (newest first); default: as found")
	fl.IntVar(&f.q.Limit, "max", 0, "stop after so many results (0: none)")
	fl.BoolVar(&f.q.NoIndex, "no-index", false, "read the files even if there is an index")
	fl.BoolVar(&f.q.NoIgnore, "no-ignore", false, "ignore rules do not count")
	fl.BoolVar(&f.q.Hidden, "hidden", false, "also names that begin with a dot")
	a.grepHabits(fl, &f)
	a.jsonFlag(cmd)
	return cmd
}

// grepHabits are flags that people type without thinking.
func (a *app) grepHabits(fl *pflag.FlagSet, f *grepFlags) {
	fl.BoolVarP(&f.q.Parts, "only-matching", "o", false, "print each match instead of its line")
	fl.BoolVarP(&f.q.WholeLine, "line-regexp", "x", false, "whole lines only")
	fl.IntVarP(&f.q.PerFile, "max-count", "m", 0, "stop in each file after so many lines (0: never)")
	fl.BoolVar(&f.q.Columns, "column", false, "print the column of the first match, too")
	fl.BoolVarP(&f.silent, "silent", "q", false, "print nothing: the exit status says whether there is a match")
	fl.BoolP("line-number", "n", true, "number the lines, which it always does")
	fl.BoolP("with-filename", "H", true, "name the file, which it always does")
}

// around is the value of grep's -C: a number is ripgrep's context, anything else is every command's workspace.
type around struct {
	lines int
	dir   *string
}

func (c *around) String() string { return strconv.Itoa(c.lines) }
func (c *around) Type() string   { return "int" }

func (c *around) Set(s string) error {
	if n, err := strconv.Atoi(s); err == nil {
		c.lines = n
		return nil
	}
	*c.dir = s
	return nil
}

func (a *app) grep(ctx context.Context, f grepFlags, args []string) error {
	q, err := f.query(args)
	if err != nil {
		return err
	}
	dir, err := a.workspace()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	asked := len(q.Paths)
	var missing []error
	if q.Paths, missing, err = there(dir, q.Paths); err != nil {
		return err
	}
	for _, err := range missing {
		a.say("%v", err)
	}
	if len(missing) > 0 && len(missing) == asked {
		return &exitError{status: exitUsage}
	}
	e, done, err := a.engine(dir, !q.NoIndex)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	defer done()
	out := a.env.Stdout
	if f.silent {
		out, q.Mode, q.Limit = io.Discard, search.Files, 1
	}
	q.Without = ownOutput(out, dir)
	w := bufio.NewWriterSize(leaving(ctx, out), 256<<10)
	var sum search.Summary
	if a.flags.json {
		sum, err = e.Grep(ctx, q, jsonFinds(w, q.Mode))
	} else {
		sum, err = e.Print(ctx, w, q)
	}
	err = errors.Join(err, w.Flush())
	if ctx.Err() != nil { // an interrupted command has a status of its own
		return ctx.Err()
	}
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("grep: %w", err)}
	}
	sum.Capped = sum.Capped && !f.silent
	err = a.summed(sum, q.Mode)
	if len(missing) > 0 { // the others were searched, as ripgrep does it
		err = &exitError{status: exitUsage}
	}
	return err
}

// query joins flags and arguments, as ripgrep does: without -e the first argument is the pattern.
func (f grepFlags) query(args []string) (search.Query, error) {
	q := f.q
	q.Patterns = f.expressions
	if len(q.Patterns) == 0 {
		if len(args) == 0 {
			return q, usage("grep: want a pattern\nhint: helve grep --help")
		}
		q.Patterns, args = args[:1], args[1:]
	}
	q.Paths = args
	q.Before, q.After = max(q.Before, f.around.lines), max(q.After, f.around.lines)
	switch {
	case f.files:
		q.Mode = search.Files
	case f.counts:
		q.Mode = search.Count
	}
	var err error
	q.Sort, err = parseSort(f.sort)
	return q, err
}

func parseSort(s string) (search.Sort, error) {
	switch s {
	case "":
		return search.Unsorted, nil
	case "path":
		return search.ByPath, nil
	case "modified":
		return search.Newest, nil
	}
	return search.Unsorted, usage("--sort %q: want path or modified", s)
}

// below makes paths relative to the workspace. A command of a person may name any folder with -C; paths stay inside.
func below(dir string, paths []string) ([]string, error) {
	out, missing, err := there(dir, paths)
	if len(missing) > 0 && err == nil {
		err = missing[0]
	}
	return out, err
}

// there makes paths relative to the workspace, and tells of those that are missing.
func there(dir string, paths []string) (out []string, missing []error, err error) {
	for _, p := range paths {
		rel := p
		if filepath.IsAbs(p) {
			if rel, err = filepath.Rel(dir, p); err != nil {
				return nil, nil, usage("%s: %v", p, err)
			}
		}
		rel = filepath.ToSlash(filepath.Clean(rel))
		if rel == ".." || strings.HasPrefix(rel, "../") {
			return nil, nil, usage("%s: outside the workspace\nhint: -C names another one", p)
		}
		if _, err := os.Lstat(filepath.Join(dir, rel)); err != nil {
			var at *fs.PathError
			if errors.As(err, &at) {
				err = at.Err
			}
			missing = append(missing, usage("%s: %v", p, err))
			continue
		}
		out = append(out, rel)
	}
	return out, missing, nil
}

// oneShotGC lets the heap of a command that ends soon grow further before it is collected: a fifth of the time, for some megabytes.
const oneShotGC = 400

// engine searches a folder for one command, with the index that may be there.
func (a *app) engine(dir string, indexed bool) (*search.Engine, func() error, error) {
	debug.SetGCPercent(oneShotGC)
	t, err := tree.At(dir, tree.Config{GlobalIgnore: tree.GitIgnoreFile(a.env.getenv)})
	if err != nil {
		return nil, nil, err
	}
	if !indexed {
		return search.New(t), t.Close, nil
	}
	return search.NewIndexed(t, a.places().CacheDir), t.Close, nil
}

// summed turns a summary into talk and an exit status.
func (a *app) summed(sum search.Summary, mode search.Mode) error {
	for _, err := range sum.Failed {
		a.say("%v", err)
	}
	found := sum.Files > 0
	if !found && sum.Searched == 0 {
		for _, h := range sum.Hidden[:min(3, len(sum.Hidden))] {
			a.say("no file was searched: %d hidden %s", h.Files, h.Reason)
		}
	}
	if sum.Capped {
		a.say("stopped at --max; there is more")
	}
	switch {
	case found:
		return nil
	case sum.Failures > 0:
		return &exitError{status: exitUsage}
	}
	return &exitError{status: exitFailed}
}

func (a *app) globCommand() *cobra.Command {
	var order string
	q := search.GlobQuery{}
	cmd := &cobra.Command{
		Use:     "glob PATTERN [PATH]",
		Short:   "List the files that a pattern matches",
		Example: "  helve glob '*.go'\n  helve glob 'src/**/*.{ts,tsx}' --sort modified",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usage("glob: want a pattern and perhaps a path\nhint: helve glob --help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Pattern = args[0]
			var err error
			if q.Sort, err = parseSort(order); err != nil {
				return err
			}
			return a.glob(cmd.Context(), q, args[1:])
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&order, "sort", "path", "order: path or modified (newest first)")
	fl.IntVar(&q.Limit, "max", 0, "stop after so many files (0: none)")
	fl.BoolVar(&q.NoIgnore, "no-ignore", false, "ignore rules do not count")
	fl.BoolVar(&q.Hidden, "hidden", false, "also names that begin with a dot")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) glob(ctx context.Context, q search.GlobQuery, paths []string) error {
	dir, err := a.workspace()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if paths, err = below(dir, paths); err != nil {
		return err
	}
	q.Path = strings.Join(paths, "")
	e, done, err := a.engine(dir, true)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	defer done()
	found, sum, err := e.Glob(ctx, q)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("glob: %w", err)}
	}
	if err := a.printPaths(ctx, found); err != nil {
		return err
	}
	sum.Files = len(found)
	return a.summed(sum, search.Files)
}

func (a *app) printPaths(ctx context.Context, found []search.GlobFile) error {
	if a.flags.json {
		paths := make([]string, len(found))
		for i, f := range found {
			paths[i] = fsroot.Quote(f.Path)
		}
		return a.printJSON(paths)
	}
	w := bufio.NewWriterSize(leaving(ctx, a.env.Stdout), 64<<10)
	for _, f := range found {
		w.WriteString(f.Path)
		w.WriteByte('\n')
	}
	return w.Flush()
}
