package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A box is a client's own sandbox for its commands, and how the client is run with it.
type box struct {
	name string
	args func(prompt string) []string
	home map[string]string // files that switch it on
}

// boxedRow is a line of the table of sandboxes.
const boxedRow = "%-12s %-9s %-16s %-6v %-8v %-12v %-8s %-8s %s\n"

func boxedHeader() []any {
	return []any{"client", "version", "sandbox", "calls", "as said", "denied ran", "undo", "status", "seconds"}
}

// boxedDeeds are the calls in a sandbox that lets commands write in the workspace.
func boxedDeeds() []deed {
	return []deed{
		{"shell", []string{"echo boxed > a.txt; mkdir -p n/m; echo x > n/m/f; echo it ran; exit 3"}, runs, "it ran"},
		{"shell", []string{"rm -rf .git"}, refused, "repository"},
		{"shell", []string{"cat a.txt"}, runs, "boxed"},
		{"shell", []string{"touch $HOME/boxed-out; echo tried it"}, refused, "outside"},
		{"brief", []string{"sleep 4; echo slow > slow.txt"}, runs, ""},
		{"shell", []string{"sleep 6; cat slow.txt"}, runs, "slow"},
		{"freed", []string{"sh probe.sh 1"}, runs, ""},
	}
}

// has are the deeds that the client has tools for.
func (t *trial) has(all []deed) []deed {
	return slices.DeleteFunc(all, func(d deed) bool { return ownTools()[t.c.name][d.act] == "" })
}

// boxedLine tries what becomes of commands in a client's own sandbox, and prints a line for each.
func (l lab) boxedLine(ctx context.Context, c client, wanted bool) bool {
	version, err := l.version(ctx, c)
	if err != nil {
		fmt.Printf("%-12s does not run here: %v\n", c.name, err)
		return !wanted
	}
	good := true
	for _, b := range c.boxes {
		good = l.box(ctx, c, b, version) && good
	}
	return good
}

func (l lab) box(ctx context.Context, c client, b box, version string) bool {
	began := time.Now()
	t := &trial{lab: l, c: c, name: b.name, rules: "{}"}
	t.c.freely = b.args
	defer t.serve()()
	defer func() { endLeft(t.home) }()
	undone, status := "-", "-"
	err := t.prepare(ctx)
	if err == nil {
		err = (&person{trial: t}).knows(b.home)
	}
	if err != nil {
		t.fails("%v", err)
	} else {
		t.converse(ctx, "boxed", t.has(boxedDeeds()))
		status = t.status(ctx)
		undone = t.unbox(ctx)
	}
	cells := []any{c.name, version, b.name, t.calls, t.asSaid, t.denials, undone, status}
	fmt.Printf(boxedRow, append(cells, fmt.Sprintf("%.0f", time.Since(began).Seconds()))...)
	for _, why := range t.wrong {
		fmt.Println("    " + strings.ReplaceAll(why, "\n", "\n    "))
	}
	return len(t.wrong) == 0
}

// status tells whether the record has how the first command ended.
func (t *trial) status(ctx context.Context) string {
	out, err := t.command(ctx, t.ws, t.env, t.helve, "audit", "--json")
	if err != nil {
		t.fails("helve audit: %v: %s", err, out)
		return "FAILS"
	}
	for line := range strings.Lines(out) {
		var r struct{ Title, Outcome, Error string }
		if json.Unmarshal([]byte(line), &r) == nil && strings.Contains(r.Title, "it ran") {
			if r.Outcome == "execution_error" && strings.Contains(r.Error, "3") {
				return "known"
			}
			t.fails("the record says %s, %s", r.Outcome, r.Error)
		}
	}
	return "unknown"
}

// unbox takes back what the commands did.
func (t *trial) unbox(ctx context.Context) string {
	for range 10 {
		if _, err := t.command(ctx, t.ws, t.env, t.helve, "undo", "--yes"); err != nil {
			break
		}
	}
	now := contents(filepath.Join(t.ws, "a.txt"), filepath.Join(t.ws, "n/m/f"), filepath.Join(t.ws, "slow.txt"))
	if len(now) != 1 || now[filepath.Join(t.ws, "a.txt")] != deedFiles()["a.txt"] {
		t.fails("helve undo left %q", now)
		return "FAILS"
	}
	return "works"
}
