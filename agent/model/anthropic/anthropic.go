// Package anthropic lets an agent speak with Anthropic's models through their Messages API.
package anthropic

import (
	"context"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"helve/agent"
	"helve/agent/model/internal/chat"
	"helve/engine/dialect"
)

// provider is the first part of the model's name, and marks its answers in a conversation that several providers share.
const provider = "anthropic"

// defaultMaxTokens is how long an answer may be where nobody says: the API wants a number, and every current model
// takes this one.
const defaultMaxTokens = 8192

// Options of a model. Name is required.
type Options struct {
	Name    string // the provider's own, as claude-sonnet-4-5
	Key     string // "" means ANTHROPIC_API_KEY
	BaseURL string // "" means ANTHROPIC_BASE_URL, else Anthropic's
	Strict  bool   // hold the model to the schemas where they allow it

	// Requests are further options of the library: headers, another HTTP client, retries of its own. They win over Key
	// and BaseURL.
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
	key := chat.Given(o.Key, option.WithAPIKey)
	url := chat.Given(o.BaseURL, option.WithBaseURL)
	seen := option.WithMiddleware(see)
	once := option.WithMaxRetries(0) // who waits says so: agent.Patient does
	requests := chat.Options(o.Requests, &once, &seen, key, url)
	return &Model{o: o, client: anthropic.NewClient(requests...)}
}

// see shows the answer to a request to whoever watches it.
func see(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(r)
	chat.See(r.Context(), resp)
	return resp, err
}

// Name is anthropic/ and the model's.
func (m *Model) Name() string { return provider + "/" + m.o.Name }

// Dialect is that of Messages.
func (m *Model) Dialect() dialect.Dialect {
	if m.o.Strict {
		return dialect.AnthropicStrict
	}
	return dialect.Anthropic
}

// Answer streams one answer. It asks once: a server that is busy, or a stream that broke off, is a *agent.Transient,
// and the caller's to ask again. A request that the server refused is a *agent.ServerError.
func (m *Model) Answer(ctx context.Context, r *agent.Request, delta func(agent.Delta)) (*agent.Reply, error) {
	ctx, watch := chat.Watched(ctx)
	stream := m.client.Messages.NewStreaming(ctx, m.params(r))
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
func (m *Model) params(r *agent.Request) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{
		Model:     anthropic.Model(m.o.Name),
		MaxTokens: defaultMaxTokens,
	}
	if r.MaxTokens > 0 {
		p.MaxTokens = int64(r.MaxTokens)
	}
	if r.System != "" {
		p.System = []anthropic.TextBlockParam{{Text: r.System}}
	}
	for _, msg := range r.Messages {
		p.Messages = append(p.Messages, m.message(msg)...)
	}
	if r.Tools == nil {
		return p
	}
	for _, d := range r.Tools.Declarations {
		p.Tools = append(p.Tools, param.Override[anthropic.ToolUnionParam](d.JSON))
	}
	return p
}

// message is one of a conversation; results may take several.
func (m *Model) message(msg agent.Message) []anthropic.MessageParam {
	switch msg := msg.(type) {
	case agent.User:
		return []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(msg.Text))}
	case agent.Assistant:
		// Thinking is signed: it goes back as it came, or not at all.
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

// assistant is an answer of another provider's model, or one that cannot go back as it came.
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
