package server

import (
	"context"
	"encoding/json"
	"slices"

	rawjson "helve/internal/json"
)

// capabilities are the same in every era and for every client: what is not there is an empty list. They do not wait for upstreams,
// which may not have been started yet.
func (s *Server) capabilities() json.RawMessage {
	changed := "true"
	if s.o.Static {
		changed = "false"
	}
	return json.RawMessage(`{"tools":{"listChanged":` + changed + `},"resources":{"subscribe":true,"listChanged":` + changed +
		`},"prompts":{"listChanged":` + changed + `},"completions":{},"logging":{}}`)
}

func initialize(_ context.Context, r *request) (json.RawMessage, error) {
	h := &hello{capabilities: rawjson.Get(r.params, "capabilities")}
	h.protocol, _ = rawjson.String(rawjson.Get(r.params, "protocolVersion"))
	h.named(rawjson.Get(r.params, "clientInfo"))
	if h.protocol == "" {
		return nil, errorf(codeInvalidParams, `invalid params: "protocolVersion" is missing`)
	}
	if h.protocol >= modern || !slices.Contains(versions, h.protocol) {
		h.protocol = versions[1]
	}
	p := r.peer
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hello != nil && !p.stateless {
		return nil, errorf(codeInvalidRequest, "invalid request: initialize was sent before")
	}
	p.hello = h
	out := []rawjson.Member{
		{Key: "protocolVersion", Value: rawjson.Quote(h.protocol)},
		{Key: "capabilities", Value: p.srv.capabilities()},
		{Key: "serverInfo", Value: p.srv.info()},
	}
	return rawjson.Join(p.srv.instruct(out)), nil
}

func (s *Server) instruct(out []rawjson.Member) []rawjson.Member {
	if s.o.Instructions == "" {
		return out
	}
	return append(out, rawjson.Member{Key: "instructions", Value: rawjson.Quote(s.o.Instructions)})
}

func discover(_ context.Context, r *request) (json.RawMessage, error) {
	all, _ := json.Marshal(versions) // strings only
	out := []rawjson.Member{
		{Key: "supportedVersions", Value: all},
		{Key: "capabilities", Value: r.peer.srv.capabilities()},
	}
	return r.complete(rawjson.Join(r.peer.srv.instruct(out)), true), nil
}

func ping(context.Context, *request) (json.RawMessage, error) { return json.RawMessage("{}"), nil }

// levels of log messages, the quietest last.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func setLevel(ctx context.Context, r *request) (json.RawMessage, error) {
	level, _ := rawjson.String(rawjson.Get(r.params, "level"))
	if !slices.Contains(levels, level) {
		return nil, errorf(codeInvalidParams, "invalid params: level %.40q: want one of debug, info, notice, warning, error, critical, alert, emergency", level)
	}
	r.peer.mu.Lock()
	r.peer.level = level
	r.peer.mu.Unlock()
	return json.RawMessage("{}"), r.tellUpstreams(ctx, "logging/setLevel", r.params)
}

// quieter tells that a message of a level is not wanted by who asked for another. An unknown level is always wanted.
func quieter(level, wanted string) bool {
	i, j := slices.Index(levels, level), slices.Index(levels, wanted)
	return i >= 0 && j >= 0 && i < j
}
