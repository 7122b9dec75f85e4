// Command score-code measures how right package code is: its Go definitions and call edges against
// go/types, its definitions in other languages against universal-ctags. It prints precision and
// recall.
//
//	score-code -packages ./... FOLDER
//	score-code -oracle typescript -library node_modules/typescript FOLDER
//	score-code -oracle server -server "pyright-langserver --stdio" -ext py FOLDER
//
// The second and third form measure the edges between definitions: who uses, calls, implements what, and which file
// uses which, against a type checker or a language server that is run for it.
//
// Precision is the share of what the index found that is true; recall is the share of what is true
// that it found. The two oracles know things that the index does not promise, and the other way
// round: what only one side lists by intention (parameters, local variables, imports, nameless
// things) is left out on both. What remains wrong or missing is printed by -misses N, always the
// same N, so that two versions can be compared.
//
// It is a module of its own, so that golang.org/x/tools stays out of what helve needs.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"helve/engine/sandbox"
	"helve/scripts/internal/scoring"
)

func main() {
	sandbox.Init() // for -exact
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command: 0 when every folder was looked at, 1 where edges could not be scored or fell below a floor, 2 for
// arguments that cannot be read.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("score-code", flag.ContinueOnError)
	flags.SetOutput(stderr)
	packages := flags.String("packages", "std", "the Go packages that go/types checks, as go list takes them")
	misses := flags.Int("misses", 0, "print so many wrong and missing items of each table")
	oracle := flags.String("oracle", "", "go or ctags (empty: both that apply); of edges: "+edgeOracles)
	var edges edgeFlags
	edges.define(flags)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: score-code [flags] folder...")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return 2
	}
	// What cannot be compared is told and does not keep the rest from it: many folders have no Go,
	// and not every machine has ctags.
	told := func(err error) {
		if err != nil {
			fmt.Fprintln(stderr, "score-code:", err)
		}
	}
	if edges.wanted(*oracle) {
		edges.packages, edges.misses = *packages, *misses
		return edges.run(ctx, *oracle, flags.Args(), stdout, stderr)
	}
	for _, root := range flags.Args() {
		if *oracle != "ctags" {
			told(scoreGo(ctx, stdout, root, *packages, *misses))
		}
		if *oracle != "go" {
			told(scoreTags(ctx, stdout, root, *misses))
		}
	}
	return 0
}

// score compares two sets of names: what the index found, and what is true.
type score struct {
	found, truth map[string]bool
}

func newScore() *score {
	return &score{found: map[string]bool{}, truth: map[string]bool{}}
}

// print writes one line of the table, and so many of the wrong and of the missing names below it.
func (s *score) print(w io.Writer, what string, misses int) {
	right := 0
	for k := range s.found {
		if s.truth[k] {
			right++
		}
	}
	precision, recall := ratio(right, len(s.found)), ratio(right, len(s.truth))
	fmt.Fprintf(w, "%-44s found %7d  true %7d  precision %.3f  recall %.3f\n",
		what, len(s.found), len(s.truth), precision, recall)
	show(w, "wrong", s.found, s.truth, misses)
	show(w, "missing", s.truth, s.found, misses)
}

// show prints some of a that are not in b, evenly spread: the first N would all be of the first
// folder.
func show(w io.Writer, word string, a, b map[string]bool, count int) {
	if count == 0 {
		return
	}
	var list []string
	for k := range a {
		if !b[k] {
			list = append(list, k)
		}
	}
	for _, k := range scoring.Spread(list, count) {
		fmt.Fprintln(w, "   ", word, k)
	}
}

// ratio is 1 for a part of nothing: where nothing was to be found, nothing was missed.
func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}
