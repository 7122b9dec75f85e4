package upstream

import (
	"bytes"
	"sync"
)

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

// tool is that of a definition. One that waits for approval is made each time.
func (m *madeTools) tool(s *Source, d definition, change *Change) (*remote, []string, error) {
	if change != nil {
		return s.tool(d, change)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.all[d.name]
	if ok && bytes.Equal(known.raw, d.raw) {
		return known.tool, known.notes, nil
	}
	t, notes, err := s.tool(d, nil)
	if err != nil {
		return t, notes, err
	}
	if m.all == nil || len(m.all) >= maxItems {
		m.all = map[string]madeTool{}
	}
	m.all[d.name] = madeTool{d.raw, t, notes}
	return t, notes, nil
}
