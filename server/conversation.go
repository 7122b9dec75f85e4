package server

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
	"helve/tool/telemetry"
)

// maxConversations bounds those of clients without protocol sessions.
const maxConversations = 1000

// A conversationKey tells conversations without a protocol session apart: one
// principal and profile, clients that can be asked for the same, and what tells
// one client from another.
type conversationKey struct {
	principal, profile, capabilities string
	instance                         instance
}

// A conversation is what the requests of one client share: its kit, its
// session, what was listed, what runs.
type conversation struct {
	srv    *Server
	key    *conversationKey // nil: it belongs to one connection
	client Client
	began  time.Time

	place   <-chan struct{} // closed when the one is over that made place for this one; nil: there was room
	opening sync.Mutex
	kit     *tool.Kit // nil before it is open
	session *tool.Session
	lists   lists
	routes  routes
	files   followedFiles

	life context.Context
	end  context.CancelFunc
	wg   sync.WaitGroup // the watch, parked calls

	mu        sync.Mutex
	active    []*visit // those that may be asked about, oldest first
	listeners map[*listener]bool
	parked    map[string]*run
	users     int // connections
	idle      *time.Timer
	closed    bool

	seen     presence // of a client without a protocol session
	presence lineUp   // what servers are told of it
}

func (s *Server) newConversation(conf connect, info *clientInfo) *conversation {
	c := &conversation{srv: s, listeners: map[*listener]bool{}, parked: map[string]*run{}}
	c.life, c.end = context.WithCancel(context.Background())
	c.began = time.Now()
	c.seen.after, c.seen.tell = s.o.Gone, c.there
	c.client = Client{
		ID:           conf.id,
		Principal:    conf.principal,
		Profile:      conf.profile,
		Stdio:        conf.stdio,
		Name:         info.name,
		Version:      info.version,
		Protocol:     info.protocol,
		Capabilities: info.capabilities,
		Back:         c.back,
		Shared:       conf.shared && !info.instance(conf.host).alone(),
	}
	if c.client.ID == "" {
		c.client.ID = rand.Text()
	}
	return c
}

// sharedID is the ID of a conversation without a protocol session that replicas
// have in common: nobody guesses it who has not their key.
func (s *Server) sharedID(k conversationKey) string {
	of := hmac.New(sha256.New, append([]byte("helve conversation\x00"), s.o.StateKey...))
	b, _ := json.Marshal([]string{ // strings alone
		k.principal, k.profile, k.capabilities,
		k.instance.conversation, k.instance.name, k.instance.version, k.instance.host,
	})
	of.Write(b)
	return hex.EncodeToString(of.Sum(nil)[:16])
}

// conversationFor is that of a connection that has none yet: its own, or for a
// client without a protocol session the one that it shares with itself. The
// caller holds conn.mu.
func (s *Server) conversationFor(conn *connection, info *clientInfo) *conversation {
	if !conn.conf.shared {
		c := s.newConversation(conn.conf, info)
		c.enter()
		return c
	}
	key := conversationKey{
		principal:    conn.conf.principal,
		profile:      conn.conf.profile,
		capabilities: string(info.capabilities),
		instance:     info.instance(conn.conf.host),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.shared[key]
	if c == nil {
		place := s.evict()
		conf := conn.conf
		if s.o.Replicas {
			conf.id = s.sharedID(key)
		}
		c = s.newConversation(conf, info)
		c.key, c.place = &key, place
		c.client.Lasting = s.o.Replicas
		if !s.closed { // the connection closes it otherwise
			s.shared[key] = c
		}
	}
	c.enter()
	return c
}

// evict makes place for one more conversation by ending one that nobody uses.
// The channel is closed when that is over: what takes its place opens then, so
// that clients who come faster than others can be ended have no more than the
// bound. nil: there is room, or all are in use. s.mu is held.
func (s *Server) evict() <-chan struct{} {
	if len(s.shared) < maxConversations {
		return nil
	}
	for k, c := range s.shared {
		c.mu.Lock()
		unused := c.users == 0 && len(c.parked) == 0
		c.mu.Unlock()
		if unused {
			delete(s.shared, k)
			over := make(chan struct{})
			s.wg.Go(func() {
				defer close(over)
				c.close()
			})
			return over
		}
	}
	return nil
}

func (c *conversation) enter() {
	c.seen.come()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users++
	if c.idle != nil {
		c.idle.Stop()
		c.idle = nil
	}
}

// leave lets a conversation without users end after a while.
func (c *conversation) leave() {
	c.seen.leave()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users--
	if c.users == 0 && c.key != nil && !c.closed {
		c.idle = time.AfterFunc(c.srv.o.Idle, c.expire)
	}
}

// expire ends a conversation that nobody came back to. The server must wait for
// that even if it is closed meanwhile.
func (c *conversation) expire() {
	c.srv.mu.Lock()
	c.mu.Lock()
	busy := c.users > 0 || c.closed || c.srv.shared[*c.key] != c
	c.mu.Unlock()
	if !busy {
		delete(c.srv.shared, *c.key)
		c.srv.wg.Add(1)
	}
	c.srv.mu.Unlock()
	if !busy {
		defer c.srv.wg.Done()
		c.close()
	}
}

// ready opens the kit, once. wishes are those of a client of the session protocol,
// nil in the other.
func (c *conversation) ready(ctx context.Context, wishes *rpc.Wishes) error {
	if c.place != nil { // waited for without a lock: what ends there may have to be told to all
		select {
		case <-c.place:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	c.opening.Lock()
	defer c.opening.Unlock()
	if c.kit != nil {
		return nil
	}
	if c.life.Err() != nil {
		return errGone
	}
	kit, session, err := c.srv.open(ctx, c.client)
	if err != nil {
		return err
	}
	if session == nil {
		session = &tool.Session{
			ID:           c.client.ID,
			Principal:    c.client.Principal,
			Client:       c.client.Name,
			Capabilities: c.client.Capabilities,
			Back:         c.client.Back,
			Shared:       c.client.Shared,
		}
	}
	if wishes != nil {
		tool.Of(session, func() *rpc.Wishes { return wishes })
	}
	c.kit, c.session = kit, session
	if !c.srv.o.Static {
		c.beginLists()
		c.wg.Go(c.watch)
	}
	return nil
}

// isOpen tells whether there is a kit.
func (c *conversation) isOpen() bool {
	c.opening.Lock()
	defer c.opening.Unlock()
	return c.kit != nil
}

// close ends the conversation: what is parked is cancelled, the session closed.
func (c *conversation) close() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	if c.idle != nil {
		c.idle.Stop()
	}
	c.mu.Unlock()
	c.seen.end()
	c.end()
	c.wg.Wait()
	c.opening.Lock()
	defer c.opening.Unlock()
	if c.session == nil {
		return
	}
	c.measured()
	if err := c.session.Close(); err != nil {
		c.srv.o.Log.Warn("close a session", "error", err)
	}
}

// start runs f in a goroutine for which close waits. It tells whether the
// conversation was still there.
func (c *conversation) start(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.wg.Go(f)
	return true
}

// begin notes that a request is the one that an upstream's question is about;
// the returned function takes that back.
func (c *conversation) begin(v *visit) func() {
	c.mu.Lock()
	c.active = append(c.active, v)
	c.mu.Unlock()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if i := slices.Index(c.active, v); i >= 0 {
			c.active = slices.Delete(c.active, i, i+1)
		}
	}
}

// back is Session.Back. A question of a tool knows its request by the context.
// One of an upstream does not: servers of the session protocol do not say which
// call they ask about, so it belongs to the newest one.
func (c *conversation) back(
	ctx context.Context,
	method string,
	params json.RawMessage,
) (json.RawMessage, error) {
	v := c.asker(ctx)
	if strings.HasPrefix(method, rpc.NoticePrefix) {
		return nil, pass(ctx, v, method, params)
	}
	what := family(method)
	if !capable(c.client.Capabilities, what) && (core(what) || !extended(c.client.Capabilities)) {
		return nil, rpc.Errorf(rpc.CodeMethodNotFound, "the client cannot be asked for %s", what)
	}
	if v == nil {
		return nil, rpc.ErrNobody
	}
	return v.era.ask(ctx, v, method, params)
}

// asker is the request that a question belongs to; nil for none.
func (c *conversation) asker(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	if v != nil && v.conv == c {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.active); n > 0 {
		return c.active[n-1]
	}
	return v
}

// pass sends a notification on, if the client wants it.
func pass(ctx context.Context, v *visit, method string, params json.RawMessage) error {
	if v == nil {
		return rpc.ErrNobody
	}
	if method == rpc.NoticeMessage {
		level, _ := rawjson.String(rawjson.Get(params, "level"))
		if !v.era.wantsLog(v.request, level) {
			return nil
		}
	}
	return v.tell(ctx, method, params)
}

// measured tells how long the conversation was.
func (c *conversation) measured() {
	to := c.srv.o.Telemetry
	if to == nil {
		return
	}
	transport := "http"
	if c.client.Stdio {
		transport = "stdio"
	}
	telemetry.Session(context.Background(), to, c.client.Protocol, transport, time.Since(c.began))
}
