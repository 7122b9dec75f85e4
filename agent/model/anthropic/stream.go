package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"helve/agent"
	"helve/agent/model/internal/chat"
	"helve/engine/schema"
)

// events is the library's stream of an answer.
type events = ssestream.Stream[anthropic.MessageStreamEventUnion]

// A collector puts an answer together. The library's own refuses arguments that are not JSON; the model is to read of
// them.
type collector struct {
	blocks []*block
	stop   string
	usage  agent.Usage
	ended  bool
	size   int // bytes of text, thinking and arguments so far
}

// A block is one piece of content: text, thinking or a call.
type block struct {
	start anthropic.ContentBlockStartEventContentBlockUnion
	text  []byte // text, thinking or arguments, by its type
	sign  []byte // of thinking
}

// read collects the stream.
func read(stream *events, delta func(agent.Delta)) (*agent.Reply, error) {
	var c collector
	for stream.Next() {
		if err := c.add(stream.Current(), delta); err != nil {
			return nil, err
		}
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	if !c.ended {
		return nil, errors.New("no message_stop came")
	}
	return c.reply()
}

// add takes an event. Those that are not named here say nothing that counts, as ping.
func (c *collector) add(e anthropic.MessageStreamEventUnion, delta func(agent.Delta)) error {
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		c.usage = agent.Usage{
			Input:  u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens,
			Cached: u.CacheReadInputTokens,
			Output: u.OutputTokens,
		}
	case "content_block_start":
		if e.Index != int64(len(c.blocks)) {
			return fmt.Errorf("block %d came, want block %d", e.Index, len(c.blocks))
		}
		text := e.ContentBlock.Text + e.ContentBlock.Thinking
		c.blocks = append(c.blocks, &block{start: e.ContentBlock, text: []byte(text)})
	case "content_block_delta":
		if e.Index < 0 || e.Index >= int64(len(c.blocks)) {
			return fmt.Errorf("a piece of block %d came before the block", e.Index)
		}
		return c.piece(c.blocks[e.Index], e.Delta, delta)
	case "message_delta":
		c.stop = string(e.Delta.StopReason)
		c.usage.Output = e.Usage.OutputTokens
	case "message_stop":
		c.ended = true
	}
	return nil
}

// piece adds to a block. Only one of the texts is not empty.
func (c *collector) piece(b *block, d anthropic.MessageStreamEventUnionDelta, delta func(agent.Delta)) error {
	piece := d.Text + d.Thinking + d.PartialJSON
	b.text = append(b.text, piece...)
	b.sign = append(b.sign, d.Signature...)
	c.size += len(piece)
	if c.size > schema.MaxArguments {
		return chat.ErrTooLong
	}
	if d.Text != "" || d.Thinking != "" {
		delta(agent.Delta{Text: d.Text, Thinking: d.Thinking})
	}
	return nil
}

// reply is the whole answer. What goes back to the server is kept beside it, unless a block of it is not known.
func (c *collector) reply() (*agent.Reply, error) {
	r := &agent.Reply{Usage: c.usage, Stop: agent.Done}
	r.Provider = provider
	whole := true
	var content []json.RawMessage
	for _, b := range c.blocks {
		b.addTo(&r.Assistant)
		raw, known, err := b.back()
		if err != nil {
			return nil, err
		}
		whole = whole && known
		if raw != nil {
			content = append(content, raw)
		}
	}
	if whole && len(content) > 0 {
		native, err := json.Marshal(map[string]any{"role": "assistant", "content": content})
		if err != nil {
			return nil, err
		}
		r.Native = native
	}
	switch {
	case c.stop == "max_tokens", c.stop == "model_context_window_exceeded":
		r.Stop = agent.Length
	case c.stop == "refusal":
		r.Stop = agent.Refused
	case len(r.Calls) > 0:
		r.Stop = agent.Calls
	}
	return r, nil
}

// addTo adds what the block says to an answer.
func (b *block) addTo(out *agent.Assistant) {
	switch b.start.Type {
	case "text":
		out.Text += string(b.text)
	case "tool_use":
		out.Calls = append(out.Calls, agent.Call{ID: b.start.ID, Name: b.start.Name, Args: b.args()})
	}
}

// args are those of a call. None at all is how the API says that there are none.
func (b *block) args() string {
	if len(b.text) == 0 {
		return "{}"
	}
	return string(b.text)
}

// back is the block as it goes back to the server, nil if there is nothing in it. known is false for one that cannot go
// back: what it needs is not known here.
func (b *block) back() (raw json.RawMessage, known bool, err error) {
	var v map[string]any
	switch b.start.Type {
	case "text":
		if len(b.text) == 0 { // the API refuses an empty one
			return nil, true, nil
		}
		v = map[string]any{"text": string(b.text)}
	case "thinking":
		v = map[string]any{"thinking": string(b.text), "signature": string(b.sign)}
	case "tool_use":
		v = map[string]any{"id": b.start.ID, "name": b.start.Name, "input": chat.Sound(b.args())}
	case "redacted_thinking":
		return json.RawMessage(b.start.RawJSON()), true, nil
	default:
		return nil, false, nil
	}
	v["type"] = b.start.Type
	raw, err = json.Marshal(v)
	return raw, true, err
}
