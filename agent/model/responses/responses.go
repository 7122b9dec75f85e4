// Package responses lets an agent speak with OpenAI's models through the Responses API. It writes the wire format
// itself (platform.openai.com/docs/api-reference/responses), as package openai does. Nothing is stored at the provider: the
// conversation goes with each request, and so does what a reasoning model thought, sealed by the provider.
package responses

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"

	"helve/agent"
	"helve/agent/model/internal/chat"
	"helve/engine/dialect"
)

// provider is the first part of the model's name, and marks its answers in a conversation that several providers share.
const provider = "openai-responses"

// home is where OpenAI's own models answer.
const home = "https://api.openai.com/v1"

// Options of a model. Name is required.
type Options struct {
	Name     string // the provider's own, as gpt-5
	Key      string // "" means OPENAI_API_KEY
	BaseURL  string // "" means OPENAI_BASE_URL, else OpenAI's
	Strict   bool   // hold the model to the schemas where they allow it
	Thinking int    // tokens that it may think in, told as an effort; 0: the model's own

	Header http.Header  // of each request, beside or in place of what is sent by itself
	Client *http.Client // nil: one that follows no redirect to another server
}

// Model is a model behind Responses. It is safe for concurrent use.
type Model struct {
	o      Options
	server chat.Server
}

var _ agent.Model = (*Model)(nil)

// New makes a model. It dials nothing. An organization or a project is read from OPENAI_ORG_ID and OPENAI_PROJECT_ID.
func New(o Options) *Model {
	base := cmp.Or(o.BaseURL, os.Getenv("OPENAI_BASE_URL"), home)
	header := http.Header{}
	set := func(name, prefix, value string) {
		if value != "" {
			header.Set(name, prefix+value)
		}
	}
	set("Authorization", "Bearer ", cmp.Or(o.Key, os.Getenv("OPENAI_API_KEY")))
	set("OpenAI-Organization", "", os.Getenv("OPENAI_ORG_ID"))
	set("OpenAI-Project", "", os.Getenv("OPENAI_PROJECT_ID"))
	url := strings.TrimSuffix(base, "/") + "/responses"
	return &Model{o: o, server: chat.ServerAt(url, header, o.Header, o.Client)}
}

// Name is openai-responses/ and the model's.
func (m *Model) Name() string { return provider + "/" + m.o.Name }

// Dialect is that of Responses.
func (m *Model) Dialect() dialect.Dialect {
	if m.o.Strict {
		return dialect.ResponsesStrict
	}
	return dialect.Responses
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
	case c.end == nil:
		return nil, agent.Broken(errors.New("no response.completed came"))
	}
	return c.reply()
}

// A request is what is asked.
type request struct {
	Model        string            `json:"model"`
	Instructions string            `json:"instructions,omitempty"`
	Input        []json.RawMessage `json:"input"`
	Tools        []json.RawMessage `json:"tools,omitempty"`
	Most         int               `json:"max_output_tokens,omitempty"`
	Include      []string          `json:"include,omitempty"`
	Reasoning    *reasoning        `json:"reasoning,omitempty"`
	Stream       bool              `json:"stream"`
	Store        bool              `json:"store"`
}

// reasoning is how a model thinks, and what is told of it.
type reasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

// sealed has the provider send what a model thought, readable to itself alone: it is not stored there.
const sealed = "reasoning.encrypted_content"

// reasons are the names of models that think: others refuse to be asked for it.
var reasons = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:o\d|gpt-[5-9]|codex)`) })

// request is a turn in the provider's words. Tools go as the JSON that the dialect made.
func (m *Model) request(r *agent.Request) request {
	out := request{
		Model:        m.o.Name,
		Instructions: r.System,
		Input:        []json.RawMessage{},
		Tools:        chat.Declarations(r),
		Most:         r.MaxTokens,
		Stream:       true,
	}
	thinks := reasons().MatchString(m.o.Name) && !strings.Contains(m.o.Name, "-chat")
	if thinks {
		out.Include = []string{sealed}
	}
	if effort := chat.Effort(m.o.Thinking); effort != "" {
		out.Reasoning = &reasoning{Effort: effort, Summary: "auto"}
	}
	for _, msg := range r.Messages {
		out.Input = append(out.Input, m.items(msg)...)
	}
	return out
}

// items are those of one message.
func (m *Model) items(msg agent.Message) []json.RawMessage {
	switch msg := msg.(type) {
	case agent.User:
		return []json.RawMessage{user(msg)}
	case agent.Assistant:
		var native []json.RawMessage
		if msg.Provider == provider && json.Unmarshal(msg.Native, &native) == nil {
			return native
		}
		return assistant(msg)
	case agent.Results:
		return dialect.Results(m.Dialect(), msg.Answers)
	}
	return nil
}

// A content is a piece of a message.
type content struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitempty"`
	Image string `json:"image_url,omitempty"`

	Detail string `json:"detail,omitempty"` // of a picture, which wants to be told so
}

// message is one of a text, or of pieces.
func message(role string, content any) json.RawMessage {
	return chat.JSON(struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	}{role, content})
}

func user(msg agent.User) json.RawMessage {
	if len(msg.Images) == 0 {
		return message("user", msg.Text)
	}
	var pieces []content
	if msg.Text != "" {
		pieces = append(pieces, content{Type: "input_text", Text: msg.Text})
	}
	for _, image := range msg.Images {
		pieces = append(pieces, content{Type: "input_image", Image: chat.DataURL(image), Detail: "auto"})
	}
	return message("user", pieces)
}

// assistant is an answer of another provider's model, or one that cannot go back as it came.
func assistant(msg agent.Assistant) []json.RawMessage {
	var out []json.RawMessage
	if msg.Text != "" {
		out = append(out, message("assistant", msg.Text))
	}
	for _, c := range msg.Calls {
		out = append(out, chat.JSON(struct {
			Type      string `json:"type"`
			ID        string `json:"call_id"`
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		}{"function_call", c.ID, c.Name, string(chat.Sound(c.Args))}))
	}
	return out
}
