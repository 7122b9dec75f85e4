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
	"helve/internal/rpc"
)

const (
	// ackTime is how long a server may take to acknowledge a subscription
	// before it is taken to hold all the same.
	ackTime = 2 * time.Second
	// endTime bounds telling a server that a subscription is over.
	endTime = 2 * time.Second
	// maxFollowed bounds the resources that are followed over one connection.
	maxFollowed = 1000
)

// A subscription is a request of the stateless protocol that lasts; its answer
// is its end.
type subscription struct {
	end func() // tells the server, and waits for nothing
}

// open subscribes to notifications.
func (c *conn) open(want []rawjson.Member) *subscription {
	notifications := rawjson.Member{Key: "notifications", Value: rawjson.Join(want)}
	params := c.withMeta(rawjson.Join([]rawjson.Member{notifications}), nil)
	call := &rpc.Call{ID: c.NextID(), Method: rpc.MethodListen, Params: params, Held: true}
	life, stop := context.WithCancel(c.Life())
	c.Go(func() {
		defer stop()
		c.Call(life, call) // its answer is its end
	})
	return &subscription{sync.OnceFunc(func() {
		defer stop()
		ctx, stop := context.WithTimeout(c.Life(), endTime)
		defer stop()
		over := fmt.Appendf(nil, `{"requestId":%d}`, call.ID)
		c.Tell(ctx, nil, rpc.NoticeCancelled, over) // a courtesy
	})}
}

// subscribe asks a server of the stateless protocol to tell of changed lists.
func (c *conn) subscribe() {
	var want []rawjson.Member
	for _, k := range []string{"tools", "prompts", "resources"} {
		if c.about.can(k, "listChanged") {
			want = append(want, rawjson.Member{Key: k + "ListChanged", Value: json.RawMessage("true")})
		}
	}
	if c.about.Stateless() && want != nil {
		c.lists = c.open(want)
	}
}

// follow has the server tell, or no longer tell, of changes of a resource. In
// the stateless protocol that is a subscription to all that are followed, which
// takes the place of the one before.
func (c *conn) follow(ctx context.Context, uri string, on bool) error {
	if !c.about.Stateless() {
		method := rpc.MethodSubscribe
		if !on {
			method = rpc.MethodUnsubscribe
		}
		params := rawjson.Join([]rawjson.Member{{Key: "uri", Value: rawjson.Quote(uri)}})
		_, err := c.request(ctx, method, params)
		return err
	}
	c.following.Lock()
	defer c.following.Unlock()
	if c.followed[uri] == on {
		return nil
	}
	if on && len(c.followed) >= maxFollowed {
		return rpc.Errorf(rpc.CodeInvalidParams, "more than %d resources are followed", maxFollowed)
	}
	if c.followed == nil {
		c.followed = map[string]bool{}
	}
	if on {
		c.followed[uri] = true
	} else {
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

// wanted tells whether a notice is still of interest: a subscription that was
// ended may speak until its server has heard so.
func (c *conn) wanted(method string, params json.RawMessage) bool {
	heard := c.heard.Load()
	if method != rpc.NoticeUpdated || heard == nil {
		return true
	}
	uri, _ := rawjson.String(rawjson.Get(params, "uri"))
	return (*heard)[uri]
}

// openResources subscribes to all resources that are followed, and waits until
// the server has taken note.
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
	case <-c.Done():
	}
	return sub
}

// acknowledged notes that the server has taken note of a subscription to
// resources; those to lists nobody waits for.
func (c *conn) acknowledged(params json.RawMessage) {
	if rawjson.Get(rawjson.Get(params, "notifications"), "resourceSubscriptions") == nil {
		return
	}
	select {
	case c.acked <- struct{}{}:
	default:
	}
}

// unfollow ends that the server tells of resources, as far as it answers.
func (c *conn) unfollow(uris []string) {
	ctx, stop := context.WithTimeout(c.Life(), endTime)
	defer stop()
	for _, uri := range uris {
		if c.follow(ctx, uri, false) != nil {
			return
		}
	}
}
