package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

// A Source is one MCP server. Its methods are safe for concurrent use. Close
// ends its connections, those of sessions as well.
type Source struct {
	cfg    Config
	o      Options
	digest string
	pause  func(failures int) time.Duration
	probe  time.Duration // how long the stateless protocol has to answer

	life context.Context
	end  context.CancelFunc

	common *view  // the list of all who share one
	key    string // of what is remembered about the server

	pinning sync.Mutex // held while what was approved is read and written
	seen    *pins      // what a PinStore had last; nil: nothing yet

	mu     sync.Mutex
	about  *About
	shared map[string]*link
	groups map[string]*group // those that share a connection although their clients can be asked
	links  map[*link]bool    // all of them
	views  map[*tool.Session]*view
	tokens *tokens // nil until a server behind a URL is dialled
	warned map[Finding]bool
	made   madeTools

	// What State tells beside the connections.
	starts   int
	listedAt time.Time
	listTook time.Duration
	log      tail
	ups      atomic.Int64 // connections that there are, sessions' own included

	apart atomic.Bool // sessions whose clients can be asked share no connection any more
}

var (
	_ tool.Source  = (*Source)(nil)
	_ tool.Watcher = (*Source)(nil)
)

// New makes a source. It starts nothing.
func New(c Config, o Options) (*Source, error) {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	var err error
	if c.URL, err = expanded(c.URL, o.Environ); err != nil {
		return nil, fmt.Errorf("mcp server %s: url: %w", c.Name, err)
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	if o.Launch == nil {
		o.Launch = plainLauncher{}
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	s := &Source{
		cfg:    c.filled(),
		o:      o,
		digest: c.Digest(),
		pause:  pause,
		probe:  probeTime,
		shared: map[string]*link{},
		groups: map[string]*group{},
		links:  map[*link]bool{},
		views:  map[*tool.Session]*view{},
		log:    tail{most: logKept},
	}
	s.key = s.cfg.key(s.digest)
	s.common = newView(s, nil)
	if s.cfg.URL != "" {
		s.probe = min(webProbeTime, s.cfg.StartTimeout/2)
	}
	s.life, s.end = context.WithCancel(context.Background())
	return s, nil
}

// Name is the server's name.
func (s *Source) Name() string { return s.cfg.Name }

// Tools lists the server's tools as all see them whose clients can be asked
// nothing; see For. The first listing takes the remembered list, if there is
// one, and starts nothing; it is ErrAway for a server that did not answer in its
// time shortly before. Each later one asks the server. A server that is not
// ready when ctx is done goes on starting, and a Watch tells when it is.
func (s *Source) Tools(ctx context.Context) ([]tool.Tool, error) { return s.common.Tools(ctx) }

// Watch follows the server until ctx is done, and calls changed when its list is
// another one.
func (s *Source) Watch(ctx context.Context, changed func()) { s.common.Watch(ctx, changed) }

// Listed tells whether the list is known, from the server or from memory. What
// is not known needs the server to be started.
func (s *Source) Listed() bool { return s.common.listed() }

// Close ends every connection and returns when no process is left.
func (s *Source) Close() error {
	s.end()
	s.mu.Lock()
	links := s.links
	s.links, s.shared, s.groups, s.views = nil, nil, nil, nil
	s.mu.Unlock()
	var wg sync.WaitGroup
	for l := range links {
		wg.Go(func() { l.Close() })
	}
	wg.Wait()
	return nil
}

func (s *Source) newLink(session *tool.Session) (*link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.links == nil {
		return nil, fmt.Errorf("%s: %w", s.cfg.Name, errClosed)
	}
	return s.makeLink(session), nil
}

// makeLink notes a link before it is used, so that Close finds it. s.mu is held.
func (s *Source) makeLink(session *tool.Session) *link {
	l := &link{src: s, session: session}
	l.life, l.end = context.WithCancel(s.life)
	s.links[l] = true
	s.o.Processes.add(l)
	return l
}

// drop closes a link and forgets it.
func (s *Source) drop(l *link) {
	s.mu.Lock()
	delete(s.links, l)
	s.mu.Unlock()
	s.o.Processes.remove(l)
	l.Close()
}

// with runs f on the session's connection. Nothing that the server asks meanwhile is about it.
func (s *Source) with(ctx context.Context, session *tool.Session, f func(*conn) error) error {
	l, done, err := s.link(session)
	if err != nil {
		return err
	}
	defer done()
	return s.over(ctx, l, f)
}

// calling is with for what a server may ask about.
func (s *Source) calling(ctx context.Context, session *tool.Session, f func(*conn) error) error {
	for {
		l, done, err := s.link(session)
		if err != nil {
			return err
		}
		over, ok := l.group.begin(session)
		if !ok { // the server was split meanwhile
			done()
			continue
		}
		defer done()
		defer over()
		return s.over(ctx, l, f)
	}
}

// over runs f on a connection of a link, and on the next one where nothing that f sent went out: the server had just
// ended. What f sends after something went out must not be rpc.ErrUnsent.
func (s *Source) over(ctx context.Context, l *link, f func(*conn) error) error {
	patience, stop := context.WithTimeout(ctx, restTime)
	defer stop()
	for {
		c, release, err := l.use(ctx)
		if err != nil {
			return rpc.Unsent(fmt.Errorf("mcp server %s: %w", s.cfg.Name, err))
		}
		err = f(c)
		release()
		if !errors.Is(err, rpc.ErrUnsent) || !l.again(patience, c, err) {
			return err
		}
	}
}

// About is what the server says of itself; it is started if nothing is known yet.
func (s *Source) About(ctx context.Context) (About, error) {
	s.mu.Lock()
	a := s.about
	s.mu.Unlock()
	if a != nil {
		return *a, nil
	}
	err := s.with(ctx, nil, func(c *conn) error { a = &c.about; return nil })
	if err != nil {
		return About{}, err
	}
	return *a, nil
}

// Instructions are what the server says to models about its tools, as far as that is known: from this process, or with
// the list that is remembered. Nothing is started.
func (s *Source) Instructions() string {
	s.mu.Lock()
	a := s.about
	s.mu.Unlock()
	if a != nil {
		return a.Instructions
	}
	if l := s.common.recall(); l != nil {
		return l.About.Instructions
	}
	return ""
}

// Up tells whether there is a shared connection, and why the last one ended.
func (s *Source) Up() (bool, error) {
	s.mu.Lock()
	links := slices.Collect(maps.Values(s.shared))
	s.mu.Unlock()
	var last error
	for _, l := range links {
		up, err := l.state()
		if up {
			return true, nil
		}
		last = cmp.Or(last, err)
	}
	return false, last
}

// Request sends any request to the server and returns its result as it came, but
// for questions in it, which say who asks:
// resources/read, prompts/get, completion/complete. The call's deadline holds.
// An error of the server is an *RPCError. resources/subscribe and
// resources/unsubscribe are understood whatever the server's protocol has in
// their place, and hold when a connection is made anew.
func (s *Source) Request(
	ctx context.Context,
	session *tool.Session,
	method string,
	params json.RawMessage,
) (json.RawMessage, error) {
	if s.o.Telemetry != nil {
		return s.traced(ctx, s.o.Telemetry, session, method, params)
	}
	return s.request(ctx, session, method, params)
}

func (s *Source) request(
	ctx context.Context,
	session *tool.Session,
	method string,
	params json.RawMessage,
) (res json.RawMessage, err error) {
	if method == "resources/subscribe" || method == "resources/unsubscribe" {
		return json.RawMessage("{}"), s.follow(ctx, session, params, method == "resources/subscribe")
	}
	with := s.calling
	if method == rpc.MethodSetLevel {
		with = s.with
	}
	err = with(ctx, session, func(c *conn) error {
		if method == rpc.MethodSetLevel {
			c.level.note(params)
		} else {
			c.tellLevel(ctx, session)
		}
		res, err = c.patiently(ctx, s.cfg.Timeout, session, method, params)
		return err
	})
	if err == nil {
		err = s.viewOf(session).skills.met(method, params, res)
	}
	if err != nil {
		return nil, err
	}
	if asks := rawjson.Get(res, "inputRequests"); asks != nil {
		res = rawjson.Set(res, "inputRequests", s.asksBack(session, asks))
	}
	return res, err
}

// follow has the server tell a session of changes of a resource, or no longer.
func (s *Source) follow(ctx context.Context, session *tool.Session, params json.RawMessage, on bool) error {
	uri, ok := rawjson.String(rawjson.Get(params, "uri"))
	if !ok || uri == "" {
		return rpc.Errorf(rpc.CodeInvalidParams, "uri: want a string")
	}
	l, done, err := s.link(session)
	if err != nil {
		return err
	}
	defer done()
	ctx, stop := context.WithTimeout(ctx, s.cfg.Timeout)
	defer stop()
	c, release, err := l.use(ctx)
	if err != nil {
		return fmt.Errorf("mcp server %s: %w", s.cfg.Name, err)
	}
	defer release()
	if !on && l.unfollows(session, uri) { // others want to hear of it still
		return nil
	}
	if err := c.follow(ctx, uri, on); err != nil {
		return err
	}
	if on {
		return s.noteFollowed(l, session, uri)
	}
	return nil
}

func (s *Source) warn(msg string, args ...any) {
	if s.o.Log != nil {
		s.o.Log.Warn(msg, append([]any{"server", s.cfg.Name}, args...)...)
	}
}

// Remote tells whether the server stands behind a URL, and is not started here.
func (s *Source) Remote() bool { return s.cfg.URL != "" }
