package dialect

import (
	"encoding/json"
	"slices"
	"sync"
)

// A Memory declares and remembers: equal tools are converted once. The zero value is ready; it is safe for concurrent use.
type Memory struct {
	mu   sync.Mutex
	sets map[Dialect]*Set
}

// Declare is as the function Declare. The same tools bring the same *Set.
func (m *Memory) Declare(d Dialect, tools []Tool, o Options) *Set {
	m.mu.Lock()
	last := m.sets[d]
	m.mu.Unlock()
	if last != nil && last.options == o && slices.Equal(last.tools, tools) {
		return last
	}
	s := declare(d, tools, o, last)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sets == nil {
		m.sets = map[Dialect]*Set{}
	}
	m.sets[d] = s
	return s
}

// declare makes a set, with what the last one has already.
func declare(d Dialect, tools []Tool, o Options, last *Set) *Set {
	s := &Set{
		Dialect: d, options: o, tools: slices.Clone(tools), done: make([]conversion, len(tools)),
		byName: make(map[string]*Declaration, len(tools)), Declarations: make([]Declaration, 0, len(tools)),
	}
	known := last.conversions()
	n := naming{rule: nameRule(d), taken: make(map[string]bool, len(tools))}
	a := newArena()
	for i, t := range tools {
		c, ok := known[t]
		if !ok {
			c = convert(d, t, a)
		}
		s.done[i] = c
	}
	s.limit(a)
	clear(a.nodes.all) // an undo may hold the piece, and what else is in it must not stay with it
	for i, t := range tools {
		c := s.done[i].declared(t.Name)
		if c.omit != "" {
			s.Omitted = append(s.Omitted, Loss{t.Name, "", "left out: " + c.omit})
			continue
		}
		decl := Declaration{Tool: t.Name, Name: n.name(t.Name), Strict: c.strict, Losses: c.losses, undo: c.undo}
		decl.JSON = wire(d, decl.Name, t, c)
		s.Declarations = append(s.Declarations, decl)
	}
	for i := range s.Declarations {
		s.byName[s.Declarations[i].Name] = &s.Declarations[i]
	}
	s.mark()
	return s
}

// conversions are those of a set, by tool: a tool that stays is not converted again.
func (s *Set) conversions() map[Tool]conversion {
	if s == nil {
		return nil
	}
	out := make(map[Tool]conversion, len(s.tools))
	for i, t := range s.tools {
		out[t] = s.done[i]
	}
	return out
}

// mark sets Anthropic's cache breakpoint.
func (s *Set) mark() {
	if !s.options.Cache || s.Dialect.base() != Anthropic {
		return
	}
	for i := len(s.Declarations) - 1; i >= 0; i-- {
		d := &s.Declarations[i]
		if j := slices.IndexFunc(s.tools, func(t Tool) bool { return t.Name == d.Tool }); j >= 0 && s.tools[j].Defer {
			continue
		}
		d.JSON = append(slices.Clip(d.JSON[:len(d.JSON)-1]), `,"cache_control":{"type":"ephemeral"}}`...)
		return
	}
}

func (s *Set) join() {
	size := 2
	for i := range s.Declarations {
		size += len(s.Declarations[i].JSON) + 1
	}
	b := make(json.RawMessage, 0, size+64)
	gemini := s.Dialect == Gemini || s.Dialect == GeminiJSON
	if gemini && len(s.Declarations) > 0 {
		b = append(b, `[{"functionDeclarations":`...)
	}
	b = append(b, '[')
	for i := range s.Declarations {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, s.Declarations[i].JSON...)
	}
	b = append(b, ']')
	if gemini && len(s.Declarations) > 0 {
		b = append(b, "}]"...)
	}
	s.json = b
}
