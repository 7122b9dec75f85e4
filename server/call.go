package server

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	rawjson "helve/internal/json"
	"helve/tool"
)

// maxRounds is how often one call may want something of the client: an approval, and what the tool itself asks.
const maxRounds = 16

// A toolCall is what tools/call wants.
type toolCall struct {
	name    string
	args    json.RawMessage
	state   string          // of an earlier round
	answers json.RawMessage // to it
}

func (r *request) readCall() (*toolCall, error) {
	c := &toolCall{}
	for _, m := range r.fields {
		switch m.Key {
		case "name":
			c.name, _ = rawjson.String(m.Value)
		case "arguments":
			c.args = m.Value
		case "requestState":
			c.state, _ = rawjson.String(m.Value)
		case "inputResponses":
			c.answers = m.Value
		}
	}
	switch {
	case c.name == "":
		return nil, errorf(codeInvalidParams, `invalid params: "name" is missing`)
	case !areAnswers(c.answers):
		return nil, errorf(codeInvalidParams, "invalid params: inputResponses must be an object of objects, at most %d", maxInputResponses)
	case string(c.args) == jsonNull:
		c.args = nil
	case len(c.state) > maxRequestState:
		return nil, errorf(codeInvalidParams, "invalid params: requestState has %d bytes", len(c.state))
	}
	return c, nil
}

func areAnswers(raw json.RawMessage) bool {
	if raw == nil || string(raw) == jsonNull {
		return true
	}
	members, err := rawjson.Object(raw)
	for _, m := range members {
		if firstByte(m.Value) != '{' {
			return false
		}
	}
	return err == nil && len(members) <= maxInputResponses
}

func callTool(ctx context.Context, r *request) (json.RawMessage, error) {
	c, err := r.readCall()
	if err != nil {
		return nil, err
	}
	home, err := r.room(ctx)
	if err != nil {
		return nil, err
	}
	if l := home.listing(); l.deferred {
		if res, done := l.meta(c); done {
			return r.write(res, true)
		}
	}
	r.live = home
	if r.modern {
		if t, ok := home.kit.View().Get(c.name); ok && r.head != nil {
			if bad := checkParams(r.head, t.Spec(), c.args); bad != nil {
				return nil, bad
			}
		}
		return r.callModern(ctx, home, c)
	}
	defer home.begin(r)()
	return r.callOlder(ctx, home, c)
}

// call is one round of a call through the kit.
func (r *request) call(ctx context.Context, home *room, c *toolCall, resume *tool.Resume, progress func(tool.Progress)) (*tool.Result, error) {
	res, err := home.kit.Call(ctx, &tool.Call{ID: string(r.id), Name: c.name, Args: c.args, Session: home.session, Meta: r.meta, Unseen: home.listing().hides(c.name),
		Resume: resume, Progress: progress})
	if res != nil && res.Err != nil {
		if e, ok := errors.AsType[coded](res.Err); ok { // an upstream answered with an error: the client hears what it would hear without us
			return nil, asRPC(e)
		}
	}
	switch {
	case res != nil && (err == nil || res.Need == nil):
		return res, nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return nil, errorf(codeInternal, "cancelled")
	case err != nil:
		return nil, err
	}
	return nil, errorf(codeInternal, "the call brought no result")
}

// callOlder runs a call to its end; what it needs on the way is asked of the client by requests of ours.
func (r *request) callOlder(ctx context.Context, home *room, c *toolCall) (json.RawMessage, error) {
	var resume *tool.Resume
	for range maxRounds {
		res, err := r.call(ctx, home, c, resume, r.reporter(ctx))
		if err != nil {
			return nil, err
		}
		if res.Need == nil {
			return r.encode(res)
		}
		answers, err := r.fulfil(ctx, res.Need.Requests)
		if err != nil {
			return r.encode(tool.Fail(tool.Errorf(tool.Execution, "%s: the client could not be asked: %w", c.name, err)))
		}
		resume = &tool.Resume{State: res.Need.State, Answers: answers}
	}
	return r.encode(tool.Fail(tool.Errorf(tool.Execution, "%s: it asked %d times and is not done", c.name, maxRounds)))
}

// fulfil asks a client of the older era everything that a Need wants, one after the other: a person sees one question at a time.
func (r *request) fulfil(ctx context.Context, requests json.RawMessage) (json.RawMessage, error) {
	members, err := rawjson.Object(requests)
	if err != nil {
		return nil, err
	}
	out := make([]rawjson.Member, 0, len(members))
	for _, m := range members {
		method, _ := rawjson.String(rawjson.Get(m.Value, "method"))
		if what := family(method); !r.hello.can(what) {
			return nil, errorf(codeMethodNotFound, "it has no %s", what)
		}
		answer, err := r.peer.ask(ctx, r.out, method, rawjson.Get(m.Value, "params"))
		if err != nil {
			return nil, err
		}
		out = append(out, rawjson.Member{Key: m.Key, Value: answer})
	}
	return rawjson.Join(out), nil
}

// family is the capability that a method belongs to.
func family(method string) string {
	for i := range method {
		if method[i] == '/' {
			return method[:i]
		}
	}
	return method
}

// reporter tells the client of progress, if it asked for it.
func (r *request) reporter(ctx context.Context) func(tool.Progress) {
	if r.progress == nil {
		return nil
	}
	last := math.Inf(-1)
	return func(p tool.Progress) {
		if !(p.Done > last) || math.IsInf(p.Done, 0) { // the protocol wants it to increase; NaN is none
			return
		}
		last = p.Done
		r.peer.tell(ctx, r.out, "notifications/progress", r.progressParams(p))
	}
}

func (r *request) progressParams(p tool.Progress) json.RawMessage {
	out := struct {
		Token   json.RawMessage `json:"progressToken"`
		Done    float64         `json:"progress"`
		Total   float64         `json:"total,omitempty"`
		Message string          `json:"message,omitempty"`
	}{r.progress, p.Done, p.Total, p.Message}
	if math.IsNaN(out.Total) || math.IsInf(out.Total, 0) {
		out.Total = 0
	}
	return encodePlain(out)
}
