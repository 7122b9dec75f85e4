// Command against compares a state of this repository with the work tree: both are built, and a fixed table of what
// users wait and pay for is measured of them in interleaved pairs, so that what else the machine does falls on both.
// scripts/bench-against starts it; docs/benchmarks.md says what the rows are.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

const (
	exitWorse  = 1
	exitFailed = 2
)

// An options says what is compared and how.
type options struct {
	ref   string
	rows  string // names with commas between; "": all
	work  string // a folder of its own, which the caller removes
	json  bool
	short bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program; it returns its exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 2 && args[0] == "answer" {
		if err := answer(ctx, os.Stdin, stdout, args[1]); err != nil {
			return exitFailed
		}
		return 0
	}
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	worse := 0
	if err == nil {
		worse, err = compare(ctx, o, stdout, stderr)
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "bench-against:", err)
		return exitFailed
	case worse > 0:
		return exitWorse
	}
	return 0
}

// parse reads the command line: flags may stand before and behind REF.
func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("bench-against", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.rows, "rows", "", "only these rows: A,B")
	f.BoolVar(&o.json, "json", false, "print an array of {row, unit, then, now, ratio, low, high, worse}")
	f.BoolVar(&o.short, "short", false, "fewer pairs; only what does not depend on the day can be worse")
	f.StringVar(&o.work, "work", "", "a temporary folder that the caller removes")
	f.Usage = func() {
		fmt.Fprintln(stderr, "usage: scripts/bench-against REF [-rows A,B] [-short] [-json]")
		f.PrintDefaults()
		fmt.Fprintln(stderr, "rows: "+strings.Join(names(table()), " "))
	}
	var words []string
	for {
		if err := f.Parse(args); err != nil {
			return nil, err
		}
		if f.NArg() == 0 {
			break
		}
		words = append(words, f.Arg(0))
		args = f.Args()[1:]
	}
	switch {
	case len(words) != 1:
		return nil, fmt.Errorf("want one REF to compare with, such as HEAD~1, have %d", len(words))
	case o.work == "":
		return nil, errors.New("started without its folder: start it by scripts/bench-against")
	}
	o.ref = words[0]
	return o, nil
}

// compare builds both states, measures the rows of both, prints them, and tells how many are worse.
func compare(ctx context.Context, o *options, stdout, stderr io.Writer) (worse int, err error) {
	rows, err := chosen(table(), o.rows)
	if err != nil {
		return 0, err
	}
	b, err := newBench(ctx, o.work)
	if err != nil {
		return 0, err
	}
	if err := b.states(o.ref, stderr); err != nil {
		return 0, err
	}
	p := newPrinter(stdout, o.json)
	for _, r := range rows {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		res, err := b.measure(r, o.short)
		if err != nil {
			return 0, fmt.Errorf("%s: the work tree: %w", r.name, err)
		}
		if res.Worse {
			worse++
		}
		p.row(res)
	}
	return worse, p.end(worse, o.short)
}

// names are those of rows, in the order of the table.
func names(rows []*row) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r.name)
	}
	return out
}

// chosen are the rows that are wanted.
func chosen(rows []*row, wanted string) ([]*row, error) {
	if wanted == "" {
		return rows, nil
	}
	var out []*row
	for name := range strings.SplitSeq(wanted, ",") {
		i := slices.IndexFunc(rows, func(r *row) bool { return r.name == strings.TrimSpace(name) })
		if i < 0 {
			return nil, fmt.Errorf("no row %q: want some of %s", name, strings.Join(names(rows), ", "))
		}
		out = append(out, rows[i])
	}
	slices.SortStableFunc(out, func(a, b *row) int { return cmp.Compare(slices.Index(rows, a), slices.Index(rows, b)) })
	return slices.Compact(out), nil
}
