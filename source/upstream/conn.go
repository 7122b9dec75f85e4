package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	rawjson "helve/internal/json"
)

const (
	// modern is the protocol without handshake and sessions.
	modern = "2026-07-28"
	// legacy is the newest that begins with initialize.
	legacy = "2025-11-25"

	// probeTime is how long a server may take to answer a question of the newer era before the older handshake is sent as well: some
	// servers ignore what they do not know, for ever.
	probeTime = 800 * time.Millisecond
	// webProbeTime is the same for a server behind a URL, which answers what it does not know with an error, if slowly.
	webProbeTime = 4 * time.Second
)

// legacies are the versions of the older era that are spoken here.
var legacies = []string{legacy, "2025-06-18", "2025-03-26", "2024-11-05"}

// About is what a server says of itself.
type About struct {
	Protocol     string          `json:"protocol"` // the version that is spoken with it
	Name         string          `json:"name,omitempty"`
	Version      string          `json:"version,omitempty"`
	Instructions string          `json:"instructions,omitempty"`
	Capabilities json.RawMessage `json:"capabilities,omitempty"`
	Transport    string          `json:"transport,omitempty"` // stdio, http or sse
}

// Modern tells whether the server speaks the protocol without sessions.
func (a *About) Modern() bool { return a.Protocol >= modern }

// can tells whether the server declared a capability: tools.listChanged.
func (a *About) can(path ...string) bool {
	v := a.Capabilities
	for _, p := range path {
		if v = rawjson.Get(v, p); v == nil {
			return false
		}
	}
	return string(v) != "false" && string(v) != "null"
}

// A conn is a connection whose protocol is agreed on.
type conn struct {
	told func() // waits for what the server said before its answer
	*peer
	about About
	meta  json.RawMessage // members of every request's _meta, in the newer era
	proto *wire           // nil: stdio

	lists *subscription // to changed lists; nil: there is none
	acked chan struct{} // gets a token with each subscription that the server has acknowledged

	following sync.Mutex
	resources *subscription                   // to changed resources, in the newer era; nil: there is none
	followed  map[string]bool                 // their addresses
	heard     atomic.Pointer[map[string]bool] // followed, for the reading side; nil: whatever comes
}

// A hello is what the two sides of a handshake bring.
type hello struct {
	info         json.RawMessage // our name and version
	capabilities json.RawMessage // those of the client behind us
	era          string          // modern or legacy if that is known from before; "" to find out
	probe        time.Duration   // how long the newer era has to answer before the older is tried as well
	busy         func() bool     // a person logs in: it takes longer
}

// shake agrees on a protocol. Whichever era's answer comes first counts; a server that knows only one answers only one, or nothing at
// all, which the deadline of ctx ends.
func (c *conn) shake(ctx context.Context, h hello) error {
	c.meta = rawjson.Join([]rawjson.Member{
		{Key: "io.modelcontextprotocol/protocolVersion", Value: rawjson.Quote(modern)},
		{Key: "io.modelcontextprotocol/clientInfo", Value: h.info},
		{Key: "io.modelcontextprotocol/clientCapabilities", Value: h.capabilities},
	})
	if h.era == legacy {
		return c.initialize(ctx, h)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	found := make(chan answered, 1)
	ask := rawjson.Join([]rawjson.Member{{Key: "_meta", Value: c.meta}})
	go func() { found <- c.discover(ctx, ask) }()
	for {
		select {
		case f := <-found:
			if f.err == nil {
				c.is(f.about)
			}
			if f.err == nil || c.over() {
				return f.err
			}
			return c.initialize(ctx, h)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(h.probe):
			if !h.busy() {
				return c.either(ctx, h, found)
			}
		}
	}
}

func (c *conn) over() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// An answered is what came of one era's question.
type answered struct {
	about *About
	err   error
}

// either waits for the answer of one era or the other. A failure of one leaves the other its chance.
func (c *conn) either(ctx context.Context, h hello, found chan answered) error {
	old := make(chan answered, 1)
	go func() { old <- c.ask(ctx, h) }()
	var last error
	for range 2 {
		select {
		case f := <-found:
			if f.err == nil {
				c.is(f.about)
				return nil
			}
			last = cmp.Or(last, f.err)
		case f := <-old:
			if f.err == nil {
				return c.settle(ctx, f.about)
			}
			last = f.err
		}
	}
	return last
}

// is takes what the server says of itself.
func (c *conn) is(a *About) {
	a.Transport = c.about.Transport
	c.about = *a
}

// discover asks a server of the newer era what it is.
func (c *conn) discover(ctx context.Context, ask json.RawMessage) answered {
	res, err := c.call(ctx, "server/discover", func(int64) json.RawMessage { return ask }, &waiting{})
	if rpc, ok := errors.AsType[*RPCError](err); ok && rpc.Code == codeUnsupported && speaksModern(rpc.Data) {
		res, err = c.call(ctx, "server/discover", func(int64) json.RawMessage { return ask }, &waiting{}) // it says that it does, after all
	}
	if err != nil {
		return answered{err: err}
	}
	var in struct {
		Versions     []string        `json:"supportedVersions"`
		Capabilities json.RawMessage `json:"capabilities"`
		Instructions string          `json:"instructions"`
		Meta         json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(res, &in); err != nil {
		return answered{err: fmt.Errorf("server/discover: %w", err)}
	}
	if !slices.Contains(in.Versions, modern) {
		return answered{err: fmt.Errorf("server/discover: the server speaks %q, not %s", in.Versions, modern)}
	}
	a := &About{Protocol: modern, Capabilities: in.Capabilities, Instructions: in.Instructions}
	a.named(rawjson.Get(in.Meta, "io.modelcontextprotocol/serverInfo"))
	return answered{about: a}
}

// speaksModern tells whether the refusal of a version names the one that is spoken here.
func speaksModern(data json.RawMessage) bool {
	supported, _ := rawjson.Array(rawjson.Get(data, "supported"))
	return slices.ContainsFunc(supported, func(v json.RawMessage) bool { s, _ := rawjson.String(v); return s == modern })
}

func (a *About) named(info json.RawMessage) {
	name, _ := rawjson.String(rawjson.Get(info, "name"))
	version, _ := rawjson.String(rawjson.Get(info, "version"))
	a.Name, _ = rawjson.Visible(name)
	a.Version, _ = rawjson.Visible(version)
}

// initialize shakes hands as the older era does.
func (c *conn) initialize(ctx context.Context, h hello) error {
	f := c.ask(ctx, h)
	if f.err != nil {
		return f.err
	}
	return c.settle(ctx, f.about)
}

func (c *conn) ask(ctx context.Context, h hello) answered {
	res, err := c.call(ctx, "initialize", func(int64) json.RawMessage {
		return rawjson.Join([]rawjson.Member{
			{Key: "protocolVersion", Value: rawjson.Quote(legacy)},
			{Key: "capabilities", Value: h.capabilities},
			{Key: "clientInfo", Value: h.info},
		})
	}, &waiting{})
	if err != nil {
		return answered{err: fmt.Errorf("initialize: %w", err)}
	}
	a := &About{Capabilities: rawjson.Get(res, "capabilities")}
	a.Protocol, _ = rawjson.String(rawjson.Get(res, "protocolVersion"))
	a.Instructions, _ = rawjson.String(rawjson.Get(res, "instructions"))
	a.named(rawjson.Get(res, "serverInfo"))
	if !slices.Contains(legacies, a.Protocol) {
		return answered{err: fmt.Errorf("initialize: the server speaks version %.40q, which is not known here", a.Protocol)}
	}
	return answered{about: a}
}

// settle ends the older handshake.
func (c *conn) settle(ctx context.Context, a *About) error {
	c.is(a)
	c.meta = nil
	if c.proto != nil {
		c.proto.head.version.Store(a.Protocol)
	}
	if err := c.notify(ctx, "notifications/initialized", nil); err != nil {
		return err
	}
	if c.proto != nil && c.about.Transport != "sse" {
		open := make(chan struct{})
		c.proto.aside(func() { c.proto.listen(open) })
		select { // some servers lose what they say before the stream is there
		case <-open:
		case <-time.After(probeTime):
		case <-ctx.Done():
		}
	}
	return nil
}

// withMeta adds what the newer era wants in every request, under what stands there already.
func (c *conn) withMeta(params json.RawMessage) json.RawMessage {
	if c.meta == nil {
		return params
	}
	own, _ := rawjson.Object(rawjson.Get(params, "_meta"))
	all, _ := rawjson.Object(c.meta)
	for _, m := range own {
		if !slices.ContainsFunc(all, func(x rawjson.Member) bool { return x.Key == m.Key }) {
			all = append(all, m)
		}
	}
	return rawjson.Set(params, "_meta", rawjson.Join(all))
}

// request asks the server for something. params is an object or nil.
func (c *conn) request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	params = c.withMeta(params)
	return c.call(ctx, method, func(int64) json.RawMessage { return params }, &waiting{})
}

const (
	// maxPages and maxItems bound a list; maxBytes what it may bring in all.
	maxPages = 1000
	maxItems = 10_000
	maxBytes = 64 << 20
)

// A page list is everything that a list method brings.
type pages struct {
	items []json.RawMessage
	ttl   time.Duration // how long the server says that it holds; 0: nothing said
	note  string        // what is wrong with it: a cursor that does not advance, too many items
}

// arrayOf is an array of a result. None at all and null, which servers in several languages make of an empty list, are an empty one.
func arrayOf(raw json.RawMessage) ([]json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	return rawjson.Array(raw)
}

// all reads every page of a list. A cursor that comes back a second time ends it: it would never end.
func (c *conn) all(ctx context.Context, method, member string) (*pages, error) {
	out := &pages{}
	seen := map[string]bool{}
	var params json.RawMessage
	size := 0
	for range maxPages {
		res, err := c.request(ctx, method, params)
		if err != nil {
			return nil, err
		}
		items, err := arrayOf(rawjson.Get(res, member))
		if err != nil {
			return nil, fmt.Errorf("%s is no array", member)
		}
		if size += len(res); size > maxBytes {
			return nil, fmt.Errorf("%s: more than %d bytes", method, maxBytes)
		}
		out.items = append(out.items, items...)
		out.ttl = ttl(res)
		cursor, _ := rawjson.String(rawjson.Get(res, "nextCursor"))
		switch {
		case len(out.items) > maxItems:
			out.items = out.items[:maxItems]
			out.note = fmt.Sprintf("%s: more than %d items, the rest is left out", method, maxItems)
			return out, nil
		case cursor == "":
			return out, nil
		case seen[cursor]:
			out.note = fmt.Sprintf("%s: the cursor %.40q comes back: the list ends there", method, cursor)
			return out, nil
		}
		seen[cursor] = true
		params = rawjson.Join([]rawjson.Member{{Key: "cursor", Value: rawjson.Quote(cursor)}})
	}
	out.note = fmt.Sprintf("%s: more than %d pages, the rest is left out", method, maxPages)
	return out, nil
}

func ttl(res json.RawMessage) time.Duration {
	var ms float64
	if json.Unmarshal(rawjson.Get(res, "ttlMs"), &ms) != nil || ms <= 0 {
		return 0
	}
	return time.Duration(min(ms, 1e9)) * time.Millisecond
}

// oldTransport tells whether a failed start may be one of a server that has only the SSE transport.
func oldTransport(err error) bool {
	var st *statusError
	return errors.As(err, &st) && st.code >= 400 && st.code < 500 && st.code != 401 && st.code != 403 ||
		errors.Is(err, errContentType)
}
