package server

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// A listener wants to know of changes. tell must not block for long; it is
// called without locks.
type listener struct {
	tell  func(method string, params json.RawMessage)
	lists map[string]bool   // the methods of changed lists that it wants
	uri   func(string) bool // resources whose updates it wants
}

// changes are the keys under which a client of the stateless protocol asks for
// them.
var changes = []struct{ key, method string }{
	{"toolsListChanged", rpc.NoticeTools},
	{"promptsListChanged", rpc.NoticePrompts},
	{"resourcesListChanged", rpc.NoticeResources},
}

// listen adds a listener; the returned function takes it out again.
func (c *conversation) listen(l *listener) (leave func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listeners[l] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.listeners, l)
	}
}

// watch announces a changed list, and only one whose bytes changed: a storm of
// registrations that ends where it began says nothing.
func (c *conversation) watch() {
	for range c.kit.Watch(c.life) {
		if c.news() {
			c.announce(rpc.NoticeTools, nil)
		}
	}
}

// announce tells every listener that wants it.
func (c *conversation) announce(method string, params json.RawMessage) {
	uri, _ := rawjson.String(rawjson.Get(params, "uri"))
	c.mu.Lock()
	var to []*listener
	for l := range c.listeners {
		if l.lists[method] || method == rpc.NoticeUpdated && l.uri(uri) {
			to = append(to, l)
		}
	}
	c.mu.Unlock()
	for _, l := range to {
		l.tell(method, params)
	}
}

// listens makes a connection of the session protocol hear of changes, once its
// conversation is open.
func (c *conversation) listens(conn *connection) {
	if conn.side == nil || c.srv.o.Static {
		return
	}
	l := &listener{lists: map[string]bool{}, uri: conn.followed}
	for _, ch := range changes {
		l.lists[ch.method] = true
	}
	l.tell = func(method string, params json.RawMessage) { conn.Tell(conn.Life(), nil, method, params) }
	c.listen(l)
}

// listen is subscriptions/listen of the stateless protocol: a request that
// lasts, and tells of what was asked for.
func listen(ctx context.Context, r *request) (json.RawMessage, error) {
	want := rawjson.Get(r.Params, "notifications")
	if rpc.FirstByte(want) != '{' {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, `invalid params: "notifications" is missing`)
	}
	conv, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	uris, _ := rawjson.Array(rawjson.Get(want, "resourceSubscriptions"))
	if len(uris) > maxSubscribed {
		return nil, rpc.Errorf(rpc.CodeInvalidParams,
			"invalid params: at most %d resources can be followed", maxSubscribed)
	}
	ids, _ := rawjson.Array(rawjson.Get(want, "taskIds"))
	if len(ids) > maxTasks {
		return nil, rpc.Errorf(rpc.CodeInvalidParams,
			"invalid params: at most %d tasks can be followed", maxTasks)
	}
	var tasks []*task
	if r.takesTasks() {
		tasks = r.conn.srv.tasksOf(r.owner(), ids)
	}
	follows, leave := conv.followAll(ctx, uris)
	defer leave()
	uris = slices.DeleteFunc(uris, func(u json.RawMessage) bool {
		s, ok := rawjson.String(u)
		return !ok || !follows[s]
	})
	l := &listener{lists: map[string]bool{}, uri: func(u string) bool { return follows[u] }}
	l.tell = func(method string, params json.RawMessage) { r.tell(ctx, method, r.subscribed(params)) }
	agreed := l.agree(want, uris, r.conn.srv.o.Static)
	agreed = withTaskIDs(agreed, tasks)
	ack := r.subscribed(rawjson.Join([]rawjson.Member{{Key: "notifications", Value: agreed}}))
	if err := r.tell(ctx, rpc.NoticeAcknowledge, ack); err != nil {
		return nil, err
	}
	if string(agreed) != "{}" {
		defer conv.listen(l)()
		(&visit{request: r, conv: conv}).hears(ctx, tasks)
		if ctx.Err() != nil {
			conv.seen.lost()
		}
	}
	return r.complete(r.subscribed(nil), false), nil
}

// hears lasts as long as a subscription. Meanwhile it tells where each of its tasks is, and then what becomes of it,
// until it is over: a client may come too late to hear of a change. Changes that come faster than they are told are
// one. It all happens in one goroutine: a client may have a thousand subscriptions of 256 tasks.
func (v *visit) hears(ctx context.Context, tasks []*task) {
	const ends = 2 // cases before those of the tasks
	wait := func(c <-chan struct{}) reflect.SelectCase {
		return reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}
	}
	cases := []reflect.SelectCase{wait(ctx.Done()), wait(v.conv.life.Done())}
	for i, t := range tasks {
		cases = append(cases, reflect.SelectCase{})
		cases[ends+i] = wait(v.tellOf(ctx, t))
	}
	for {
		i, _, _ := reflect.Select(cases)
		if i < ends {
			return
		}
		cases[i] = wait(v.tellOf(ctx, tasks[i-ends]))
	}
}

// withTaskIDs adds the tasks that are told of to what was agreed on.
func withTaskIDs(agreed json.RawMessage, tasks []*task) json.RawMessage {
	if len(tasks) == 0 {
		return agreed
	}
	var ids []json.RawMessage
	for _, t := range tasks {
		ids = append(ids, rawjson.Quote(t.id))
	}
	return rawjson.Set(agreed, "taskIds", joined(ids))
}

// followAll follows resources until leave is called. Those that cannot be
// followed are left out.
func (c *conversation) followAll(
	ctx context.Context, uris []json.RawMessage,
) (follows map[string]bool, leave func()) {
	follows = map[string]bool{}
	var ends []func()
	for _, u := range uris {
		s, ok := rawjson.String(u)
		if !ok || follows[s] {
			continue
		}
		w := c.watcher(s)
		switch {
		case w == nil:
			c.follow(ctx, s)
			ends = append(ends, func() { c.unfollow(s) })
		case c.followFile(ctx, w, s) == nil:
			ends = append(ends, func() { c.unfollowFile(s) })
		default:
			continue
		}
		follows[s] = true
	}
	return follows, func() {
		for _, end := range ends {
			end()
		}
	}
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
