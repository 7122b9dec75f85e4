package server

import (
	"context"
	"encoding/json"

	rawjson "helve/internal/json"
)

// A listener wants to know of changes. tell must not block for long; it is called without locks.
type listener struct {
	tell  func(method string, params json.RawMessage)
	lists map[string]bool   // the methods of changed lists that it wants
	uri   func(string) bool // resources whose updates it wants
}

// changes are the keys under which a client of the newer era asks for them.
var changes = []struct{ key, method string }{
	{"toolsListChanged", toolsChanged},
	{"promptsListChanged", promptsChanged},
	{"resourcesListChanged", resourcesChanged},
}

const (
	toolsChanged     = "notifications/tools/list_changed"
	promptsChanged   = "notifications/prompts/list_changed"
	resourcesChanged = "notifications/resources/list_changed"
	resourceUpdated  = "notifications/resources/updated"
)

func (r *room) listen(l *listener) (leave func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listeners[l] = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.listeners, l)
	}
}

// watch announces a changed list, and only one whose bytes changed: a storm of registrations that ends where it began says nothing.
// last is the digest of the list as the client may have seen it.
func (r *room) watch(last [32]byte) {
	for range r.kit.Watch(r.life) {
		if l := r.listing(); l.digest != last {
			last = l.digest
			r.announce(toolsChanged, nil)
		}
	}
}

// announce tells every listener that wants it.
func (r *room) announce(method string, params json.RawMessage) {
	uri, _ := rawjson.String(rawjson.Get(params, "uri"))
	r.mu.Lock()
	var to []*listener
	for l := range r.listeners {
		if l.lists[method] || method == resourceUpdated && l.uri(uri) {
			to = append(to, l)
		}
	}
	r.mu.Unlock()
	for _, l := range to {
		l.tell(method, params)
	}
}

// listens makes a peer of the older era hear of changes, once its room is open.
func (r *room) listens(p *peer) {
	if p.side == nil || r.srv.o.Static {
		return
	}
	l := &listener{lists: map[string]bool{}, uri: p.followed}
	for _, c := range changes {
		l.lists[c.method] = true
	}
	l.tell = func(method string, params json.RawMessage) { p.tell(p.life, nil, method, params) }
	r.listen(l)
}

// listen is subscriptions/listen of the newer era: a request that lasts, and tells of what was asked for.
func listen(ctx context.Context, r *request) (json.RawMessage, error) {
	want := rawjson.Get(r.params, "notifications")
	if firstByte(want) != '{' {
		return nil, errorf(codeInvalidParams, `invalid params: "notifications" is missing`)
	}
	home, err := r.room(ctx)
	if err != nil {
		return nil, err
	}
	uris, _ := rawjson.Array(rawjson.Get(want, "resourceSubscriptions"))
	if len(uris) > maxSubscribed {
		return nil, errorf(codeInvalidParams, "invalid params: at most %d resources can be followed", maxSubscribed)
	}
	follows := map[string]bool{}
	for _, u := range uris {
		if s, ok := rawjson.String(u); ok {
			follows[s] = true
			home.follow(ctx, s)
			defer home.unfollow(s)
		}
	}
	l := &listener{lists: map[string]bool{}, uri: func(u string) bool { return follows[u] }}
	l.tell = func(method string, params json.RawMessage) { r.peer.tell(ctx, r.out, method, r.subscribed(params)) }
	agreed := l.agree(want, uris, r.peer.srv.o.Static)
	ack := r.subscribed(rawjson.Join([]rawjson.Member{{Key: "notifications", Value: agreed}}))
	if err := r.peer.tell(ctx, r.out, "notifications/subscriptions/acknowledged", ack); err != nil {
		return nil, err
	}
	if string(agreed) != "{}" {
		defer home.listen(l)()
		select {
		case <-ctx.Done():
		case <-home.life.Done():
		}
	}
	return r.complete(r.subscribed(nil), false), nil
}

// subscribed marks what belongs to a subscription.
func (r *request) subscribed(params json.RawMessage) json.RawMessage {
	if params == nil {
		params = json.RawMessage("{}")
	}
	meta := rawjson.Get(params, "_meta")
	if meta == nil {
		meta = json.RawMessage("{}")
	}
	return rawjson.Set(params, "_meta", rawjson.Set(meta, metaSubscription, r.id))
}

// agree is what of the wishes can be had; the listener takes it down.
func (l *listener) agree(want json.RawMessage, uris []json.RawMessage, static bool) json.RawMessage {
	var out []rawjson.Member
	for _, c := range changes {
		if !static && string(rawjson.Get(want, c.key)) == "true" {
			l.lists[c.method] = true
			out = append(out, rawjson.Member{Key: c.key, Value: json.RawMessage("true")})
		}
	}
	if len(uris) > 0 {
		out = append(out, rawjson.Member{Key: "resourceSubscriptions", Value: joined(uris)})
	}
	return rawjson.Join(out)
}
