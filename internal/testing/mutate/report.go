package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"strings"
)

// What is to be noticed, in percent of the faults that are no equivalent.
const (
	leastAtWaist = 90
	leastElse    = 80
)

// A report says what came of all the faults.
type report struct {
	Seed     uint64    `json:"seed"`
	Stopped  bool      `json:"stopped,omitempty"` // not all were tried
	Packages []*result `json:"packages"`
}

// A result is that of one package.
type result struct {
	Package    string         `json:"package"`
	Waist      bool           `json:"waist"`
	Red        string         `json:"red,omitempty"` // tests that fail without a fault: none was tried
	Possible   int            `json:"possible"`      // faults that could be put in
	Refused    int            `json:"refused"`       // by the compiler: not counted
	Tried      int            `json:"tried"`         // but for the equivalents
	Noticed    int            `json:"noticed"`
	Late       int            `json:"late"` // noticed as the time was over
	By         map[string]int `json:"by"`   // whose tests noticed it
	Equivalent []fault        `json:"equivalent"`
	Survivors  []survivor     `json:"survivors"`
}

type survivor struct {
	fault
	Difference string `json:"difference"`
}

func (r *result) noticed(s suite, e ending) {
	r.Tried++
	r.Noticed++
	if e.late {
		r.Late++
	}
	if r.By == nil {
		r.By = map[string]int{}
	}
	r.By[s.folder]++
}

// enough reports that at the waist and elsewhere as many faults were noticed as wanted: least percent, or, where that
// is 0, as many as is usual.
func (r *report) enough(least int) bool {
	var tried, noticed [2]int
	for _, p := range r.Packages {
		if p.Red != "" {
			return false
		}
		where := 0
		if p.Waist {
			where = 1
		}
		tried[where] += p.Tried
		noticed[where] += p.Noticed
	}
	want := [2]int{cmp.Or(least, leastElse), cmp.Or(least, leastAtWaist)}
	return 100*noticed[0] >= want[0]*tried[0] && 100*noticed[1] >= want[1]*tried[1]
}

func (r *report) print(w io.Writer) {
	for _, p := range r.Packages {
		for _, s := range p.Survivors {
			fmt.Fprintf(w, "line %d of\n%s\n%s\n", s.Line, s.key(), s.Difference)
		}
	}
	fmt.Fprintf(w, "seed %d\n", r.Seed)
	fmt.Fprintf(w, "%-24s %6s %8s %6s %6s %11s\n", "package", "tried", "noticed", "share", "late", "equivalents")
	for _, p := range r.Packages {
		share := "-"
		switch {
		case p.Red != "":
			share = "red"
		case p.Tried > 0:
			share = fmt.Sprintf("%d %%", 100*p.Noticed/p.Tried)
		}
		fmt.Fprintf(w, "%-24s %6d %8d %6s %6d %11d\n", p.Package, p.Tried, p.Noticed, share, p.Late, len(p.Equivalent))
	}
	if r.Stopped {
		fmt.Fprintln(w, "stopped: not all were tried")
	}
}

//go:embed equivalents.txt
var equivalentsText string

// equivalents are the faults that change nothing which anybody could observe, by what they are.
type equivalents map[string]bool

// readEquivalents reads the list: a fault in a line, as fault.key has it, and its reason in the lines below, which
// begin with a tab.
func readEquivalents(text string) (equivalents, error) {
	out := equivalents{}
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '\t':
			last = ""
		case last != "":
			return nil, fmt.Errorf("equivalents.txt: no reason is given for %s: write it below, after a tab", last)
		default:
			last = line
			out[line] = true
		}
	}
	if last != "" {
		return nil, fmt.Errorf("equivalents.txt: no reason is given for %s: write it below, after a tab", last)
	}
	return out, nil
}

func (e equivalents) has(f *fault) bool { return e[f.key()] }

// key names a fault wherever its line goes, as equivalents.txt has it.
func (f *fault) key() string {
	return fmt.Sprintf("%s %s: %s: %s -> %s", f.File, f.Function, f.Kind, f.Before, f.After)
}
