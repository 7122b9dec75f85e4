// Scan runs the search engine alone, for scripts/bench-search and for a look at single queries with a profiler.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/pprof"
	"strings"

	"helve/search"
	"helve/tree"
)

func main() {
	// A command that ends in a tenth of a second gains more from a larger heap than from collecting it.
	debug.SetGCPercent(400)
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func run(ctx context.Context, args []string, out, talk io.Writer) int {
	var q search.Query
	var patterns, globs, types list
	fs := flag.NewFlagSet("scan", flag.ContinueOnError)
	fs.SetOutput(talk)
	fs.Var(&patterns, "e", "pattern")
	fs.Var(&globs, "g", "glob")
	fs.Var(&types, "t", "type")
	fs.BoolVar(&q.IgnoreCase, "i", false, "ignore case")
	fs.BoolVar(&q.Word, "w", false, "words")
	fs.BoolVar(&q.Fixed, "F", false, "fixed strings")
	fs.BoolVar(&q.Invert, "v", false, "invert")
	fs.BoolVar(&q.Multiline, "U", false, "multiline")
	fs.BoolVar(&q.NoIndex, "no-index", false, "cold scan")
	fs.IntVar(&q.Limit, "max", 0, "lines")
	fs.IntVar(&q.Before, "B", 0, "lines before")
	fs.IntVar(&q.After, "A", 0, "lines after")
	filesOnly := fs.Bool("l", false, "files")
	count := fs.Bool("c", false, "count")
	sort := fs.String("sort", "", "path or modified")
	cache := fs.String("index", "", "cache directory of an index")
	build := fs.Bool("build", false, "build the index")
	globOnly := fs.Bool("glob", false, "list the files that the pattern matches")
	profile := fs.String("cpuprofile", "", "file")
	if fs.Parse(args) != nil {
		return 2
	}
	rest := fs.Args()
	if len(patterns) == 0 && len(rest) > 0 {
		patterns, rest = list{rest[0]}, rest[1:]
	}
	q.Patterns, q.Globs, q.Types, q.Paths = patterns, globs, types, rest
	q.Mode = map[bool]search.Mode{*filesOnly: search.Files, *count: search.Count}[true]
	q.Sort = map[string]search.Sort{"path": search.ByPath, "modified": search.Newest}[*sort]
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil || pprof.StartCPUProfile(f) != nil {
			return 2
		}
		defer pprof.StopCPUProfile()
	}
	t, err := tree.At(".", tree.Config{GlobalIgnore: tree.GitIgnoreFile(os.Getenv)})
	if err != nil {
		fmt.Fprintln(talk, "scan:", err)
		return 2
	}
	defer t.Close()
	e := search.New(t)
	if *cache != "" {
		e = search.NewIndexed(t, *cache)
	}
	switch {
	case *build:
		st, err := e.BuildIndex(ctx, nil)
		fmt.Fprintf(talk, "%+v %v\n", st, err)
		return 0
	case *globOnly:
		return glob(ctx, e, patterns[0], out, talk)
	}
	sum, err := e.Print(ctx, out, q)
	if err != nil {
		fmt.Fprintln(talk, "scan:", err)
		return 2
	}
	if sum.Files == 0 {
		return 1
	}
	return 0
}

func glob(ctx context.Context, e *search.Engine, pattern string, out, talk io.Writer) int {
	found, _, err := e.Glob(ctx, search.GlobQuery{Pattern: pattern})
	if err != nil {
		fmt.Fprintln(talk, "scan:", err)
		return 2
	}
	w := bufio.NewWriter(out)
	for _, f := range found {
		w.WriteString(f.Path)
		w.WriteByte('\n')
	}
	if w.Flush() != nil {
		return 2
	}
	return 0
}
