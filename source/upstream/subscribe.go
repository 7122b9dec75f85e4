package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	rawjson "helve/internal/json"
)

const (
	// listenMethod is the request that lasts as long as a subscription.
	listenMethod = "subscriptions/listen"
	ackMethod    = "notifications/subscriptions/acknowledged"
	// ackTime is how long a server may take to acknowledge a subscription before it is taken to hold all the same.
	ackTime = 2 * time.Second
	// maxFollowed bounds the resources that are followed over one connection.
	maxFollowed = 1000
)

// A subscription is a request of the newer era that lasts; its answer is its end.
type subscription struct {
	end func() // tells the server, and waits for nothing
}

// open subscribes to notifications.
func (c *conn) open(want []rawjson.Member) *subscription {
	params := c.withMeta(rawjson.Join([]rawjson.Member{{Key: "notifications", Value: rawjson.Join(want)}}))
	asked := make(chan int64, 1)
	life, stop := context.WithCancel(c.life)
	c.aside(func() {
		defer stop()
		c.call(life, listenMethod, func(id int64) json.RawMessage { asked <- id; return params }, &waiting{})
	})
	return &subscription{sync.OnceFunc(func() {
		defer stop()
		select {
		case id := <-asked:
			ctx, stop := context.WithTimeout(c.life, cancelTime)
			defer stop()
			c.notify(ctx, "notifications/cancelled", fmt.Appendf(nil, `{"requestId":%d}`, id)) // a courtesy
		default:
		}
	})}
}

// subscribe asks a server of the newer era to tell of changed lists.
func (c *conn) subscribe() {
	var want []rawjson.Member
	for _, k := range []string{"tools", "prompts", "resources"} {
		if c.about.can(k, "listChanged") {
			want = append(want, rawjson.Member{Key: k + "ListChanged", Value: json.RawMessage("true")})
		}
	}
	if c.about.Modern() && want != nil {
		c.lists = c.open(want)
	}
}

// close ends the connection. A server of the newer era may take its leave only when its subscriptions are over.
func (c *conn) close() {
	c.following.Lock()
	subs := []*subscription{c.lists, c.resources}
	c.following.Unlock()
	for _, s := range subs {
		if s != nil && !c.over() {
			s.end()
		}
	}
	c.peer.close()
}

// follow has the server tell, or no longer tell, of changes of a resource. In the newer era that is a subscription to all that are
// followed, which takes the place of the one before.
func (c *conn) follow(ctx context.Context, uri string, on bool) error {
	if !c.about.Modern() {
		method := "resources/subscribe"
		if !on {
			method = "resources/unsubscribe"
		}
		_, err := c.request(ctx, method, rawjson.Join([]rawjson.Member{{Key: "uri", Value: rawjson.Quote(uri)}}))
		return err
	}
	c.following.Lock()
	defer c.following.Unlock()
	if c.followed[uri] == on {
		return nil
	}
	if on && len(c.followed) >= maxFollowed {
		return &RPCError{Code: codeInvalidParams, Message: fmt.Sprintf("more than %d resources are followed", maxFollowed)}
	}
	if c.followed == nil {
		c.followed = map[string]bool{}
	}
	if c.followed[uri] = on; !on {
		delete(c.followed, uri)
	}
	heard := maps.Clone(c.followed)
	c.heard.Store(&heard)
	before := c.resources
	c.resources = c.openResources(ctx)
	if before != nil {
		before.end()
	}
	return nil
}

// wanted tells whether a notice is still of interest: a subscription that was ended may speak until its server has heard so.
func (c *conn) wanted(method string, params json.RawMessage) bool {
	heard := c.heard.Load()
	if method != "notifications/resources/updated" || heard == nil {
		return true
	}
	uri, _ := rawjson.String(rawjson.Get(params, "uri"))
	return (*heard)[uri]
}

// openResources subscribes to all resources that are followed, and waits until the server has taken note.
func (c *conn) openResources(ctx context.Context) *subscription {
	if len(c.followed) == 0 {
		return nil
	}
	var uris []json.RawMessage
	for _, u := range slices.Sorted(maps.Keys(c.followed)) {
		uris = append(uris, rawjson.Quote(u))
	}
	select { // an acknowledgement of before
	case <-c.acked:
	default:
	}
	list, _ := json.Marshal(uris) // strings
	sub := c.open([]rawjson.Member{{Key: "resourceSubscriptions", Value: list}})
	select {
	case <-c.acked:
	case <-time.After(ackTime):
	case <-ctx.Done():
	case <-c.done:
	}
	return sub
}

// acknowledged notes that the server has taken note of a subscription to resources; those to lists nobody waits for.
func (c *conn) acknowledged(params json.RawMessage) {
	if rawjson.Get(rawjson.Get(params, "notifications"), "resourceSubscriptions") == nil {
		return
	}
	select {
	case c.acked <- struct{}{}:
	default:
	}
}
