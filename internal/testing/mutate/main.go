// Command mutate asks the tests whether they notice faults. It puts small plausible faults into a copy of the module,
// one at a time and by a seed, runs the tests of the package and of those that own the behaviour, and lists the faults
// that no test noticed.
//
//	scripts/mutate [-n N] [-seed S] [-at FILE:LINE,…] [-waist] [-own] [-least PERCENT] [-json] [PACKAGE…]
//
// Building takes longer than most tests, so that the faults of functions are built together (batch.go). A fault that does
// not compile is not counted. One that changes nothing that anybody could observe stands in
// equivalents.txt with its reason. The status is 1 where fewer are noticed than wanted.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// settings are what the flags say.
type settings struct {
	n        int
	seed     uint64
	at       string
	json     bool
	waist    bool
	own      bool
	least    int
	packages []string
}

func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	f := flag.NewFlagSet("mutate", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.IntVar(&s.n, "n", 10, "how many faults of each package")
	f.Uint64Var(&s.seed, "seed", uint64(time.Now().Unix()/86400), "chooses the faults; another one each day unless given")
	f.StringVar(&s.at, "at", "", "only the faults at these `FILE:LINE,…`, all of them")
	f.BoolVar(&s.json, "json", false, "one JSON object instead of text")
	f.BoolVar(&s.waist, "waist", false, "only the packages of the waist")
	f.IntVar(&s.least, "least", 0, "how many `PERCENT` are to be noticed; 0: 90 at the waist, 80 elsewhere")
	f.BoolVar(&s.own, "own", false, "only each package's own tests")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	s.packages = f.Args()
	for _, p := range s.packages {
		if !slices.Contains(names(), p) {
			return s, fmt.Errorf("package %s is not in the table: give one of %v", p, names())
		}
	}
	if len(s.packages) == 0 {
		s.packages = chosen(s.waist)
	}
	return s, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s, err := parse(args, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "mutate: %v\n", err)
		return 2
	}
	r, err := tried(ctx, s, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "mutate: %v\n", err)
		return 2
	}
	if s.json {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		e.Encode(r)
	} else {
		r.print(stdout)
	}
	if s.at == "" && !r.enough(s.least) {
		return 1
	}
	return 0
}

// tried tries the faults of all packages that are asked for.
func tried(ctx context.Context, s settings, stderr io.Writer) (*report, error) {
	known, err := readEquivalents(equivalentsText)
	if err != nil {
		return nil, err
	}
	m, err := copyModule(ctx)
	if err != nil {
		return nil, err
	}
	defer m.remove()
	r := &report{Seed: s.seed}
	for _, name := range s.packages {
		t := trial{module: m, settings: s, equivalents: known, log: stderr}
		p, err := t.pkg(ctx, name)
		var red *redError
		if errors.As(err, &red) { // the others may be witnesses all the same
			p = &result{Package: name, Waist: found(name).waist, Red: err.Error()}
			fmt.Fprintf(stderr, "%s: %v\n", name, err)
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.Packages = append(r.Packages, p)
		if ctx.Err() != nil {
			r.Stopped = true
			return r, nil
		}
	}
	return r, nil
}
