package dialect

import (
	"encoding/json"
	"slices"
	"sync"
)

// A Memory declares and remembers the last set of each dialect: what did not change since is not converted again. The
// zero value is ready; it is safe for concurrent use.
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
	// Converting takes milliseconds: others are not kept waiting, and of two that convert at once the later counts.
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
		Dialect: d,
		options: o,
		tools:   slices.Clone(tools),
		done:    make([]conversion, len(tools)),
		byName:  make(map[string]*Declaration, len(tools)),
		// Pointers to declarations go into byName: the slice must not grow.
		Declarations: make([]Declaration, 0, len(tools)),
	}
	known := last.conversions()
	a := newArena()
	for i, t := range tools {
		c, ok := known[t]
		if !ok {
			c = convert(d, t, a)
		}
		s.done[i] = c
	}
	s.limit(a) // among all tools of the set, those that were converted before too
	a.release()
	s.name()
	s.mark()
	return s
}

// name gives the tools their names and writes the declarations. Names depend on the whole set, because no two may be
// alike: so this is done anew each time, and converting is not.
func (s *Set) name() {
	names := naming{rule: nameRule(s.Dialect), taken: make(map[string]bool, len(s.tools))}
	for i, t := range s.tools {
		c := s.done[i].declared(t.Name)
		if c.omit != "" {
			s.Omitted = append(s.Omitted, Loss{t.Name, "", "left out: " + c.omit})
			continue
		}
		decl := Declaration{
			Tool:   t.Name,
			Name:   names.name(t.Name),
			Strict: c.strict,
			Losses: c.losses,
			undo:   c.undo,
		}
		decl.JSON = wire(s.Dialect, decl.Name, t, c)
		s.Declarations = append(s.Declarations, decl)
		s.byName[decl.Name] = &s.Declarations[len(s.Declarations)-1]
	}
}

// conversions are those of a set, by tool: a tool that stays is not converted again. A nil set has none.
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

// mark sets Anthropic's cache breakpoint, behind the last tool that is in the prompt from the start: what the API loads
// later would change the prefix that is cached.
func (s *Set) mark() {
	if !s.options.Cache || s.Dialect.base() != Anthropic {
		return
	}
	for i := len(s.Declarations) - 1; i >= 0; i-- {
		d := &s.Declarations[i]
		if s.deferred(d.Tool) {
			continue
		}
		open := d.JSON[:len(d.JSON)-1]
		d.JSON = append(slices.Clip(open), `,"cache_control":{"type":"ephemeral"}}`...)
		return
	}
}

func (s *Set) deferred(tool string) bool {
	i := slices.IndexFunc(s.tools, func(t Tool) bool { return t.Name == tool })
	return i >= 0 && s.tools[i].Defer
}

// join writes the declarations as one array. Gemini wraps it in a single tool.
func (s *Set) join() {
	size := len(`[]`)
	for i := range s.Declarations {
		size += len(s.Declarations[i].JSON) + len(`,`)
	}
	const opening, closing = `[{"functionDeclarations":`, `}]`
	gemini := s.Dialect == Gemini || s.Dialect == GeminiJSON
	wrapped := gemini && len(s.Declarations) > 0 // a tool without functions is refused
	b := make(json.RawMessage, 0, size+len(opening)+len(closing))
	if wrapped {
		b = append(b, opening...)
	}
	b = append(b, '[')
	for i := range s.Declarations {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, s.Declarations[i].JSON...)
	}
	b = append(b, ']')
	if wrapped {
		b = append(b, closing...)
	}
	s.json = b
}
