// Package tools has the commands that list, describe, declare, call and explain the tools of a workspace.
package tools

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/tool"
)

// listOptions choose tools; what is empty chooses all.
type listOptions struct {
	command.Common
	kind     string // read, write, exec or net
	category string
	tag      string
	source   string // builtin, command, or a server's name
	search   string // in names, titles and short descriptions
	all      bool   // also what is switched off or not offered
	require  []string
	json     bool
}

func ListCommand(c *command.Line) *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tools that an agent would see",
		Args:  cobra.NoArgs,
		Example: `  helve list
  helve list --kind read --json
  helve list --search file --all`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common = c.Flags.Common
			return list(cmd.Context(), c.Streams(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.kind, "kind", "", "only tools of this kind: read, write, exec or net")
	f.StringVar(&o.category, "category", "",
		"only tools of this topic: file, search, shell, web, task or code")
	f.StringVar(&o.tag, "tag", "", "only tools with this tag")
	f.StringVar(&o.source, "source", "", "only tools of this source: builtin, command, or a server's name")
	f.StringVar(&o.search, "search", "", "only tools whose name, title or short description contains this")
	f.BoolVar(&o.all, "all", false, "also what is switched off or not offered, with the reason")
	f.StringSliceVar(&o.require, "require", nil, "fail if one of these tools or servers is missing")
	command.JSONFlag(cmd, &o.json)
	command.CompleteFlag(cmd, "kind", "read", "write", "exec", "net")
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
	Reason      string      `json:"reason"` // why it is off, or not offered; "": it is on
	Description string      `json:"description"`
}

// list prints the tools that an agent of this workspace would see.
func list(ctx context.Context, s command.Streams, o listOptions) error {
	return command.In(ctx, s, o.Common, func(ws *workspace.Assembly) error { return o.print(ctx, s, ws) })
}

func (o listOptions) print(ctx context.Context, s command.Streams, ws *workspace.Assembly) error {
	s.SayMissing(connectListed(ctx, ws, o))
	view := ws.Kit().View()
	if err := require(view, o.require); err != nil {
		return err
	}
	chosen, err := o.condition(view)
	if err != nil {
		return err
	}
	noteUnknown(s, view, o)
	found := rows(view, chosen, o.all)
	if len(found) == 0 && o.search != "" {
		s.Note("warning: no tool has %q in its name, title or description", o.search)
	}
	if all := func(*tool.Spec) bool { return true }; !o.all && len(rows(view, all, false)) == 0 {
		s.Note("hint: no tool is offered here: helve list --all says of each why")
	}
	if o.json {
		return s.PrintJSON(found)
	}
	sortRows(found)
	if command.IsTerminal(s.Stdout) {
		return printGroups(s, found, o.all)
	}
	return printRows(s, found, o.all)
}

// connectListed lists the sources that the flags ask for: a source that is named alone is the only one that is waited
// for, and one that is required is waited for longer than the others.
func connectListed(ctx context.Context, ws *workspace.Assembly, o listOptions) error {
	if len(o.require) > 0 {
		return errors.Join(ws.Connect(ctx, o.require...), ws.Connect(ctx))
	}
	if o.source != "" {
		return ws.Connect(ctx, o.source)
	}
	return ws.Connect(ctx)
}

// condition joins the flags' conditions: a tool must fulfil all of them.
func (o listOptions) condition(v *tool.View) (func(*tool.Spec) bool, error) {
	var all []func(*tool.Spec) bool
	add := func(asked string, condition func(string) func(*tool.Spec) bool) {
		if asked != "" {
			all = append(all, condition(asked))
		}
	}
	if o.kind != "" {
		kind, err := tool.ParseKind(o.kind)
		if err != nil {
			return nil, command.Usage("%v", err)
		}
		all = append(all, tool.OfKind(kind))
	}
	add(o.category, tool.InCategory)
	add(o.tag, tool.Tagged)
	add(o.source, tool.From)
	add(o.search, v.Matches)
	return func(s *tool.Spec) bool {
		for _, fulfilled := range all {
			if !fulfilled(s) {
				return false
			}
		}
		return true
	}, nil
}

// noteUnknown says which of the words that were asked for no tool has: an empty list alone would look like an answer.
func noteUnknown(s command.Streams, v *tool.View, o listOptions) {
	categories, tags, sources := map[string]bool{}, map[string]bool{}, map[string]bool{}
	anything := func(*tool.Spec) bool { return true }
	for _, r := range rows(v, anything, true) {
		sources[r.Source] = true
		if r.Category != "" {
			categories[r.Category] = true
		}
		for _, t := range r.Tags {
			tags[t] = true
		}
	}
	note := func(word, asked string, known map[string]bool) {
		if asked == "" || known[asked] {
			return
		}
		names := strings.Join(slices.Sorted(maps.Keys(known)), ", ")
		s.Note("warning: no tool has the %s %q; there are %s", word, asked, names)
	}
	note("category", o.category, categories)
	note("tag", o.tag, tags)
	note("source", o.source, sources)
}

// rows are the tools that are chosen, in the view's order; with all also those that it does not list.
func rows(v *tool.View, chosen func(*tool.Spec) bool, all bool) []listed {
	out := []listed{} // never nil: JSON says [] and not null
	for _, spec := range v.Where(chosen) {
		out = append(out, row(spec, v.Name(spec)))
	}
	if !all {
		return out
	}
	for _, spec := range v.Unlisted() {
		if !chosen(spec) {
			continue
		}
		r := row(spec, v.Name(spec))
		r.Reason = "unlisted: can be called by name"
		out = append(out, r)
	}
	for _, w := range v.Withheld() {
		if !chosen(w.Spec) {
			continue
		}
		r := row(w.Spec, w.Name)
		r.Enabled, r.Reason = false, w.Verdict.Why()
		out = append(out, r)
	}
	return out
}

func row(s *tool.Spec, name string) listed {
	return listed{
		Name:        name,
		Title:       s.DisplayName(),
		Kind:        s.Kind,
		ReadOnly:    s.ReadOnly,
		Category:    s.Category,
		Tags:        append([]string{}, s.Tags...),
		Origin:      s.Origin,
		Source:      s.Origin.Source(),
		Enabled:     true,
		Description: s.Doc.Short,
	}
}

// require fails if a tool, in any spelling, or a source is missing.
func require(v *tool.View, names []string) error {
	var missing []string
	for _, name := range names {
		if v.Has(name) || len(v.Where(tool.From(name))) > 0 {
			continue
		}
		missing = append(missing, name)
	}
	if len(missing) > 0 {
		return command.Usage("required but missing: %s\nhint: helve list --all says why", strings.Join(missing, ", "))
	}
	return nil
}
