// Package anthropic lets an agent speak with Anthropic's models through their Messages API. It writes the wire format
// itself (docs.anthropic.com/en/api/messages-streaming): the official library, the oracle of its tests, brings a reader
// of YAML and initialises a quarter of a millisecond in each program that links it.
package anthropic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"

	"helve/agent"
	"helve/agent/model/internal/chat"
	"helve/engine/dialect"
)

// provider is the first part of the model's name, and marks its answers in a conversation that several providers share.
const provider = "anthropic"

// home is where Anthropic's own models answer.
const home = "https://api.anthropic.com"

// version is that of the API, which each request names.
const version = "2023-06-01"

// leastThinking is the smallest budget that the API takes.
const leastThinking = 1024

// defaultMaxTokens is how long an answer may be where nobody says: the API wants a number, and every current model
// takes this one.
const defaultMaxTokens = 8192

// Options of a model. Name is required.
type Options struct {
	Name    string // the provider's own, as claude-sonnet-4-5
	Key     string // "" means ANTHROPIC_API_KEY, else the token in ANTHROPIC_AUTH_TOKEN
	BaseURL string // "" means ANTHROPIC_BASE_URL, else Anthropic's; without the version
	Strict  bool   // hold the model to the schemas where they allow it

	Thinking int // tokens that it may think in before an answer; 0: none

	Header http.Header  // of each request, beside or in place of what is sent by itself
	Client *http.Client // nil: one that follows no redirect to another server
}

// Model is a model behind Messages. It is safe for concurrent use.
type Model struct {
	o      Options
	server chat.Server
}

var _ agent.Model = (*Model)(nil)

// New makes a model. It dials nothing.
func New(o Options) *Model {
	header := http.Header{"Anthropic-Version": {version}}
	key, token := cmp.Or(o.Key, os.Getenv("ANTHROPIC_API_KEY")), os.Getenv("ANTHROPIC_AUTH_TOKEN")
	switch {
	case key != "":
		header.Set("X-Api-Key", key)
	case token != "":
		header.Set("Authorization", "Bearer "+token)
	}
	base := cmp.Or(o.BaseURL, os.Getenv("ANTHROPIC_BASE_URL"), home)
	url := strings.TrimSuffix(base, "/") + "/v1/messages"
	return &Model{o: o, server: chat.ServerAt(url, header, o.Header, o.Client)}
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
	var c collector
	err := m.server.Stream(ctx, m.request(r), func(data []byte) error {
		var e event
		if err := chat.Decode(data, &e); err != nil {
			return err
		}
		return c.add(&e, delta)
	})
	switch {
	case err != nil:
		return nil, err
	case !c.ended:
		return nil, agent.Broken(errors.New("no message_stop came"))
	}
	return c.reply()
}

// A request is what is asked.
type request struct {
	Model    string            `json:"model"`
	Most     int               `json:"max_tokens"`
	System   []textBlock       `json:"system,omitempty"`
	Messages []json.RawMessage `json:"messages"`
	Tools    []json.RawMessage `json:"tools,omitempty"`
	Thinking *thinking         `json:"thinking,omitempty"`
	Stream   bool              `json:"stream"`
}

// thinking says how many tokens of an answer are the model's own.
type thinking struct {
	Type   string `json:"type"` // enabled
	Budget int    `json:"budget_tokens"`
}

// An ephemeral mark ends what the provider's prompt cache keeps for some minutes: what stands before it is the same in
// the next request, and is not read again.
type ephemeral struct {
	Type string `json:"type"`
}

func keep() *ephemeral { return &ephemeral{"ephemeral"} }

// A textBlock is a piece of content that is words.
type textBlock struct {
	Type  string     `json:"type"` // text
	Text  string     `json:"text"`
	Cache *ephemeral `json:"cache_control,omitempty"`
}

// words is a text as a piece of content.
func words(text string) textBlock { return textBlock{Type: "text", Text: text} }

// request is a turn in the provider's words. Tools go as the JSON that the dialect made.
func (m *Model) request(r *agent.Request) request {
	out := request{Model: m.o.Name, Most: defaultMaxTokens, Stream: true, Messages: []json.RawMessage{}}
	if r.MaxTokens > 0 {
		out.Most = r.MaxTokens
	}
	if r.System != "" {
		out.System = []textBlock{{"text", r.System, keep()}}
	}
	if m.o.Thinking > 0 {
		out.Thinking = &thinking{"enabled", max(m.o.Thinking, leastThinking)}
		out.Most += out.Thinking.Budget // the bound counts both
	}
	for _, msg := range r.Messages {
		out.Messages = append(out.Messages, m.message(msg)...)
	}
	if n := len(out.Messages); n > 0 {
		out.Messages[n-1] = marked(out.Messages[n-1])
	}
	out.Tools = chat.Declarations(r)
	return out
}

// marked is a message whose end the prompt cache keeps; one that has no content of its own stays as it is.
func marked(raw json.RawMessage) json.RawMessage {
	var m struct {
		Role    string            `json:"role"`
		Content []json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &m) != nil || len(m.Content) == 0 {
		return raw
	}
	last := slices.Clip(m.Content[len(m.Content)-1])
	if !bytes.HasSuffix(last, []byte("}")) || bytes.Equal(last, []byte("{}")) {
		return raw
	}
	m.Content[len(m.Content)-1] = append(last[:len(last)-1:len(last)-1], `,"cache_control":{"type":"ephemeral"}}`...)
	return chat.JSON(m)
}

// message is one of a conversation; results may take several.
func (m *Model) message(msg agent.Message) []json.RawMessage {
	switch msg := msg.(type) {
	case agent.User:
		return []json.RawMessage{user(msg)}
	case agent.Assistant:
		// Thinking is signed: it goes back as it came, or not at all.
		if msg.Provider == provider && msg.Native != nil {
			return []json.RawMessage{msg.Native}
		}
		return assistant(msg)
	case agent.Results:
		return dialect.Results(m.Dialect(), msg.Answers)
	}
	return nil
}

// An imageBlock is a picture.
type imageBlock struct {
	Type   string `json:"type"` // image
	Source struct {
		Type string `json:"type"` // base64
		MIME string `json:"media_type"`
		Data []byte `json:"data"`
	} `json:"source"`
}

// user is what the person said. Pictures come first, as the provider advises.
func user(msg agent.User) json.RawMessage {
	var blocks []any
	for _, image := range msg.Images {
		b := imageBlock{Type: "image"}
		b.Source.Type, b.Source.MIME, b.Source.Data = "base64", image.MIME, image.Data
		blocks = append(blocks, b)
	}
	if msg.Text != "" || blocks == nil { // it refuses an empty text
		blocks = append(blocks, words(msg.Text))
	}
	return message("user", blocks...)
}

// message is one of pieces.
func message(role string, content ...any) json.RawMessage {
	return chat.JSON(struct {
		Role    string `json:"role"`
		Content []any  `json:"content"`
	}{role, content})
}

// assistant is an answer of another provider's model, or one that cannot go back as it came.
func assistant(msg agent.Assistant) []json.RawMessage {
	var blocks []any
	if msg.Text != "" {
		blocks = append(blocks, words(msg.Text))
	}
	for _, c := range msg.Calls {
		blocks = append(blocks, toolUse{"tool_use", c.ID, c.Name, chat.Sound(c.Args)})
	}
	if len(blocks) == 0 { // an empty message is refused
		return nil
	}
	return []json.RawMessage{message("assistant", blocks...)}
}

// A toolUse is a call as it goes back to the server.
type toolUse struct {
	Type  string          `json:"type"` // tool_use
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}
