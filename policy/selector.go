package policy

import (
	"slices"
	"strings"

	"helve/internal/names"
	"helve/tool"
)

// A selector says which tools are meant.
type selector struct {
	kind selectorKind
	text string // as it is written
	key  string // folded name, or the group's
	of   func(*tool.Spec) bool
}

type selectorKind byte

const (
	oneName selectorKind = iota
	group
	wildcard
	condition
)

func newSelector(text string) selector {
	s := selector{text: strings.TrimSpace(text)}
	name, isGroup := strings.CutPrefix(s.text, "@")
	switch {
	case isGroup:
		s.kind, s.key = group, name
	case strings.ContainsAny(s.text, "*?"):
		s.kind, s.key = wildcard, names.Fold(s.text)
	default:
		s.key = names.Fold(s.text)
	}
	return s
}

// id is the key, told apart from those of selectors of another kind.
func (s selector) id() string {
	if s.kind == group {
		return "@" + s.key
	}
	return s.key
}

// matches tells whether the tool is meant. surely leaves out spellings that may mean others too: what gives rights must
// be plain.
func (s selector) matches(u *subject, surely bool) bool {
	key, list := s.key, u.maybe
	if surely {
		list = u.surely
		if !ours(u.spec) {
			key = s.text
		}
	}
	switch s.kind {
	case condition:
		return s.of(u.spec)
	case group:
		return slices.Contains(u.groups, s.key)
	case wildcard:
		return s.text == "*" || slices.ContainsFunc(list, func(n string) bool {
			return names.Fold(n) != u.bare && wild(key, n)
		})
	}
	return slices.Contains(list, key) || s.meansServer(u, surely)
}

// meansServer tells that the selector is the name of the tool's whole server, as some hosts write it.
func (s selector) meansServer(u *subject, surely bool) bool {
	server, ok := strings.CutPrefix(s.text, "mcp__")
	if !ok {
		server, ok = strings.CutPrefix(s.text, "pool__")
	}
	if !ok || surely && strings.Contains(server, "__") {
		return false
	}
	return slices.Contains(u.groups, s.text)
}

// Selects tells whether text means the tool: a name in any spelling, a wildcard or a group. In doubt it does: it is for
// what tightens, such as hooks.
func (r *Rules) Selects(text string, s *tool.Spec) bool {
	return newSelector(text).matches(r.of(s), false)
}

// wild matches with * for any run of characters, slashes too, and ? for one byte. It never takes longer than
// len(pattern)·len(s).
func wild(pattern, s string) bool {
	p, i := 0, 0
	star, mark := -1, 0 // the last *, and where what it stands for ends: an earlier one need never grow
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// An entry is one switch, or one name of a list.
type entry struct {
	sel    selector
	to     Setting
	at     Place
	reason string // of a condition
}

// rule is the entry as verdicts name it; key is the setting that it stands in.
func (e *entry) rule(key string) string {
	if e.sel.kind == condition {
		return e.sel.text
	}
	return key + ": " + e.sel.text
}

// setting is the entry as verdicts name one of tools, with what it says.
func (e *entry) setting() string {
	return e.rule("tools") + " = " + e.to.String()
}

// A table finds the entry that means a tool: an exact name before a group before the longest wildcard before a
// condition.
type table struct {
	all        []*entry
	blank      []Place // where a name is empty: it means no tool
	names      map[string][]*entry
	groups     map[string][]*entry
	wilds      []*entry // longest first
	conditions []*entry
}

func (t *table) add(s Switch) {
	e := &entry{sel: newSelector(s.Name), to: s.To, at: s.At, reason: s.Reason}
	if s.Of != nil {
		e.sel = selector{kind: condition, text: s.Name, of: s.Of}
	} else if e.sel.text == "" {
		t.blank = append(t.blank, s.At)
		return
	}
	if t.names == nil {
		t.names = map[string][]*entry{}
		t.groups = map[string][]*entry{}
	}
	t.all = append(t.all, e)
	switch key := e.sel.key; e.sel.kind {
	case condition:
		t.conditions = append(t.conditions, e)
	case wildcard:
		t.wilds = append(t.wilds, e)
		slices.SortStableFunc(t.wilds, longerFirst)
	case group:
		t.groups[key] = append(t.groups[key], e)
	default:
		t.names[key] = append(t.names[key], e)
		whole := strings.HasPrefix(e.sel.text, "mcp__") || strings.HasPrefix(e.sel.text, "pool__")
		if text := e.sel.text; whole { // a whole server, as some hosts write it, or a whole pool
			t.groups[text] = append(t.groups[text], e)
		}
	}
}

func longerFirst(a, b *entry) int {
	return len(b.sel.text) - len(a.sel.text)
}

// A pick is the strictest of the entries that mean a tool.
type pick struct {
	subject *subject
	found   *entry
}

// from considers entries of equal weight, and tells that one means the tool.
func (p *pick) from(entries []*entry) bool {
	for _, e := range entries {
		if p.found != nil && p.found.to <= e.to {
			continue
		}
		gives := e.to >= On // rights
		if e.sel.matches(p.subject, gives) {
			p.found = e
		}
	}
	return p.found != nil
}

// best is the deciding entry, nil if none means the tool. Of equals the strictest counts.
func (t *table) best(u *subject) *entry {
	if len(t.all) == 0 {
		return nil
	}
	p := pick{subject: u}
	for _, n := range u.maybe {
		p.from(t.names[n])
	}
	if p.found != nil {
		return p.found
	}
	for _, g := range u.groups {
		p.from(t.groups[g])
	}
	if p.found != nil || p.fromWilds(t.wilds) {
		return p.found
	}
	for i := range t.conditions {
		if p.from(t.conditions[i : i+1]) { // the first, not the strictest: each has a reason of its own
			break
		}
	}
	return p.found
}

// fromWilds considers the wildcards of one length after the other, the longest first.
func (p *pick) fromWilds(wilds []*entry) bool {
	for len(wilds) > 0 {
		n := 1
		for n < len(wilds) && len(wilds[n].sel.text) == len(wilds[0].sel.text) {
			n++
		}
		if p.from(wilds[:n]) {
			return true
		}
		wilds = wilds[n:]
	}
	return false
}
