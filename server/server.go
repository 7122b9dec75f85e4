package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"helve/engine/stub"
	"helve/internal/rpc"
	"helve/tool"
	"helve/tool/telemetry"
)

// A Client is who speaks to the server, as far as is known when its kit is
// first wanted.
type Client struct {
	ID            string // of the conversation, unguessable and unique
	Principal     string // whose it is: "local" on stdio, what the token says over HTTP
	Profile       string // from the path /mcp/p/NAME; "" is the default
	Stdio         bool   // it speaks on stdin and stdout: whoever started one of the two started both
	Name, Version string // as the client says; not to be believed
	Protocol      string // the version that is spoken, 2025-11-25 or another

	// Shared says that nothing tells this client from another of the same
	// principal, name and host, which is in the same conversation then: for
	// Session.Shared.
	Shared bool

	// Lasting says that the conversation goes on at other replicas, under the same
	// ID: what it needs has to be kept where they find it.
	Lasting bool

	// Capabilities are what the client says it can be asked for, in the
	// protocol's own form: for Session.Capabilities.
	Capabilities json.RawMessage

	// Back sends a request to the client, or with a method that starts with
	// notifications/ a notification: for Session.Back.
	Back func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
}

// Open makes the kit and the session of one client. The server closes the
// session when the client is gone. Open may ask the client through Back, for
// its roots for example. It is called once for each conversation, concurrently
// for different ones; after an error, which the client reads, it is called
// again with the next request.
type Open func(context.Context, Client) (*tool.Kit, *tool.Session, error)

// An Error is an error of the protocol: Code, Message and Data. An Upstream
// returns one to answer its client with it. What a tool failed at is a result,
// not an Error.
type Error = rpc.Error

// An Upstream is a server behind this one. Its tools come through the kit; its
// resources, prompts and completions through here. What it sends is passed on
// as it came. An error with a method
// RPC() (code int, message string, data json.RawMessage) keeps its code.
// Methods are safe for concurrent use.
type Upstream interface {
	Name() string
	// List reads all pages of a list: member is the key under which the items
	// are.
	List(ctx context.Context, s *tool.Session, method, member string) ([]json.RawMessage, error)
	Request(
		ctx context.Context,
		s *tool.Session,
		method string,
		params json.RawMessage,
	) (json.RawMessage, error)
}

// Files are the documents that a session may read as resources, by their paths
// in the workspace. Whether it may is the kit's to say: it is asked by a call
// of its tool "read". Methods are safe for concurrent use.
type Files interface {
	// Read is the whole of a file, of max bytes at most; target is what the
	// policy judged, with links resolved.
	Read(ctx context.Context, s *tool.Session, target string, max int64) ([]byte, error)
	// Complete lists at most n paths that start with prefix and that the
	// session's policy does not deny, in order.
	Complete(ctx context.Context, s *tool.Session, prefix string, n int) ([]string, error)
}

// Exposure is how a kit's tools are listed.
type Exposure uint8

const (
	ExposeAuto     Exposure = iota // deferred above DeferTools tools or DeferBytes of definitions
	ExposeAll                      // every tool is listed
	ExposeDeferred                 // the built-in tools and search_tools, describe_tool, call_tool
	ExposeCode                     // six built-in tools, search_tools and run_script; without run_script as ExposeDeferred
)

const (
	// DeferTools is above how many tools ExposeAuto defers: models choose worse
	// from longer lists.
	DeferTools = 40
	// DeferBytes is above how many bytes of definitions ExposeAuto defers:
	// about 8,000 tokens of JSON.
	DeferBytes = 32_000
)

// ParseExposure reads auto, all, deferred or code.
func ParseExposure(s string) (Exposure, error) {
	for i, n := range []string{"auto", "all", "deferred", "code"} {
		if s == n {
			return Exposure(i), nil
		}
	}
	return ExposeAuto, fmt.Errorf("exposure %q: want auto, all, deferred or code", s)
}

// Options say what the server is. The zero value works.
type Options struct {
	Name, Title, Version string // of the program; "" means helve
	// Instructions are for the model: how to use these tools. Keep them short,
	// they cost tokens in every conversation.
	Instructions string

	// Instructed are what the servers behind this one say about their tools, as far as that is known when a client
	// comes: the handshake has no second one. It starts nothing and waits for nothing. nil: nothing.
	Instructed func() []Instructions
	Expose     Exposure
	Static     bool // tell no client of changes, and list for ever what was listed first
	Upstreams  func() []Upstream

	// Functions are the tools of a view as scripts call them: search_tools answers with them where the view has
	// run_script. nil: no script is known.
	Functions func(*tool.View) []stub.Function
	Loading   Loading      // nil: every source is there from the start
	Files     Files        // nil: no files as resources
	History   History      // nil: no history as resources
	Log       *slog.Logger // nil: silent

	// Telemetry is told of each request and of each conversation. nil: nobody is, and it costs nothing.
	Telemetry telemetry.Provider

	// StateKey seals what a client brings back in a second round. Replicas that
	// share it understand each other's; nil makes one.
	StateKey []byte

	// Replicas says that others with this StateKey serve the same clients: a
	// conversation without a protocol session has the same ID at each.
	Replicas bool

	// Forward takes a request to the replica where its call waits. nil: it is over
	// at any other than that.
	Forward Forwarder

	// Idle is how long a conversation without a protocol session is remembered;
	// 0 means DefaultIdle.
	Idle time.Duration

	// Gone is after how long without a stream a client over HTTP that had one, and
	// says nothing else, is taken to be gone: an Upstream that is a Presence hears
	// of it. 0 means a minute.
	Gone time.Duration

	// Now is the clock by which what a client brings back has expired; nil means
	// time.Now.
	Now func() time.Time
}

// DefaultIdle is how long a conversation that has gone quiet keeps what was
// read, its processes and its connections.
const DefaultIdle = 30 * time.Minute

// A Server offers the kits that open makes. Its methods are safe for concurrent
// use. Close it at the end.
type Server struct {
	open Open
	o    Options
	seal *sealer
	bufs spares
	// behind says that there may be servers behind this one, now or later: what
	// only they have is declared then.
	behind bool

	mu          sync.Mutex
	connections map[*connection]bool
	shared      map[conversationKey]*conversation // of clients without protocol sessions
	tasks       map[string]*task                  // by id
	closed      bool
	wg          sync.WaitGroup // connections, and conversations that are ending
}

// New makes a server. It starts nothing.
func New(open Open, o Options) *Server {
	if o.Name == "" {
		o.Name = "helve"
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Idle <= 0 {
		o.Idle = DefaultIdle
	}
	if o.Gone <= 0 {
		o.Gone = goneTime
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	behind := o.Upstreams != nil
	if !behind {
		o.Upstreams = func() []Upstream { return nil }
	}
	if o.StateKey == nil {
		o.StateKey = make([]byte, 32)
		rand.Read(o.StateKey) // never fails
	}
	return &Server{
		open:        open,
		o:           o,
		seal:        newSealer(o.StateKey),
		behind:      behind,
		connections: map[*connection]bool{},
		shared:      map[conversationKey]*conversation{},
		tasks:       map[string]*task{},
	}
}

// Close ends every conversation, side by side, and returns when nothing is left of them.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	var connections []*connection
	for c := range s.connections {
		connections = append(connections, c)
	}
	var conversations []*conversation
	for _, c := range s.shared {
		conversations = append(conversations, c)
	}
	clear(s.shared)
	for _, t := range s.tasks {
		t.expires.Stop()
	}
	clear(s.tasks)
	s.mu.Unlock()
	var closing sync.WaitGroup // side by side: one that takes its time keeps no other
	for _, c := range connections {
		closing.Go(c.close)
	}
	for _, c := range conversations {
		closing.Go(c.close)
	}
	closing.Wait()
	s.wg.Wait()
	return nil
}

// info is how the server names itself.
func (s *Server) info() json.RawMessage {
	b, _ := json.Marshal(struct { // strings only
		Name    string `json:"name"`
		Title   string `json:"title,omitempty"`
		Version string `json:"version"`
	}{s.o.Name, s.o.Title, s.o.Version})
	return b
}

// ttl is for how many milliseconds a client may keep a list: a changed one is
// announced, but a client that does not listen should ask again soon.
func (s *Server) ttl() string {
	if s.o.Static {
		return "3600000"
	}
	return "30000"
}
