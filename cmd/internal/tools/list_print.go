package tools

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"helve/cmd/internal/command"
	"helve/cmd/internal/terminal"
)

// maxDescription is how much of a description a list shows, in cells: servers write paragraphs. describe and --json
// have it whole.
const maxDescription = 100

// sortRows sorts by name, and tools of one name by where they come from: the list is the same at every run.
func sortRows(rows []listed) {
	slices.SortStableFunc(rows, func(a, b listed) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Source, b.Source))
	})
}

// printRows prints a line for each tool, for pipes and files: what reads them goes by lines and columns.
func printRows(s command.Streams, rows []listed, all bool) error {
	t := s.Table()
	head := []string{"NAME", "TITLE", "KIND", "SOURCE"}
	if all {
		head = append(head, "STATE")
	}
	t.Row(append(head, "DESCRIPTION")...)
	for _, r := range rows {
		cells := []string{r.Name, r.Title, r.Kind.String(), r.Source}
		if all {
			cells = append(cells, standing(r))
		}
		t.Row(append(cells, terminal.Fit(r.Description, maxDescription))...)
	}
	return t.Flush()
}

// standing is a tool's state in a word, with the reason where there is one.
func standing(r listed) string {
	switch {
	case r.Enabled && r.Reason != "":
		return r.Reason
	case r.Enabled:
		return "on"
	}
	return "off: " + r.Reason
}

// Columns of the list on a terminal, in cells.
const (
	nameMost    = 32 // a longer name has a line of its own: one must not move all descriptions to the right
	kindCells   = len("write")
	columnGap   = 2
	fewestCells = 20 // for descriptions, however narrow the terminal is
)

// printGroups prints the tools for a person at a terminal, below the topic or the server that they belong to.
func printGroups(s command.Streams, rows []listed, all bool) error {
	at := terminal.Terminal{In: s.Stdin, Out: s.Stdout, Environ: s.Environ}
	names := 0
	for _, r := range rows {
		names = max(names, min(terminal.Cells(command.Printable(r.Name)), nameMost))
	}
	p := groupPrinter{
		Writer: bufio.NewWriter(s.Stdout),
		paint:  at.Painter(),
		names:  names,
		width:  at.Width(),
		all:    all,
	}
	for i, group := range groupsOf(rows) {
		if i > 0 {
			p.WriteByte('\n')
		}
		p.group(group, rows)
	}
	return p.Flush()
}

// groupOf is what a tool stands below: its server or command, and for our own tools the topic.
func groupOf(r listed) string {
	if r.Source == "builtin" {
		return cmp.Or(r.Category, "other")
	}
	return r.Source
}

// groupsOf are the groups in the order in which they are shown: our own topics, then the sources of others.
func groupsOf(rows []listed) []string {
	var own, others []string
	for _, r := range rows {
		if r.Source == "builtin" {
			own = append(own, groupOf(r))
		} else {
			others = append(others, groupOf(r))
		}
	}
	slices.Sort(own)
	slices.Sort(others)
	return slices.Compact(append(own, others...))
}

// A groupPrinter prints groups of tools in columns that are as wide in all of them.
type groupPrinter struct {
	*bufio.Writer // its first error comes at the end
	paint         terminal.Painter
	names         int // cells of the column of names
	width         int // of the terminal
	all           bool
}

// group prints a heading and the tools below it. The rows are sorted already.
func (p groupPrinter) group(name string, rows []listed) {
	fmt.Fprintln(p, p.paint.Bold(command.Printable(name)))
	for _, r := range rows {
		if groupOf(r) == name {
			p.row(r)
		}
	}
}

// row prints one tool, its description wrapped beside its name.
func (p groupPrinter) row(r listed) {
	text := terminal.Fit(command.Printable(r.Description), maxDescription)
	if state := standing(r); p.all && state != "on" {
		text = "(" + command.Printable(state) + ") " + text
	}
	indent := columnGap + p.names + columnGap + kindCells + columnGap
	name := command.Printable(r.Name)
	if cells := terminal.Cells(name); cells <= p.names {
		fmt.Fprintf(p, "  %s%*s", p.paint.Bold(name), p.names-cells+columnGap, "")
	} else {
		fmt.Fprintf(p, "  %s\n%*s", p.paint.Bold(name), columnGap+p.names+columnGap, "")
	}
	fmt.Fprintf(p, "%-*s", kindCells+columnGap, r.Kind)
	lines := terminal.Wrap(text, max(p.width-indent, fewestCells))
	for i, line := range lines {
		if i > 0 {
			fmt.Fprintf(p, "%*s", indent, "")
		}
		fmt.Fprintln(p, line)
	}
	if len(lines) == 0 {
		fmt.Fprintln(p)
	}
}
