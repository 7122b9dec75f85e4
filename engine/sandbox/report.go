package sandbox

import (
	"context"
	"fmt"
	"strings"
)

// Finding is what one mechanism can do on this machine.
type Finding struct {
	Mechanism string
	// Err says why it does not work here; nil: it does.
	Err error
	// Gaps of the level workspace-write, the wider one.
	Gaps []string
}

// Report is what this machine can do.
type Report struct {
	Best     []Reached // for read-only, workspace-write and light, without network
	Findings []Finding // best mechanism first, with the reason why a better one is not used
	Landlock int       // version of the kernel's Landlock, 0 without
}

// Probe tries every mechanism. It runs no command.
func Probe(ctx context.Context) Report {
	r := Report{Landlock: landlockABI()}
	for _, level := range []Level{ReadOnly, WorkspaceWrite, Light} {
		reached, _ := Reach(ctx, Options{Level: level}) // why not is among the findings
		r.Best = append(r.Best, reached)
	}
	for _, m := range ladder {
		o := Options{Level: WorkspaceWrite, Mechanism: m}
		reached, err := Reach(ctx, o)
		f := Finding{Mechanism: m, Err: err, Gaps: reached.Gaps}
		r.Findings = append(r.Findings, f)
	}
	return r
}

// Escape is one way out and what became of it, in the order of Table.Columns.
type Escape struct {
	Name, What string
	Results    []Result
}

// Result of one attempt.
type Result string

const (
	Blocked Result = "blocked" // the attempt failed
	Open    Result = "open"    // the attempt succeeded: a way out
	Allowed Result = "allowed" // open, and the level is for that
	Untried Result = "–"       // the mechanism does not work here
)

// Column is one way of running the probes.
type Column struct {
	Mechanism string
	Level     Level
}

// Table is every way out against every mechanism and level.
type Table struct {
	Columns []Column
	Rows    []Escape
}

// Markdown writes the table for people.
func (t Table) Markdown() string {
	var b strings.Builder
	b.WriteString("| way out |")
	for _, c := range t.Columns {
		if c.Mechanism == None {
			b.WriteString(" off |")
			continue
		}
		fmt.Fprintf(&b, " %s %s |", c.Mechanism, c.Level)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(t.Columns)) + "\n")
	for _, r := range t.Rows {
		fmt.Fprintf(&b, "| %s |", r.What)
		for _, x := range r.Results {
			fmt.Fprintf(&b, " %s |", x)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
