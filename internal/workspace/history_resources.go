package workspace

import (
	"context"
	"encoding/json"
	"errors"

	"helve/builtin"
	"helve/server"
	"helve/tool"
)

// A sessionPast is whose history a client may read: its own session's, under the rules of its profile.
type sessionPast struct {
	w       *Assembly // nil: the session is none of a gateway's
	profile string
}

// pastResources are the history for clients, judged as the tools history and diff would be. That these are not
// offered to models by default does not keep a client from showing it to a person.
type pastResources struct{}

var _ server.History = pastResources{}

// open makes the tools of a session as its rules have them now.
func (pastResources) open(s *tool.Session) (*people, error) {
	none := func() *sessionPast { return &sessionPast{} }
	of := tool.Of(s, none)
	if of.w == nil || !of.w.files.Remembers() {
		return nil, errors.New("nothing is remembered")
	}
	return of.w.Past().open(builtin.Past(of.w.files), KitOptions{Profile: of.profile, Ask: nobody})
}

// nobody answers no: a client that reads a resource is not asked.
func nobody(context.Context, *tool.Question) (tool.Answer, error) {
	return tool.Answer{Unasked: true, Note: "A client that reads a resource is not asked."}, nil
}

// Offers tells which of the two tools the rules leave to the session.
func (r pastResources) Offers(s *tool.Session) (calls, changes bool) {
	p, err := r.open(s)
	if err != nil {
		return false, false
	}
	return p.leaves("history"), p.leaves("diff")
}

// leaves tells that a tool is neither hidden nor denied as a whole. A call of it may still be denied, for its files.
func (p *people) leaves(name string) bool {
	t, bad := p.kit.View().Lookup(name)
	if bad != nil {
		return false
	}
	j := &tool.Job{
		Spec:    t.Spec(),
		Call:    &tool.Call{Name: name},
		Effects: []tool.Effect{},
	}
	return p.rules.Judge(j).Decision != tool.Deny
}

// Read calls the tool.
func (r pastResources) Read(ctx context.Context, s *tool.Session, call string, max int) (*tool.Result, error) {
	p, err := r.open(s)
	if err != nil {
		return nil, err
	}
	c := &tool.Call{
		ID:      "resource",
		Name:    "history",
		Args:    json.RawMessage(`{"limit":10000}`),
		Session: s,
		Whole:   max,
	}
	if call != "" {
		c.Name = "diff"
		c.Args, err = json.Marshal(map[string]string{"calls": call})
		if err != nil {
			return nil, err
		}
	}
	return p.kit.Call(ctx, c)
}
