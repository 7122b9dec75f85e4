package tool

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"sync"
)

// A Session is what the calls of one conversation share. The client, or whoever holds the
// conversation, owns it and closes it. The exported fields are set before the first call and not
// changed afterwards. Methods are safe for concurrent use.
type Session struct {
	ID        string
	Principal string // whose it is; grants are kept apart by it
	Client    string // what the client calls itself; not to be believed. "": it is not known
	Roots     []Root // the workspaces; the first is the default directory
	Shared    bool   // others may be in it, whom nothing tells apart: no yes is remembered in it
	Store     Store  // where what outlives a call is kept; nil: a private temporary folder, removed by Close

	// Capabilities are what the client says it can be asked for, in the protocol's own form:
	// {"elicitation":{},"sampling":{}}. Sources declare no more to their servers. nil: nothing.
	Capabilities json.RawMessage

	// Back sends a request to the client: elicitation, sampling, roots, logging. nil: nobody
	// answers.
	Back func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

	mu     sync.Mutex
	vals   map[reflect.Type]any
	order  []any
	temp   *tempStore
	closed bool
}

// A Root is a folder that tools may work in. Its name travels to other hosts, its path does not.
type Root struct {
	Name string `json:"name"`
	Path string `json:"-"`
}

// Of returns the session's only T: what was read, its processes, its grants. The first use makes
// it; Close closes it if it is an io.Closer. After Close it is made anew, and closed at once: who comes late starts
// nothing that nobody would end. create must not call Of on the same session.
func Of[T any](s *Session, create func() *T) *T {
	return s.of(reflect.TypeFor[T](), func() any { return create() }).(*T)
}

func (s *Session) of(k reflect.Type, create func() any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.vals[k]; ok {
		return v
	}
	if s.closed {
		return stillborn(create())
	}
	if s.vals == nil {
		s.vals = map[reflect.Type]any{}
	}
	v := create()
	s.vals[k] = v
	s.order = append(s.order, v)
	return v
}

// stillborn closes what was made for a session that is over.
func stillborn(v any) any {
	if c, ok := v.(io.Closer); ok {
		_ = c.Close() // nothing was in it
	}
	return v
}

// Close ends what the session made, in reverse order, and removes its temporary folder. A second
// Close does nothing.
func (s *Session) Close() error {
	s.mu.Lock()
	order, temp := s.order, s.temp
	s.order, s.vals, s.temp, s.closed = nil, nil, nil, true
	s.mu.Unlock()
	var errs []error
	for _, v := range slices.Backward(order) {
		if c, ok := v.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	if temp != nil {
		errs = append(errs, temp.remove())
	}
	return errors.Join(errs...)
}

// Blobs is where the session keeps what outlives a call: Store, or a private temporary folder.
func (s *Session) Blobs() (Store, error) {
	if s.Store != nil {
		return s.Store, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.New("session: closed")
	}
	if s.temp == nil {
		t, err := newTempStore()
		if err != nil {
			return nil, err
		}
		s.temp = t
	}
	return s.temp, nil
}
