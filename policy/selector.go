package policy

import (
	"slices"
	"strings"

	"helve/internal/names"
	"helve/tool"
)

// A selector says which tools are meant: one name, a group, a wildcard or a condition.
type selector struct {
	kind byte   // 'n'ame, 'g'roup, 'w'ildcard, 'c'ondition
	text string // as it is written
	key  string // folded name, or the group's
	of   func(*tool.Spec) bool
}

func newSelector(text string) selector {
	s := selector{kind: 'n', text: strings.TrimSpace(text)}
	switch group, ok := strings.CutPrefix(s.text, "@"); {
	case ok:
		s.kind, s.key = 'g', group
	case strings.ContainsAny(s.text, "*?"):
		s.kind, s.key = 'w', names.Fold(s.text)
	default:
		s.key = names.Fold(s.text)
	}
	return s
}

// matches tells whether the tool is meant. surely leaves out spellings that may mean others too: what gives rights must be plain.
func (s selector) matches(u *subject, surely bool) bool {
	key, list := s.key, u.maybe
	if surely {
		list = u.surely
		if !ours(u.spec) {
			key = s.text
		}
	}
	switch s.kind {
	case 'c':
		return s.of(u.spec)
	case 'g':
		return slices.Contains(u.groups, s.key)
	case 'w':
		return s.text == "*" || slices.ContainsFunc(list, func(n string) bool { return names.Fold(n) != u.bare && wild(key, n) })
	}
	if slices.Contains(list, key) {
		return true
	}
	server, whole := strings.CutPrefix(s.text, "mcp__") // a whole server, as some hosts write it
	return whole && slices.Contains(u.groups, s.text) && !(surely && strings.Contains(server, "__"))
}

// wild matches with * for any run of characters, slashes too, and ? for one byte. It never takes longer than len(pattern)·len(s).
func wild(pattern, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
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
	if e.sel.kind == 'c' {
		return e.sel.text
	}
	return key + ": " + e.sel.text
}

// A table finds the entry that means a tool: an exact name before a group before the longest wildcard before a condition.
type table struct {
	all        []*entry
	names      map[string][]*entry
	groups     map[string][]*entry
	wilds      []*entry // longest first
	conditions []*entry
}

func (t *table) add(s Switch) {
	e := &entry{newSelector(s.Name), s.To, s.At, s.Reason}
	if e.sel.text == "" && s.Of == nil {
		return
	}
	if s.Of != nil {
		e.sel = selector{kind: 'c', text: s.Name, of: s.Of}
	}
	if t.names == nil {
		t.names, t.groups = map[string][]*entry{}, map[string][]*entry{}
	}
	t.all = append(t.all, e)
	switch {
	case e.sel.kind == 'c':
		t.conditions = append(t.conditions, e)
	case e.sel.kind == 'w':
		t.wilds = append(t.wilds, e)
		slices.SortStableFunc(t.wilds, func(a, b *entry) int { return len(b.sel.text) - len(a.sel.text) })
	case e.sel.kind == 'g':
		t.groups[e.sel.key] = append(t.groups[e.sel.key], e)
	default:
		t.names[e.sel.key] = append(t.names[e.sel.key], e)
		if strings.HasPrefix(e.sel.text, "mcp__") { // a whole server, as some hosts write it
			t.groups[e.sel.text] = append(t.groups[e.sel.text], e)
		}
	}
}

// best is the deciding entry, nil if none means the tool. Of equals the strictest counts.
func (t *table) best(u *subject) *entry {
	if len(t.all) == 0 {
		return nil
	}
	var found *entry
	consider := func(e *entry) {
		if e.sel.matches(u, e.to >= On) && (found == nil || e.to < found.to) {
			found = e
		}
	}
	for _, n := range u.maybe {
		for _, e := range t.names[n] {
			consider(e)
		}
	}
	if found != nil {
		return found
	}
	for _, g := range u.groups {
		for _, e := range t.groups[g] {
			consider(e)
		}
	}
	for i := 0; i < len(t.wilds) && found == nil; i++ {
		length := len(t.wilds[i].sel.text)
		for _, e := range t.wilds[i:] {
			if len(e.sel.text) == length {
				consider(e)
			}
		}
	}
	for i := 0; i < len(t.conditions) && found == nil; i++ {
		consider(t.conditions[i])
	}
	return found
}
