package upstream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"helve/internal/rpc"
	"helve/tool"
)

const (
	// stable is how long a connection over which no call was answered must have
	// lived for its end to be no sign of a server that cannot stay up.
	stable = 30 * time.Second
	// pauseMin and pauseMax bound the time before a server that failed is
	// started again; the first restart comes at once.
	pauseMin = 250 * time.Millisecond
	pauseMax = 30 * time.Second
)

// pause is how long to wait after the n-th failure in a row.
func pause(n int) time.Duration {
	if n <= 1 {
		return 0
	}
	return min(pauseMin<<min(n-2, 20), pauseMax)
}

// A link is one connection to the server that is made when it is needed, and
// made again, after growing pauses, when it broke.
type link struct {
	by      *dialer
	session *tool.Session // nil: shared
	group   *group        // of the sessions that share it; nil: their clients can be asked nothing, or it is one's own
	life    context.Context
	end     context.CancelFunc

	mu       sync.Mutex
	conn     *conn
	since    time.Time // when conn was made
	dial     *dialling
	failures int
	until    time.Time // not before
	last     error
	closed   bool
	users    int
	used     time.Time // last
	starting bool      // a place among the processes was taken
	ending   int       // processes that are being ended
	followed followers // of resources, over every connection
	idle     *time.Timer
	wg       sync.WaitGroup
}

// told is whose capabilities and roots the server is told.
func (l *link) told() *tool.Session {
	if l.group != nil {
		return l.group.face
	}
	return l.session
}

// A dialling is an attempt to make a connection.
type dialling struct {
	done chan struct{}
	late chan struct{} // closed when the start time-out is over, and it goes on
	err  error
}

// use is the connection, made if there is none, and a function to be called
// when it is no longer used. A server that failed is waited for while it rests,
// if that is short; else use fails at once. ctx bounds the waiting only.
func (l *link) use(ctx context.Context) (*conn, func(), error) {
	patience := time.Now().Add(restTime)
	for {
		l.mu.Lock()
		switch c := l.conn; {
		case c == nil || l.closed:
		case c.Over():
			l.lost(c)
		default:
			l.users++
			l.mu.Unlock()
			return c, l.release, nil
		}
		d, err := l.dialled()
		until := l.until
		l.mu.Unlock()
		if resting, ok := errors.AsType[*restingError](err); ok && until.Before(patience) {
			if err = l.rested(ctx, resting); err == nil {
				continue
			}
		}
		if err != nil {
			return nil, nil, err
		}
		select {
		case <-d.done:
			if d.err != nil && !(l.by.comesBack(d.err) && time.Now().Before(patience)) {
				return nil, nil, d.err
			}
		case <-d.late:
			return nil, nil, l.by.goesOn()
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// again waits until what was not sent over a connection may be sent again; false: it is not worth it, or ctx is done.
func (l *link) again(ctx context.Context, c *conn, err error) bool {
	var soon <-chan time.Time
	if p, ok := errors.AsType[*passing](err); ok {
		t := time.NewTimer(p.pause)
		defer t.Stop()
		soon = t.C
	} else if c.wire != nil && !c.wire.over.Load() && !c.Over() {
		return false
	}
	select {
	case <-soon:
	case <-c.Done():
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// rested waits until a server may be started again.
func (l *link) rested(ctx context.Context, r *restingError) error {
	t := time.NewTimer(r.rest)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-l.life.Done():
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A restingError says that a server failed, and why, and is not started again yet.
type restingError struct {
	last error
	rest time.Duration
}

func (e *restingError) Error() string {
	return fmt.Sprintf("it is down (%v) and started again in %v at the earliest",
		e.last, e.rest.Round(10*time.Millisecond))
}

func (e *restingError) Unwrap() error { return e.last }

// dialled is the attempt under way, or a new one. l.mu is held.
func (l *link) dialled() (*dialling, error) {
	if l.closed {
		return nil, errClosed
	}
	if l.dial != nil {
		return l.dial, nil
	}
	if rest := time.Until(l.until); rest > 0 {
		return nil, &restingError{l.last, rest}
	}
	d := &dialling{done: make(chan struct{}), late: make(chan struct{})}
	l.dial = d
	l.wg.Go(func() { l.make(d) })
	return d, nil
}

// make opens the connection and follows it to its end.
func (l *link) make(d *dialling) {
	var c *conn
	leave, err := l.enter()
	if err == nil {
		waited := l.by.goingOn(l.life, d.late)
		c, err = l.by.open(l.life, l.told())
		waited()
		leave()
	}
	if err == nil {
		l.by.made.Add(1)
	}
	l.mu.Lock()
	l.dial = nil
	if err != nil {
		l.failed(err)
	} else {
		l.conn, l.since = c, time.Now()
		l.used = l.since
		l.by.counted(1)
		if l.closed { // meanwhile
			l.wg.Go(c.close)
		}
		l.rest()
	}
	d.err = err
	l.mu.Unlock()
	close(d.done)
	if err != nil {
		return
	}
	if l.group != nil && c.wire != nil && c.wire.sessionID() != "" {
		l.group.asked(nil) // it tells sessions apart by itself
	}
	l.restore(c)
	<-c.Done()
	c.close()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == c {
		l.lost(c)
	}
}

// lost notes that the connection ended by itself: whoever sees it first, so
// that no call comes before the rest. l.mu is held.
func (l *link) lost(c *conn) {
	l.conn = nil
	l.by.counted(-1)
	if time.Since(l.since) > stable || c.useful.Load() {
		l.failures = 0
	}
	l.failed(c.Reason())
}

// failed notes a failure. l.mu is held.
func (l *link) failed(err error) {
	l.failures++
	l.last = err
	l.until = time.Now().Add(l.by.pause(l.failures))
}

func (l *link) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users--
	l.used = time.Now()
	l.rest()
}

// rest lets a connection end that nobody uses for long. l.mu is held.
func (l *link) rest() {
	if l.idle != nil {
		l.idle.Stop()
		l.idle = nil
	}
	if l.users == 0 && l.by.cfg.Idle > 0 && !l.closed && len(l.followed) == 0 {
		l.idle = time.AfterFunc(l.by.cfg.Idle, l.sleep)
	}
}

// sleep ends the connection without counting it as a failure.
func (l *link) sleep() {
	l.mu.Lock()
	c := l.conn
	if c == nil || l.users > 0 || l.closed {
		l.mu.Unlock()
		return
	}
	l.conn = nil
	l.by.counted(-1)
	l.wg.Add(1)
	l.ending++
	l.mu.Unlock()
	defer l.wg.Done()
	c.close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ending--
}

// Close ends the connection and returns when nothing is left of it.
func (l *link) Close() error {
	l.end()
	l.mu.Lock()
	l.closed = true
	c := l.conn
	l.rest()
	l.mu.Unlock()
	if c != nil {
		c.close()
	}
	l.wg.Wait()
	return nil
}

// state is the last failure, nil if there was none since the connection was
// last made.
func (l *link) state() (up bool, last error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil && !l.conn.Over() {
		return true, nil
	}
	return false, l.last
}

// enter takes a place among the processes, if the server is one. left must be called when it has started, or did not.
func (l *link) enter() (left func(), err error) {
	if l.by.remote() {
		return func() {}, nil
	}
	ctx, stop := context.WithTimeoutCause(l.life, l.by.cfg.StartTimeout, rpc.ErrLate)
	defer stop()
	return l.by.o.Processes.enter(ctx, l)
}

// owner is the server, and the client that has the connection alone; "": nobody has.
func (l *link) owner() (of any, client string) {
	s := l.session
	if l.group != nil {
		s = l.group.alone()
	}
	if s == nil {
		return l.by.server, ""
	}
	return l.by.server, s.Principal + "\x00" + s.Client
}

// starts notes that the process has a place, although it is not there yet.
func (l *link) starts(is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starting = is
}

// standing tells whether there is a process, or is to be one at once, and whether and since when nobody uses it.
func (l *link) standing() (there, rests bool, since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	there = l.starting || l.conn != nil || l.ending > 0
	return there, l.users == 0 && l.conn != nil && !l.closed, l.used
}

// follows remembers who wants to hear of a resource.
func (l *link) follows(session *tool.Session, uri string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.followed.join(session, uri)
}

// unfollows forgets it, and tells whether others want to hear of it still.
func (l *link) unfollows(session *tool.Session, uri string) (others bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.followed.leave(session, uri)
}

// restore follows over a new connection what was followed over the one before.
// What the server refuses now it does not tell of.
func (l *link) restore(c *conn) {
	l.mu.Lock()
	uris := slices.Sorted(maps.Keys(l.followed))
	l.mu.Unlock()
	if len(uris) == 0 {
		return
	}
	ctx, stop := context.WithTimeout(c.Life(), l.by.cfg.Timeout)
	defer stop()
	for _, u := range uris {
		if c.follow(ctx, u, true) != nil && c.Over() {
			return
		}
	}
}

// forget ends what a session follows. The server is told of what nobody else
// does, if it is there; that it does not answer is no matter.
func (l *link) forget(session *tool.Session) {
	l.mu.Lock()
	over := l.followed.forget(session)
	c := l.conn
	if l.closed || len(over) == 0 {
		l.mu.Unlock()
		return
	}
	l.rest()
	l.wg.Add(1)
	l.mu.Unlock()
	go func() {
		defer l.wg.Done()
		if c != nil {
			c.unfollow(over)
		}
	}()
}
