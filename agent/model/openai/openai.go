// Package openai lets an agent speak with models behind OpenAI's Chat Completions: OpenAI's own, and with another base
// URL those of Ollama, vLLM, llama.cpp's server and others. It writes the wire format itself
// (platform.openai.com/docs/api-reference/chat): the official library, the oracle of its tests, initialises 140 KB of
// tables in each program that links it.
package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"

	"helve/agent"
	"helve/agent/model/internal/chat"
	"helve/engine/dialect"
	"helve/engine/schema"
)

// provider is the first part of the model's name, and marks its answers in a conversation that several providers share.
const provider = "openai"

// home is where OpenAI's own models answer.
const home = "https://api.openai.com/v1"

// Options of a model. Name is required.
type Options struct {
	Name    string // the provider's own, as gpt-5
	Key     string // "" means OPENAI_API_KEY
	BaseURL string // "" means OPENAI_BASE_URL, else OpenAI's
	Strict  bool   // hold the model to the schemas where they allow it

	Thinking int // tokens that it may think in, told as an effort; 0: the model's own

	Header http.Header  // of each request, beside or in place of what is sent by itself
	Client *http.Client // nil: one that follows no redirect to another server
}

// Model is a model behind Chat Completions. It is safe for concurrent use.
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
	url := strings.TrimSuffix(base, "/") + "/chat/completions"
	return &Model{o: o, server: chat.ServerAt(url, header, o.Header, o.Client)}
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
	var c collector
	err := m.server.Stream(ctx, m.request(r), func(data []byte) error {
		if string(data) == "[DONE]" {
			return chat.ErrEnd
		}
		var piece chunk
		if err := chat.Decode(data, &piece); err != nil {
			return err
		}
		c.add(piece, delta)
		if c.size > schema.MaxArguments {
			return chat.ErrTooLong
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case c.stop == "":
		return nil, agent.Broken(errors.New("no finish_reason came"))
	}
	return c.reply(), nil
}

// A request is what is asked.
type request struct {
	Model    string            `json:"model"`
	Messages []json.RawMessage `json:"messages"`
	Tools    []json.RawMessage `json:"tools,omitempty"`
	Most     int               `json:"max_completion_tokens,omitempty"`
	Effort   string            `json:"reasoning_effort,omitempty"`
	Stream   bool              `json:"stream"`
	Options  struct {
		Usage bool `json:"include_usage"` // without it a stream tells none
	} `json:"stream_options"`
}

// request is a turn in the provider's words. Tools go as the JSON that the dialect made.
func (m *Model) request(r *agent.Request) request {
	out := request{Model: m.o.Name, Most: r.MaxTokens, Stream: true, Messages: []json.RawMessage{}}
	out.Options.Usage = true
	out.Effort = chat.Effort(m.o.Thinking)
	if r.System != "" {
		out.Messages = append(out.Messages, plain("system", r.System))
	}
	for _, msg := range r.Messages {
		out.Messages = append(out.Messages, m.message(msg)...)
	}
	out.Tools = chat.Declarations(r)
	return out
}

// message is one of a conversation; results may take several.
func (m *Model) message(msg agent.Message) []json.RawMessage {
	switch msg := msg.(type) {
	case agent.User:
		return []json.RawMessage{user(msg)}
	case agent.Assistant:
		return []json.RawMessage{assistant(msg)}
	case agent.Results:
		return dialect.Results(m.Dialect(), msg.Answers)
	}
	return nil
}

// plain is a message of text.
func plain(role, text string) json.RawMessage {
	return chat.JSON(struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}{role, text})
}

// A piece is one of a message that has pictures in it.
type piece struct {
	Type  string    `json:"type"` // text or image_url
	Text  string    `json:"text,omitempty"`
	Image *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

// user is what the person said. Words alone are no list of pieces: some servers read nothing else.
func user(msg agent.User) json.RawMessage {
	if len(msg.Images) == 0 {
		return plain("user", msg.Text)
	}
	var pieces []piece
	if msg.Text != "" {
		pieces = append(pieces, piece{Type: "text", Text: msg.Text})
	}
	for _, image := range msg.Images {
		pieces = append(pieces, piece{Type: "image_url", Image: &imageURL{chat.DataURL(image)}})
	}
	return chat.JSON(struct {
		Role    string  `json:"role"`
		Content []piece `json:"content"`
	}{"user", pieces})
}

// A toolCall is a call as it goes back to the server.
type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

func assistant(msg agent.Assistant) json.RawMessage {
	out := struct {
		Role    string     `json:"role"`
		Content *string    `json:"content,omitempty"`
		Calls   []toolCall `json:"tool_calls,omitempty"`
	}{Role: "assistant"}
	// A message with calls and empty text is refused by some servers, one without either by all.
	if msg.Text != "" || len(msg.Calls) == 0 {
		out.Content = &msg.Text
	}
	for _, c := range msg.Calls {
		call := toolCall{ID: c.ID, Type: "function"}
		call.Function.Name = c.Name
		call.Function.Arguments = string(chat.Sound(c.Args))
		out.Calls = append(out.Calls, call)
	}
	return chat.JSON(out)
}
