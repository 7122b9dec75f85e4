package server

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	rawjson "helve/internal/json"
	"helve/tool"
)

const (
	// listTime bounds asking one upstream for a list: one that is slow or dead must not keep the others' from the client.
	listTime = 10 * time.Second
	// listKept is for how long an upstream's list is taken as it was; a change that is announced ends it earlier.
	listKept = 30 * time.Second
)

// A kind of things that upstreams list.
type kind struct{ method, member, key string }

var (
	kindResources = kind{"resources/list", "resources", "uri"}
	kindTemplates = kind{"resources/templates/list", "resourceTemplates", "uriTemplate"}
	kindPrompts   = kind{"prompts/list", "prompts", "name"}
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

// items are what the upstreams list, in the order of the upstreams. One that fails is left out.
func (r *room) items(ctx context.Context, k kind) []item {
	r.routes.mu.Lock()
	had, ok := r.routes.kept[k.method]
	r.routes.mu.Unlock()
	if ok && time.Now().Before(had.until) {
		return had.items
	}
	ups := r.srv.o.Upstreams()
	found := make([][]item, len(ups))
	var wg sync.WaitGroup
	for i, u := range ups {
		wg.Go(func() { found[i] = r.itemsOf(ctx, u, k) })
	}
	wg.Wait()
	all := slices.Concat(found...)
	if ctx.Err() == nil {
		r.routes.mu.Lock()
		defer r.routes.mu.Unlock()
		if r.routes.kept == nil {
			r.routes.kept = map[string]kept{}
		}
		r.routes.kept[k.method] = kept{all, time.Now().Add(listKept)}
	}
	return all
}

func (r *room) itemsOf(ctx context.Context, u Upstream, k kind) []item {
	ctx, stop := context.WithTimeout(ctx, listTime)
	defer stop()
	raws, err := u.List(ctx, r.session, k.method, k.member)
	if err != nil {
		if asRPC(err).Code != codeMethodNotFound {
			r.srv.o.Log.Warn("an upstream does not list", "server", u.Name(), "method", k.method, "error", err)
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

// changed forgets what was listed.
func (r *room) changed(methods ...string) {
	r.routes.mu.Lock()
	defer r.routes.mu.Unlock()
	for _, m := range methods {
		delete(r.routes.kept, m)
	}
}

// Notify takes what an upstream says unasked: session is the one whose connection said it, nil for a connection that is shared. It does
// not block for long.
func (s *Server) Notify(_ string, session *tool.Session, method string, params json.RawMessage) {
	for _, r := range s.everyRoom() {
		if session != nil && r.session != session {
			continue
		}
		switch method {
		case promptsChanged:
			r.changed(kindPrompts.method)
			r.announce(method, params)
		case resourcesChanged:
			r.changed(kindResources.method, kindTemplates.method)
			r.announce(method, params)
		case resourceUpdated:
			r.announce(method, params)
		case "notifications/message":
			r.back(r.life, method, params)
		}
	}
}

// everyRoom are the conversations that are open.
func (s *Server) everyRoom() []*room {
	s.mu.Lock()
	peers := make([]*peer, 0, len(s.peers))
	for p := range s.peers {
		peers = append(peers, p)
	}
	var out []*room
	for _, r := range s.rooms {
		out = append(out, r)
	}
	s.mu.Unlock()
	for _, p := range peers {
		p.mu.Lock()
		if r := p.home; r != nil && r.key == nil {
			out = append(out, r)
		}
		p.mu.Unlock()
	}
	return slices.DeleteFunc(out, func(r *room) bool { return !r.isOpen() })
}

func (r *room) isOpen() bool {
	r.opening.Lock()
	defer r.opening.Unlock()
	return r.kit != nil
}

// tellUpstreams sends a request to every upstream; what they answer matters to nobody.
func (r *request) tellUpstreams(ctx context.Context, method string, params json.RawMessage) error {
	ups := r.peer.srv.o.Upstreams()
	if len(ups) == 0 {
		return nil
	}
	home, err := r.room(ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, listTime)
	defer stop()
	var wg sync.WaitGroup
	for _, u := range ups {
		wg.Go(func() { u.Request(ctx, home.session, method, params) })
	}
	wg.Wait()
	return nil
}
