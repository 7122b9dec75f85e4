package search

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"helve/cmd/internal/command"
	"helve/engine/search"
)

// grepOptions are the flags of ripgrep that people know. What they say of the search itself stands in query.
type grepOptions struct {
	command.Common
	query       search.Query
	expressions []string // -e
	files       bool     // -l
	counts      bool     // -c
	silent      bool     // -q
	around      around   // -C
	sort        string   // path or modified; "": as found
	json        bool
	words       []string // the pattern, unless -e gives it, and the paths
}

func GrepCommand(c *command.Line) *cobra.Command {
	var o grepOptions
	cmd := &cobra.Command{
		Use:   "grep PATTERN [PATH…]",
		Short: "Search file contents, with ripgrep's words and ignore rules",
		Long: `Search the files of the workspace for lines that match a regular expression (RE2; \w \d \s \b as
Unicode has them) and print path:line:text, on a terminal below the name of each file and in colour,
with --json an object a line. Ignore rules, hidden files and binary files are treated as ripgrep
treats them.

Exit status: 0 found, 1 nothing found, 2 error.`,
		Example: `  helve grep 'func \w+\(' -t go
  helve grep -i todo -C 2 src docs
  helve grep -l -g '*.ts' -g '!*.d.ts' useState`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common, o.words = c.Flags.Common, args
			return grep(cmd.Context(), c.Streams(), o)
		},
	}
	o.around.dir = &c.Flags.Dir
	matchFlags(cmd.Flags(), &o)
	fileFlags(cmd.Flags(), &o)
	printFlags(cmd.Flags(), &o)
	command.JSONFlag(cmd, &o.json)
	command.CompleteBy(cmd, "type", completeTypes())
	command.CompleteBy(cmd, "type-not", completeTypes())
	command.CompleteFlag(cmd, "sort", "path", "modified")
	return cmd
}

// matchFlags say what a match is.
func matchFlags(f *pflag.FlagSet, o *grepOptions) {
	q := &o.query
	f.StringArrayVarP(&o.expressions, "regexp", "e", nil, "a pattern; may be given several times")
	f.BoolVarP(&q.IgnoreCase, "ignore-case", "i", false, "upper and lower case are the same")
	f.BoolVarP(&q.SmartCase, "smart-case", "S", false, "ignore case if the pattern is all lower case")
	f.BoolVarP(&q.Word, "word-regexp", "w", false, "whole words only")
	f.BoolVarP(&q.WholeLine, "line-regexp", "x", false, "whole lines only")
	f.BoolVarP(&q.Fixed, "fixed-strings", "F", false, "patterns are text, not expressions")
	f.BoolVarP(&q.Invert, "invert-match", "v", false, "lines that do not match")
	f.BoolVarP(&q.Multiline, "multiline", "U", false, "a match may span lines")
}

// fileFlags say which files are searched.
func fileFlags(f *pflag.FlagSet, o *grepOptions) {
	q := &o.query
	f.StringArrayVarP(&q.Globs, "glob", "g", nil, "only these files (!glob: not these)")
	f.StringArrayVarP(&q.Types, "type", "t", nil, "only files of this type, such as go, py, ts")
	f.StringArrayVarP(&q.TypesNot, "type-not", "T", nil, "no files of this type")
	f.StringVar(&o.sort, "sort", "", "order of the files: path or modified (newest first); default: as found")
	f.BoolVar(&q.NoIndex, "no-index", false, "read the files even if there is an index")
	f.BoolVar(&q.NoIgnore, "no-ignore", false, "ignore rules do not count")
	f.BoolVar(&q.Hidden, "hidden", false, "also names that begin with a dot")
}

// printFlags say what is printed of a match. -n and -H are what people type without thinking: it always does both.
func printFlags(f *pflag.FlagSet, o *grepOptions) {
	q := &o.query
	f.BoolVarP(&o.files, "files-with-matches", "l", false, "print only the paths")
	f.BoolVarP(&o.counts, "count", "c", false,
		"print how many lines match in each file; with -o how many matches there are")
	f.BoolVarP(&o.silent, "silent", "q", false,
		"print nothing: the exit status says whether there is a match")
	f.BoolVarP(&q.Parts, "only-matching", "o", false, "print each match instead of its line")
	f.BoolVar(&q.Columns, "column", false, "print the column of the first match, too")
	f.IntVarP(&q.After, "after-context", "A", 0, "lines of context after")
	f.IntVarP(&q.Before, "before-context", "B", 0, "lines of context before")
	f.VarP(&o.around, "context", "C",
		"lines of context on both sides (or, if it is no number, the workspace)")
	f.IntVarP(&q.PerFile, "max-count", "m", 0, "stop in each file after so many lines (0: never)")
	f.IntVar(&q.Limit, "max", 0, "stop after so many results (0: none)")
	f.BoolP("line-number", "n", true, "number the lines, which it always does")
	f.BoolP("with-filename", "H", true, "name the file, which it always does")
}

// around is the value of grep's -C: a number is ripgrep's context, anything else is every command's workspace.
type around struct {
	lines int
	dir   *string
}

func (c *around) String() string { return strconv.Itoa(c.lines) }
func (c *around) Type() string   { return "int" }

// Set takes the value for a number of lines if it is one: no workspace of a sensible person is called 3.
func (c *around) Set(s string) error {
	if n, err := strconv.Atoi(s); err == nil {
		c.lines = n
		return nil
	}
	*c.dir = s
	return nil
}

// grep searches. Of several paths those that are missing are said and the others searched, as ripgrep does it; the
// exit status tells of them, too.
func grep(ctx context.Context, s command.Streams, o grepOptions) error {
	q, err := o.asked()
	if err != nil {
		return err
	}
	dir, err := o.OnlyFolder(s, "grep")
	if err != nil {
		return err
	}
	asked := len(q.Paths)
	paths, missing, err := there(dir, q.Paths)
	if err != nil {
		return err
	}
	for _, err := range missing {
		s.Say("%v", err)
	}
	if len(missing) > 0 {
		s.Note("hint: %s", listFiles)
	}
	if len(missing) > 0 && len(missing) == asked {
		return &command.ExitError{Status: command.ExitUsage}
	}
	q.Paths = paths
	sum, err := found(ctx, s, o, q, dir)
	if err != nil {
		return err
	}
	sum.Capped = sum.Capped && !o.silent
	err = summed(s, sum)
	if len(missing) > 0 {
		return &command.ExitError{Status: command.ExitUsage}
	}
	return err
}

// found prints what the search finds.
func found(ctx context.Context, s command.Streams, o grepOptions, q search.Query, dir string) (search.Summary, error) {
	e, done, err := engine(s, dir, !q.NoIndex)
	if err != nil {
		return search.Summary{}, command.Misused(err)
	}
	defer done()
	out := s.Stdout
	if o.silent {
		out, q.Mode, q.Limit = io.Discard, search.Files, 1
	}
	q.Without = ownOutput(out, dir)
	w := bufio.NewWriterSize(interruptible(ctx, out), outBuffer)
	var sum search.Summary
	switch {
	case o.json:
		sum, err = e.Grep(ctx, q, jsonFinds(w, q.Mode))
	case command.IsTerminal(out):
		sum, err = e.Grep(ctx, q, newHeadings(s, w, q).print)
	default:
		sum, err = e.Print(ctx, w, q)
	}
	err = errors.Join(err, w.Flush())
	if ctx.Err() != nil { // an interrupted command has a status of its own
		return sum, ctx.Err()
	}
	if err != nil {
		return sum, command.Misused(fmt.Errorf("grep: %w", err))
	}
	return sum, nil
}

// outBuffer is how much is written at once, in bytes: a pattern that matches everywhere would make a system call for
// every line.
const outBuffer = 256 << 10

// asked joins flags and arguments, as ripgrep does: without -e the first argument is the pattern.
func (o grepOptions) asked() (search.Query, error) {
	q := o.query
	q.Patterns, q.Paths = o.expressions, o.words
	if len(q.Patterns) == 0 {
		if len(o.words) == 0 {
			return q, command.Usage("grep: want a pattern\nhint: helve grep --help")
		}
		q.Patterns, q.Paths = o.words[:1], o.words[1:]
	}
	if least := min(q.Before, q.After, o.around.lines); least < 0 {
		return q, command.Usage("grep: %d lines of context: want none or more", least)
	}
	q.Before = max(q.Before, o.around.lines)
	q.After = max(q.After, o.around.lines)
	switch {
	case o.files:
		q.Mode = search.Files
	case o.counts:
		q.Mode = search.Count
	}
	var err error
	q.Sort, err = parseSort(o.sort)
	return q, err
}

// parseSort reads the value of --sort. Unsorted is the fastest: nothing waits for what comes later.
func parseSort(s string) (search.Sort, error) {
	switch s {
	case "":
		return search.Unsorted, nil
	case "path":
		return search.ByPath, nil
	case "modified":
		return search.Newest, nil
	}
	return search.Unsorted, command.Usage("--sort %q: want path or modified", s)
}
