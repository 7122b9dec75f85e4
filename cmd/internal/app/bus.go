package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"helve/internal/config"
	"helve/internal/state"
	"helve/internal/workspace"
	"helve/server"
	"helve/tool"
)

const (
	// busAddress is where the bus of this machine listens, unless the configuration names another place.
	busAddress = "127.0.0.1:4222"
	// defaultPool does the work of all tools where the configuration names no pools.
	defaultPool = "default"
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
	Instance  string    `json:"instance"`
	Pool      string    `json:"pool"`
	Workspace string    `json:"workspace"`
	Host      string    `json:"host"`
	Version   string    `json:"version"`
	Slots     int       `json:"slots"`
	Running   int       `json:"running"`
	Sessions  int       `json:"sessions"`
	Set       string    `json:"set"`     // digest of its tools' definitions: those with the same have the same tools
	Differs   []string  `json:"differs"` // tools of which most of its pool have another definition: it is not used for those
	Draining  bool      `json:"draining"`
	Exclusive bool      `json:"exclusive"` // it has claimed the workspace
	Started   time.Time `json:"started"`
}

// busOptions are those of the user's configuration.
func busOptions(s streams, set *config.Bus) (BusOptions, error) {
	o := BusOptions{Embed: busAddress, Say: s.say, Log: s.logger()}
	if set != nil {
		if set.URL != "" && set.Embed != "" {
			return o, usage("bus: url and embed: want one of them, a server elsewhere or one in this process")
		}
		o.URL, o.Key, o.CA = set.URL, s.homePath(set.Key), s.homePath(set.CA)
		o.TicketKey, o.GatewayKeys, o.Policy = s.homePath(set.TicketKey), set.GatewayKeys, set.Policy
		if o.GatewayKeys != nil && len(o.GatewayKeys) == 0 {
			return o, usage("bus.gateway_keys: it names no key; leave it out where calls are not signed")
		}
		if set.Embed != "" {
			o.Embed = set.Embed
		}
	}
	if o.URL != "" {
		return o, nil
	}
	token, err := busToken(s.places().StateDir)
	if err != nil {
		return o, usage("the token of the bus: %v", err)
	}
	o.Token = token
	return o, nil
}

// homePath is a path of the user's configuration, where ~ is the home.
func (s streams) homePath(p string) string {
	if rest, ok := cutHome(p); ok {
		return filepath.Join(s.getenv("HOME"), rest)
	}
	return p
}

func cutHome(p string) (rest string, ok bool) {
	if len(p) > 1 && p[0] == '~' && (p[1] == '/' || p[1] == filepath.Separator) {
		return p[2:], true
	}
	return p, false
}

// busToken is what programs of this person show to the bus of this machine. It is made once, in a file that nobody else
// can read: whoever reaches the bus can run commands.
func busToken(dir string) (string, error) {
	unlock, err := state.Lock(dir, "bus-token")
	if err != nil {
		return "", err
	}
	defer unlock()
	file := filepath.Join(dir, "bus-token")
	b, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		made := rand.Text()
		return made, state.Replace(file, []byte(made), 0o600)
	case err != nil:
		return "", err
	case len(b) < minToken:
		return "", fmt.Errorf("%s: %d bytes, want %d at least: remove it, and a new one is made", file, len(b), minToken)
	}
	return string(b), nil
}

// A busServed is the bus of helve serve: it relocates the tools of the workspace when that is opened.
type busServed struct {
	gateway BusGateway
	name    string // of the workspace on the bus; "": that of its folder
	pools   map[string]config.Pool
	policy  bool // the gateway has that of the bus

	own []tool.Source // pools whose workers' own tools are offered
}

// joinBus joins the bus that the user's configuration names.
func joinBus(ctx context.Context, s streams, so serveOptions) (*busServed, error) {
	dir, err := so.folder(s)
	if err != nil {
		return nil, err
	}
	read, err := so.load(s.silent(), dir)
	if err != nil {
		return nil, err
	}
	o, err := busOptions(s, read.Bus)
	if err != nil {
		return nil, err
	}
	if so.shared == onBus {
		o.Keep = filepath.Join(s.places().StateDir, "bus")
	}
	b := &busServed{name: so.workspace}
	if read.Bus != nil {
		b.pools, b.policy = read.Bus.Pools, read.Bus.Policy
	}
	if err := poolsAgree(b.pools); err != nil {
		return nil, err
	}
	b.gateway, err = s.Bus.Join(ctx, o)
	if err != nil {
		return nil, usage("%v", err)
	}
	return b, nil
}

// poolsAgree tells whether no tool is given to two pools.
func poolsAgree(pools map[string]config.Pool) error {
	by := map[string]string{}
	for _, pool := range slices.Sorted(maps.Keys(pools)) {
		for _, name := range pools[pool].Tools {
			if other, taken := by[name]; taken {
				return usage("bus.pools.%s: %s is done by pool %s already", pool, name, other)
			}
			by[name] = pool
		}
	}
	return nil
}

// relocate is workspace.Options.Relocate.
func (b *busServed) relocate(dir string, tools []tool.Tool) ([]tool.Tool, error) {
	workspace := cmp.Or(b.name, filepath.Base(dir))
	if len(b.pools) == 0 {
		pool, err := b.gateway.Pool(BusPoolOptions{Name: defaultPool, Workspace: workspace, Dir: dir})
		if err != nil {
			return nil, err
		}
		return pool.Relocate(tools...), nil
	}
	known := map[string]int{}
	for i, t := range tools {
		known[t.Spec().Name] = i
	}
	out := slices.Clone(tools)
	for _, name := range slices.Sorted(maps.Keys(b.pools)) {
		set := b.pools[name]
		var at []int
		var mine []tool.Tool
		for _, t := range set.Tools {
			i, ok := known[t]
			if !ok {
				return nil, fmt.Errorf("bus.pools.%s: there is no built-in tool %q", name, t)
			}
			at, mine = append(at, i), append(mine, tools[i])
		}
		pool, err := b.gateway.Pool(BusPoolOptions{
			Name:      name,
			Workspace: workspace,
			Dir:       dir,
			OwnTools:  set.OwnTools,
			Trust:     set.Trust,
		})
		if err != nil {
			return nil, err
		}
		if set.OwnTools {
			b.own = append(b.own, pool)
		}
		for n, moved := range pool.Relocate(mine...) {
			out[at[n]] = moved
		}
	}
	return out, nil
}

// sources is workspace.Options.Sources: what relocate joined.
func (b *busServed) sources(string) ([]tool.Source, error) { return b.own, nil }

// Close leaves the bus; nil is none.
func (b *busServed) Close() error {
	if b == nil {
		return nil
	}
	return b.gateway.Close()
}
