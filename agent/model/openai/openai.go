// Package openai lets an agent speak with models behind OpenAI's Chat Completions: OpenAI's own, and with another base
// URL those of Ollama, vLLM, llama.cpp's server and others.
package openai

import (
	"context"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"

	"helve/agent"
	"helve/agent/model/internal/chat"
	"helve/engine/dialect"
)

// provider is the first part of the model's name, and marks its answers in a conversation that several providers share.
const provider = "openai"

// Options of a model. Name is required.
type Options struct {
	Name    string // the provider's own, as gpt-5
	Key     string // "" means OPENAI_API_KEY
	BaseURL string // "" means OPENAI_BASE_URL, else OpenAI's
	Strict  bool   // hold the model to the schemas where they allow it

	// Requests are further options of the library: headers, another HTTP client, retries of its own. They win over Key
	// and BaseURL.
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
	key := chat.Given(o.Key, option.WithAPIKey)
	url := chat.Given(o.BaseURL, option.WithBaseURL)
	seen := option.WithMiddleware(see)
	once := option.WithMaxRetries(0) // who waits says so: agent.Patient does
	requests := chat.Options(o.Requests, &once, &seen, key, url)
	return &Model{o: o, client: openai.NewClient(requests...)}
}

// see shows the answer to a request to whoever watches it.
func see(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(r)
	chat.See(r.Context(), resp)
	return resp, err
}

// Name is openai/ and the model's.
func (m *Model) Name() string { return provider + "/" + m.o.Name }

// Dialect is that of Chat Completions.
func (m *Model) Dialect() dialect.Dialect {
	if m.o.Strict {
		return dialect.OpenAIStrict
	}
	return dialect.OpenAI
}

// Answer streams one answer. It asks once: a server that is busy, or a stream that broke off, is a *agent.Transient,
// and the caller's to ask again. A request that the server refused is a *agent.ServerError.
func (m *Model) Answer(ctx context.Context, r *agent.Request, delta func(agent.Delta)) (*agent.Reply, error) {
	ctx, watch := chat.Watched(ctx)
	stream := m.client.Chat.Completions.NewStreaming(ctx, m.params(r))
	defer stream.Close()
	reply, err := read(stream, delta)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		return reply, nil
	}
	return nil, watch.Failed(err)
}

// params is a request in the library's words. Tools go as the JSON that the dialect made; the library's own types know
// less of a schema.
func (m *Model) params(r *agent.Request) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: m.o.Name}
	// Without it a stream tells no usage.
	p.StreamOptions.IncludeUsage = openai.Bool(true)
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
		return p
	}
	for _, d := range r.Tools.Declarations {
		p.Tools = append(p.Tools, param.Override[openai.ChatCompletionToolUnionParam](d.JSON))
	}
	return p
}

// message is one of a conversation; results may take several.
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
	// A message with calls and empty text is refused by some servers, one without either by all.
	if msg.Text != "" || len(msg.Calls) == 0 {
		out.Content.OfString = openai.String(msg.Text)
	}
	for _, c := range msg.Calls {
		call := &openai.ChatCompletionMessageFunctionToolCallParam{ID: c.ID}
		call.Function.Name = c.Name
		call.Function.Arguments = string(chat.Sound(c.Args))
		out.ToolCalls = append(out.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: call})
	}
	return out
}
