package workspace

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"regexp"
	"sync"

	"helve/tool"
)

// sessionID keeps the names of sessions to what a file name may be.
var sessionID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)
})

// NewSession makes a session: what its calls remember of each other, and the commands that they leave running, end with
// it. The workspace closes it if nobody did before.
func (w *Assembly) NewSession() *tool.Session {
	return w.sessions.add(&tool.Session{ID: rand.Text(), Principal: "local", Roots: w.roots()})
}

// SessionID tells whether a session can be called so: at most 64 letters, digits, dots, dashes and underscores.
func SessionID(id string) bool { return sessionID().MatchString(id) }

// Session is NewSession for a conversation that later processes go on with under the same id: what was read, lists
// and long outputs are kept in helve's state. The id is one that SessionID takes.
func (w *Assembly) Session(id string) (*tool.Session, error) {
	if !SessionID(id) {
		return nil, fmt.Errorf("session %q: want at most 64 letters, digits, dots, dashes and underscores", id)
	}
	return w.sessions.add(&tool.Session{
		ID:        id,
		Principal: "local",
		Roots:     w.roots(),
		Store:     tool.DirStore(filepath.Join(w.places.StateDir, "sessions", id)),
	}), nil
}

// Named says what whoever wanted the workspace calls it, such as an MCP client its root: servers that ask for the roots
// are told it, by sessions that are made from then on. "": the folder's own name.
func (w *Assembly) Named(name string) { w.name.Store(&name) }

func (w *Assembly) roots() []tool.Root { return w.places.roots(w.name.Load()) }

// roots are the folders as servers are told of them, the workspace by the name that somebody gave it.
func (p *places) roots(name *string) []tool.Root {
	var out []tool.Root
	for _, dir := range p.dirs {
		out = append(out, tool.Root{Name: filepath.Base(dir), Path: dir})
	}
	if name != nil && *name != "" && len(out) > 0 {
		out[0].Name = *name
	}
	return out
}

// share gives a session its place, before anything is kept.
func share(with Shared, s *tool.Session) {
	place := with.Conversation(s.ID)
	s.Store = place
	tool.Of(s, func() *sharedSession { return &sharedSession{place} })
}
