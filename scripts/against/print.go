package main

import (
	"encoding/json"
	"fmt"
	"io"
)

// A printer prints results: lines as they come, or JSON when all are there.
type printer struct {
	out  io.Writer
	json bool
	all  []*result
}

func newPrinter(out io.Writer, asJSON bool) *printer {
	if !asJSON {
		fmt.Fprintf(out, "%-14s %-12s %12s %12s %7s   %s\n", "row", "unit", "then", "now", "ratio", "blocks")
	}
	return &printer{out: out, json: asJSON, all: []*result{}}
}

// row prints one.
func (p *printer) row(r *result) {
	p.all = append(p.all, r)
	switch {
	case p.json:
	case r.Note != "":
		fmt.Fprintf(p.out, "%-14s %-12s %12s %12s %7s   %s\n", r.Row, r.Unit, "–", figure(r.Now), "–", r.Note)
	default:
		fmt.Fprintf(p.out, "%-14s %-12s %12s %12s %7.3f   %.3f–%.3f%s\n",
			r.Row, r.Unit, figure(r.Then), figure(r.Now), r.Ratio, r.Low, r.High, r.mark())
	}
}

// mark says what is to be seen to.
func (r *result) mark() string {
	switch {
	case r.Worse:
		return "  WORSE"
	case r.over:
		return "  more, not asserted"
	}
	return ""
}

// figure has four digits at least.
func figure(v float64) string {
	if v >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}

// end prints what is left to be printed.
func (p *printer) end(worse int, short bool) error {
	if p.json {
		e := json.NewEncoder(p.out)
		e.SetIndent("", "  ")
		return e.Encode(p.all)
	}
	what := "in two blocks of three"
	if short {
		what += ", of the figures that do not depend on the day"
	}
	fmt.Fprintf(p.out, "%d rows are more than 8 %% worse %s\n", worse, what)
	return nil
}
