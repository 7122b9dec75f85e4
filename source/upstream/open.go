package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/internal/spawn"
	"helve/tool"
)

// open starts or dials the server and shakes hands, until it is given up.
func (s *Source) open(life context.Context, session *tool.Session) (*conn, error) {
	ctx, stop := s.starting(life, s.givenUp())
	defer stop()
	protocol, transport := s.remembered()
	c, err := s.attempt(ctx, session, protocol, transport)
	if err != nil && ctx.Err() == nil {
		c, err = s.again(ctx, session, protocol, transport, err)
	}
	if err == nil {
		s.remember(c.about)
		for _, v := range c.relay.views() {
			v.connected(&c.about)
		}
		return c, nil
	}
	if ctx.Err() != nil && life.Err() == nil {
		err = s.slow(err)
	}
	return nil, s.explained(err)
}

// slow is the error of a start that took too long: that it was ended for it
// says nothing, what it said before may say all.
func (s *Source) slow(err error) error {
	if last, ok := errors.AsType[*lastWords](err); ok {
		return fmt.Errorf("%w within %v; it said: %s", errSlow, s.givenUp(), last.said)
	}
	return fmt.Errorf("%w within %v", errSlow, s.givenUp())
}

// starting bounds a start. While a person logs in the time does not count.
func (s *Source) starting(life context.Context, d time.Duration) (context.Context, func()) {
	return rpc.Patient(life, d, func() time.Duration {
		if s.loggingIn() {
			return s.cfg.StartTimeout
		}
		return 0
	})
}

// again tries the other ways: the session protocol for a server that a question
// of the stateless one has ended, the older transport for one that refuses the
// newer, and everything for one that is no longer what it was.
func (s *Source) again(
	ctx context.Context,
	session *tool.Session,
	protocol, transport string,
	err error,
) (*conn, error) {
	if s.cfg.URL != "" && transport == "http" && s.cfg.Type == "" && oldTransport(err) {
		if c, err2 := s.attempt(ctx, session, rpc.Session, "sse"); err2 == nil {
			return c, nil
		}
		return nil, err
	}
	if protocol == "" && errors.Is(err, rpc.ErrBroken) && s.cfg.Command != "" {
		return s.attempt(ctx, session, rpc.Session, transport)
	}
	if protocol == rpc.Stateless {
		return s.attempt(ctx, session, "", transport)
	}
	return nil, err
}

// attempt makes a pipe and shakes hands on it, in one way. What comes before the
// end of the handshake is read already: servers ask in the middle of it.
func (s *Source) attempt(
	ctx context.Context,
	session *tool.Session,
	protocol, transport string,
) (*conn, error) {
	p, w, err := s.pipe(ctx, transport)
	if err != nil {
		return nil, err
	}
	r := newRelay(s, session)
	c := newConn(p, w, r, transport)
	if session != nil && session.Back != nil {
		c.Go(func() { r.deliver(c.Life()) })
	}
	if err := c.shake(ctx, s.handshake(session, protocol)); err != nil {
		c.close()
		return nil, s.because(err, c.Reason())
	}
	c.subscribe()
	return c, nil
}

// because adds to the error of a handshake why the program ended, unless it
// says so already.
func (s *Source) because(err, why error) error {
	switch {
	case why == nil, s.cfg.Command == "", errors.Is(err, rpc.ErrBroken):
		return err
	case strings.Contains(err.Error(), why.Error()):
		return err
	}
	return fmt.Errorf("%w (%w)", err, why)
}

// handshake is what we bring to one.
func (s *Source) handshake(session *tool.Session, protocol string) handshake {
	return handshake{
		info:         s.info(),
		capabilities: declared(session),
		protocol:     protocol,
		probe:        s.probe,
		busy:         s.loggingIn,
	}
}

// loggingIn tells whether a person is at it.
func (s *Source) loggingIn() bool {
	s.mu.Lock()
	t := s.tokens
	s.mu.Unlock()
	return t != nil && t.logins.Load() > 0
}

func (s *Source) info() json.RawMessage {
	return rawjson.Join([]rawjson.Member{
		{Key: "name", Value: rawjson.Quote("helve")},
		{Key: "version", Value: rawjson.Quote(s.o.Version)},
	})
}

// pipe makes the pipe; the configuration's references are replaced at the last
// moment.
func (s *Source) pipe(ctx context.Context, transport string) (pipe, *wire, error) {
	if s.loops() {
		return nil, nil, errLoop
	}
	if s.cfg.Command != "" {
		env, err := expand(s.cfg.Env, s.o.Environ)
		if err != nil {
			return nil, nil, fmt.Errorf("env: %w", err)
		}
		argv, err := expandAll(append([]string{s.cfg.Command}, s.cfg.Args...), s.o.Environ)
		if err != nil {
			return nil, nil, fmt.Errorf("args: %w", err)
		}
		p, err := openStdio(s.o.Launch, Command{
			Argv: argv,
			Dir:  s.cfg.Dir,
			Env:  append(spawn.Environ(s.o.Environ, env), s.mark()),
			Set:  spawn.Environ(nil, env),
		}, &s.log)
		if err != nil {
			return nil, nil, err
		}
		return p, nil, nil
	}
	head, err := expand(s.cfg.Headers, s.o.Environ)
	if err != nil {
		return nil, nil, fmt.Errorf("headers: %w", err)
	}
	oauth, err := s.oauth()
	if err != nil {
		return nil, nil, err
	}
	w, err := openHTTP(ctx, &s.cfg, &s.o, head, oauth, transport == "sse")
	if err != nil {
		return nil, nil, err
	}
	return w, w, nil
}

// remembered is how the server was spoken with last, "" where that is not known.
func (s *Source) remembered() (protocol, transport string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	protocol, transport = "", "stdio"
	if s.cfg.URL != "" {
		transport = "http"
	}
	if a := s.about; a != nil {
		protocol, transport = rpc.Session, a.Transport
		if a.Stateless() {
			protocol = rpc.Stateless
		}
	}
	if s.cfg.Type == "sse" || transport == "sse" {
		protocol, transport = rpc.Session, "sse"
	}
	return protocol, transport
}

func (s *Source) remember(a About) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.about = &a
}
