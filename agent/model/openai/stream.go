package openai

import (
	"encoding/json"
	"strings"

	"helve/agent"
)

// A chunk is a piece of an answer. The last one has the usage, and no choice.
type chunk struct {
	Choices []choice
	Usage   struct {
		Total   int64 `json:"total_tokens"`
		Input   int64 `json:"prompt_tokens"`
		Output  int64 `json:"completion_tokens"`
		Details struct {
			Cached int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
}

type choice struct {
	Index int64
	Stop  string `json:"finish_reason"`
	Delta struct {
		Content, Refusal string
		// Thought is what the model says to itself. OpenAI keeps that; servers of open models send it.
		Thought string     `json:"reasoning_content"`
		Calls   []callPart `json:"tool_calls"`
	}
}

type callPart struct {
	Index    int64
	ID       string
	Function struct{ Name, Arguments string }
}

// A collector puts an answer together from its pieces.
type collector struct {
	text, refusal strings.Builder
	calls         []*call
	stop          string
	usage         agent.Usage
	size          int // bytes of text and arguments so far
}

// A call is one that the model makes, as far as it has come.
type call struct {
	index    int64
	id, name string
	args     strings.Builder
}

// add takes a chunk.
func (c *collector) add(piece chunk, delta func(agent.Delta)) {
	if u := piece.Usage; max(u.Total, u.Input, u.Output) > 0 { // not every server adds them up
		c.usage = agent.Usage{Input: u.Input, Cached: u.Details.Cached, Output: u.Output}
	}
	for _, one := range piece.Choices {
		if one.Index == 0 { // one is asked for
			c.choice(one, delta)
		}
	}
}

func (c *collector) choice(of choice, delta func(agent.Delta)) {
	if of.Stop != "" {
		c.stop = of.Stop
	}
	d := of.Delta
	c.size += len(d.Content)
	c.text.WriteString(d.Content)
	c.refusal.WriteString(d.Refusal)
	if d.Thought != "" {
		delta(agent.Delta{Thinking: d.Thought})
	}
	if s := d.Content + d.Refusal; s != "" {
		delta(agent.Delta{Text: s})
	}
	for _, part := range d.Calls {
		c.part(part)
	}
}

// part adds a piece of a call.
func (c *collector) part(p callPart) {
	at := c.find(p)
	if at == nil {
		at = &call{index: p.Index}
		c.calls = append(c.calls, at)
	}
	if p.ID != "" {
		at.id = p.ID
	}
	// Some servers repeat the name in each piece.
	if at.name == "" || !strings.HasSuffix(at.name, p.Function.Name) {
		at.name += p.Function.Name
	}
	at.args.WriteString(p.Function.Arguments)
	c.size += len(p.Function.Arguments)
}

// find is the call that a piece belongs to, the last one that it may; nil: it begins another. Some servers give every
// call the index 0, so that another id is another call.
func (c *collector) find(p callPart) *call {
	var at *call
	for _, k := range c.calls {
		if k.index == p.Index && (p.ID == "" || k.id == p.ID || k.id == "") {
			at = k
		}
	}
	if at != nil && p.Function.Name != "" && p.ID != "" && at.id == p.ID && at.whole() {
		return nil // two whole calls with one id
	}
	return at
}

// whole tells whether the arguments so far are JSON.
func (k *call) whole() bool { return json.Valid([]byte(k.args.String())) }

// reply is the whole answer. A refusal counts as its text.
func (c *collector) reply() *agent.Reply {
	r := &agent.Reply{Usage: c.usage, Stop: agent.Done}
	r.Text, r.Provider = c.text.String(), provider
	for _, k := range c.calls {
		r.Calls = append(r.Calls, agent.Call{ID: k.id, Name: k.name, Args: k.args.String()})
	}
	switch {
	case c.stop == "length":
		r.Stop = agent.Length
	case c.stop == "content_filter", c.refusal.Len() > 0:
		r.Stop = agent.Refused
		r.Text += c.refusal.String()
	case len(r.Calls) > 0:
		r.Stop = agent.Calls
	}
	return r
}
