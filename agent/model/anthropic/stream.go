package anthropic

import (
	"encoding/json"
	"fmt"

	"helve/agent"
	"helve/agent/model/internal/chat"
	"helve/engine/schema"
)

// An event is one of a stream: what is empty does not belong to its type.
type event struct {
	Type    string
	Index   int
	Message struct{ Usage usage } // of message_start
	Block   json.RawMessage       `json:"content_block"` // of content_block_start
	Usage   usage                 // of message_delta
	Delta   struct {              // of content_block_delta, and of message_delta the last
		Text, Thinking, Signature string
		Arguments                 string `json:"partial_json"`
		Stop                      string `json:"stop_reason"`
	}
}

type usage struct {
	Input   int64 `json:"input_tokens"` // without those of the cache
	Output  int64 `json:"output_tokens"`
	Read    int64 `json:"cache_read_input_tokens"`
	Written int64 `json:"cache_creation_input_tokens"`
}

// A collector puts an answer together. Arguments that are not JSON are kept: the model is to read of them.
type collector struct {
	blocks []*block
	stop   string
	usage  agent.Usage
	ended  bool
	size   int // bytes of blocks so far
}

// A block is one piece of content: text, thinking or a call.
type block struct {
	start blockStart
	raw   json.RawMessage // the start as it came
	text  []byte          // text, thinking or arguments, by its type
	sign  []byte          // of thinking
}

type blockStart struct {
	Type, ID, Name, Text, Thinking string
}

// add takes an event. Those that are not named here say nothing that counts, as ping.
func (c *collector) add(e *event, delta func(agent.Delta)) error {
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		c.usage = agent.Usage{
			Input:   u.Input + u.Read + u.Written,
			Cached:  u.Read,
			Written: u.Written,
			Output:  u.Output,
		}
	case "content_block_start":
		return c.begin(e)
	case "content_block_delta":
		if e.Index < 0 || e.Index >= len(c.blocks) {
			return fmt.Errorf("a piece of block %d came before the block", e.Index)
		}
		return c.piece(c.blocks[e.Index], e, delta)
	case "message_delta":
		c.stop = e.Delta.Stop
		c.usage.Output = e.Usage.Output
	case "message_stop":
		c.ended = true
		return chat.ErrEnd
	}
	return nil
}

// begin takes the start of a block.
func (c *collector) begin(e *event) error {
	if e.Index != len(c.blocks) {
		return fmt.Errorf("block %d came, want block %d", e.Index, len(c.blocks))
	}
	b := &block{raw: e.Block}
	_ = json.Unmarshal(e.Block, &b.start) // it is JSON; what does not fit is of a type that is not known here
	b.text = []byte(b.start.Text + b.start.Thinking)
	c.blocks = append(c.blocks, b)
	return c.grow(len(e.Block))
}

// piece adds to a block. Only one of the texts is not empty.
func (c *collector) piece(b *block, e *event, delta func(agent.Delta)) error {
	d := e.Delta
	piece := d.Text + d.Thinking + d.Arguments
	b.text = append(b.text, piece...)
	b.sign = append(b.sign, d.Signature...)
	if err := c.grow(len(piece)); err != nil {
		return err
	}
	if d.Text != "" || d.Thinking != "" {
		delta(agent.Delta{Text: d.Text, Thinking: d.Thinking})
	}
	return nil
}

// grow counts what has come.
func (c *collector) grow(by int) error {
	c.size += by
	if c.size > schema.MaxArguments {
		return chat.ErrTooLong
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
		return b.raw, true, nil
	default:
		return nil, false, nil
	}
	v["type"] = b.start.Type
	raw, err = json.Marshal(v)
	return raw, true, err
}
