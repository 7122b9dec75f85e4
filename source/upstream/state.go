package upstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A State is how a server stands now, for people who look at it.
type State struct {
	Transport   string        // stdio, http or sse
	Protocol    string        // the version that is spoken; "": it was not spoken with yet
	Name        string        // as it calls itself
	Version     string        // likewise
	Up          bool          // there is a connection
	Connections int           // that there are: sessions may have their own
	PIDs        []int         // of the processes that were started here, where they are known
	Since       time.Time     // that the newest connection was made; zero: there is none
	Starts      int           // connections made so far
	Last        error         // why the last connection ended, or was not made; nil: nothing went wrong since
	Listed      time.Time     // when its list was read from it; zero: never
	ListTook    time.Duration // what that took, the start of the server included
}

// State is how the server stands now. Nothing is started.
func (s *Source) State() State {
	st := State{Transport: s.transport()}
	if a := s.known.last(); a != nil {
		st.Protocol, st.Name, st.Version = a.Protocol, a.Name, a.Version
	}
	st.Starts = int(s.calls.dialer.made.Load())
	st.Listed, st.ListTook = s.lists.lastListed()
	links, _ := s.calls.all()
	for _, l := range links {
		l.tell(&st)
	}
	slices.Sort(st.PIDs)
	return st
}

// tell adds what a link knows to a state.
func (l *link) tell(st *State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil || l.conn.Over() {
		if st.Last == nil {
			st.Last = l.last
		}
		return
	}
	st.Up = true
	st.Connections++
	st.Transport = l.conn.about.Transport
	if l.since.After(st.Since) {
		st.Since = l.since
	}
	if pid := l.conn.pid(); pid > 0 {
		st.PIDs = append(st.PIDs, pid)
	}
}

// pid is the process at the other end; 0: none that is known.
func (c *conn) pid() int {
	p, ok := c.pipe.(*stdio)
	if !ok {
		return 0
	}
	known, ok := p.proc.(interface{ PID() int })
	if !ok { // in a sandbox it has another number inside
		return 0
	}
	return known.PID()
}

// Log is the end of what the server said on stderr, of the processes before the last one, too. A server behind a URL
// says nothing here.
func (s *Source) Log() string { return s.log.String() }

// Restart ends every connection to the server and makes the shared one anew, at once: pauses after failures are over,
// and that it did not answer shortly before is forgotten. Calls that run over the old connections fail. Whoever lists
// the server hears if its list is another one now.
func (s *Source) Restart(ctx context.Context) error {
	s.book().Forget()
	links, open := s.calls.all()
	if !open {
		return fmt.Errorf("mcp server %s: %w", s.cfg.Name, errClosed)
	}
	for _, l := range links {
		l.restart()
	}
	ctx, stop := context.WithTimeout(ctx, s.cfg.StartTimeout)
	defer stop()
	err := s.calls.with(ctx, nil, func(*conn) error { return nil })
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("mcp server %s: %w within %v", s.cfg.Name, errSlow, s.cfg.StartTimeout)
	}
	if err != nil {
		return err
	}
	for _, v := range s.lists.all() {
		v.stale()
	}
	return nil
}

// restart ends the connection, and has the next one made without a pause.
func (l *link) restart() {
	l.mu.Lock()
	c := l.conn
	l.conn = nil
	l.failures, l.until, l.last = 0, time.Time{}, nil
	if c == nil || l.closed {
		l.mu.Unlock()
		return
	}
	l.by.counted(-1)
	l.wg.Add(1)
	l.mu.Unlock()
	defer l.wg.Done()
	c.close()
}
