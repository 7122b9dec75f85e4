// Package gemini lets an agent speak with Google's Gemini models.
package gemini

import (
	"context"
	"encoding/json"
	"fmt"

	"google.golang.org/genai"

	"helve/agent"
	"helve/agent/model/internal/chat"
	"helve/engine/dialect"
)

// provider is the first part of the model's name, and marks its answers in a conversation that several providers share.
const provider = "gemini"

// Options of a model. Name is required.
type Options struct {
	Name    string // the provider's own, as gemini-2.5-pro
	Key     string // "" means GEMINI_API_KEY or GOOGLE_API_KEY
	BaseURL string // "" means Google's

	// Parameters declares tools in the older subset of OpenAPI instead of JSON Schema: for endpoints that know nothing
	// else.
	Parameters bool

	// Client are further settings of the library: another backend, an HTTP client, retries of its own. Key and
	// BaseURL above win.
	Client genai.ClientConfig
}

// Model is a Gemini model. It is safe for concurrent use.
type Model struct {
	o      Options
	client *genai.Client
}

var _ agent.Model = (*Model)(nil)

// New makes a model. It dials nothing. The error says that there is no key.
func New(ctx context.Context, o Options) (*Model, error) {
	cfg := configured(o)
	client, err := genai.NewClient(ctx, &cfg)
	if err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	listen(client.ClientConfig().HTTPClient)
	return &Model{o: o, client: client}, nil
}

// configured is the library's configuration, with what the caller left open.
func configured(o Options) genai.ClientConfig {
	cfg := o.Client
	if o.Key != "" {
		cfg.APIKey = o.Key
	}
	if o.BaseURL != "" {
		cfg.HTTPOptions.BaseURL = o.BaseURL
	}
	if cfg.Backend == genai.BackendUnspecified {
		cfg.Backend = genai.BackendGeminiAPI
	}
	if cfg.HTTPOptions.RetryOptions == nil { // who waits says so: agent.Patient does
		cfg.HTTPOptions.RetryOptions = &genai.HTTPRetryOptions{Attempts: genai.Ptr[int32](1)}
	}
	if cfg.HTTPClient != nil { // the caller's own stays as it is
		own := *cfg.HTTPClient
		cfg.HTTPClient = &own
	}
	return cfg
}

// Name is gemini/ and the model's.
func (m *Model) Name() string { return provider + "/" + m.o.Name }

// Dialect is that of JSON Schema, unless the options want the older one.
func (m *Model) Dialect() dialect.Dialect {
	if m.o.Parameters {
		return dialect.Gemini
	}
	return dialect.GeminiJSON
}

// Answer streams one answer. It asks once: a server that is busy, or a stream that broke off, is a *agent.Transient,
// and the caller's to ask again. A request that the server refused is a *agent.ServerError.
func (m *Model) Answer(ctx context.Context, r *agent.Request, delta func(agent.Delta)) (*agent.Reply, error) {
	contents, config, err := m.request(r)
	if err != nil {
		return nil, err
	}
	ctx, watch := chat.Watched(ctx)
	ctx, exact := keeping(ctx)
	c := collector{exact: exact}
	for chunk, err := range m.client.Models.GenerateContentStream(ctx, m.o.Name, contents, config) {
		if err == nil {
			err = c.add(chunk, delta)
		}
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return nil, ctx.Err()
		default:
			return nil, watch.Failed(err)
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return c.reply()
}

// request is a turn in the library's words. Tools are read from the JSON that the dialect made.
func (m *Model) request(r *agent.Request) ([]*genai.Content, *genai.GenerateContentConfig, error) {
	config := &genai.GenerateContentConfig{MaxOutputTokens: int32(r.MaxTokens)}
	if r.System != "" {
		config.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: r.System}}}
	}
	if r.Tools != nil && len(r.Tools.Declarations) > 0 {
		if err := json.Unmarshal(r.Tools.JSON(), &config.Tools); err != nil {
			return nil, nil, fmt.Errorf("gemini: declare the tools: %w", err)
		}
	}
	var contents []*genai.Content
	for _, msg := range r.Messages {
		c, err := m.content(msg)
		if err != nil {
			return nil, nil, err
		}
		contents = append(contents, c...)
	}
	return contents, config, nil
}

// content is one message of a conversation; results may take several.
func (m *Model) content(msg agent.Message) ([]*genai.Content, error) {
	switch msg := msg.(type) {
	case agent.User:
		part := &genai.Part{Text: msg.Text}
		return []*genai.Content{{Role: genai.RoleUser, Parts: []*genai.Part{part}}}, nil
	case agent.Assistant:
		// Thoughts are signed: they go back as they came, or not at all.
		if msg.Provider == provider && msg.Native != nil {
			return decode([]json.RawMessage{msg.Native})
		}
		return assistant(msg), nil
	case agent.Results:
		return decode(dialect.Results(m.Dialect(), msg.Answers))
	}
	return nil, nil
}

// decode reads contents that were JSON already.
func decode(raw []json.RawMessage) ([]*genai.Content, error) {
	var out []*genai.Content
	for _, b := range raw {
		var c genai.Content
		if err := json.Unmarshal(b, &c); err != nil {
			return nil, fmt.Errorf("gemini: %w", err)
		}
		out = append(out, &c)
	}
	return out, nil
}

// assistant is an answer of another provider's model.
func assistant(msg agent.Assistant) []*genai.Content {
	c := &genai.Content{Role: genai.RoleModel}
	if msg.Text != "" {
		c.Parts = append(c.Parts, &genai.Part{Text: msg.Text})
	}
	for _, call := range msg.Calls {
		args := map[string]any{}
		if err := json.Unmarshal(chat.Sound(call.Args), &args); err != nil {
			args = map[string]any{"unreadable": call.Args}
		}
		f := &genai.FunctionCall{ID: call.ID, Name: call.Name, Args: args}
		c.Parts = append(c.Parts, &genai.Part{FunctionCall: f})
	}
	if len(c.Parts) == 0 {
		return nil
	}
	return []*genai.Content{c}
}
