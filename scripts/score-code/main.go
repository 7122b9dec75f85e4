// Command score-code measures how right package code is: its Go definitions and call edges against go/types, its
// definitions in other languages against universal-ctags. It prints precision and recall.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("score-code", flag.ContinueOnError)
	flags.SetOutput(stderr)
	packages := flags.String("packages", "std", "the Go packages that go/types checks, as go list takes them")
	misses := flags.Int("misses", 0, "print so many wrong and missing items of each table")
	oracle := flags.String("oracle", "", "go or ctags; empty: both that apply")
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
	for _, root := range flags.Args() {
		if *oracle != "ctags" {
			if err := scoreGo(ctx, stdout, root, *packages, *misses); err != nil {
				fmt.Fprintln(stderr, "score-code:", err)
			}
		}
		if *oracle != "go" {
			if err := scoreTags(ctx, stdout, root, *misses); err != nil {
				fmt.Fprintln(stderr, "score-code:", err)
			}
		}
	}
	return 0
}

// score compares two sets.
type score struct {
	found, truth map[string]bool
}

func newScore() *score { return &score{map[string]bool{}, map[string]bool{}} }

func (s *score) print(w io.Writer, what string, misses int) {
	right := 0
	for k := range s.found {
		if s.truth[k] {
			right++
		}
	}
	fmt.Fprintf(w, "%-44s found %7d  true %7d  precision %.3f  recall %.3f\n", what, len(s.found), len(s.truth), ratio(right, len(s.found)), ratio(right, len(s.truth)))
	show(w, "wrong", s.found, s.truth, misses)
	show(w, "missing", s.truth, s.found, misses)
}

// show prints some of a that are not in b, evenly spread.
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
	for _, k := range spread(list, count) {
		fmt.Fprintln(w, "   ", word, k)
	}
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}
