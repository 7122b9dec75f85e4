package upstream

import (
	"context"
	"encoding/json"
	"fmt"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
	"helve/tool/telemetry"
)

// Request sends any request to the server and returns its result as it came, but
// for questions in it, which say who asks:
// resources/read, prompts/get, completion/complete. The call's deadline holds.
// An error of the server is an *RPCError. resources/subscribe and
// resources/unsubscribe are understood whatever the server's protocol has in
// their place, and hold when a connection is made anew.
func (s *Source) Request(
	ctx context.Context,
	session *tool.Session,
	method string,
	params json.RawMessage,
) (json.RawMessage, error) {
	if s.o.Telemetry != nil {
		return s.traced(ctx, s.o.Telemetry, session, method, params)
	}
	return s.request(ctx, session, method, params)
}

func (s *Source) request(
	ctx context.Context,
	session *tool.Session,
	method string,
	params json.RawMessage,
) (res json.RawMessage, err error) {
	if method == "resources/subscribe" || method == "resources/unsubscribe" {
		return json.RawMessage("{}"), s.follow(ctx, session, params, method == "resources/subscribe")
	}
	with := s.calls.calling
	if method == rpc.MethodSetLevel {
		with = s.calls.with
	}
	err = with(ctx, session, func(c *conn) error {
		if method == rpc.MethodSetLevel {
			c.level.note(params)
		} else {
			c.tellLevel(ctx, session)
		}
		res, err = c.patiently(ctx, s.cfg.Timeout, session, method, params)
		return err
	})
	if err == nil {
		err = s.lists.view(session).skills.met(method, params, res)
	}
	if err != nil {
		return nil, err
	}
	if asks := rawjson.Get(res, "inputRequests"); asks != nil {
		res = rawjson.Set(res, "inputRequests", s.asksBack(session, asks))
	}
	return res, err
}

// follow has the server tell a session of changes of a resource, or no longer.
func (s *Source) follow(ctx context.Context, session *tool.Session, params json.RawMessage, on bool) error {
	uri, ok := rawjson.String(rawjson.Get(params, "uri"))
	if !ok || uri == "" {
		return rpc.Errorf(rpc.CodeInvalidParams, "uri: want a string")
	}
	l, done, err := s.calls.link(session)
	if err != nil {
		return err
	}
	defer done()
	ctx, stop := context.WithTimeout(ctx, s.cfg.Timeout)
	defer stop()
	c, release, err := l.use(ctx)
	if err != nil {
		return fmt.Errorf("mcp server %s: %w", s.cfg.Name, err)
	}
	defer release()
	if !on && l.unfollows(session, uri) { // others want to hear of it still
		return nil
	}
	if err := c.follow(ctx, uri, on); err != nil {
		return err
	}
	if on {
		return s.calls.noteFollowed(l, session, uri)
	}
	return nil
}

// traced is another request under a span of its own.
func (s *Source) traced(
	ctx context.Context, to telemetry.Provider, session *tool.Session, method string, params json.RawMessage,
) (json.RawMessage, error) {
	ctx, trace, end := telemetry.Ask(ctx, to, s.asking(method))
	if trace.Parent != "" {
		if len(params) == 0 {
			params = json.RawMessage("{}")
		}
		params = rawjson.Set(params, "_meta", trace.Into(rawjson.Get(params, "_meta")))
	}
	failed := "panic"
	defer func() { end(failed) }()
	res, err := s.request(ctx, session, method, params)
	failed = failureOf(err)
	return res, err
}
