package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"helve"
	"helve/cmd/internal/terminal"
	"helve/tool"
)

type listFlags struct {
	kind, category, tag, source, search string
	all                                 bool
	require                             []string
}

func (a *app) listCommand() *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tools that an agent would see",
		Args:  cobra.NoArgs,
		Example: `  helve list
  helve list --kind read --json
  helve list --search file --all`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.list(cmd.Context(), f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.kind, "kind", "", "only tools of this kind: read, write, exec or net")
	fl.StringVar(&f.category, "category", "", "only tools of this topic: file, search, shell, web, task or code")
	fl.StringVar(&f.tag, "tag", "", "only tools with this tag")
	fl.StringVar(&f.source, "source", "", "only tools of this source: builtin, command, or a server's name")
	fl.StringVar(&f.search, "search", "", "only tools whose name, title or short description contains this")
	fl.BoolVar(&f.all, "all", false, "also what is switched off or not offered, with the reason")
	fl.StringSliceVar(&f.require, "require", nil, "fail if one of these tools or servers is missing")
	a.jsonFlag(cmd)
	return cmd
}

// A listed tool is one row of the list's JSON.
type listed struct {
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Kind        tool.Kind   `json:"kind"`
	ReadOnly    bool        `json:"readOnly"`
	Category    string      `json:"category"`
	Tags        []string    `json:"tags"`
	Origin      tool.Origin `json:"origin"`
	Source      string      `json:"source"`
	Enabled     bool        `json:"enabled"`
	Reason      string      `json:"reason"`
	Description string      `json:"description"`
}

func (a *app) list(ctx context.Context, f listFlags) error {
	ws, err := a.open(ctx, nil)
	if err != nil {
		return err
	}
	defer ws.Close()
	a.connected(a.connectListed(ctx, ws, f))
	if err := require(ws.Kit().View(), f.require); err != nil {
		return err
	}
	is, err := f.condition(ws.Kit().View())
	if err != nil {
		return err
	}
	f.sayUnknown(a, ws.Kit().View())
	rows := rows(ws.Kit().View(), is, f.all)
	if a.flags.json {
		return a.printJSON(rows)
	}
	return a.printList(rows, f.all)
}

// connectListed lists the sources that the flags ask for: a source that is named alone is the only one that is waited for.
func (a *app) connectListed(ctx context.Context, ws *helve.Workspace, f listFlags) error {
	if len(f.require) > 0 {
		return errors.Join(ws.Connect(ctx, f.require...), ws.Connect(ctx))
	}
	if f.source != "" {
		return ws.Connect(ctx, f.source)
	}
	return ws.Connect(ctx)
}

// condition joins the flags' conditions.
func (f listFlags) condition(v *tool.View) (func(*tool.Spec) bool, error) {
	conds := []func(*tool.Spec) bool{}
	if f.kind != "" {
		k, err := tool.ParseKind(f.kind)
		if err != nil {
			return nil, usage("%v", err)
		}
		conds = append(conds, tool.OfKind(k))
	}
	if f.category != "" {
		conds = append(conds, tool.InCategory(f.category))
	}
	if f.tag != "" {
		conds = append(conds, tool.Tagged(f.tag))
	}
	if f.source != "" {
		conds = append(conds, tool.From(f.source))
	}
	if f.search != "" {
		conds = append(conds, v.Matches(f.search))
	}
	return func(s *tool.Spec) bool {
		return !slices.ContainsFunc(conds, func(c func(*tool.Spec) bool) bool { return !c(s) })
	}, nil
}

// sayUnknown says which of the words that were asked for no tool has: an empty list alone would look like an answer.
func (f listFlags) sayUnknown(a *app, v *tool.View) {
	categories, tags := map[string]bool{}, map[string]bool{}
	for _, r := range rows(v, func(*tool.Spec) bool { return true }, true) {
		if r.Category != "" {
			categories[r.Category] = true
		}
		for _, t := range r.Tags {
			tags[t] = true
		}
	}
	say := func(word, asked string, known map[string]bool) {
		if asked != "" && !known[asked] {
			a.note("warning: no tool has the %s %q; there are %s", word, asked, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
	say("category", f.category, categories)
	say("tag", f.tag, tags)
}

func rows(v *tool.View, is func(*tool.Spec) bool, all bool) []listed {
	out := []listed{}
	for _, s := range v.Where(is) {
		out = append(out, row(s, v.Name(s)))
	}
	if !all {
		return out
	}
	for _, s := range v.Unlisted() {
		if is(s) {
			r := row(s, v.Name(s))
			r.Reason = "unlisted: can be called by name"
			out = append(out, r)
		}
	}
	for _, w := range v.Withheld() {
		if is(w.Spec) {
			r := row(w.Spec, w.Name)
			r.Enabled, r.Reason = false, w.Verdict.Why()
			out = append(out, r)
		}
	}
	return out
}

func row(s *tool.Spec, name string) listed {
	return listed{Name: name, Title: s.DisplayName(), Kind: s.Kind, ReadOnly: s.ReadOnly, Category: s.Category, Tags: append([]string{}, s.Tags...),
		Origin: s.Origin, Source: s.Origin.Source(), Enabled: true, Description: s.Doc.Short}
}

// require fails if a tool, in any spelling, or a source is missing.
func require(v *tool.View, names []string) error {
	var missing []string
	for _, n := range names {
		if !v.Has(n) && len(v.Where(tool.From(n))) == 0 {
			missing = append(missing, n)
		}
	}
	if len(missing) > 0 {
		return usage("required but missing: %s\nhint: helve list --all says why", strings.Join(missing, ", "))
	}
	return nil
}

// maxDescription is how much of a description a row shows, in cells: servers write paragraphs. describe and --json have it whole.
const maxDescription = 100

// printList is the table for people, by display name.
func (a *app) printList(rows []listed, all bool) error {
	slices.SortStableFunc(rows, func(a, b listed) int { return strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) })
	w := a.table()
	head := "NAME\tTITLE\tKIND\tSOURCE\tDESCRIPTION"
	if all {
		head = "NAME\tTITLE\tKIND\tSOURCE\tSTATE\tDESCRIPTION"
	}
	fmt.Fprintln(w, head)
	for _, r := range rows {
		cells := []string{r.Name, r.Title, r.Kind.String(), r.Source}
		if all {
			cells = append(cells, standing(r))
		}
		fmt.Fprintln(w, strings.Join(append(cells, terminal.Fit(r.Description, maxDescription)), "\t"))
	}
	return w.Flush()
}

func standing(r listed) string {
	switch {
	case r.Enabled && r.Reason != "":
		return r.Reason
	case r.Enabled:
		return "on"
	}
	return "off: " + r.Reason
}

func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.env.Stdout)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
