// Package gemini lets an agent speak with Google's Gemini models.
package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/genai"

	"helve/agent"
	"helve/agent/model/internal/chat"
	"helve/engine/dialect"
	"helve/engine/schema"
)

// Options of a model. Name is required.
type Options struct {
	Name    string
	Key     string // "" means GEMINI_API_KEY or GOOGLE_API_KEY
	BaseURL string // "" means Google's
	// Parameters declares tools in the older subset of OpenAPI instead of JSON Schema: for endpoints that know nothing else.
	Parameters bool
	// Client are further settings of the library: another backend, an HTTP client, its own retries. Key and BaseURL above win.
	Client genai.ClientConfig
}

// Model is a Gemini model. It is safe for concurrent use.
type Model struct {
	o      Options
	client *genai.Client
}

var _ agent.Model = (*Model)(nil)

// busy are the statuses after which a request is sent again: the library's own, and 529.
var busy = []int32{408, 429, 500, 502, 503, 504, 529}

// attempts is how often the library sends a request that is not accepted, as the other providers' libraries do.
const attempts = 3

// New makes a model. It dials nothing. The error says that there is no key.
func New(ctx context.Context, o Options) (*Model, error) {
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
	if cfg.HTTPOptions.RetryOptions == nil {
		cfg.HTTPOptions.RetryOptions = &genai.HTTPRetryOptions{Attempts: genai.Ptr[int32](attempts), InitialDelay: genai.Ptr(0.5), HTTPStatusCodes: busy}
	}
	if cfg.HTTPClient != nil { // the caller's own stays as it is
		own := *cfg.HTTPClient
		cfg.HTTPClient = &own
	}
	client, err := genai.NewClient(ctx, &cfg)
	if err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	sent := attempts
	if n := cfg.HTTPOptions.RetryOptions.Attempts; n != nil {
		sent = int(*n)
	}
	listen(client.ClientConfig().HTTPClient, sent)
	return &Model{o, client}, nil
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

const provider = "gemini"

// Answer streams one answer. The library repeats requests that were not accepted, as its options say.
func (m *Model) Answer(ctx context.Context, r *agent.Request, delta func(agent.Delta)) (*agent.Reply, error) {
	contents, config, err := m.request(r)
	if err != nil {
		return nil, err
	}
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
		case !c.started && refused(err):
			return nil, err
		default:
			return nil, agent.Broken(err)
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return c.reply()
}

func refused(err error) bool {
	_, ok := errors.AsType[genai.APIError](err)
	return ok
}

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

func (m *Model) content(msg agent.Message) ([]*genai.Content, error) {
	switch msg := msg.(type) {
	case agent.User:
		return []*genai.Content{{Role: genai.RoleUser, Parts: []*genai.Part{{Text: msg.Text}}}}, nil
	case agent.Assistant:
		if msg.Provider == provider && msg.Native != nil {
			return decode([]json.RawMessage{msg.Native})
		}
		return assistant(msg), nil
	case agent.Results:
		return decode(dialect.Results(m.Dialect(), msg.Answers))
	}
	return nil, nil
}

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
		c.Parts = append(c.Parts, &genai.Part{FunctionCall: &genai.FunctionCall{ID: call.ID, Name: call.Name, Args: args}})
	}
	if len(c.Parts) == 0 {
		return nil
	}
	return []*genai.Content{c}
}

// A collector puts an answer together.
type collector struct {
	parts   []*genai.Part
	stop    genai.FinishReason
	usage   agent.Usage
	started bool
	size    int
	exact   *exact
}

func (c *collector) add(chunk *genai.GenerateContentResponse, delta func(agent.Delta)) error {
	c.started = true
	if u := chunk.UsageMetadata; u != nil {
		c.usage = agent.Usage{Input: int64(u.PromptTokenCount), Cached: int64(u.CachedContentTokenCount), Output: int64(u.CandidatesTokenCount + u.ThoughtsTokenCount)}
	}
	if len(chunk.Candidates) == 0 {
		if f := chunk.PromptFeedback; f != nil && f.BlockReason != "" {
			c.stop = genai.FinishReasonSafety
		}
		return nil
	}
	first := chunk.Candidates[0]
	if first.FinishReason != "" {
		c.stop = first.FinishReason
	}
	if first.Content == nil {
		return nil
	}
	for _, p := range first.Content.Parts {
		if p == nil {
			continue
		}
		if c.size += len(p.Text); c.size > schema.MaxArguments {
			return chat.ErrTooLong
		}
		c.part(p)
		switch {
		case p.Thought:
			delta(agent.Delta{Thinking: p.Text})
		case p.Text != "":
			delta(agent.Delta{Text: p.Text})
		}
	}
	return nil
}

// part adds a part; texts that follow one another are one, as long as no signature stands between.
func (c *collector) part(p *genai.Part) {
	if n := len(c.parts); n > 0 && plain(p) && plain(c.parts[n-1]) && p.Thought == c.parts[n-1].Thought {
		c.parts[n-1].Text += p.Text
		return
	}
	own := *p
	c.parts = append(c.parts, &own)
}

func plain(p *genai.Part) bool {
	return p.FunctionCall == nil && p.InlineData == nil && p.ExecutableCode == nil && p.CodeExecutionResult == nil && p.ThoughtSignature == nil
}

func (c *collector) reply() (*agent.Reply, error) {
	if c.stop == "" {
		return nil, agent.Broken(errors.New("no finishReason came"))
	}
	if c.stop == genai.FinishReasonMalformedFunctionCall {
		return nil, agent.Broken(errors.New("the model wrote a call that nobody can read"))
	}
	r := &agent.Reply{Usage: c.usage}
	r.Provider = provider
	var text strings.Builder
	args := c.exact.calls(c.calls())
	for _, p := range c.parts {
		switch {
		case p.FunctionCall != nil:
			call, err := callOf(p, len(r.Calls), args)
			if err != nil {
				return nil, err
			}
			r.Calls = append(r.Calls, call)
		case !p.Thought:
			text.WriteString(p.Text)
		}
	}
	r.Text = text.String()
	r.Stop = stopOf(c.stop, len(r.Calls))
	c.parts = keep(c.parts)
	if len(c.parts) == 0 {
		return r, nil
	}
	native, err := json.Marshal(&genai.Content{Role: genai.RoleModel, Parts: c.parts})
	r.Native = native
	return r, err
}

// calls counts the calls of the answer.
func (c *collector) calls() int {
	n := 0
	for _, p := range c.parts {
		if p.FunctionCall != nil {
			n++
		}
	}
	return n
}

// callOf reads a call. Gemini may leave out the id: it gets one, here and in what goes back.
func callOf(p *genai.Part, n int, exact []json.RawMessage) (agent.Call, error) {
	f := *p.FunctionCall
	if f.ID == "" {
		f.ID = fmt.Sprintf("call_%d", n+1)
	}
	p.FunctionCall = &f
	args := []byte("{}")
	switch {
	case f.Args == nil:
	case len(exact) > n && exact[n] != nil:
		args = exact[n]
	default:
		var err error
		if args, err = json.Marshal(f.Args); err != nil {
			return agent.Call{}, fmt.Errorf("gemini: arguments of %s: %w", f.Name, err)
		}
	}
	return agent.Call{ID: f.ID, Name: f.Name, Args: string(args)}, nil
}

// keep drops empty texts: they are refused when they come back.
func keep(parts []*genai.Part) []*genai.Part {
	var out []*genai.Part
	for _, p := range parts {
		if p.Text != "" || !plain(p) {
			out = append(out, p)
		}
	}
	return out
}

func stopOf(f genai.FinishReason, calls int) agent.Stop {
	switch f {
	case genai.FinishReasonMaxTokens:
		return agent.Length
	case genai.FinishReasonStop:
	default:
		if calls == 0 {
			return agent.Refused
		}
	}
	if calls > 0 {
		return agent.Calls
	}
	return agent.Done
}
