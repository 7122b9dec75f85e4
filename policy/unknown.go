package policy

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"helve/internal/names"
	"helve/tool"
)

// An Unmatched name, group or wildcard of the configuration means none of the tools that are there.
type Unmatched struct {
	Key     string // tools, disabled_tools, allowed_tools or rules; of UnmatchedNames: what it was given
	Name    string // as it is written: a name, @group or a wildcard
	At      Place
	Near    string // what may have been meant, "" for nothing
	Pending bool   // it may belong to a source whose tools are not there yet
}

// Foreign tells that the name is written as one of an MCP server's tools: whether there is such a server depends on
// the workspace, so that nothing is wrong with the name by itself.
func (u Unmatched) Foreign() bool {
	if strings.HasPrefix(u.Name, "mcp") || strings.Contains(u.Name, "__") {
		return true
	}
	return strings.ContainsAny(u.Name, "/.")
}

// String is a sentence that a person reads: what does not exist, and what may have been meant.
func (u Unmatched) String() string {
	text := fmt.Sprintf("there is no tool %q", u.Name)
	switch {
	case u.Name == "":
		return "a name is empty, which means no tool"
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
	sort.SliceStable(s.found, func(i, j int) bool { return s.found[i].Key < s.found[j].Key })
	return s.found
}

// UnmatchedNames is Unmatched for names that stand elsewhere in the configuration, such as those that hooks match;
// key says where.
func (r *Rules) UnmatchedNames(key string, list []Name, specs []*tool.Spec, pending []string) []Unmatched {
	if len(list) == 0 {
		return nil
	}
	s := newSearch(r, specs, pending)
	for _, n := range list {
		s.look(key, newSelector(n.Name), n.At)
	}
	return s.found
}

// A search looks for selectors that mean nothing.
type search struct {
	subjects []*subject
	pending  []string
	names    []string // of all tools, for suggestions
	servers  []string // of MCP, those that are still to come too
	groups   []string // those that a tool is in, and those that helve gives a meaning of their own
	found    []Unmatched
}

func newSearch(r *Rules, specs []*tool.Spec, pending []string) *search {
	s := &search{pending: pending, servers: slices.Clone(pending)}
	s.groups = slices.Sorted(maps.Keys(reserved))
	for _, spec := range specs {
		u := r.of(spec)
		s.subjects = append(s.subjects, u)
		s.names = append(s.names, spec.Name)
		s.groups = append(s.groups, u.groups...)
		s.servers = append(s.servers, spec.Origin.Server)
	}
	s.servers = slices.DeleteFunc(s.servers, func(name string) bool { return name == "" })
	return s
}

func (s *search) table(key string, t *table) {
	for _, e := range t.all {
		s.look(key, e.sel, e.at)
	}
	for _, at := range t.blank {
		s.found = append(s.found, Unmatched{Key: key, At: at})
	}
}

// look notes a selector that means nothing.
func (s *search) look(key string, sel selector, at Place) {
	if s.means(sel) {
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

// means tells that a selector means a tool that is there. Conditions are helve's own, and groups that helve names may
// be empty.
func (s *search) means(sel selector) bool {
	switch sel.kind {
	case condition:
		return true
	case group:
		if slices.Contains(s.groups, sel.key) {
			return true
		}
	}
	return slices.ContainsFunc(s.subjects, func(u *subject) bool {
		return sel.matches(u, false)
	})
}

// near is what may have been meant, "" for nothing. A group without its @ is a mistake that people make: net for @net.
func (s *search) near(sel selector) string {
	if sel.kind == group {
		return nearest("@", sel.key, s.groups)
	}
	if meant := s.nearServer(sel.text); meant != "" {
		return meant
	}
	switch {
	case sel.kind == wildcard:
		return ""
	case slices.Contains(s.groups, sel.key):
		return "@" + sel.key
	}
	return nearest("", sel.text, s.names)
}

// nearServer is the text with the name of the server that may have been meant, "" where it names none, or one that is
// there.
func (s *search) nearServer(text string) string {
	prefix := ""
	for _, p := range []string{"mcp__", "mcp_"} {
		if strings.HasPrefix(text, p) {
			prefix = p
			break
		}
	}
	server, rest := serverIn(strings.TrimPrefix(text, prefix))
	if server == "" || rest == "" && prefix == "" {
		return ""
	}
	near := names.Near(server, s.servers, 1)
	if len(near) == 0 || near[0] == server {
		return ""
	}
	return prefix + near[0] + rest
}

// serverIn takes a server's name from what stands behind mcp__: it ends at __, a slash or a dot.
func serverIn(text string) (server, rest string) {
	end := len(text)
	for _, sep := range []string{"__", "/", "."} {
		if i := strings.Index(text, sep); i >= 0 {
			end = min(end, i)
		}
	}
	return text[:end], text[end:]
}

func nearest(prefix, text string, of []string) string {
	near := names.Near(text, of, 1)
	if len(near) == 0 {
		return ""
	}
	return prefix + near[0]
}

// mayMean tells that the selector could mean a tool that the server will bring.
func (s selector) mayMean(server string) bool {
	if server == "" || s.kind == wildcard && strings.HasPrefix(s.text, "*") {
		return true
	}
	return isNameOf(s.text, server)
}

// isNameOf tells that a name can be a spelling of a tool of the server.
func isNameOf(name, server string) bool {
	name = strings.TrimPrefix(name, "mcp__")
	name = strings.TrimPrefix(name, "mcp_")
	rest, ok := strings.CutPrefix(name, server)
	if !ok {
		return false
	}
	return rest == "" || strings.ContainsAny(rest[:1], "_./")
}
