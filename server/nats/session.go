package natsbus

import (
	"errors"
	"maps"
	"sync"

	"github.com/nats-io/nats.go"

	"helve/internal/wire"
	"helve/tool"
)

const (
	// mostSessions is how many conversations a worker keeps at once.
	mostSessions = 10_000
)

// A session is what the tools remember of one conversation.
type session struct {
	gateways map[string]bool // that have it: one, or several for a conversation that lasts
	s        *tool.Session
	client   *client
}

// sessions are those of the conversations that a worker keeps.
type sessions struct {
	*bus
	gateways *gateways

	mu  sync.Mutex
	all map[string]*session
}

// keyOf is a session's name here. One that lasts is the same for every gateway that goes on with it.
func keyOf(of wire.Session) string {
	if of.Lasting {
		return "lasting." + of.Key
	}
	return of.Gateway + "." + of.Key
}

// of is the session of a conversation, made when it is first used; nil for calls without one.
func (c *sessions) of(told wire.Session) (*tool.Session, error) {
	if told.Key == "" {
		return nil, nil
	}
	if !wire.ValidID(told.Key) || !wire.ValidID(told.Gateway) {
		return nil, tool.Errorf(tool.Execution, "the gateway names no session that can be: %.80q", told.Key)
	}
	s, err := c.keep(told)
	if err == nil {
		c.gateways.note(told.Gateway)
	}
	return s, err
}

// keep is the session that is known, or a new one.
func (c *sessions) keep(told wire.Session) (*tool.Session, error) {
	key := keyOf(told)
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.all[key]; known != nil {
		known.client.wants(told)
		known.gateways[told.Gateway] = true
		return known.s, nil
	}
	if len(c.all) >= mostSessions {
		return nil, tool.Errorf(tool.Busy, "the worker keeps %d conversations already", mostSessions)
	}
	s := c.o.Session()
	if told.Principal != "" {
		s.Principal = told.Principal
	}
	s.Shared = told.Shared
	c.all[key] = &session{map[string]bool{told.Gateway: true}, s, clientOf(s, told)}
	return s, nil
}

// close ends a conversation, and answers when it is over. One that lasts goes on while another gateway has it.
func (c *sessions) close(m *nats.Msg) {
	of, err := wire.Decode[wire.Session](m.Data)
	if err != nil {
		return
	}
	c.mu.Lock()
	over := c.leave(keyOf(of), of.Gateway)
	c.mu.Unlock()
	c.work.Go(func() {
		if over != nil {
			c.warn(over.Close())
		}
		c.reply(m, []byte("{}"))
	})
}

// leave notes that a gateway has a session no more, and is the session if it was the last. mu is held.
func (c *sessions) leave(key, gateway string) *tool.Session {
	known := c.all[key]
	if known == nil {
		return nil
	}
	delete(known.gateways, gateway)
	if len(known.gateways) > 0 {
		return nil
	}
	delete(c.all, key)
	return known.s
}

func (c *sessions) warn(err error) {
	if err != nil {
		c.o.Log.Warn("worker: closing a session", "error", err)
	}
}

// closeAll ends all conversations.
func (c *sessions) closeAll() error {
	c.mu.Lock()
	left := c.all
	c.all = map[string]*session{}
	c.mu.Unlock()
	var mu sync.Mutex
	var errs []error
	var closing sync.WaitGroup // side by side: one that takes its time keeps no other
	for _, known := range left {
		closing.Go(func() {
			err := known.s.Close()
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	closing.Wait()
	return errors.Join(errs...)
}

// forget closes the sessions of a gateway that is gone.
func (c *sessions) forget(gateway string) {
	c.mu.Lock()
	var left []*tool.Session
	for key := range c.all {
		if over := c.leave(key, gateway); over != nil {
			left = append(left, over)
		}
	}
	c.mu.Unlock()
	for _, s := range left {
		c.warn(s.Close())
	}
}

// clients are those of a session, or of all where it is nil.
func (c *sessions) clients(s *tool.Session) []*client {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []*client
	for _, known := range c.all {
		if s == nil || known.s == s {
			all = append(all, known.client)
		}
	}
	return all
}

// addGateways adds the gateways that have a session here.
func (c *sessions) addGateways(to map[string]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.all {
		maps.Copy(to, s.gateways)
	}
}

func (c *sessions) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}
