// Command clientmatrix runs coding agents against helve and prints which of helve's tools work in
// which of them: scripts/client-matrix installs the agents and starts it. Their model is a server
// in this program that follows a script, in the protocols of Anthropic, OpenAI and Gemini. What
// counts is what the agent's next request to the model says of a call, and what is on the disk
// then.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := matrix(ctx)
	stop()
	os.Exit(status)
}

func matrix(ctx context.Context) int {
	var l lab
	flag.StringVar(&l.npm, "npm", "", "the folder that holds a folder with node_modules for each client")
	flag.StringVar(&l.helve, "helve", "", "the program helve")
	flag.StringVar(&l.work, "work", "", "an empty folder for homes and workspaces")
	flag.StringVar(&l.record, "record", "", "a folder that keeps every request to the model")
	hooks := flag.Bool("hooks", false, "try what the clients' hooks make of their own tools, not helve's")
	terminal := flag.Bool("terminal", false, "with -hooks: a person at a terminal, by tmux")
	boxed := flag.Bool("boxed", false, "with -hooks: in the clients' own sandboxes")
	names := flag.Bool("names", false, "only print the names of the clients")
	flag.Parse()
	all := clients()
	if *names {
		for _, c := range all {
			fmt.Println(c.name)
		}
		return 0
	}
	l.path = filepath.Dir(l.helve) + string(filepath.ListSeparator) + os.Getenv("PATH")
	all, try := l.trials(all, *hooks, *terminal, *boxed)
	for _, name := range flag.Args() {
		if !slices.ContainsFunc(all, func(c client) bool { return c.name == name }) {
			fmt.Fprintf(os.Stderr, "clientmatrix: no client %q for this\n", name)
			return 2
		}
	}
	bad := 0
	for _, c := range all {
		wanted := slices.Contains(flag.Args(), c.name)
		if flag.NArg() > 0 && !wanted {
			continue
		}
		if !try(ctx, c, wanted) {
			bad = 1
		}
	}
	return bad
}

// trials are the clients that something is tried with, and how that is done; the head of its table is printed.
func (l lab) trials(
	all []client, hooks, terminal, boxed bool,
) ([]client, func(ctx context.Context, c client, wanted bool) bool) {
	switch {
	case hooks && boxed:
		fmt.Printf(boxedRow, boxedHeader()...)
		return slices.DeleteFunc(all, func(c client) bool { return c.boxes == nil }), l.boxedLine
	case hooks && terminal:
		fmt.Printf(terminalRow, terminalHeader()...)
		return slices.DeleteFunc(all, func(c client) bool { return c.sits == nil }), l.terminalLine
	case hooks:
		fmt.Printf(hookRow, hookHeader()...)
		return slices.DeleteFunc(all, func(c client) bool { return ownTools()[c.name] == nil }), l.hookLine
	}
	fmt.Printf(row, header()...)
	return all, l.line
}

// row is a line of the table.
const row = "%-12s %-9s %-13s %-9s %-9s %-9s %-9s %-12s %-9s %-12s %s\n"

func header() []any {
	out := []any{"client", "version", "names"}
	for _, t := range five("") {
		out = append(out, t.tool)
	}
	out = append(out, "loaded")
	for _, t := range denied("")[1:] {
		out = append(out, t.tool+" denied")
	}
	return out
}

// line tries a client and prints its line, and below it what went wrong. It returns false if
// something did; a client that is not there is wrong only where somebody wanted this one.
func (l lab) line(ctx context.Context, c client, wanted bool) bool {
	version, err := l.version(ctx, c)
	if err != nil {
		fmt.Printf("%-12s does not run here: %v\n", c.name, err)
		return !wanted
	}
	var does, refuses run
	var both sync.WaitGroup
	both.Go(func() { does = l.try(ctx, c, "five", "{}", five) })
	both.Go(func() { refuses = l.try(ctx, c, "denied", denyRules, denied) })
	both.Wait()
	cells := []any{c.name, version, or(c.prefix, "bare")}
	var wrong []string
	for i := range five("") {
		cell, why := does.cell(i)
		cells, wrong = append(cells, cell), append(wrong, why...)
	}
	cell, why := does.loading(c)
	cells, wrong = append(cells, cell), append(wrong, why...)
	for i := range denied("")[1:] {
		cell, why := refuses.cell(i + 1)
		cells, wrong = append(cells, cell), append(wrong, why...)
	}
	wrong = append(wrong, does.end()...)
	wrong = append(wrong, refuses.end()...)
	fmt.Printf(row, cells...)
	for _, why := range wrong {
		fmt.Println("    " + strings.ReplaceAll(why, "\n", "\n    "))
	}
	return len(wrong) == 0
}
