// Package openai lets an agent speak with models behind OpenAI's Chat Completions: OpenAI's own, and with another base URL those of
// Ollama, vLLM, llama.cpp's server and others.
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"helve/agent"
	"helve/agent/model/internal/chat"
	"helve/engine/dialect"
	"helve/engine/schema"
)

// Options of a model. Name is required.
type Options struct {
	Name    string
	Key     string // "" means OPENAI_API_KEY
	BaseURL string // "" means OPENAI_BASE_URL, else OpenAI's
	Strict  bool   // hold the model to the schemas where they allow it
	// Requests are further options of the library: headers, another HTTP client, its own retries.
	Requests []option.RequestOption
}

// Model is a model behind Chat Completions. It is safe for concurrent use.
type Model struct {
	o      Options
	client openai.Client
}

var _ agent.Model = (*Model)(nil)

// New makes a model. It dials nothing.
func New(o Options) *Model {
	return &Model{o, openai.NewClient(chat.Options(o.Key, option.WithAPIKey, o.BaseURL, option.WithBaseURL, o.Requests)...)}
}

// Name is openai/ and the model's.
func (m *Model) Name() string { return "openai/" + m.o.Name }

// Dialect is that of Chat Completions.
func (m *Model) Dialect() dialect.Dialect {
	if m.o.Strict {
		return dialect.OpenAIStrict
	}
	return dialect.OpenAI
}

// Answer streams one answer. The library repeats requests that were not accepted, as often as its options say.
func (m *Model) Answer(ctx context.Context, r *agent.Request, delta func(agent.Delta)) (*agent.Reply, error) {
	p, err := m.params(r)
	if err != nil {
		return nil, err
	}
	stream := m.client.Chat.Completions.NewStreaming(ctx, p)
	defer stream.Close()
	reply, started, err := read(stream, delta)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !started && answered(err):
		return nil, err
	case err != nil:
		return nil, agent.Broken(err)
	}
	return reply, nil
}

// answered tells whether the server refused the request: the library has tried again already where that makes sense.
func answered(err error) bool {
	_, ok := errors.AsType[*openai.Error](err)
	return ok
}

func (m *Model) params(r *agent.Request) (openai.ChatCompletionNewParams, error) {
	p := openai.ChatCompletionNewParams{
		Model:         m.o.Name,
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	if r.MaxTokens > 0 {
		p.MaxCompletionTokens = openai.Int(int64(r.MaxTokens))
	}
	if r.System != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(r.System))
	}
	for _, msg := range r.Messages {
		p.Messages = append(p.Messages, m.message(msg)...)
	}
	if r.Tools == nil {
		return p, nil
	}
	for _, d := range r.Tools.Declarations {
		p.Tools = append(p.Tools, param.Override[openai.ChatCompletionToolUnionParam](d.JSON))
	}
	return p, nil
}

func (m *Model) message(msg agent.Message) []openai.ChatCompletionMessageParamUnion {
	switch msg := msg.(type) {
	case agent.User:
		return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(msg.Text)}
	case agent.Assistant:
		return []openai.ChatCompletionMessageParamUnion{{OfAssistant: assistant(msg)}}
	case agent.Results:
		var out []openai.ChatCompletionMessageParamUnion
		for _, raw := range dialect.Results(m.Dialect(), msg.Answers) {
			out = append(out, param.Override[openai.ChatCompletionMessageParamUnion](raw))
		}
		return out
	}
	return nil
}

func assistant(msg agent.Assistant) *openai.ChatCompletionAssistantMessageParam {
	out := &openai.ChatCompletionAssistantMessageParam{}
	if msg.Text != "" || len(msg.Calls) == 0 {
		out.Content.OfString = openai.String(msg.Text)
	}
	for _, c := range msg.Calls {
		out.ToolCalls = append(out.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
			ID: c.ID, Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: string(chat.Sound(c.Args))},
		}})
	}
	return out
}

// A collector puts an answer together.
type collector struct {
	text, refusal strings.Builder
	calls         []*call
	stop          string
	usage         agent.Usage
	size          int
}

type call struct {
	index    int64
	id, name string
	args     strings.Builder
}

// read collects the stream. started tells whether anything came.
func read(stream *ssestream.Stream[openai.ChatCompletionChunk], delta func(agent.Delta)) (*agent.Reply, bool, error) {
	var c collector
	started := false
	for stream.Next() {
		started = true
		c.add(stream.Current(), delta)
		if c.size > schema.MaxArguments {
			return nil, true, chat.ErrTooLong
		}
	}
	if err := stream.Err(); err != nil {
		return nil, started, err
	}
	if c.stop == "" {
		return nil, started, errors.New("no finish_reason came")
	}
	return c.reply(), true, nil
}

func (c *collector) add(chunk openai.ChatCompletionChunk, delta func(agent.Delta)) {
	if u := chunk.Usage; u.TotalTokens > 0 {
		c.usage = agent.Usage{Input: u.PromptTokens, Cached: u.PromptTokensDetails.CachedTokens, Output: u.CompletionTokens}
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		if choice.FinishReason != "" {
			c.stop = choice.FinishReason
		}
		c.size += len(choice.Delta.Content)
		c.text.WriteString(choice.Delta.Content)
		c.refusal.WriteString(choice.Delta.Refusal)
		if f := choice.Delta.JSON.ExtraFields["reasoning_content"]; f.Valid() { // servers of open models send their thoughts so
			if s, err := strconv.Unquote(f.Raw()); err == nil {
				delta(agent.Delta{Thinking: s})
			}
		}
		if s := choice.Delta.Content + choice.Delta.Refusal; s != "" {
			delta(agent.Delta{Text: s})
		}
		for _, part := range choice.Delta.ToolCalls {
			c.part(part)
		}
	}
}

// part adds a piece of a call. Some servers give every call the index 0: another id is another call.
func (c *collector) part(p openai.ChatCompletionChunkChoiceDeltaToolCall) {
	var at *call
	for _, k := range c.calls {
		if k.index == p.Index && (p.ID == "" || k.id == p.ID || k.id == "") {
			at = k
		}
	}
	if at != nil && p.ID != "" && p.ID == at.id && p.Function.Name != "" && at.args.Len() > 0 && json.Valid([]byte(at.args.String())) {
		at = nil // two whole calls with one id
	}
	if at == nil {
		at = &call{index: p.Index}
		c.calls = append(c.calls, at)
	}
	if p.ID != "" {
		at.id = p.ID
	}
	if at.name == "" || !strings.HasSuffix(at.name, p.Function.Name) { // some repeat the name in each piece
		at.name += p.Function.Name
	}
	at.args.WriteString(p.Function.Arguments)
	c.size += len(p.Function.Arguments)
}

func (c *collector) reply() *agent.Reply {
	r := &agent.Reply{Usage: c.usage, Stop: agent.Done}
	r.Text, r.Provider = c.text.String(), "openai"
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
