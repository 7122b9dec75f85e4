package openai

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"helve/agent"
	"helve/agent/model/internal/chat"
	"helve/engine/schema"
)

// chunks is the library's stream of an answer.
type chunks = ssestream.Stream[openai.ChatCompletionChunk]

// A collector puts an answer together from its pieces. The library has one of its own, which takes two calls with one
// index for one.
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

// read collects the stream.
func read(stream *chunks, delta func(agent.Delta)) (*agent.Reply, error) {
	var c collector
	for stream.Next() {
		c.add(stream.Current(), delta)
		if c.size > schema.MaxArguments {
			return nil, chat.ErrTooLong
		}
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	if c.stop == "" {
		return nil, errors.New("no finish_reason came")
	}
	return c.reply(), nil
}

// add takes a chunk. The last one has the usage, and no choice.
func (c *collector) add(chunk openai.ChatCompletionChunk, delta func(agent.Delta)) {
	if u := chunk.Usage; u.TotalTokens > 0 {
		c.usage = agent.Usage{
			Input:  u.PromptTokens,
			Cached: u.PromptTokensDetails.CachedTokens,
			Output: u.CompletionTokens,
		}
	}
	for _, choice := range chunk.Choices {
		if choice.Index == 0 { // one is asked for
			c.choice(choice, delta)
		}
	}
}

func (c *collector) choice(choice openai.ChatCompletionChunkChoice, delta func(agent.Delta)) {
	if choice.FinishReason != "" {
		c.stop = choice.FinishReason
	}
	d := choice.Delta
	c.size += len(d.Content)
	c.text.WriteString(d.Content)
	c.refusal.WriteString(d.Refusal)
	if s := thought(d); s != "" {
		delta(agent.Delta{Thinking: s})
	}
	if s := d.Content + d.Refusal; s != "" {
		delta(agent.Delta{Text: s})
	}
	for _, part := range d.ToolCalls {
		c.part(part)
	}
}

// thought is what the model says to itself. OpenAI keeps that; servers of open models send it in a field of their own.
func thought(d openai.ChatCompletionChunkChoiceDelta) string {
	f := d.JSON.ExtraFields["reasoning_content"]
	if !f.Valid() {
		return ""
	}
	s, err := strconv.Unquote(f.Raw())
	if err != nil {
		return ""
	}
	return s
}

// part adds a piece of a call.
func (c *collector) part(p openai.ChatCompletionChunkChoiceDeltaToolCall) {
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
func (c *collector) find(p openai.ChatCompletionChunkChoiceDeltaToolCall) *call {
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
