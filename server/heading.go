package server

import (
	"encoding/json"
	"slices"
	"strings"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// A heading is what a request says of itself and of its client in _meta. In the session protocol most of that was
// said by initialize.
type heading struct {
	conversation string          // as the client names it
	client       *clientInfo     // in the stateless protocol what came with the request, else what initialize said
	era          era             // the protocol that it is in
	meta         json.RawMessage // _meta without the protocol's own keys; nil for none
	wish         wish            // what the client wants of a result's data
	progress     json.RawMessage // the token under which progress is told; nil: nobody listens
	logLevel     string          // of the stateless protocol: "" means no log messages
}

// read splits _meta into the protocol's part and what is passed on.
func (h *heading) read(meta []rawjson.Member) *rpc.Error {
	c := &clientInfo{}
	var rest []rawjson.Member
	for _, m := range meta {
		switch m.Key {
		case rpc.MetaProgress:
			if rpc.ValidID(m.Value) {
				h.progress = m.Value
			}
		case rpc.MetaVersion:
			c.protocol, _ = rawjson.String(m.Value)
		case rpc.MetaClient:
			c.named(m.Value)
		case rpc.MetaCapabilities:
			if rpc.FirstByte(m.Value) == '{' {
				c.capabilities = m.Value
			}
		case rpc.MetaLogLevel:
			h.logLevel, _ = rawjson.String(m.Value)
		case MetaConversation:
			name, bad := readConversation(m.Value)
			if bad != nil {
				return bad
			}
			c.conversation, h.conversation = name, name
		case MetaData:
			wish, bad := readWish(m.Value)
			if bad != nil {
				return bad
			}
			h.wish = wish
		default:
			if !strings.HasPrefix(m.Key, rpc.MetaPrefix) {
				rest = append(rest, m)
			}
		}
	}
	if rest != nil {
		h.meta = rawjson.Join(rest)
	}
	switch {
	case c.protocol < rpc.Stateless: // also none
		return nil
	case !slices.Contains(rpc.Versions(), c.protocol):
		about := map[string]any{"supported": rpc.Versions(), "requested": c.protocol}
		data, _ := json.Marshal(about) // strings only
		return &rpc.Error{Code: rpc.CodeVersion, Message: "unsupported protocol version", Data: data}
	case c.capabilities == nil:
		return rpc.Errorf(rpc.CodeInvalidParams, "missing or invalid _meta field %q", rpc.MetaCapabilities)
	}
	h.era, h.client = statelessEra{}, c
	return nil
}

// upstreamMeta is the client's _meta as an upstream may see it. In the stateless
// protocol the wish for log messages is part of each request.
func (h *heading) upstreamMeta() json.RawMessage {
	if h.logLevel == "" {
		return h.meta
	}
	meta := h.meta
	if meta == nil {
		meta = json.RawMessage("{}")
	}
	return rawjson.Set(meta, rpc.MetaLogLevel, rawjson.Quote(h.logLevel))
}
