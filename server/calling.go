package server

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

// maxRounds is how often one call may want something of the client: an
// approval, and what the tool itself asks.
const maxRounds = 16

// A toolCall is what tools/call wants.
type toolCall struct {
	name    string
	args    json.RawMessage
	state   string          // of an earlier round
	answers json.RawMessage // to it
}

// A calling is a request for tools/call, while it is served.
type calling struct {
	*visit
	want *toolCall
}

// call is one round of a call through the kit.
func (k *calling) call(ctx context.Context, resume *tool.Resume, progress func(tool.Progress)) (*tool.Result, error) {
	res, err := k.conv.kit.Call(ctx, &tool.Call{
		ID:       string(k.ID),
		Name:     k.want.name,
		Args:     k.want.args,
		Session:  k.conv.session,
		Meta:     k.upstreamMeta(),
		Whole:    k.wish.whole(),
		Unseen:   k.conv.listing().hides(k.want.name),
		Resume:   resume,
		Progress: progress,
		Task:     k.leave(),
	})
	if res != nil && res.Err != nil {
		// An upstream answered with an error: the client hears what it would
		// hear without us.
		if e, ok := errors.AsType[rpc.Coded](res.Err); ok {
			return nil, rpc.AsError(e)
		}
	}
	switch {
	case res != nil && (err == nil || res.Need == nil):
		return k.conv.explained(k.want.name, res), nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return nil, rpc.Errorf(rpc.CodeInternal, "cancelled")
	case err != nil:
		return nil, err
	}
	return nil, rpc.Errorf(rpc.CodeInternal, "the call brought no result")
}

// callInSession runs a call to its end; what it needs on the way is asked of
// the client by requests of ours.
func (k *calling) callInSession(ctx context.Context) (json.RawMessage, error) {
	var resume *tool.Resume
	for round := 0; ; round++ {
		res, err := k.call(ctx, resume, k.reporter())
		if err != nil {
			return nil, err
		}
		switch {
		case res.Need == nil:
			return k.encode(res)
		case round == maxRounds:
			return k.encode(tool.Fail(tooOften(k.want.name, res.Need.SoFar)))
		}
		k.say("waiting for an answer")
		asked := time.Now()
		answers, err := k.fulfil(ctx, res.Need.Requests)
		if err != nil {
			return k.encode(tool.Fail(unasked(k.want.name, res.Need.SoFar, err)))
		}
		resume = &tool.Resume{State: res.Need.State, Answers: answers, Took: time.Since(asked)}
	}
}

// unasked is the error of a call whose client cannot be asked, with what it says that it did.
func unasked(name, soFar string, why error) *tool.Error {
	return tool.ErrorOf(tool.Execution, name, "the client could not be asked: %w", why).WithHint("%s", soFar)
}

// tooOften is the error of a call that is given up, with what it says that it did.
func tooOften(name, soFar string) *tool.Error {
	return tool.ErrorOf(tool.Execution, name, "it asked %d times and is not done", maxRounds).WithHint("%s", soFar)
}

// fulfil asks a client of the session protocol everything that a Need wants,
// one after the other: a person sees one question at a time.
func (k *calling) fulfil(ctx context.Context, requests json.RawMessage) (json.RawMessage, error) {
	members, err := rawjson.Object(requests)
	if err != nil {
		return nil, err
	}
	out := make([]rawjson.Member, 0, len(members))
	for _, m := range members {
		method, _ := rawjson.String(rawjson.Get(m.Value, "method"))
		if what := family(method); !k.client.can(what) {
			return nil, rpc.Errorf(rpc.CodeMethodNotFound, "it has no %s", what)
		}
		answer, err := k.conn.ask(ctx, k.Out, method, rawjson.Get(m.Value, "params"))
		if err != nil && m.Key == approvalKey && ctx.Err() == nil {
			// The client says that it can ask, and cannot: that is no answer of a
			// person.
			answer, err = json.RawMessage(`{"action":"cancel"}`), nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, rawjson.Member{Key: m.Key, Value: answer})
	}
	return rawjson.Join(out), nil
}

// leave is what a tool calls that goes on for long; nil where the client waits
// for its result.
func (k *calling) leave() func() {
	if k.run == nil || !k.takesTasks() {
		return nil
	}
	return k.run.leave
}
