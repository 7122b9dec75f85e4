package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/internal/spawn"
	"helve/tool"
	"helve/tool/telemetry"
)

// A dialer makes connections to a server.
type dialer struct {
	*server
	login *credentials
	heard listener // of what connections say
	pause func(failures int) time.Duration
	probe time.Duration // how long the stateless protocol has to answer

	made atomic.Int64 // connections so far
	ups  atomic.Int64 // that there are
}

func newDialer(s *server, login *credentials, heard listener) *dialer {
	d := &dialer{server: s, login: login, heard: heard, pause: pause, probe: probeTime}
	if s.remote() {
		d.probe = min(webProbeTime, s.cfg.StartTimeout/2)
	}
	return d
}

// open starts or dials the server and shakes hands, until it is given up.
func (d *dialer) open(life context.Context, session *tool.Session) (*conn, error) {
	ctx, stop := d.starting(life, d.givenUp())
	defer stop()
	protocol, transport := d.remembered()
	c, err := d.attempt(ctx, session, protocol, transport)
	if err != nil && ctx.Err() == nil {
		c, err = d.again(ctx, session, protocol, transport, err)
	}
	if err == nil {
		d.known.note(c.about)
		for _, s := range c.relay.sessions() {
			d.heard.connected(s, &c.about)
		}
		return c, nil
	}
	if ctx.Err() != nil && life.Err() == nil {
		err = d.slow(err)
	}
	return nil, d.explained(err)
}

// slow is the error of a start that took too long: that it was ended for it
// says nothing, what it said before may say all.
func (s *server) slow(err error) error {
	if last, ok := errors.AsType[*lastWords](err); ok {
		return fmt.Errorf("%w within %v; it said: %s", errSlow, s.givenUp(), last.said)
	}
	return fmt.Errorf("%w within %v", errSlow, s.givenUp())
}

// starting bounds a start. While a person logs in the time does not count.
func (d *dialer) starting(life context.Context, most time.Duration) (context.Context, func()) {
	return rpc.Patient(life, most, func() time.Duration {
		if d.login.loggingIn() {
			return d.cfg.StartTimeout
		}
		return 0
	})
}

// again tries the other ways: the session protocol for a server that a question
// of the stateless one has ended, the older transport for one that refuses the
// newer, and everything for one that is no longer what it was.
func (d *dialer) again(
	ctx context.Context,
	session *tool.Session,
	protocol, transport string,
	err error,
) (*conn, error) {
	if d.cfg.URL != "" && transport == "http" && d.cfg.Type == "" && oldTransport(err) {
		if c, err2 := d.attempt(ctx, session, rpc.Session, "sse"); err2 == nil {
			return c, nil
		}
		return nil, err
	}
	if protocol == "" && errors.Is(err, rpc.ErrBroken) && d.cfg.Command != "" {
		return d.attempt(ctx, session, rpc.Session, transport)
	}
	if protocol == rpc.Stateless {
		return d.attempt(ctx, session, "", transport)
	}
	return nil, err
}

// attempt makes a pipe and shakes hands on it, in one way. What comes before the
// end of the handshake is read already: servers ask in the middle of it.
func (d *dialer) attempt(
	ctx context.Context,
	session *tool.Session,
	protocol, transport string,
) (*conn, error) {
	p, w, err := d.pipe(ctx, transport)
	if err != nil {
		return nil, err
	}
	r := newRelay(d.server, d.heard, session)
	c := newConn(p, w, r, transport)
	if session != nil && session.Back != nil {
		c.Go(func() { r.deliver(c.Life()) })
	}
	if err := c.shake(ctx, d.handshake(session, protocol)); err != nil {
		c.close()
		return nil, d.because(err, c.Reason())
	}
	c.subscribe()
	return c, nil
}

// because adds to the error of a handshake why the program ended, unless it
// says so already.
func (s *server) because(err, why error) error {
	switch {
	case why == nil, s.cfg.Command == "", errors.Is(err, rpc.ErrBroken):
		return err
	case strings.Contains(err.Error(), why.Error()):
		return err
	}
	return fmt.Errorf("%w (%w)", err, why)
}

// handshake is what we bring to one.
func (d *dialer) handshake(session *tool.Session, protocol string) handshake {
	return handshake{
		info:         d.info(),
		capabilities: declared(session),
		protocol:     protocol,
		probe:        d.probe,
		busy:         d.login.loggingIn,
	}
}

func (s *server) info() json.RawMessage {
	return rawjson.Join([]rawjson.Member{
		{Key: "name", Value: rawjson.Quote("helve")},
		{Key: "version", Value: rawjson.Quote(s.o.Version)},
	})
}

// pipe makes the pipe; the configuration's references are replaced at the last
// moment.
func (d *dialer) pipe(ctx context.Context, transport string) (pipe, *wire, error) {
	if d.loops() {
		return nil, nil, errLoop
	}
	if d.cfg.Command != "" {
		env, err := expand(d.cfg.Env, d.o.Environ)
		if err != nil {
			return nil, nil, fmt.Errorf("env: %w", err)
		}
		argv, err := expandAll(append([]string{d.cfg.Command}, d.cfg.Args...), d.o.Environ)
		if err != nil {
			return nil, nil, fmt.Errorf("args: %w", err)
		}
		p, err := openStdio(d.o.Launch, Command{
			Argv: argv,
			Dir:  d.cfg.Dir,
			Env:  append(spawn.Environ(d.o.Environ, env), d.mark()),
			Set:  spawn.Environ(nil, env),
		}, &d.log)
		if err != nil {
			return nil, nil, err
		}
		return p, nil, nil
	}
	head, err := expand(d.cfg.Headers, d.o.Environ)
	if err != nil {
		return nil, nil, fmt.Errorf("headers: %w", err)
	}
	oauth, err := d.login.authorizer()
	if err != nil {
		return nil, nil, err
	}
	w, err := openHTTP(ctx, &d.cfg, &d.o, head, oauth, transport == "sse")
	if err != nil {
		return nil, nil, err
	}
	return w, w, nil
}

// remembered is how the server was spoken with last, "" where that is not known.
func (d *dialer) remembered() (protocol, transport string) {
	protocol, transport = "", "stdio"
	if d.cfg.URL != "" {
		transport = "http"
	}
	if a := d.known.last(); a != nil {
		protocol, transport = rpc.Session, a.Transport
		if a.Stateless() {
			protocol = rpc.Stateless
		}
	}
	if d.cfg.Type == "sse" || transport == "sse" {
		protocol, transport = rpc.Session, "sse"
	}
	return protocol, transport
}

// goingOn closes late when the start time-out is over, if the start may go on then. The returned function must be
// called when it is over.
func (d *dialer) goingOn(life context.Context, late chan<- struct{}) func() {
	if d.givenUp() <= d.cfg.StartTimeout {
		return func() {}
	}
	ctx, stop := d.starting(life, d.cfg.StartTimeout)
	forget := context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), rpc.ErrLate) {
			close(late)
		}
	})
	return func() {
		forget()
		stop()
	}
}

// comesBack tells whether a server whose start failed so may be there a moment later: it has been there, and what keeps
// it away may be over.
func (d *dialer) comesBack(err error) bool {
	known := d.known.last() != nil
	if !known || d.cfg.Command != "" {
		return known
	}
	_, soon := errors.AsType[*passing](err)
	_, broke := errors.AsType[*mayHaveRun](err)
	return soon || broke
}

// counted counts a connection that was made, or with -1 one that has ended, and tells whether there is any.
func (d *dialer) counted(by int64) {
	left := d.ups.Add(by)
	if d.o.Telemetry != nil {
		telemetry.Up(context.Background(), d.o.Telemetry, d.cfg.Name, left > 0)
	}
}

// oldTransport tells whether a failed start may be one of a server that has
// only the SSE transport.
func oldTransport(err error) bool {
	if errors.Is(err, errContentType) {
		return true
	}
	var st *statusError
	if !errors.As(err, &st) || st.code == 401 || st.code == 403 {
		return false
	}
	return st.code >= 400 && st.code < 500
}
