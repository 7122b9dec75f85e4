package upstream

import (
	"context"
	"encoding/json"
	"fmt"

	rawjson "helve/internal/json"
	"helve/tool"
)

// A Review asks somebody whether a tool of a server may be used although its definition is not the one that was
// approved. A Need in the answer asks the client in a second round, in which c.Resume holds what it said. Only Yes and
// Need of the answer count; no is safe: the tool itself refuses such calls.
type Review func(ctx context.Context, c *tool.Call, server string, change Change) (tool.Answer, error)

// maxReviewed is the longest difference that is asked about in the middle of a call, in bytes: what a dialogue cannot
// show whole is for helve mcp approve.
const maxReviewed = 6 << 10

// Around is the middleware that asks r before a changed tool of one of the servers is called, and takes the new
// definition after a yes. reg is what a session's tools are registered in. A client's own prompt before each call is no
// answer: its person has not seen the difference.
func (r Review) Around(
	kit func() *tool.Kit, reg func(*tool.Session) *tool.Registry, servers func() []*Source,
) func(tool.Caller) tool.Caller {
	return func(next tool.Caller) tool.Caller {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			own := reg(c.Session)
			s, change := changed(kit().View(), servers(), c.Name)
			if s == nil {
				s, change = changed(own.View(), servers(), c.Name)
			}
			if s == nil || len(change.Diff) > maxReviewed {
				return next(ctx, c)
			}
			a, err := r(ctx, c, s.Name(), change)
			switch {
			case err != nil:
				return nil, err
			case a.Need != nil:
				return &tool.Result{Need: a.Need}, nil
			case !a.Yes:
				return next(ctx, answeredCall(c))
			}
			if err := s.Accept(change); err != nil {
				return tool.Fail(err), nil
			}
			if err := own.Refresh(ctx, s.Name()); err != nil {
				return tool.Fail(err), nil
			}
			return next(ctx, answeredCall(c))
		}
	}
}

// answeredCall is c without what was said about the definition: that is no answer about the call.
func answeredCall(c *tool.Call) *tool.Call {
	if c.Resume == nil || !isReview(c.Resume) {
		return c
	}
	own := *c
	own.Resume = nil
	return &own
}

// changed is the server of a tool whose definition is not the one that was approved, and the change; nil for all
// others.
func changed(view *tool.View, servers []*Source, name string) (*Source, Change) {
	t, ok := view.Get(name)
	if !ok || t.Spec().Origin.Kind != tool.MCP {
		return nil, Change{}
	}
	for _, s := range servers {
		if s.Name() == t.Spec().Origin.Server {
			if c, ok := s.Changed(t.Spec().Origin.Name); ok {
				return s, c
			}
		}
	}
	return nil, Change{}
}

// Question is what a person is asked about the change, above the difference.
func (c *Change) Question(server string) string {
	return fmt.Sprintf("The server %s defines its tool %s in another way than was approved.", server, c.Tool)
}

// reviewKey names the question about a definition among those of a call.
const reviewKey = "definition"

// A reviewState finds the answer back to its question.
type reviewState struct {
	Change string `json:"change"`
}

func isReview(r *tool.Resume) bool {
	var state reviewState
	return json.Unmarshal(r.State, &state) == nil && state.Change != ""
}

// ReviewByClient is a Review that has the client ask its person (elicitation). Clients that cannot are not asked, and
// the call is refused by the tool.
func ReviewByClient(_ context.Context, c *tool.Call, server string, change Change) (tool.Answer, error) {
	if !canElicit(c.Session) {
		return tool.Answer{}, nil
	}
	var state reviewState
	if c.Resume != nil && json.Unmarshal(c.Resume.State, &state) == nil && state.Change == change.Digest() {
		answer := rawjson.Get(c.Resume.Answers, reviewKey)
		action, _ := rawjson.String(rawjson.Get(answer, "action"))
		word, _ := rawjson.String(rawjson.Get(rawjson.Get(answer, "content"), "decision"))
		return tool.Answer{Yes: action == "accept" && word == "yes"}, nil
	}
	mine, _ := json.Marshal(reviewState{change.Digest()}) // a string
	return tool.Answer{Need: &tool.Need{State: mine, Requests: reviewing(server, change)}}, nil
}

// reviewing is the question in the protocol's form.
func reviewing(server string, c Change) json.RawMessage {
	text, _ := rawjson.Visible(c.Question(server) + "\n\n" + c.Diff)
	decision := map[string]any{
		"type":      "string",
		"title":     "Use the new definition?",
		"default":   "no",
		"enum":      []string{"no", "yes"},
		"enumNames": []string{"no", "yes, from now on"},
	}
	form := map[string]any{
		"type":       "object",
		"required":   []string{"decision"},
		"properties": map[string]any{"decision": decision},
	}
	params := map[string]any{"mode": "form", "message": text, "requestedSchema": form}
	question := map[string]any{"method": "elicitation/create", "params": params}
	b, _ := json.Marshal(map[string]any{reviewKey: question}) // strings only
	return b
}

func canElicit(s *tool.Session) bool {
	if s == nil {
		return false
	}
	v := rawjson.Get(s.Capabilities, "elicitation")
	return v != nil && string(v) != "null"
}
