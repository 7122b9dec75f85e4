package upstream

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"helve/engine/schema"
	rawjson "helve/internal/json"
	"helve/source/internal/foreign"
	"helve/tool"
)

// A Finding is something that is wrong with a definition.
type Finding struct {
	Tool string `json:"tool"`
	Text string `json:"text"`
}

// A definition is a tool as the server describes it.
type definition struct {
	name string
	raw  json.RawMessage // without hidden characters
}

// maxDefinition bounds one definition, in bytes: the longest that anybody has a
// use for has some ten thousand, and it is forwarded as it is.
const maxDefinition = 512 << 10

// definitions reads a list. What cannot be used is a finding; the other tools
// stay.
func (s *Source) definitions(l *listing) ([]definition, []Finding) {
	var out []definition
	var bad []Finding
	seen := map[string]bool{}
	for _, raw := range l.Tools {
		name, _ := rawjson.String(rawjson.Get(raw, "name"))
		if err := foreign.CheckName(name); err != nil {
			bad = append(bad, Finding{shorten(name), err.Error() + isLeftOut})
			continue
		}
		if len(raw) > maxDefinition {
			bad = append(bad, finding(name,
				"its definition has %d bytes, at most %d are taken: left out", len(raw), maxDefinition))
			continue
		}
		if seen[name] {
			bad = append(bad, Finding{name, "listed twice: the first stays"})
			continue
		}
		seen[name] = true
		if !s.wanted(name) {
			continue
		}
		clean, n := rawjson.Clean(raw, rawjson.Visible)
		if n > 0 {
			bad = append(bad, finding(name, "%d hidden characters in its definition were removed", n))
		}
		out = append(out, definition{name, clean})
	}
	slices.SortStableFunc(out, func(a, b definition) int { return strings.Compare(a.name, b.name) })
	return out, bad
}

func finding(tool, format string, args ...any) Finding {
	return Finding{tool, fmt.Sprintf(format, args...)}
}

func shorten(name string) string {
	s, _ := rawjson.Visible(name)
	return s[:min(len(s), 80)]
}

func byName(defs []definition) map[string]json.RawMessage {
	m := make(map[string]json.RawMessage, len(defs))
	for _, d := range defs {
		m[d.name] = d.raw
	}
	return m
}

// wanted tells what include and exclude make of a tool.
func (s *Source) wanted(name string) bool {
	matches := func(list []string) bool {
		return slices.ContainsFunc(list, func(text string) bool { return fits(text, name) })
	}
	return (len(s.cfg.Include) == 0 || matches(s.cfg.Include)) && !matches(s.cfg.Exclude)
}

// make makes tools of a list, by name. What another folder's server listed is
// not pinned: nobody has seen it here.
func (s *Source) make(l *listing, elsewhere bool) ([]tool.Tool, []Finding, map[string]*Change) {
	defs, bad := s.definitions(l)
	changes := s.compare(byName(defs), !elsewhere)
	out := make([]tool.Tool, 0, len(defs))
	for _, d := range defs {
		change := changes[d.name]
		if change != nil { // what nobody approved is not shown to a model either
			bad = append(bad, Finding{d.name, notApproved})
			d.raw = change.before
		}
		t, notes, err := s.made.tool(s, d, change)
		for _, n := range notes {
			bad = append(bad, Finding{d.name, n})
		}
		if err != nil {
			bad = append(bad, Finding{d.name, err.Error() + isLeftOut})
			continue
		}
		out = append(out, t)
	}
	return out, bad, changes
}

// isLeftOut is what becomes of a tool that nobody could call.
const isLeftOut = ": left out"

// notApproved is the finding about a definition that changed.
const notApproved = "its definition is not the one that was approved"

// tell warns of each finding once. What is wrong with a remembered list was
// told when it was read; that something waits for a person is told again.
func (s *Source) tell(found []Finding, recalled bool) {
	s.mu.Lock()
	var fresh []Finding
	for _, f := range found {
		if !s.warned[f] && !(recalled && f.Text != notApproved) {
			fresh = append(fresh, f)
		}
		if s.warned == nil || len(s.warned) > maxItems {
			s.warned = map[Finding]bool{}
		}
		s.warned[f] = true
	}
	s.mu.Unlock()
	for _, f := range fresh {
		s.warn(f.Text, "tool", f.Tool)
	}
}

// signature names what a listing comes to.
func signature(l *listing, changes map[string]*Change) string {
	return l.digest() + strings.Join(slices.Sorted(maps.Keys(changes)), "\x00")
}

// Findings are what was wrong with the definitions when they were last listed.
func (s *Source) Findings() []Finding {
	s.common.mu.Lock()
	defer s.common.mu.Unlock()
	return slices.Clone(s.common.findings)
}

// tool makes one tool. Annotations tighten: only those of a trusted server make
// a tool read-only.
func (s *Source) tool(d definition, change *Change) (*remote, []string, error) {
	in, note, err := foreign.Input(rawjson.Get(d.raw, "inputSchema"))
	if err != nil {
		return nil, nil, err
	}
	wire, notes, err := foreign.Definition(d.raw)
	if err != nil {
		return nil, nil, err
	}
	if note != "" {
		notes = append(notes, note)
	}
	def := map[string]json.RawMessage{}
	members, _ := rawjson.Object(wire)
	for _, m := range members {
		def[m.Key] = m.Value
	}
	var outSchema *schema.Schema
	if o := def["outputSchema"]; o != nil {
		outSchema, _ = schema.Parse(o) // one that cannot be read was left out
	}
	description, _ := rawjson.String(def["description"])
	doc, _ := foreign.Doc(description)
	spec := &tool.Spec{
		Name:    d.name,
		Title:   fmt.Sprintf("%s (%s MCP Server)", d.name, s.cfg.Name),
		Version: "1.0.0",
		Doc:     doc,
		Origin:  tool.Origin{Kind: tool.MCP, Server: s.cfg.Name, Name: d.name},
		Kind:    s.kind(),
		Input:   in,
		Output:  outSchema,
		Wire:    wire,
	}
	if n := s.cfg.Rename[d.name]; n != "" {
		spec.Name = n
	}
	if s.cfg.Trust {
		spec.Tags = []string{Trusted}
		spec.ReadOnly = string(rawjson.Get(def["annotations"], "readOnlyHint")) == "true"
	}
	headers, err := headerParams(in.JSON())
	if err != nil && s.cfg.URL != "" { // nobody could say what a call's headers are
		return nil, notes, err
	}
	return &remote{src: s, spec: spec, change: change, headers: headers}, notes, nil
}

// Trusted is the tag of tools whose server the user trusts.
const Trusted = "trusted"

// kind is what a tool of this server is judged by where nothing else is known: a
// program may do anything, a server on the network sees what it is sent.
func (s *Source) kind() tool.Kind {
	if s.cfg.URL != "" {
		return tool.Net
	}
	return tool.Exec
}

// needs is the result of a call that wants something of the client. Another replica has a program of its own, which
// need not understand what this one's gave out.
func (s *Source) needs(state string, requests json.RawMessage) *tool.Result {
	return &tool.Result{Need: &tool.Need{State: []byte(state), Requests: requests, Here: s.cfg.Command != ""}}
}
