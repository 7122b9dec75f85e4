package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"helve/internal/rpc"
	"helve/tool"
)

const (
	// retryMin and retryMax bound the time between attempts to list a server
	// that failed, while somebody watches.
	retryMin = time.Second
	retryMax = time.Minute
)

// Tools lists the server's tools. The first listing takes the remembered list,
// if there is one, and starts nothing; it is ErrAway for a server that did not
// answer in its time shortly before. Each later one asks the server. A server
// that is not ready when ctx is done goes on starting, and a Watch tells when it
// is.
func (v *view) Tools(ctx context.Context) ([]tool.Tool, error) {
	if v.loops() { // what is remembered of it is what this process lists
		return nil, fmt.Errorf("mcp server %s: %w", v.cfg.Name, errLoop)
	}
	v.mu.Lock()
	first, fresh := !v.asked, v.fresh
	v.asked, v.fresh = true, false
	l := v.list
	v.mu.Unlock()
	if fresh {
		return v.tools(l), nil
	}
	if first && l == nil && !v.o.Fresh {
		if l = v.recall(); l != nil {
			v.take(l)
			if v.cfg.Eager && v.session == nil {
				v.stale()
			}
			return v.tools(l), nil
		}
		most, err := v.away(ctx)
		if err != nil {
			return nil, err
		}
		if most > 0 {
			var stop func()
			ctx, stop = context.WithTimeout(ctx, most)
			defer stop()
		}
	}
	l, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	return v.tools(l), nil
}

// take makes a listing the one in use. What a connection said of the server is
// newer than what is remembered.
func (v *view) take(l *listing) {
	v.mu.Lock()
	v.list = l
	v.mu.Unlock()
	v.known.recall(l.About)
}

// read asks the server for its list and remembers it.
func (v *view) read(ctx context.Context) (*listing, error) {
	select {
	case v.one <- struct{}{}:
		defer func() { <-v.one }()
	case <-ctx.Done():
		return nil, v.late(ctx.Err())
	}
	v.reading.Store(true)
	defer v.reading.Store(false)
	var l *listing
	known, typical := false, false
	start := time.Now()
	try := v.book().Try()
	err := v.of.calls.with(ctx, v.session, func(c *conn) (err error) {
		l, known, err = v.readOver(ctx, c)
		typical = c.typical()
		return err
	})
	v.ended(ctx, v.of.life, try, err)
	if err != nil {
		return nil, v.late(err)
	}
	v.take(l)
	if !known && typical {
		v.memorize(l)
	}
	if !known {
		v.of.wasListed(time.Since(start))
	}
	return l, nil
}

// ask reads the list over a connection.
func (v *view) ask(ctx context.Context, c *conn) (*listing, error) {
	ctx, stop := context.WithTimeout(ctx, v.givenUp())
	defer stop()
	l := &listing{Server: v.key, Where: v.where, About: c.about, At: time.Now()}
	silent := false // it declares nothing at all: it may have tools all the same
	if !c.about.can("tools") && c.about.Capabilities != nil {
		if silent = string(c.about.Capabilities) == "{}"; !silent {
			return l, nil
		}
	}
	p, err := c.all(ctx, "tools/list", "tools")
	refusal, refused := errors.AsType[*RPCError](err)
	if refused && silent && refusal.Code == rpc.CodeMethodNotFound {
		return l, nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it shook hands, and %w within %v", errSlow, v.givenUp())
	}
	if err != nil {
		return nil, fmt.Errorf("mcp server %s: tools/list: %w", v.cfg.Name, err)
	}
	if p.note != "" {
		v.warn(p.note)
	}
	l.Tools = p.items
	return l, nil
}

// connected looks whether what is listed may be of another server than the one
// that a new connection leads to: another version of it, or the same elsewhere.
func (v *view) connected(a *About) {
	if v.reading.Load() {
		return
	}
	v.mu.Lock()
	l, asked := v.list, v.asked
	v.mu.Unlock()
	if l == nil {
		if asked { // those who listed it have left
			v.stale()
		}
		return
	}
	same := l.About.Name == a.Name && l.About.Version == a.Version && sameJSON(l.About.Capabilities, a.Capabilities)
	if !same || l.Where != v.where {
		v.stale()
	}
}

// sameJSON compares what one server says at two times: bytes, but for space.
func sameJSON(a, b json.RawMessage) bool {
	return strings.Join(strings.Fields(string(a)), "") == strings.Join(strings.Fields(string(b)), "")
}

// Watch follows the server until ctx is done: it reads the list again when the
// server says that it changed, or when it was not ready before, and calls
// changed when it is another one.
func (v *view) Watch(ctx context.Context, changed func()) {
	damp := damper{}
	retry := retryMin
	for first := true; ; first = false {
		var again <-chan time.Time
		if v.lacking() {
			again = time.After(v.untilTried(first, retry))
		}
		select {
		case <-ctx.Done():
			return
		case <-v.of.life.Done():
			return
		case <-v.dirt:
			if !damp.wait(ctx, v.dirt) {
				return
			}
		case <-again:
			if v.book().Away() != nil {
				continue
			}
		}
		if v.refresh(ctx, changed) == nil {
			retry = retryMin
		} else {
			retry = min(2*retry, retryMax)
		}
	}
}

// untilTried is how long to wait before a server that is not there is looked at again: one that was known to be away
// when it was followed first, and may be tried again, at once.
func (v *view) untilTried(first bool, retry time.Duration) time.Duration {
	known := v.book().Known()
	switch {
	case known == nil:
		return retry
	case !known.Due(time.Now()):
		return lookEvery
	case first:
		return 0
	}
	return retry
}

// lacking tells that a server should be up, or listed, and is not.
func (v *view) lacking() bool {
	v.mu.Lock()
	listed, asked := v.list != nil, v.asked
	v.mu.Unlock()
	if !listed {
		return asked
	}
	if !v.cfg.Eager || v.session != nil {
		return false
	}
	up, _ := v.of.calls.up()
	return !up
}

// refresh reads the list and tells of it if it is another one.
func (v *view) refresh(ctx context.Context, changed func()) error {
	ctx, stop := context.WithTimeout(ctx, v.givenUp())
	defer stop()
	after, err := v.read(ctx)
	if err != nil {
		if v.o.Log != nil && ctx.Err() == nil { // a server that stays away would be told of again and again
			v.o.Log.Info("the list could not be read", "server", v.cfg.Name, "error", err)
		}
		return err
	}
	defs, _ := v.definitions(after)
	now := signature(after, v.of.approvals.compare(byName(defs), true))
	v.mu.Lock()
	same := v.told == now
	v.fresh = !same
	v.mu.Unlock()
	if !same {
		changed()
	}
	return nil
}

// tools makes tools of a list, by name.
func (v *view) tools(l *listing) []tool.Tool {
	out, bad, changes := v.of.tools.make(l, l.recalled && l.Where != v.where)
	v.mu.Lock()
	v.findings, v.changed, v.told = bad, changes, signature(l, changes)
	v.mu.Unlock()
	v.of.tools.tell(bad, l.recalled)
	return out
}

// readOver asks the server for its list. Where another session that shares the
// connection has read one that the view does not know, it is that: known.
func (v *view) readOver(ctx context.Context, c *conn) (l *listing, known bool, err error) {
	r := c.relay
	if r.group == nil {
		l, err = v.ask(ctx, c)
		return l, false, err
	}
	select {
	case r.lists.one <- struct{}{}:
		defer func() { <-r.lists.one }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	last, changes := r.lists.get()
	if last != nil && last != v.current() {
		return last, true, nil
	}
	l, err = v.ask(ctx, c)
	if err == nil {
		r.lists.keep(l, changes)
	}
	return l, false, err
}

const (
	// settleTime is how long the list must have been quiet before it is read
	// again; a server that says at every turn that it changed is listened to
	// less and less, down to once in dampMax.
	settleTime = 100 * time.Millisecond
	dampMin    = time.Second
	dampMax    = time.Minute
)

// A damper spaces out what follows changes.
type damper struct {
	gap  time.Duration
	last time.Time
}

// wait lets the changes settle, and waits longer the more often they come. It
// tells whether ctx is still there.
func (d *damper) wait(ctx context.Context, more <-chan struct{}) bool {
	if time.Since(d.last) > dampMax {
		d.gap = dampMin
	} else {
		d.gap = min(2*d.gap, dampMax)
	}
	rest := settleTime
	if !d.last.IsZero() {
		rest = max(rest, d.gap-time.Since(d.last))
	}
	t := time.NewTimer(rest)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-more:
		case <-t.C:
			d.last = time.Now()
			return true
		}
	}
}
