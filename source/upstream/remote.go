package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/source/internal/foreign"
	"helve/tool"
	"helve/tool/telemetry"
)

// A remote is one tool of the server.
type remote struct {
	calls   *connections
	spec    *tool.Spec
	change  *Change // nil: it is as it was approved
	headers map[string]string
}

var _ tool.Immediate = (*remote)(nil)

func (r *remote) Spec() *tool.Spec { return r.spec }

// PreparesAtOnce says that Prepare waits for nothing.
func (r *remote) PreparesAtOnce() {}

// Prepare dials nothing; what the call would do is not known.
func (r *remote) Prepare(_ context.Context, c *tool.Call) (*tool.Job, error) {
	if r.change != nil {
		r.calls.dialer.heard.changed(c.Session) // it may have been approved meanwhile, from elsewhere
		// The difference is for people: a model that reads it has read what
		// nobody approved.
		e := tool.Errorf(
			tool.Permission,
			"its definition is not the one that was approved",
		)
		return nil, e.WithHint(
			"A person must look at the change and approve it: helve mcp approve %s",
			r.calls.cfg.Name,
		)
	}
	args := c.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	return &tool.Job{
		Title:     r.spec.Title,
		Signature: r.calls.cfg.Name + "." + r.spec.Origin.Name,
		Prompt:    true,
		Preview:   func(context.Context) (tool.Display, error) { return r.preview(args), nil },
		Run:       func(ctx context.Context) (*tool.Result, error) { return r.run(ctx, c, args) },
	}, nil
}

// preview says who would do what: the server, the tool, the arguments, and all
// of the definition, because what misleads a model may be in any part of it.
func (r *remote) preview(args json.RawMessage) tool.Display {
	return tool.Summary(fmt.Sprintf("MCP server: %s\nTool: %s\nArguments: %s\n\n%s\n\nDefinition: %s",
		r.calls.cfg.Name, r.spec.Origin.Name, args, r.spec.Doc.Full(), indented(r.spec.Wire)))
}

// run calls the tool under its own name.
func (r *remote) run(ctx context.Context, c *tool.Call, args json.RawMessage) (*tool.Result, error) {
	if to := r.calls.o.Telemetry; to != nil {
		return r.traced(ctx, to, c, args)
	}
	return r.carry(ctx, c, args)
}

func (r *remote) carry(ctx context.Context, c *tool.Call, args json.RawMessage) (*tool.Result, error) {
	var res json.RawMessage
	err := r.calls.calling(ctx, c.Session, func(k *conn) (err error) {
		if st := taskStateOf(c); st != nil {
			res, err = r.goOn(ctx, k, c, st)
			return err
		}
		k.tellLevel(ctx, c.Session)
		res, err = r.send(ctx, k, c, args)
		if err != nil {
			return err
		}
		if t := taskOf(res); t != nil {
			res, err = r.follow(ctx, k, c, t, nil)
		}
		return err
	})
	if err != nil {
		return nil, r.failure(err)
	}
	return r.answer(c.Name, c.Session, res)
}

// reporter hands on the server's progress; nil where nobody listens.
func reporter(c *tool.Call) func(rpc.Progress) {
	if c.Progress == nil {
		return nil
	}
	return func(p rpc.Progress) {
		c.Progress(tool.Progress{Done: p.Done, Total: p.Total, Message: p.Message})
	}
}

// aroundCall is what the keys of a call take, in bytes, and a name's escapes.
const aroundCall = 64

// params are those of tools/call. The arguments are sent as they were checked.
func (r *remote) params(k *conn, c *tool.Call, args json.RawMessage, id int64) json.RawMessage {
	meta := fmt.Appendf(nil, `{"progressToken":%d}`, id)
	if c.Meta != nil || k.meta != nil {
		own := rawjson.Set(c.Meta, rpc.MetaProgress, json.RawMessage(fmt.Sprint(id)))
		params := rawjson.Join([]rawjson.Member{{Key: "_meta", Value: own}})
		meta = rawjson.Get(k.withMeta(params, c.Session), "_meta")
	}
	b := make([]byte, 0, len(args)+len(meta)+len(r.spec.Origin.Name)+aroundCall)
	b = append(b, `{"name":`...)
	b = rawjson.AppendString(b, r.spec.Origin.Name)
	b = append(b, `,"arguments":`...)
	b = append(b, args...)
	if c.Resume != nil {
		b = append(b, `,"inputResponses":`...)
		b = append(b, c.Resume.Answers...)
		if len(c.Resume.State) > 0 {
			b = append(b, `,"requestState":`...)
			b = rawjson.AppendString(b, string(c.Resume.State))
		}
	}
	b = append(b, `,"_meta":`...)
	b = append(b, meta...)
	return append(b, '}')
}

// result understands the answer to a call under that name. What the schema promises is checked.
func (r *remote) result(name string, session *tool.Session, raw json.RawMessage) (*tool.Result, error) {
	members, err := rawjson.Object(raw)
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "the result is no object")
	}
	for _, m := range members {
		if m.Key == "resultType" && string(m.Value) == `"input_required"` {
			state, _ := rawjson.String(rawjson.Get(raw, "requestState"))
			requests := rawjson.Get(raw, "inputRequests")
			if requests == nil { // a server may want nothing but to be called again
				return r.calls.needs(state, nil), nil
			}
			return r.calls.needs(state, r.calls.asksBack(session, requests)), nil
		}
	}
	res, err := foreign.ResultOf(members)
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "%w", err)
	}
	if r.spec.Output == nil || res.Err != nil {
		return res, nil
	}
	if res.Data == nil {
		return unkept(res, tool.ErrorOf(
			tool.Execution,
			name,
			"the answer has no structured content, and the tool's schema promises some",
		)), nil
	}
	if _, err := r.spec.Output.Check(res.Data); err != nil {
		return unkept(res, tool.ErrorOf(
			tool.Execution,
			name,
			"the structured content of the answer is not what the tool's schema promises: %w",
			err,
		)), nil
	}
	return res, nil
}

// unkept makes a result that is not what its tool promises a failure. The model reads why, above what
// the server sent.
func unkept(res *tool.Result, why *tool.Error) *tool.Result {
	res.Err = why
	res.Parts = append([]tool.Part{tool.Text(why.Text())}, res.Parts...)
	res.Display = tool.Summary(why.Error())
	return res
}

// failure says what became of a call that brought no result, and whether it may
// have run.
func (r *remote) failure(err error) error {
	var refusal *RPCError
	switch {
	case errors.Is(err, rpc.ErrLate):
		return tool.Errorf(tool.TimedOut, "no answer within %v", r.calls.cfg.Timeout).
			WithHint("The server was told to stop; the call may have been carried out in part.")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &refusal):
		e := tool.Errorf(tool.Execution, "%w", refusal)
		if refusal.Data != nil {
			e.Details = refusal
		}
		return e
	case errors.Is(err, rpc.ErrBroken) && !errors.Is(err, rpc.ErrUnsent): // it may be a handshake that broke
		hint := "The call was not sent again: it may have been carried out. " +
			"Look at what it was to change before trying once more."
		if more := r.calls.confinement(err.Error()); more != "" {
			hint += " " + more
		}
		return tool.Errorf(tool.Execution, "%w", err).WithHint("%s", hint)
	}
	return tool.Errorf(tool.Execution, "%w", err).
		WithHint("The call was not carried out. helve mcp test %s says more.", r.calls.cfg.Name)
}

// answer is the result of a call, with a hint where the server's confinement may be why it failed.
func (r *remote) answer(name string, session *tool.Session, raw json.RawMessage) (*tool.Result, error) {
	res, err := r.result(name, session, raw)
	if err != nil || res.Err == nil {
		return res, err
	}
	if hint := r.calls.confinement(res.Text()); hint != "" {
		res.Parts = append(res.Parts, tool.Text("hint: "+hint))
	}
	return res, nil
}

// needs is the result of a call that wants something of the client. Another replica has a program of its own, which
// need not understand what this one's gave out.
func (s *server) needs(state string, requests json.RawMessage) *tool.Result {
	return &tool.Result{Need: &tool.Need{State: []byte(state), Requests: requests, Here: s.cfg.Command != ""}}
}

// traced is a call under a span of its own. The server goes on with it.
func (r *remote) traced(
	ctx context.Context, to telemetry.Provider, c *tool.Call, args json.RawMessage,
) (*tool.Result, error) {
	about := r.calls.asking(rpc.MethodCall)
	about.Tool = r.spec.Origin.Name
	ctx, trace, end := telemetry.Ask(ctx, to, about)
	failed := "panic"
	defer func() { end(failed) }()
	own := *c
	own.Meta = trace.Into(c.Meta)
	res, err := r.carry(ctx, &own, args)
	failed = failureOf(err)
	if err == nil && res.Err != nil {
		failed = "tool_error"
	}
	return res, err
}
