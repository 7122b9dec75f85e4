package workspace

import (
	"encoding/json"
	"slices"
	"sync"

	"helve/tool"
)

// notify takes what a server says unasked. s is nil for a connection that sessions share.
type notify func(server string, s *tool.Session, method string, params json.RawMessage)

// listeners hear what servers say unasked. The zero value is ready.
type listeners struct {
	mu  sync.Mutex
	all []notify
}

func (l *listeners) add(f notify) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, f)
}

func (l *listeners) tell(server string, s *tool.Session, method string, params json.RawMessage) {
	l.mu.Lock()
	all := slices.Clone(l.all)
	l.mu.Unlock()
	for _, f := range all {
		f(server, s, method, params)
	}
}
