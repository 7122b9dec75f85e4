// Package anthropic lets an agent speak with Anthropic's models through their Messages API.
package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"helve/agent"
	"helve/agent/model/internal/chat"
	"helve/engine/dialect"
	"helve/engine/schema"
)

// defaultMaxTokens is how long an answer may be where nobody says: the API wants a number, and every current model takes this one.
const defaultMaxTokens = 8192

// Options of a model. Name is required.
type Options struct {
	Name    string
	Key     string // "" means ANTHROPIC_API_KEY
	BaseURL string // "" means ANTHROPIC_BASE_URL, else Anthropic's
	Strict  bool   // hold the model to the schemas where they allow it
	// Requests are further options of the library: headers, another HTTP client, its own retries.
	Requests []option.RequestOption
}

// Model is a model behind Messages. It is safe for concurrent use.
type Model struct {
	o      Options
	client anthropic.Client
}

var _ agent.Model = (*Model)(nil)

// New makes a model. It dials nothing.
func New(o Options) *Model {
	return &Model{o, anthropic.NewClient(chat.Options(o.Key, option.WithAPIKey, o.BaseURL, option.WithBaseURL, o.Requests)...)}
}

// Name is anthropic/ and the model's.
func (m *Model) Name() string { return "anthropic/" + m.o.Name }

// Dialect is that of Messages.
func (m *Model) Dialect() dialect.Dialect {
	if m.o.Strict {
		return dialect.AnthropicStrict
	}
	return dialect.Anthropic
}

// Answer streams one answer. The library repeats requests that were not accepted, as often as its options say.
func (m *Model) Answer(ctx context.Context, r *agent.Request, delta func(agent.Delta)) (*agent.Reply, error) {
	stream := m.client.Messages.NewStreaming(ctx, m.params(r))
	defer stream.Close()
	reply, started, err := read(stream, delta)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !started && refused(err):
		return nil, err
	case err != nil:
		return nil, agent.Broken(err)
	}
	return reply, nil
}

// refused tells whether the server did not accept the request: the library has tried again already where that makes sense.
func refused(err error) bool {
	e, ok := errors.AsType[*anthropic.Error](err)
	return ok && e.StatusCode != http.StatusOK
}

func (m *Model) params(r *agent.Request) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{Model: anthropic.Model(m.o.Name), MaxTokens: defaultMaxTokens}
	if r.MaxTokens > 0 {
		p.MaxTokens = int64(r.MaxTokens)
	}
	if r.System != "" {
		p.System = []anthropic.TextBlockParam{{Text: r.System}}
	}
	for _, msg := range r.Messages {
		p.Messages = append(p.Messages, m.message(msg)...)
	}
	if r.Tools != nil {
		for _, d := range r.Tools.Declarations {
			p.Tools = append(p.Tools, param.Override[anthropic.ToolUnionParam](d.JSON))
		}
	}
	return p
}

func (m *Model) message(msg agent.Message) []anthropic.MessageParam {
	switch msg := msg.(type) {
	case agent.User:
		return []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(msg.Text))}
	case agent.Assistant:
		if msg.Provider == provider && msg.Native != nil {
			return []anthropic.MessageParam{param.Override[anthropic.MessageParam](msg.Native)}
		}
		return assistant(msg)
	case agent.Results:
		var out []anthropic.MessageParam
		for _, raw := range dialect.Results(m.Dialect(), msg.Answers) {
			out = append(out, param.Override[anthropic.MessageParam](raw))
		}
		return out
	}
	return nil
}

func assistant(msg agent.Assistant) []anthropic.MessageParam {
	var blocks []anthropic.ContentBlockParamUnion
	if msg.Text != "" {
		blocks = append(blocks, anthropic.NewTextBlock(msg.Text))
	}
	for _, c := range msg.Calls {
		blocks = append(blocks, anthropic.NewToolUseBlock(c.ID, chat.Sound(c.Args), c.Name))
	}
	if len(blocks) == 0 { // an empty message is refused
		return nil
	}
	return []anthropic.MessageParam{anthropic.NewAssistantMessage(blocks...)}
}

const provider = "anthropic"

// A collector puts an answer together. The library's own accumulator refuses arguments that are not JSON; the model is to read of them.
type collector struct {
	blocks []*block
	stop   string
	usage  agent.Usage
	ended  bool
	size   int
}

type block struct {
	start anthropic.ContentBlockStartEventContentBlockUnion
	text  []byte // text, thinking or arguments, by kind
	sign  []byte
}

// read collects the stream. started tells whether anything came.
func read(stream *ssestream.Stream[anthropic.MessageStreamEventUnion], delta func(agent.Delta)) (*agent.Reply, bool, error) {
	var c collector
	started := false
	for stream.Next() {
		started = true
		if err := c.add(stream.Current(), delta); err != nil {
			return nil, true, err
		}
	}
	if err := stream.Err(); err != nil {
		return nil, started, err
	}
	if !c.ended {
		return nil, started, errors.New("no message_stop came")
	}
	reply, err := c.reply()
	return reply, true, err
}

func (c *collector) add(e anthropic.MessageStreamEventUnion, delta func(agent.Delta)) error {
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		c.usage = agent.Usage{Input: u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens, Cached: u.CacheReadInputTokens, Output: u.OutputTokens}
	case "content_block_start":
		if e.Index != int64(len(c.blocks)) {
			return fmt.Errorf("block %d came, want block %d", e.Index, len(c.blocks))
		}
		c.blocks = append(c.blocks, &block{start: e.ContentBlock, text: []byte(e.ContentBlock.Text + e.ContentBlock.Thinking)})
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

func (c *collector) piece(b *block, d anthropic.MessageStreamEventUnionDelta, delta func(agent.Delta)) error {
	piece := d.Text + d.Thinking + d.PartialJSON
	b.text = append(b.text, piece...)
	b.sign = append(b.sign, d.Signature...)
	if c.size += len(piece); c.size > schema.MaxArguments {
		return chat.ErrTooLong
	}
	if d.Text != "" || d.Thinking != "" {
		delta(agent.Delta{Text: d.Text, Thinking: d.Thinking})
	}
	return nil
}

func (c *collector) reply() (*agent.Reply, error) {
	r := &agent.Reply{Usage: c.usage, Stop: agent.Done}
	r.Provider = provider
	var content []json.RawMessage
	whole := true
	for _, b := range c.blocks {
		raw, err := c.block(r, b, &whole)
		if err != nil {
			return nil, err
		}
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

// block adds a block to the reply and returns it as it goes back to the server. whole turns false if it cannot go back.
func (c *collector) block(r *agent.Reply, b *block, whole *bool) (json.RawMessage, error) {
	switch b.start.Type {
	case "text":
		r.Text += string(b.text)
		if len(b.text) == 0 {
			return nil, nil
		}
		return json.Marshal(map[string]any{"type": "text", "text": string(b.text)})
	case "thinking":
		return json.Marshal(map[string]any{"type": "thinking", "thinking": string(b.text), "signature": string(b.sign)})
	case "tool_use":
		args := string(b.text)
		if args == "" {
			args = "{}"
		}
		r.Calls = append(r.Calls, agent.Call{ID: b.start.ID, Name: b.start.Name, Args: args})
		input := chat.Sound(args)
		return json.Marshal(map[string]any{"type": "tool_use", "id": b.start.ID, "name": b.start.Name, "input": input})
	case "redacted_thinking":
		return json.RawMessage(b.start.RawJSON()), nil
	}
	*whole = false
	return nil, nil
}
