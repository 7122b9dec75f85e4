package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"helve/engine/schema"
	rawjson "helve/internal/json"
	"helve/source/internal/foreign"
	"helve/tool"
)

// A maker makes tools of what a server lists.
type maker struct {
	*server
	calls     *connections
	approvals *approvals

	made   madeTools
	mu     sync.Mutex
	warned map[Finding]bool
}

// make makes tools of a list, by name. What another folder's server listed is
// not pinned: nobody has seen it here.
func (m *maker) make(l *listing, elsewhere bool) ([]tool.Tool, []Finding, map[string]*Change) {
	defs, bad := m.definitions(l)
	changes := m.approvals.compare(byName(defs), !elsewhere)
	out := make([]tool.Tool, 0, len(defs))
	for _, d := range defs {
		change := changes[d.name]
		if change != nil { // what nobody approved is not shown to a model either
			bad = append(bad, Finding{d.name, notApproved})
			d.raw = change.before
		}
		t, notes, err := m.one(d, change)
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

// one is the tool of a definition. One that waits for approval is made each time.
func (m *maker) one(d definition, change *Change) (*remote, []string, error) {
	if change != nil {
		return m.tool(d, change)
	}
	return m.made.tool(d, func() (*remote, []string, error) { return m.tool(d, nil) })
}

// tool makes one tool. Annotations tighten: only those of a trusted server make
// a tool read-only.
func (m *maker) tool(d definition, change *Change) (*remote, []string, error) {
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
	for _, x := range members {
		def[x.Key] = x.Value
	}
	var outSchema *schema.Schema
	if o := def["outputSchema"]; o != nil {
		outSchema, _ = schema.Parse(o) // one that cannot be read was left out
	}
	description, _ := rawjson.String(def["description"])
	doc, _ := foreign.Doc(description)
	spec := &tool.Spec{
		Name:    d.name,
		Title:   fmt.Sprintf("%s (%s MCP Server)", d.name, m.cfg.Name),
		Version: "1.0.0",
		Doc:     doc,
		Origin:  tool.Origin{Kind: tool.MCP, Server: m.cfg.Name, Name: d.name},
		Kind:    m.kind(),
		Away:    m.cfg.away(),
		Input:   in,
		Output:  outSchema,
		Wire:    wire,
	}
	if n := m.cfg.Rename[d.name]; n != "" {
		spec.Name = n
	}
	if m.cfg.Trust {
		spec.Tags = []string{Trusted}
		spec.ReadOnly = string(rawjson.Get(def["annotations"], "readOnlyHint")) == "true"
	}
	headers, err := headerParams(in.JSON())
	if err != nil && m.cfg.URL != "" { // nobody could say what a call's headers are
		return nil, notes, err
	}
	return &remote{calls: m.calls, spec: spec, change: change, headers: headers}, notes, nil
}

// Trusted is the tag of tools whose server the user trusts.
const Trusted = "trusted"

// tell warns of each finding once. What is wrong with a remembered list was
// told when it was read; that something waits for a person is told again.
func (m *maker) tell(found []Finding, recalled bool) {
	m.mu.Lock()
	var fresh []Finding
	for _, f := range found {
		if !m.warned[f] && !(recalled && f.Text != notApproved) {
			fresh = append(fresh, f)
		}
		if m.warned == nil || len(m.warned) > maxItems {
			m.warned = map[Finding]bool{}
		}
		m.warned[f] = true
	}
	m.mu.Unlock()
	for _, f := range fresh {
		m.warn(f.Text, "tool", f.Tool)
	}
}

// faults are what is wrong with the definitions of a list. Nothing is told of them.
func (m *maker) faults(l *listing) []Finding {
	defs, found := m.definitions(l)
	for _, d := range defs {
		_, notes, err := m.tool(d, nil)
		for _, n := range notes {
			found = append(found, Finding{d.name, n})
		}
		if err != nil {
			found = append(found, Finding{d.name, err.Error() + isLeftOut})
		}
	}
	return found
}

// madeTools are the tools of a server as they were made last, by name: whoever
// lists the same definition has the same tool. A thousand conversations then
// hold it once, and so does whoever remembers something of it by its address.
// The zero value is ready.
type madeTools struct {
	mu  sync.Mutex
	all map[string]madeTool
}

type madeTool struct {
	raw   []byte // the definition
	tool  *remote
	notes []string
}

// tool is that of a definition, made anew where it is another one.
func (m *madeTools) tool(d definition, anew func() (*remote, []string, error)) (*remote, []string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.all[d.name]
	if ok && bytes.Equal(known.raw, d.raw) {
		return known.tool, known.notes, nil
	}
	t, notes, err := anew()
	if err != nil {
		return t, notes, err
	}
	if m.all == nil || len(m.all) >= maxItems {
		m.all = map[string]madeTool{}
	}
	m.all[d.name] = madeTool{d.raw, t, notes}
	return t, notes, nil
}
