package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"helve/internal/names"
	"helve/tool"
)

// An Unmatched name, group or wildcard of the configuration means none of the tools that are there.
type Unmatched struct {
	Key     string // tools, disabled_tools, allowed_tools or rules
	Name    string // as it is written: a name, @group or a wildcard
	At      Place
	Near    string // what may have been meant, "" for nothing
	Pending bool   // it may belong to a source whose tools are not there yet
}

// Foreign tells that the name is written as one of an MCP server's tools: whether there is such a server depends on
// the workspace, so that nothing is wrong with the name by itself.
func (u Unmatched) Foreign() bool {
	return strings.HasPrefix(u.Name, "mcp") || strings.Contains(u.Name, "__") || strings.ContainsAny(u.Name, "/.")
}

// String is a sentence that a person reads: what does not exist, and what may have been meant.
func (u Unmatched) String() string {
	text := fmt.Sprintf("there is no tool %q", u.Name)
	switch {
	case u.Pending:
		return fmt.Sprintf("%q belongs to a source that is not there yet", u.Name)
	case strings.HasPrefix(u.Name, "@"):
		text = fmt.Sprintf("no tool is in the group %q", u.Name)
	case strings.ContainsAny(u.Name, "*?"):
		text = fmt.Sprintf("no tool matches %q", u.Name)
	}
	if u.Near != "" {
		text += fmt.Sprintf(": did you mean %q?", u.Near)
	}
	return text
}

// Unmatched lists the names, groups and wildcards that mean none of specs, in the order of the layers. What can belong
// to one of the pending servers is pending; a server "" may bring a tool of any name, as a discovery command does.
func (r *Rules) Unmatched(specs []*tool.Spec, pending []string) []Unmatched {
	s := newSearch(r, specs, pending)
	for i := range r.layers {
		l := &r.layers[i]
		s.table("tools", &l.switches)
		s.table("disabled_tools", &l.disabled)
		s.table("allowed_tools", &l.allowed)
	}
	for i := range r.rules {
		s.look("rules", r.rules[i].sel, r.rules[i].at)
	}
	slices.SortStableFunc(s.found, func(a, b Unmatched) int { return strings.Compare(a.Key, b.Key) })
	return s.found
}

// A search looks for selectors that mean nothing.
type search struct {
	subjects []*subject
	pending  []string
	names    []string // of all tools, for suggestions
	groups   []string // those that a tool is in, and those that helve gives a meaning of their own
	found    []Unmatched
}

func newSearch(r *Rules, specs []*tool.Spec, pending []string) *search {
	s := &search{pending: pending, groups: slices.Sorted(maps.Keys(reserved))}
	for _, spec := range specs {
		u := r.of(spec)
		s.subjects = append(s.subjects, u)
		s.names = append(s.names, spec.Name)
		s.groups = append(s.groups, u.groups...)
	}
	return s
}

func (s *search) table(key string, t *table) {
	for _, e := range t.all {
		s.look(key, e.sel, e.at)
	}
}

func (s *search) look(key string, sel selector, at Place) {
	known := sel.kind == 'c' || sel.kind == 'g' && slices.Contains(s.groups, sel.key)
	if known || slices.ContainsFunc(s.subjects, func(u *subject) bool { return sel.matches(u, false) }) {
		return
	}
	s.found = append(s.found, Unmatched{
		Key:     key,
		Name:    sel.text,
		At:      at,
		Near:    s.near(sel),
		Pending: slices.ContainsFunc(s.pending, sel.mayMean),
	})
}

// near is what may have been meant. A group without its @ is a mistake that people make: net for @net.
func (s *search) near(sel selector) string {
	switch {
	case sel.kind == 'w':
		return ""
	case sel.kind == 'n' && slices.Contains(s.groups, sel.key):
		return "@" + sel.key
	case sel.kind == 'g':
		if near := names.Near(sel.key, s.groups, 1); len(near) > 0 {
			return "@" + near[0]
		}
		return ""
	}
	if near := names.Near(sel.text, s.names, 1); len(near) > 0 {
		return near[0]
	}
	return ""
}

// mayMean tells that the selector could mean a tool that the server will bring.
func (s selector) mayMean(server string) bool {
	if server == "" || s.kind == 'w' && strings.HasPrefix(s.text, "*") {
		return true
	}
	return ofServer(s.text, server)
}

// ofServer tells that a name can be a spelling of a tool of the server.
func ofServer(name, server string) bool {
	rest := strings.TrimPrefix(strings.TrimPrefix(name, "mcp__"), "mcp_")
	after, ok := strings.CutPrefix(rest, server)
	return ok && (after == "" || strings.ContainsAny(after[:1], "_./"))
}

// Admits tells whether allowed_tools let a tool be registered at all: every layer that has such a list must name it.
func (r *Rules) Admits(s *tool.Spec) bool {
	u := r.of(s)
	for i := range r.layers {
		if l := &r.layers[i]; len(l.allowed.all) > 0 && l.allowed.best(u) == nil {
			return false
		}
	}
	return true
}

// Denies tells whether rules on our own tools deny a path, for those that look at many files in one call: grep leaves out what
// read:**/.env denies. kind is Read or Write; the target is written as in an Effect.
func (r *Rules) Denies(kind tool.Kind, target string) bool {
	if len(r.rules) == 0 {
		return false
	}
	e, p := tool.Effect{Kind: kind, Target: target}, newPlace(target)
	var buf [64]int32
	denied, layer := false, -1
	for _, i := range r.candidates(buf[:0], e, &p, nil) {
		k := &r.rules[i]
		if !k.reaches.has(kind) || !k.meets(nil, e, &p, nil) {
			continue
		}
		if k.layer != layer && denied {
			return true
		}
		layer, denied = k.layer, k.decision == tool.Deny
	}
	return denied
}

// DeniesSome tells whether Denies can say yes to any path at all.
func (r *Rules) DeniesSome(kind tool.Kind) bool {
	return slices.ContainsFunc(r.rules, func(k rule) bool { return k.decision == tool.Deny && k.reaches.has(kind) })
}
