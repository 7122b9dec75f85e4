package policy

import (
	"slices"
	"strings"

	"helve/internal/names"
	"helve/tool"
)

// An Unmatched name means none of the tools that are there.
type Unmatched struct {
	Key     string // tools, disabled_tools, allowed_tools or rules
	Name    string
	At      Place
	Near    string // what may have been meant, "" for nothing
	Pending bool   // it may belong to a server that is not there yet
}

// Unmatched lists the plain names, no wildcards, that mean none of specs, in the order of the layers. A name that can belong to one of
// the pending servers is pending.
func (r *Rules) Unmatched(specs []*tool.Spec, pending []string) []Unmatched {
	var known []string
	seen := map[string]bool{}
	for _, s := range specs {
		u := r.of(s)
		known = append(known, s.Name)
		for _, n := range slices.Concat(u.maybe, u.groups) {
			seen[n] = true
		}
	}
	var out []Unmatched
	add := func(key string, s selector, at Place) {
		if s.kind != 'n' || seen[s.key] || seen[s.text] {
			return
		}
		m := Unmatched{Key: key, Name: s.text, At: at, Pending: slices.ContainsFunc(pending, func(server string) bool { return ofServer(s.text, server) })}
		if near := names.Near(s.text, known, 1); len(near) > 0 {
			m.Near = near[0]
		}
		out = append(out, m)
	}
	for i := range r.layers {
		l := &r.layers[i]
		for key, t := range map[string]*table{"tools": &l.switches, "disabled_tools": &l.disabled, "allowed_tools": &l.allowed} {
			for _, e := range t.all {
				add(key, e.sel, e.at)
			}
		}
	}
	for i := range r.rules {
		add("rules", r.rules[i].sel, r.rules[i].at)
	}
	slices.SortStableFunc(out, func(a, b Unmatched) int { return strings.Compare(a.Key, b.Key) })
	return out
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
