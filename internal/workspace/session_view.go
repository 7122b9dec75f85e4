package workspace

import (
	"errors"
	"sync"

	"helve/source"
	"helve/tool"
)

// A sessionView is what a session has whose client can be asked for things:
// what MCP servers list may depend on that, so they are listed for it alone.
type sessionView struct {
	registry *tool.Registry
	loader   *source.Loader
}

// Close ends the listing; the connections are the session's.
func (v *sessionView) Close() error {
	return errors.Join(v.loader.Close(), v.registry.Close())
}

// sessionViews find the view of a session. The zero value is ready.
type sessionViews struct {
	mu  sync.Mutex
	all map[*tool.Session]*sessionView
}

func (s *sessionViews) of(session *tool.Session) *sessionView {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[session]
}

func (s *sessionViews) set(session *tool.Session, v *sessionView) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[*tool.Session]*sessionView{}
	}
	if v == nil {
		delete(s.all, session)
		return
	}
	s.all[session] = v
}

// A viewEnd ends a session's view with the session.
type viewEnd struct {
	views   *sessionViews
	session *tool.Session
	view    *sessionView
}

// Close is called by the session.
func (e *viewEnd) Close() error {
	e.views.set(e.session, nil)
	return e.view.Close()
}
