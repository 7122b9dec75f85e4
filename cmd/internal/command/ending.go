package command

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// EndTime is how long a command may take to end when it is asked to: a person waits for their prompt.
	EndTime = 2 * time.Second
	// ServeEndTime is the same for a server with nothing in flight: whoever started it waits ten seconds and more.
	ServeEndTime = 5 * time.Second
	// LastTime is how long a server may take to end when what ran had its time.
	LastTime = 2 * time.Second
)

// An ending is how a command ends that is asked to: in its time, whatever does not answer. Its methods are safe for
// concurrent use; those of nil do nothing.
type ending struct {
	mu      sync.Mutex
	limit   time.Duration // from the moment that it was asked to
	asked   time.Time     // that moment; zero: it was not
	open    []string      // what is not closed yet, in the order in which it was opened
	changed chan struct{} // has room for one: the limit is another
}

type endingKey struct{}

// WithEnding is a context whose commands can say what they have open, and how long they take to end.
func WithEnding(ctx context.Context) (context.Context, *ending) {
	e := &ending{limit: EndTime, changed: make(chan struct{}, 1)}
	return context.WithValue(ctx, endingKey{}, e), e
}

// EndingOf is the ending of a command; nil where there is none.
func EndingOf(ctx context.Context) *ending {
	e, _ := ctx.Value(endingKey{}).(*ending)
	return e
}

// Allow has the command take so long, from the moment that it is asked to end.
func (e *ending) Allow(limit time.Duration) {
	if e == nil {
		return
	}
	e.mu.Lock()
	e.limit = limit
	e.mu.Unlock()
	select {
	case e.changed <- struct{}{}:
	default:
	}
}

// Rest has the command take so long from now, or what is left of a longer time from the moment that it was asked to.
func (e *ending) Rest(now, all time.Duration) {
	if e == nil {
		return
	}
	e.mu.Lock()
	asked := e.asked
	e.mu.Unlock()
	if !asked.IsZero() {
		all = max(all, time.Since(asked)+now)
	}
	e.Allow(all)
}

// Closing closes what was noted as open under that name.
func (e *ending) Closing(what string, f func() error) error {
	err := f()
	if e != nil {
		e.mu.Lock()
		e.open = slices.DeleteFunc(e.open, func(o string) bool { return o == what })
		e.mu.Unlock()
	}
	return err
}

// Opened notes what has to be closed.
func (e *ending) Opened(what string) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open = append(e.open, what)
}

// left is how much of its time a command has that was asked to end.
func (e *ending) left() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.asked.IsZero() {
		e.asked = time.Now()
	}
	return e.limit - time.Since(e.asked)
}

// ErrLate is the error of a command that did not end in its time.
var ErrLate = errors.New("not ended in time")

// Wait waits for a command. When ctx is done it has its time to end; after that the error is errLate.
func (e *ending) Wait(ctx context.Context, done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	for {
		left := time.NewTimer(max(e.left(), 0))
		select {
		case err := <-done:
			left.Stop()
			return err
		case <-e.changed:
			left.Stop()
		case <-left.C:
			return ErrLate
		}
	}
}

// NotClosed names what was not closed in order; "" if nothing is known of it.
func (e *ending) NotClosed() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.open, ", ")
}
