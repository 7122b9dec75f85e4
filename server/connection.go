package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"helve/internal/rpc"
)

const (
	// maxInflight is how many requests of one client may run at a time. Further
	// ones are refused, not queued, so that a flood costs no memory.
	maxInflight = 1024
	// maxAsked is how many of our requests may wait for one client.
	maxAsked = 64
	// parkTime is how long a client has for an answer: as long as a person may think.
	parkTime = 10 * time.Minute
)

var (
	errGone    = errors.New("the client is gone")
	errClosing = errors.New("the server is closing")

	errNoAnswer = fmt.Errorf("it did not answer within %v", parkTime)
)

// A connection is one client: in the session protocol from initialize to its
// end, in the stateless one as long as one HTTP request or the pipe.
type connection struct {
	*rpc.Peer
	srv  *Server
	conf connect
	side rpc.Out // for what belongs to no request; nil: nowhere

	mu           sync.Mutex
	client       *clientInfo // what initialize said; nil before
	wishes       *rpc.Wishes // in the session protocol
	conversation *conversation
	follows      map[string]bool // resources
	listens      bool            // for changes
	closed       bool
}

// connect says whose a connection is.
type connect struct {
	id                 string // of the protocol session; "" without one
	principal, profile string
	stdio              bool   // it speaks on stdin and stdout
	anySession         bool   // initialize may have been answered by another process
	shared             bool   // its conversation belongs to everybody with the same key
	host               string // where a shared one comes from
	forwarded          bool   // another replica has its client
}

// connect makes a connection. It fails when the server is closed.
func (s *Server) connect(conf connect, side rpc.Out) (*connection, error) {
	c := &connection{srv: s, conf: conf, side: side, wishes: &rpc.Wishes{}, follows: map[string]bool{}}
	c.Peer = rpc.NewPeer(c, rpc.Options{
		Requests: maxInflight,
		Calls:    maxAsked,
		Out:      side,
		Log:      s.o.Log,
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosing
	}
	s.connections[c] = true
	s.wg.Add(1)
	return c, nil
}

// close cancels what runs, waits for it and ends the conversation, if it is the
// connection's own. A second close does nothing.
func (c *connection) close() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	conv := c.conversation
	c.mu.Unlock()
	c.End(errGone)
	c.Wait()
	if conv != nil {
		conv.leave()
		if !c.conf.shared {
			conv.close()
		}
	}
	c.srv.mu.Lock()
	delete(c.srv.connections, c)
	c.srv.mu.Unlock()
	c.srv.wg.Done()
}

// there tells the upstreams whether the client is there.
func (c *connection) there(is bool) {
	c.mu.Lock()
	conv := c.conversation
	c.mu.Unlock()
	if conv != nil {
		conv.there(is)
	}
}

// Notice takes a notification of the client: none says anything that is of use
// here.
func (c *connection) Notice(string, json.RawMessage) {}

// ask sends a request to a client of the session protocol and waits for its
// answer, as long as a person may think. A nil out is the side stream.
func (c *connection) ask(
	ctx context.Context,
	out rpc.Out,
	method string,
	params json.RawMessage,
) (json.RawMessage, error) {
	ctx, stop := context.WithTimeoutCause(ctx, parkTime, errNoAnswer)
	defer stop()
	res, err := c.Call(ctx, &rpc.Call{Method: method, Params: params, Out: out})
	if err != nil && errors.Is(context.Cause(ctx), errNoAnswer) {
		err = errNoAnswer
	}
	return res, err
}

// open is the connection's conversation, opened when it is first wanted. wishes are those of a client of the session
// protocol, nil in the other.
func (c *connection) open(ctx context.Context, client *clientInfo, wishes *rpc.Wishes) (*conversation, error) {
	c.mu.Lock()
	if c.conversation == nil {
		c.conversation = c.srv.conversationFor(c, client)
	}
	conv := c.conversation
	c.mu.Unlock()
	if err := conv.ready(ctx, wishes); err != nil {
		return nil, err
	}
	if c.conf.shared {
		return conv, nil
	}
	c.mu.Lock()
	first := !c.listens
	c.listens = true
	c.mu.Unlock()
	if first {
		conv.listens(c)
	}
	return conv, nil
}

// forget ends that the connection follows a resource, and tells whether it did.
func (c *connection) forget(uri string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	had := c.follows[uri]
	delete(c.follows, uri)
	return had
}

func (c *connection) followed(uri string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.follows[uri]
}
