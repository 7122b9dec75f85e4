package natsbus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"helve/engine/schema"
	rawjson "helve/internal/json"
	"helve/internal/visible"
	"helve/internal/wire"
	"helve/source/internal/foreign"
	"helve/tool"
)

// An own tool is one that only workers have. What they say of it is their word.
type own struct {
	calls      *calls
	spec       *tool.Spec
	from       string // its origin at the workers
	definition string // its digest there
	size       int    // of the definition, in bytes
}

var _ tool.Tool = (*own)(nil)

// Spec is the definition as it is listed here.
func (t *own) Spec() *tool.Spec { return t.spec }

// Prepare has a worker understand the call that has this definition of the tool.
func (t *own) Prepare(ctx context.Context, c *tool.Call) (*tool.Job, error) {
	j := t.calls.jobOf(t.spec, c)
	j.want.origin, j.want.definition = t.from, t.definition
	j.want.apart, j.own = true, t
	t.calls.conversations.follow(ctx, j.want.pin)
	return j.prepare(ctx)
}

// ownTool makes a tool of what a worker says, and tells the digest of what it said.
func ownTool(c *calls, o *wire.Offered) (t *own, digest string, err error) {
	said, err := readSpec(o)
	if err != nil {
		return nil, "", err
	}
	digest = string(said.Digest())
	if said.Origin.String() != o.Origin {
		return nil, digest, fmt.Errorf("it says that it is %.80q", said.Origin)
	}
	spec, err := c.listed(said)
	if err != nil {
		return nil, digest, err
	}
	return &own{calls: c, spec: spec, from: o.Origin, definition: digest, size: o.Size()}, digest, nil
}

// readSpec is a definition as the worker has it, of which its digest is made.
func readSpec(o *wire.Offered) (*tool.Spec, error) {
	var said *tool.Spec
	if err := json.Unmarshal(o.Spec, &said); err != nil {
		return nil, fmt.Errorf("its definition cannot be read: %w", err)
	}
	if said == nil {
		return nil, fmt.Errorf("its definition has more than %d bytes, or is no JSON", wire.MostDefinition)
	}
	var err error
	if said.Input, err = readSchema(o.Input); err != nil {
		return nil, err
	}
	if said.Output, err = readSchema(o.Output); err != nil {
		return nil, err
	}
	said.Wire = nil
	if o.Wire != "" {
		said.Wire = json.RawMessage(o.Wire)
	}
	return said, nil
}

// readSchema reads a schema; "" is none.
func readSchema(text string) (*schema.Schema, error) {
	if text == "" {
		return nil, nil
	}
	return schema.Parse(json.RawMessage(text))
}

// listed is the definition as it is listed here: under the pool's name, without hidden characters. Where the pool is
// not trusted it may do anything, whatever it says of itself.
func (b *bus) listed(said *tool.Spec) (*tool.Spec, error) {
	name := said.Origin.Name
	if said.Origin.Server != "" {
		name = said.Origin.Server + "__" + name
	}
	for _, n := range []string{name, said.Name} {
		if err := foreign.CheckName(n); err != nil {
			return nil, err
		}
	}
	input, _, err := foreign.Input(clean(said.Input))
	if err != nil {
		return nil, err
	}
	output, err := readSchema(string(clean(said.Output)))
	if err != nil {
		return nil, err
	}
	doc, _ := foreign.Doc(said.Doc.Full())
	out := &tool.Spec{
		Name:     said.Name,
		Title:    fmt.Sprintf("%s (pool %s)", said.Name, b.o.Pool),
		Version:  "1.0.0",
		Origin:   tool.Origin{Kind: tool.Remote, Server: b.o.Pool, Name: name},
		Doc:      doc,
		Kind:     tool.Exec,
		Serial:   said.Serial,
		Stateful: said.Stateful,
		Input:    input,
		Output:   output,
	}
	if said.Wire != nil {
		if !json.Valid(said.Wire) {
			return nil, errors.New("its definition is no JSON")
		}
		out.Wire, _ = rawjson.Clean(said.Wire, rawjson.Visible)
	}
	if b.o.Trust {
		out.Kind, out.ReadOnly = said.Kind, said.ReadOnly
		if out.Kind >= tool.State {
			return nil, fmt.Errorf("it is of the kind %s", out.Kind)
		}
	}
	return out, nil
}

// clean is a schema without hidden characters; nil: there is none.
func clean(s *schema.Schema) json.RawMessage {
	if s == nil {
		return nil
	}
	b, _ := rawjson.Clean(s.JSON(), rawjson.Visible)
	return b
}

// seen is a job as it is judged and shown here. What it would do is known only where the pool is trusted.
func (t *own) seen(j *tool.Job) {
	j.Title, j.Signature, j.Rule = t.spec.Title, t.calls.o.Pool+"."+t.spec.Origin.Name, ""
	j.Line, j.Confine, j.Review = nil, nil, nil
	if !t.calls.o.Trust {
		j.Effects = nil
	}
}

// mostShown is how much of a worker's preview a person is shown, in bytes.
const mostShown = 64 << 10

// preview says who would do what, with what, and all that there is to the definition: what misleads a model may be in
// any part of it. Below stands what the worker shows, if it shows something.
func (t *own) preview(args json.RawMessage, theirs tool.Display) tool.Display {
	definition := t.spec.Wire
	if definition == nil {
		definition = t.spec.Input.JSON()
	}
	text := fmt.Sprintf("Pool: %s\nTool: %s\nArguments: %s\n\n%s\n\nDefinition: %s",
		t.calls.o.Pool, t.spec.Origin.Name, visible.Text(string(args)), t.spec.Doc.Full(), definition)
	if theirs != nil {
		shown := theirs.String()
		if len(shown) > mostShown {
			shown = strings.ToValidUTF8(shown[:mostShown], "") + "…"
		}
		text += "\n\nThe worker shows:\n" + visible.Text(shown)
	}
	return tool.Summary(text)
}

// answer is a result as anybody reads it here: without what a terminal would obey, and with its questions named after
// who asks.
func (t *own) answer(r *tool.Result) *tool.Result {
	for i, part := range r.Parts {
		r.Parts[i] = tamePart(part)
	}
	r.Data, _ = rawjson.Clean(r.Data, rawjson.Tame)
	r.Meta, _ = rawjson.Clean(r.Meta, rawjson.Tame)
	r.Extra, _ = rawjson.Clean(r.Extra, rawjson.Tame)
	if r.Display != nil {
		text, _ := rawjson.Tame(r.Display.String())
		r.Display = tool.Summary(text)
	}
	if r.Err != nil {
		r.Err.Hint, _ = rawjson.Tame(r.Err.Hint)
		if words, n := rawjson.Tame(r.Err.Err.Error()); n > 0 {
			r.Err.Err = errors.New(words)
		}
		if details, ok := r.Err.Details.(json.RawMessage); ok { // as it came; nil: there are none
			r.Err.Details, _ = rawjson.Clean(details, rawjson.Tame)
		}
	}
	if r.Need == nil {
		return r
	}
	requests, err := t.asks(r.Need.Requests)
	if err != nil {
		return tool.Fail(tool.Errorf(tool.Execution, "what it asks cannot be asked: %w", err))
	}
	r.Need.Requests = requests
	return r
}

// who asks, as the client reads it.
func (t *own) who() string { return "A worker of the pool " + t.calls.o.Pool }

// asks are the questions of a result as the client gets them.
func (t *own) asks(requests json.RawMessage) (json.RawMessage, error) {
	if requests == nil {
		return nil, nil // it wants nothing but to be called again
	}
	members, err := rawjson.Object(requests)
	if err != nil {
		return nil, err
	}
	for i, m := range members {
		method, _ := rawjson.String(rawjson.Get(m.Value, "method"))
		params := rawjson.Get(m.Value, "params")
		if method == elicitation {
			if err := foreign.CheckElicitation(params); err != nil {
				return nil, err
			}
		}
		if params != nil {
			members[i].Value = rawjson.Set(m.Value, "params", foreign.Asked(t.who(), method, params))
		}
	}
	return rawjson.Join(members), nil
}

// tamePart is a part without what a terminal would obey.
func tamePart(p tool.Part) tool.Part {
	tame := func(s string) string {
		s, _ = rawjson.Tame(s)
		return s
	}
	switch p := p.(type) {
	case tool.Text:
		return tool.Text(tame(string(p)))
	case tool.Resource:
		p.URI, p.MIME, p.Text = tame(p.URI), tame(p.MIME), tame(p.Text)
		return p
	case tool.Link:
		p.URI, p.Name, p.Title = tame(p.URI), tame(p.Name), tame(p.Title)
		p.Description, p.MIME = tame(p.Description), tame(p.MIME)
		return p
	case tool.Foreign:
		b, _ := rawjson.Clean(json.RawMessage(p), rawjson.Tame)
		return tool.Foreign(b)
	}
	return p
}
