package server

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

const (
	// listTime bounds asking one upstream for a list: one that is slow or dead
	// must not keep the others' from the client.
	listTime = 10 * time.Second
	// listKept is for how long an upstream's list is taken as it was; a change
	// that is announced ends it earlier.
	listKept = 30 * time.Second
)

// A kind of things that upstreams list.
type kind struct {
	method string
	member string // under which the items are
	key    string // of an item: what it is asked for by
}

var (
	kindResources = kind{"resources/list", "resources", "uri"}
	kindTemplates = kind{"resources/templates/list", "resourceTemplates", "uriTemplate"}
	kindPrompts   = kind{"prompts/list", "prompts", "name"}
	kindSkills    = kind{rpc.MethodSkills, "skills", "uri"}
)

// An item is one thing that an upstream listed.
type item struct {
	up  Upstream
	key string // as the upstream names it
	raw json.RawMessage
}

// routes remember what upstreams listed, and so who is asked for what.
type routes struct {
	mu   sync.Mutex
	kept map[string]kept // by method
}

type kept struct {
	items []item
	until time.Time
}

// known are the items that are remembered and not too old.
func (r *routes) known(method string) ([]item, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.kept[method]
	return k.items, ok && time.Now().Before(k.until)
}

func (r *routes) keep(method string, items []item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil {
		r.kept = map[string]kept{}
	}
	r.kept[method] = kept{items, time.Now().Add(listKept)}
}

// changed forgets what was listed.
func (r *routes) changed(methods ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range methods {
		delete(r.kept, m)
	}
}

// items are what the upstreams list, in the order of the upstreams. One that
// fails is left out.
func (c *conversation) items(ctx context.Context, k kind) []item {
	if had, ok := c.routes.known(k.method); ok {
		return had
	}
	ups := c.srv.o.Upstreams()
	found := make([][]item, len(ups))
	var wg sync.WaitGroup
	for i, u := range ups {
		wg.Go(func() { found[i] = c.itemsOf(ctx, u, k) })
	}
	wg.Wait()
	all := slices.Concat(found...)
	if ctx.Err() == nil {
		c.routes.keep(k.method, all)
	}
	return all
}

// itemsOf is what one upstream lists. That it does not know the method is normal;
// any other failure is told to the log, and costs nobody else their list.
func (c *conversation) itemsOf(ctx context.Context, u Upstream, k kind) []item {
	ctx, stop := context.WithTimeout(ctx, listTime)
	defer stop()
	raws, err := u.List(ctx, c.session, k.method, k.member)
	if err != nil {
		if rpc.AsError(err).Code != rpc.CodeMethodNotFound {
			c.srv.o.Log.Warn("an upstream does not list",
				"server", u.Name(), "method", k.method, "error", err)
		}
		return nil
	}
	out := make([]item, 0, len(raws))
	for _, raw := range raws {
		if key, ok := rawjson.String(rawjson.Get(raw, k.key)); ok {
			out = append(out, item{u, key, raw})
		}
	}
	return out
}

// Notify takes what an upstream says unasked: session is the one whose
// connection said it, nil for a connection that is shared. It does not block
// for long.
func (s *Server) Notify(_ string, session *tool.Session, method string, params json.RawMessage) {
	for _, c := range s.conversations() {
		if session != nil && c.session != session {
			continue
		}
		switch method {
		case rpc.NoticePrompts:
			c.routes.changed(kindPrompts.method)
			c.announce(method, params)
		case rpc.NoticeResources:
			c.routes.changed(kindResources.method, kindTemplates.method, kindSkills.method)
			c.announce(method, params)
		case rpc.NoticeUpdated:
			c.announce(method, params)
		case rpc.NoticeMessage:
			c.back(c.life, method, params)
		}
	}
}

// conversations are those that are open.
func (s *Server) conversations() []*conversation {
	s.mu.Lock()
	connections := make([]*connection, 0, len(s.connections))
	for conn := range s.connections {
		connections = append(connections, conn)
	}
	var out []*conversation
	for _, c := range s.shared {
		out = append(out, c)
	}
	s.mu.Unlock()
	for _, conn := range connections {
		conn.mu.Lock()
		if c := conn.conversation; c != nil && c.key == nil {
			out = append(out, c)
		}
		conn.mu.Unlock()
	}
	return slices.DeleteFunc(out, func(c *conversation) bool { return !c.isOpen() })
}

// tellUpstreams sends the request to every upstream as it came; what they answer
// matters to nobody.
func tellUpstreams(ctx context.Context, v *visit) {
	ctx, stop := context.WithTimeout(ctx, listTime)
	defer stop()
	var wg sync.WaitGroup
	for _, u := range v.conv.srv.o.Upstreams() {
		wg.Go(func() { u.Request(ctx, v.conv.session, v.Method, v.Params) })
	}
	wg.Wait()
}
