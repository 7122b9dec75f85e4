package workspace

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"helve/tool"
)

// sessions are those that nobody has closed yet. The zero value is ready.
type sessions struct {
	mu  sync.Mutex
	all map[*tool.Session]bool
}

// A member takes its session from the list when that is closed.
type member struct {
	of *sessions
	s  *tool.Session
}

// Close is called by the session.
func (m *member) Close() error {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	delete(m.of.all, m.s)
	return nil
}

func (l *sessions) add(s *tool.Session) *tool.Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[*tool.Session]bool{}
	}
	l.all[s] = true
	tool.Of(s, func() *member { return &member{l, s} })
	return s
}

// end closes them.
func (l *sessions) end() error {
	l.mu.Lock()
	left := slices.Collect(maps.Keys(l.all))
	l.mu.Unlock()
	errs := make([]error, len(left))
	var closing sync.WaitGroup // side by side: one that takes its time keeps no other
	for i, s := range left {
		closing.Go(func() { errs[i] = s.Close() })
	}
	closing.Wait()
	return errors.Join(errs...)
}

// closeTime is how long Close waits for the calls that it cancelled: a tool that does not listen must not keep the
// program, which is given two seconds or more.
const closeTime = 1500 * time.Millisecond

// calls are those that run. The zero value is ready.
type calls struct {
	mu      sync.Mutex
	closed  bool
	running map[*context.CancelFunc]bool
	none    chan struct{} // closed when none is left after end; nil before
}

// ended is the result of a call that Close ended, or that came too late.
func ended() *tool.Result {
	return tool.Fail(tool.Errorf(tool.Cancelled, "the workspace is closed"))
}

// around is the middleware that knows of every call. A call that Close ends has a result that says so.
func (r *calls) around(next tool.Caller) tool.Caller {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		own, done := r.begin(ctx)
		if done == nil {
			return ended(), nil
		}
		defer done()
		res, err := next(own, c)
		if err != nil && ctx.Err() == nil && own.Err() != nil {
			return ended(), nil // the caller's own context goes on
		}
		return res, err
	}
}

// begin notes a call. done is nil after end.
func (r *calls) begin(ctx context.Context) (own context.Context, done func()) {
	own, stop := context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		stop()
		return own, nil
	}
	if r.running == nil {
		r.running = map[*context.CancelFunc]bool{}
	}
	key := &stop
	r.running[key] = true
	return own, func() {
		stop()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.running, key)
		if r.none != nil && len(r.running) == 0 {
			close(r.none)
		}
	}
}

// end cancels what runs, lets nothing more begin, and waits a moment.
func (r *calls) end() {
	r.mu.Lock()
	r.closed = true
	none := make(chan struct{})
	if len(r.running) == 0 {
		close(none)
	} else {
		r.none = none
	}
	for stop := range r.running {
		(*stop)()
	}
	r.mu.Unlock()
	select {
	case <-none:
	case <-time.After(closeTime):
	}
}
