package command

import (
	"context"
	"log/slog"
	"time"

	"helve/internal/workspace"
	"helve/server"
	"helve/tool"
)

// A Bus joins gateways and workers.
type Bus interface {
	// Join connects a gateway.
	Join(ctx context.Context, o BusOptions) (BusGateway, error)
	// Work is a worker until ctx is done or somebody asks it to end.
	Work(ctx context.Context, o BusOptions, w BusWorker) error
	// Nodes are the workers that answer.
	Nodes(ctx context.Context, o BusOptions) ([]BusNode, error)
	// Policy is the policy of the bus; with a text it is put in its place.
	Policy(ctx context.Context, o BusOptions, put []byte) ([]byte, error)
	// Shared is what replicas keep on the bus, until use returns.
	Shared(ctx context.Context, o BusOptions, use func(workspace.Shared)) error
	// Drain asks a worker to end when its calls have.
	Drain(ctx context.Context, o BusOptions, instance string) error
	// TicketKey is the public part of the key in a file, which is made where there is none.
	TicketKey(file string) (public string, err error)
}

// A BusGateway has workers do the work of tools. Close it after the workspace.
type BusGateway interface {
	// Pool joins the workers of a pool.
	Pool(o BusPoolOptions) (BusPool, error)
	// Shared keeps on the bus what replicas have in common.
	Shared(ctx context.Context) (workspace.Shared, error)
	// Policy follows the policy of the bus: text is the one that stands, and changed is called when another does. The
	// error says that there is none.
	Policy(ctx context.Context, changed func()) (text func() ([]byte, error), err error)
	// Replica makes the gateway one of several that reach each other.
	Replica() BusReplica
	Close() error
}

// A BusPool is the workers behind one name: a source of the tools that only they have.
type BusPool interface {
	tool.Source
	// Relocate has them do the work of tools of ours.
	Relocate(tools ...tool.Tool) []tool.Tool
}

// BusPoolOptions say which workers are meant, for which workspace, and how far they are believed.
type BusPoolOptions struct {
	Name      string
	Workspace string // its name on the bus
	Dir       string // its folder here
	OwnTools  bool   // the tools that only they have are offered, too
	Trust     bool   // and what they say of those counts
}

// A BusReplica takes requests to the others, and serves theirs from when Serve was called.
type BusReplica interface {
	server.Forwarder
	Serve(func(ctx context.Context, request []byte, hear func([]byte)) (answer []byte)) error
}

// BusOptions say where the bus is, and who may use it.
type BusOptions struct {
	URL   string // of a server that runs elsewhere; "": the one of this machine
	Embed string // where this machine's listens, HOST:PORT
	Token string // of this machine's
	Key   string // file of an nkey seed; "": none
	CA    string // file of the authorities that the server's certificate is checked by; "": the system's
	Keep  string // the folder in which the server of this machine keeps what replicas share; "": it keeps nothing
	Say   func(format string, args ...any)
	Log   *slog.Logger // warnings

	TicketKey   string   // file of the seed with which a gateway signs; "": it does not
	Policy      bool     // the policy of the bus counts
	GatewayKeys []string // public keys of the gateways that a worker works for; nil: it takes what is not signed
}

// A BusWorker is what a worker offers.
type BusWorker struct {
	Pool, Workspace string
	Slots           int
	Exclusive       bool          // no other worker may offer the workspace meanwhile
	Drain           time.Duration // what calls have when the worker ends
	Log             *slog.Logger

	// Open opens the workspace with what a worker puts around its calls, and with the policy of the bus if it follows
	// that.
	Open func(ask tool.Asker, wrap func(tool.Runner) tool.Runner, pushed func() ([]byte, error)) (*workspace.Assembly, error)
}

// A BusNode is a worker as nodes shows it.
type BusNode struct {
	Instance  string `json:"instance"`
	Pool      string `json:"pool"`
	Workspace string `json:"workspace"`
	Host      string `json:"host"`
	Version   string `json:"version"`
	Slots     int    `json:"slots"`
	Running   int    `json:"running"`
	Sessions  int    `json:"sessions"`
	Set       string `json:"set"` // digest of its tools' definitions: those with the same have the same tools
	// tools of which most of its pool have another definition: it is not used for those
	Differs   []string  `json:"differs"`
	Draining  bool      `json:"draining"`
	Exclusive bool      `json:"exclusive"` // it has claimed the workspace
	Started   time.Time `json:"started"`
}
