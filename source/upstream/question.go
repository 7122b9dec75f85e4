package upstream

import (
	"encoding/json"
	"strings"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/visible"
	"helve/source/internal/foreign"
	"helve/tool"
)

// maxAsked is how much of a question's text is kept on record, in bytes.
const maxAsked = 500

// named are the parameters of a server's question as the client gets them.
func named(server, method string, params json.RawMessage) json.RawMessage {
	return foreign.Asked("The MCP server "+server, method, params)
}

// asksBack carries the questions of a result that wants answers, as named does
// for one, and has them recorded. What became of them is in another call.
func (s *server) asksBack(session *tool.Session, requests json.RawMessage) json.RawMessage {
	members, err := rawjson.Object(requests)
	if err != nil {
		return requests // whoever reads it says so
	}
	for i, m := range members {
		method, _ := rawjson.String(rawjson.Get(m.Value, "method"))
		params := rawjson.Get(m.Value, "params")
		s.record(Question{
			Session: session,
			Method:  method,
			Text:    asksFor(method, params),
			Outcome: "asked",
			Began:   time.Now(),
		})
		if params != nil {
			members[i].Value = rawjson.Set(m.Value, "params", named(s.cfg.Name, method, params))
		}
	}
	return rawjson.Join(members)
}

// asksFor is what a question says, for the record.
func asksFor(method string, params json.RawMessage) string {
	text, _ := rawjson.String(rawjson.Get(params, "message"))
	if method == "sampling/createMessage" {
		messages, _ := rawjson.Array(rawjson.Get(params, "messages"))
		if len(messages) > 0 {
			last := rawjson.Get(messages[len(messages)-1], "content")
			text, _ = rawjson.String(rawjson.Get(last, "text"))
		}
	}
	text = visible.Text(text)
	if len(text) > maxAsked {
		text = strings.ToValidUTF8(text[:maxAsked], "") + "…"
	}
	return text
}

// record tells of a question and of what became of it.
func (s *server) record(q Question) {
	if s.o.Asked == nil {
		return
	}
	q.Server = s.cfg.Name
	s.o.Asked(q)
}

// outcome is what a client's answer to a question says, in a word.
func outcome(method string, res json.RawMessage, err error) string {
	action, ok := rawjson.String(rawjson.Get(res, "action"))
	switch {
	case err != nil:
		return "error"
	case method != "elicitation/create":
		return "ok"
	case !ok:
		return "error"
	}
	switch action {
	case "accept", "decline", "cancel":
		return action
	}
	return "error"
}
