package server

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// capabilities are the same for every client of a protocol: what is not there is
// an empty list. They do not wait for upstreams, which may not have been started yet. has are the extensions
// that this protocol alone has.
func (s *Server) capabilities(has ...rawjson.Member) json.RawMessage {
	if s.behind {
		skills := json.RawMessage(`{"directoryRead":true}`)
		has = append(has, rawjson.Member{Key: rpc.ExtensionSkills, Value: skills})
	}
	extensions := ""
	if has != nil {
		extensions = `,"extensions":` + string(rawjson.Join(has))
	}
	changed := "true"
	if s.o.Static {
		changed = "false"
	}
	return json.RawMessage(`{"tools":{"listChanged":` + changed + `},` +
		`"resources":{"subscribe":true,"listChanged":` + changed + `},` +
		`"prompts":{"listChanged":` + changed + `},"completions":{},"logging":{}` + extensions + `}`)
}

// initialize begins a session. A version that is not spoken here is answered with
// the newest that is: the client decides whether it can live with that.
func initialize(_ context.Context, r *request) (json.RawMessage, error) {
	c := &clientInfo{capabilities: rawjson.Get(r.Params, "capabilities")}
	c.protocol, _ = rawjson.String(rawjson.Get(r.Params, "protocolVersion"))
	c.named(rawjson.Get(r.Params, "clientInfo"))
	if c.protocol == "" {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, `invalid params: "protocolVersion" is missing`)
	}
	if !slices.Contains(rpc.SessionVersions(), c.protocol) {
		c.protocol = rpc.Session
	}
	conn := r.conn
	conn.mu.Lock()
	defer conn.mu.Unlock()
	if conn.client != nil && !conn.conf.anySession {
		return nil, rpc.Errorf(rpc.CodeInvalidRequest, "invalid request: initialize was sent before")
	}
	conn.client = c
	out := []rawjson.Member{
		{Key: "protocolVersion", Value: rawjson.Quote(c.protocol)},
		{Key: "capabilities", Value: conn.srv.capabilities()},
		{Key: "serverInfo", Value: conn.srv.info()},
	}
	return rawjson.Join(conn.srv.instruct(out)), nil
}

func (s *Server) instruct(out []rawjson.Member) []rawjson.Member {
	var parts []string
	if s.o.Instructions != "" {
		parts = append(parts, s.o.Instructions)
	}
	if s.o.Instructed != nil {
		if theirs := QuoteInstructions(s.o.Instructed()); theirs != "" {
			parts = append(parts, theirs)
		}
	}
	if len(parts) == 0 {
		return out
	}
	return append(out, rawjson.Member{Key: "instructions", Value: rawjson.Quote(strings.Join(parts, "\n\n"))})
}

// discover answers what initialize would, for a protocol that has none.
func discover(_ context.Context, r *request) (json.RawMessage, error) {
	all, _ := json.Marshal(rpc.Versions()) // strings only
	tasks := rawjson.Member{Key: rpc.ExtensionTasks, Value: json.RawMessage("{}")}
	out := []rawjson.Member{
		{Key: "supportedVersions", Value: all},
		{Key: "capabilities", Value: r.conn.srv.capabilities(tasks)},
	}
	return r.complete(rawjson.Join(r.conn.srv.instruct(out)), true), nil
}

func ping(context.Context, *request) (json.RawMessage, error) { return json.RawMessage("{}"), nil }

// setLevel chooses the log messages of all later calls, of the upstreams as well.
func setLevel(ctx context.Context, r *request) (json.RawMessage, error) {
	level, _ := rawjson.String(rawjson.Get(r.Params, "level"))
	if !rpc.IsLevel(level) {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "invalid params: level %.40q: want one of "+
			"debug, info, notice, warning, error, critical, alert, emergency", level)
	}
	r.conn.wishes.SetLevel(level)
	if len(r.conn.srv.o.Upstreams()) == 0 {
		return json.RawMessage("{}"), nil
	}
	return visiting(func(ctx context.Context, v *visit) (json.RawMessage, error) {
		tellUpstreams(ctx, v)
		return json.RawMessage("{}"), nil
	})(ctx, r)
}
