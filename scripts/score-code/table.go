package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"helve/engine/code"
	"helve/engine/exact"
	"helve/engine/sandbox"
	"helve/scripts/internal/scoring"
)

// metric is one figure of a table.
type metric struct {
	name string
	count
	low bool // fewer is better
}

// metrics are the figures in the order in which they are printed.
func (t *tally) metrics() []metric {
	return []metric{
		{name: "definitions", count: t.definitions},
		{name: "references", count: t.references},
		{name: "sure", count: t.sure},
		{name: "ambiguous", count: t.ambiguous},
		{name: "callers", count: t.callers},
		{name: "calls-out", count: t.callsOut},
		{name: "implementers", count: t.implementers},
		{name: "files", count: t.files},
		{name: "false-none", count: t.falseNone, low: true},
	}
}

// scoreEdges prints how far the index agrees with the oracle about a folder, and answers what fell below the floors.
func scoreEdges(ctx context.Context, w io.Writer, root string, truth *edgeTruth, o edgeOptions) ([]string, error) {
	src, err := scoring.OpenFolder(root)
	if err != nil {
		return nil, err
	}
	var options code.Options
	if o.exact {
		c := exact.New(exact.Options{
			Dir:     root,
			Environ: os.Environ(),
			Sandbox: sandbox.Options{Readable: []string{o.readable}},
			Notice:  func(program string, err error) { fmt.Fprintf(w, "  %s: %v\n", program, err) },
		})
		defer c.Close()
		options.Checker = c
	}
	s, err := code.New(src, options).Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	e, err := newEdgeScorer(ctx, truth, src, s)
	if err != nil {
		return nil, err
	}
	if o.exact { // the first questions find servers that still read the project
		if _, err := e.score(ctx, io.Discard, warmUp, 0); err != nil {
			return nil, err
		}
	}
	t, err := e.score(ctx, w, o.sample, o.misses)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "%s: %d files, %d definitions, %d uses\n",
		o.project, len(truth.Files), len(truth.Defs), len(truth.Uses))
	return t.print(w, o), nil
}

// print prints the figures, and answers what fell below its floor.
func (t *tally) print(w io.Writer, o edgeOptions) (fallen []string) {
	for _, m := range t.metrics() {
		if m.all == 0 {
			continue
		}
		fmt.Fprintf(w, "  %-13s %6d of %6d  %.3f\n", m.name, m.right, m.all, m.value())
		key := o.project + " " + m.name
		floor, ok := o.floors[key]
		if ok && (m.low && m.value() > floor || !m.low && m.value() < floor) {
			fallen = append(fallen, fmt.Sprintf("%s: %.3f, the floor is %.3f", key, m.value(), floor))
		}
		delete(o.floors, key)
	}
	fmt.Fprintf(w, "  %-13s %6d edges of which the oracle knows nothing\n", "undecided", t.undecided)
	for key := range o.floors { // a figure that is gone is one that nobody looks at
		if strings.HasPrefix(key, o.project+" ") {
			fallen = append(fallen, key+": has a floor and was not measured")
		}
	}
	return fallen
}

// warmUp is how many definitions are asked about before anything counts.
const warmUp = 200

// edgeOptions are how edges are scored.
type edgeOptions struct {
	project string // its name in the table and among the floors

	sample int // ask about so many definitions; 0: all
	misses int
	exact  bool

	readable string             // by the servers that are asked then
	floors   map[string]float64 // by project and metric
}

// readFloors reads lines "project metric figure"; a line that begins with # says something to people.
func readFloors(path string) (map[string]float64, error) {
	floors := map[string]float64{}
	if path == "" {
		return floors, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 3 {
			return nil, fmt.Errorf("%s: %q: want project, metric and figure", path, lines.Text())
		}
		figure, err := strconv.ParseFloat(words[2], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, lines.Text(), err)
		}
		floors[words[0]+" "+words[1]] = figure
	}
	return floors, nil
}
