package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	rawjson "helve/internal/json"
	"helve/source/upstream"
	"helve/tool"
)

const (
	// maxReviewed is the longest difference that is asked about in the middle of a call, in bytes: what a dialogue cannot show whole is
	// for helve mcp approve.
	maxReviewed = 6 << 10
	// reviewKey names our question among those of a call.
	reviewKey = "definition"
)

// review is the middleware that shows a person what changed in the definition of a server's tool, and asks whether it may be used now.
// Nobody at the terminal and no client that can ask leaves the call to the tool, which refuses it. Neither --yes nor a client's own
// prompt is an answer: they have not seen the difference.
func (a *app) review(h *house) func(tool.Caller) tool.Caller {
	return func(next tool.Caller) tool.Caller {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			s, change := h.changed(c.Name)
			if s == nil || len(change.Diff) > maxReviewed {
				return next(ctx, c)
			}
			var yes bool
			switch {
			case a.elicits && canElicit(c.Session):
				answer, need := answered(c, s.Name(), change)
				if need != nil {
					return &tool.Result{Need: need}, nil
				}
				yes = answer
				own := *c
				own.Resume = nil // it was about the definition, not about the call
				c = &own
			case a.present:
				var err error
				if yes, err = a.reviewed(ctx, s.Name(), change); err != nil {
					return nil, err
				}
			}
			if yes {
				if err := h.accept(ctx, s, change); err != nil {
					return tool.Fail(err), nil
				}
			}
			return next(ctx, c)
		}
	}
}

// changed is the server of a tool whose definition is not the one that was approved, and the change; nil for all others.
func (h *house) changed(name string) (*upstream.Source, upstream.Change) {
	t, ok := h.kit.View().Get(name)
	if !ok || t.Spec().Origin.Kind != tool.MCP {
		return nil, upstream.Change{}
	}
	for _, s := range h.servers {
		if s.Name() == t.Spec().Origin.Server {
			if c, ok := s.Changed(t.Spec().Origin.Name); ok {
				return s, c
			}
		}
	}
	return nil, upstream.Change{}
}

// accept takes the new definition, and registers it.
func (h *house) accept(ctx context.Context, s *upstream.Source, c upstream.Change) error {
	if err := s.Accept(c); err != nil {
		return err
	}
	return h.reg.Refresh(ctx, s.Name())
}

// reviewed asks the person at the terminal.
func (a *app) reviewed(ctx context.Context, server string, c upstream.Change) (bool, error) {
	a.asking.Lock()
	defer a.asking.Unlock()
	if a.hush != nil {
		a.hush()
	}
	paint := a.painter()
	fmt.Fprintf(a.env.Stderr, "\n%s\n\n", paint.bold(reviewTitle(server, c)))
	for line := range strings.Lines(c.Diff) {
		fmt.Fprintln(a.env.Stderr, paint.line(tool.Diff{}, printable(strings.TrimSuffix(line, "\n"))))
	}
	word, err := a.choose(ctx, "Use the new definition?", []choice{{"No", "no"}, {"Yes, from now on", "yes"}})
	return word == "yes", err
}

func reviewTitle(server string, c upstream.Change) string {
	return printable(fmt.Sprintf("The server %s defines its tool %s in another way than was approved.", server, c.Tool))
}

// A reviewState finds the answer back to its question.
type reviewState struct {
	Change string `json:"change"`
}

// answered is what the client's person said about this very change, or the question to ask.
func answered(c *tool.Call, server string, change upstream.Change) (yes bool, need *tool.Need) {
	var state reviewState
	if c.Resume != nil && json.Unmarshal(c.Resume.State, &state) == nil && state.Change == change.Digest() {
		answer := rawjson.Get(c.Resume.Answers, reviewKey)
		action, _ := rawjson.String(rawjson.Get(answer, "action"))
		word, _ := rawjson.String(rawjson.Get(rawjson.Get(answer, "content"), "decision"))
		return action == "accept" && word == "yes", nil
	}
	mine, _ := json.Marshal(reviewState{change.Digest()}) // a string
	return false, &tool.Need{State: mine, Requests: reviewing(server, change)}
}

// reviewing is the question in the protocol's form.
func reviewing(server string, c upstream.Change) json.RawMessage {
	text, _ := rawjson.Visible(reviewTitle(server, c) + "\n\n" + c.Diff)
	b, _ := json.Marshal(map[string]any{reviewKey: map[string]any{"method": "elicitation/create", "params": map[string]any{ // strings only
		"mode":    "form",
		"message": text,
		"requestedSchema": map[string]any{"type": "object", "required": []string{"decision"}, "properties": map[string]any{
			"decision": map[string]any{"type": "string", "title": "Use the new definition?", "default": "no",
				"enum": []string{"no", "yes"}, "enumNames": []string{"no", "yes, from now on"}},
		}},
	}}})
	return b
}

func canElicit(s *tool.Session) bool {
	if s == nil {
		return false
	}
	v := rawjson.Get(s.Capabilities, "elicitation")
	return v != nil && string(v) != "null"
}
