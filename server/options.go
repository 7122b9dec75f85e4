package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"helve/engine/stub"
	"helve/internal/rpc"
	"helve/tool"
	"helve/tool/telemetry"
	"log/slog"
	"time"
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

// Loading tells of sources of tools whose lists nobody knows yet. Its methods are
// safe for concurrent use.
type Loading interface {
	// Missing are the names of the sources that a session knows no list of, sorted,
	// as far as a tool of this name may come from them; "" means all. Those that
	// are starting are waited for, the absent did not come.
	Missing(s *tool.Session, name string) (starting, absent []string)
	// Await returns when those that may bring a tool of this name have come or
	// failed, or ctx is done. "" means all of them. An absent one that the name
	// says it is of may be asked again.
	Await(ctx context.Context, s *tool.Session, name string)
	// AwaitFirst returns when all that are starting have come or failed, or have
	// been starting for so long, or ctx is done.
	AwaitFirst(ctx context.Context, s *tool.Session, most time.Duration)
}

// A History tells what the calls of a session changed in files, so that its client can show it. Methods are safe for
// concurrent use.
type History interface {
	// Offers tells what the session may read now: the list of its calls, and what one of them changed. What it may not
	// is not listed, and is no resource.
	Offers(s *tool.Session) (calls, changes bool)
	// Read is the list for call "", as JSON in the result's data; else what that call changed, as a diff in its text.
	// At most max bytes are read: what is longer is an error. So is a call that is not there (tool.Validation), and
	// what may not be read (tool.Permission): both are in the result. The error is ctx's.
	Read(ctx context.Context, s *tool.Session, call string, max int) (*tool.Result, error)
}

// A Forwarder takes requests to the replica where their call waits, or their task is. Its methods are safe for
// concurrent use.
type Forwarder interface {
	// Name is this replica's, one word, which no other has.
	Name() string
	// Forward has a replica serve a request, as its Server.Forwarded does, and is the answer. hear is told of what
	// comes before it. The error is ErrNoReplica where there is no such replica.
	Forward(ctx context.Context, replica string, request []byte, hear func([]byte)) (answer []byte, err error)
}

// ErrNoReplica says that a replica is not there.
var ErrNoReplica = errors.New("there is no such replica")

// A FileWatcher is Files whose changes can be seen.
type FileWatcher interface {
	// State is a text that is another one when the file at a path in the workspace
	// is: when it was written, made or removed. "." is the whole tree, without what
	// its ignore files name. An error says that the session may not know.
	State(ctx context.Context, s *tool.Session, path string) (string, error)
}

// goneTime is after how long without a stream a client that had one, and says
// nothing else, is taken to be gone: one whose network changed is back within
// seconds. A client that never had a stream is not known to be gone.
const goneTime = time.Minute

// A Presence is an Upstream that wants to know when the client of a session is
// gone, for now, and when it is back. Neither waits for long.
type Presence interface {
	Left(s *tool.Session)
	Returned(s *tool.Session)
}
