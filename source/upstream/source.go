package upstream

import (
	"context"

	"helve/tool"
)

// A Source is one MCP server. Its methods are safe for concurrent use. Close
// ends its connections, those of sessions as well.
type Source struct {
	*server
	end       context.CancelFunc
	login     *credentials
	calls     *connections
	approvals *approvals
	tools     *maker
	lists     *lists
}

var (
	_ tool.Source  = (*Source)(nil)
	_ tool.Watcher = (*Source)(nil)
)

// New makes a source. It starts nothing.
func New(c Config, o Options) (*Source, error) {
	own, err := configured(c, o)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	s := &Source{
		server:    own,
		end:       end,
		login:     &credentials{server: own, life: life},
		approvals: &approvals{server: own},
	}
	s.lists = &lists{server: own, approvals: s.approvals, life: life, views: map[*tool.Session]*view{}}
	s.calls = newConnections(newDialer(own, s.login, s.lists), life)
	s.tools = &maker{server: own, calls: s.calls, approvals: s.approvals}
	s.lists.calls, s.lists.tools = s.calls, s.tools
	s.lists.common = newView(s.lists, nil)
	return s, nil
}

// Name is the server's name.
func (s *Source) Name() string { return s.cfg.Name }

// Tools lists the server's tools as all see them whose clients can be asked
// nothing; see For. The first listing takes the remembered list, if there is
// one, and starts nothing; it is ErrAway for a server that did not answer in its
// time shortly before. Each later one asks the server. A server that is not
// ready when ctx is done goes on starting, and a Watch tells when it is.
func (s *Source) Tools(ctx context.Context) ([]tool.Tool, error) { return s.lists.common.Tools(ctx) }

// Watch follows the server until ctx is done, and calls changed when its list is
// another one.
func (s *Source) Watch(ctx context.Context, changed func()) { s.lists.common.Watch(ctx, changed) }

// Listed tells whether the list is known, from the server or from memory. What
// is not known needs the server to be started.
func (s *Source) Listed() bool { return s.lists.common.listed() }

// Close ends every connection and returns when no process is left.
func (s *Source) Close() error {
	s.end()
	s.lists.forget()
	s.calls.close()
	return nil
}

// About is what the server says of itself; it is started if nothing is known yet.
func (s *Source) About(ctx context.Context) (About, error) {
	a := s.known.last()
	if a != nil {
		return *a, nil
	}
	err := s.calls.with(ctx, nil, func(c *conn) error { a = &c.about; return nil })
	if err != nil {
		return About{}, err
	}
	return *a, nil
}

// Instructions are what the server says to models about its tools, as far as that is known: from this process, or with
// the list that is remembered. Nothing is started.
func (s *Source) Instructions() string {
	if a := s.known.last(); a != nil {
		return a.Instructions
	}
	if l := s.lists.common.recall(); l != nil {
		return l.About.Instructions
	}
	return ""
}

// Remote tells whether the server stands behind a URL, and is not started here.
func (s *Source) Remote() bool { return s.remote() }

// For is the server as a session sees it that has connections of its own: listed
// over that session's connection, with what its client can be asked for. nil
// where the session shares the common list, which is the Source itself. A
// registry that it is attached to closes it; the Source outlives it.
func (s *Source) For(session *tool.Session) tool.Source {
	if !s.calls.separate(session) {
		return nil
	}
	return s.lists.apart(session)
}

// Up tells whether there is a shared connection, and why the last one ended.
func (s *Source) Up() (bool, error) { return s.calls.up() }

// Left says that the client of a session is gone, for now: its own connection
// ends, unless something runs over it. The next call makes it anew.
func (s *Source) Left(session *tool.Session) {
	if l := linksOf(session).own(s.calls); l != nil {
		l.sleep()
	}
}

// Returned says that the client is back: what it follows is followed again.
func (s *Source) Returned(session *tool.Session) {
	l := linksOf(session).own(s.calls)
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.followed) > 0 && l.conn == nil {
		_, _ = l.dialled() // what fails now the next call tells
	}
}

// Absence is what is remembered of the server's absence, by whichever process; nil: nothing, or it came since.
// Nothing is started.
func (s *Source) Absence() *Absence { return s.book().Absence() }

// Remembered are the findings about the list that is remembered: what is wrong with definitions, without starting the
// server.
func (s *Source) Remembered() []Finding {
	l := s.lists.common.recall()
	if l == nil {
		return nil
	}
	return s.tools.faults(l)
}

// Findings are what was wrong with the definitions when they were last listed.
func (s *Source) Findings() []Finding { return s.lists.common.wrong() }

// Confinement tells how the server is confined.
func (s *Source) Confinement() Confinement { return confinedBy(s.o.Launch) }

// Logout forgets the token that a login brought, for this program and for the next: the server asks for a login again.
// It tells whether there was one. A server that is reached with a key of the configuration has none.
func (s *Source) Logout() (had bool, err error) { return s.login.forget() }
