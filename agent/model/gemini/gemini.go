// Package gemini lets an agent speak with Google's Gemini models. It writes the wire format itself
// (ai.google.dev/api/generate-content): the official library, the oracle of its tests, brings gRPC, Google's ways to log
// in and a package that keeps every method of every type in the program, some 30 MB.
package gemini

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
)

// provider is the first part of the model's name, and marks its answers in a conversation that several providers share.
const provider = "gemini"

// home is where Google's own models answer.
const home = "https://generativelanguage.googleapis.com"

// Options of a model. Name is required.
type Options struct {
	Name    string // the provider's own, as gemini-2.5-pro
	Key     string // "" means GOOGLE_API_KEY or GEMINI_API_KEY
	BaseURL string // "" means GOOGLE_GEMINI_BASE_URL, else Google's; without the version

	Thinking int // tokens that it may think in before an answer; 0: the model's own

	// Parameters declares tools in the older subset of OpenAPI instead of JSON Schema: for endpoints that know nothing
	// else.
	Parameters bool

	Header http.Header  // of each request, beside or in place of what is sent by itself
	Client *http.Client // nil: one that follows no redirect to another server
}

// Model is a Gemini model. It is safe for concurrent use.
type Model struct {
	o      Options
	server chat.Server
}

var _ agent.Model = (*Model)(nil)

// New makes a model. It dials nothing. The error says that there is no key.
func New(o Options) (*Model, error) {
	key := cmp.Or(o.Key, os.Getenv("GOOGLE_API_KEY"), os.Getenv("GEMINI_API_KEY"))
	if key == "" {
		return nil, errors.New("gemini: no key: set Options.Key, GOOGLE_API_KEY or GEMINI_API_KEY")
	}
	header := http.Header{"X-Goog-Api-Key": {key}}
	base := cmp.Or(o.BaseURL, os.Getenv("GOOGLE_GEMINI_BASE_URL"), home)
	model := o.Name
	if !strings.Contains(model, "/") { // others stand in a folder of their own, as tunedModels/x
		model = "models/" + model
	}
	url := strings.TrimSuffix(base, "/") + "/v1beta/" + model + ":streamGenerateContent?alt=sse"
	return &Model{o: o, server: chat.ServerAt(url, header, o.Header, o.Client)}, nil
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
	var c collector
	err := m.server.Stream(ctx, m.request(r), func(data []byte) error {
		var piece chunk
		if err := chat.Decode(data, &piece); err != nil {
			return err
		}
		return c.add(&piece, delta)
	})
	if err != nil {
		return nil, err
	}
	return c.reply()
}

// A content is a message.
type content struct {
	Role  string            `json:"role,omitempty"`
	Parts []json.RawMessage `json:"parts"`
}

// text is a part of words.
func text(s string) json.RawMessage {
	return chat.JSON(struct {
		Text string `json:"text"`
	}{s})
}

// A request is what is asked.
type request struct {
	Contents []json.RawMessage `json:"contents"`
	System   *content          `json:"systemInstruction,omitempty"`
	Tools    json.RawMessage   `json:"tools,omitempty"`
	Config   struct {
		Most     int       `json:"maxOutputTokens,omitempty"`
		Thinking *thinking `json:"thinkingConfig,omitempty"`
	} `json:"generationConfig"`
}

// thinking bounds what the model thinks, and has it told.
type thinking struct {
	Budget int  `json:"thinkingBudget"`
	Told   bool `json:"includeThoughts"`
}

// request is a turn in the provider's words. Tools go as the JSON that the dialect made.
func (m *Model) request(r *agent.Request) request {
	out := request{Contents: []json.RawMessage{}}
	out.Config.Most = r.MaxTokens
	if m.o.Thinking > 0 {
		out.Config.Thinking = &thinking{m.o.Thinking, true}
	}
	if r.System != "" {
		out.System = &content{Role: "user", Parts: []json.RawMessage{text(r.System)}}
	}
	if r.Tools != nil && len(r.Tools.Declarations) > 0 {
		out.Tools = r.Tools.JSON()
	}
	for _, msg := range r.Messages {
		out.Contents = append(out.Contents, m.content(msg)...)
	}
	return out
}

// content is one message of a conversation; results may take several.
func (m *Model) content(msg agent.Message) []json.RawMessage {
	switch msg := msg.(type) {
	case agent.User:
		return []json.RawMessage{user(msg)}
	case agent.Assistant:
		// Thoughts are signed: they go back as they came, or not at all.
		if msg.Provider == provider && msg.Native != nil {
			return []json.RawMessage{msg.Native}
		}
		return assistant(msg)
	case agent.Results:
		return dialect.Results(m.Dialect(), msg.Answers)
	}
	return nil
}

// user is what the person said.
func user(msg agent.User) json.RawMessage {
	var parts []json.RawMessage
	if msg.Text != "" || len(msg.Images) == 0 {
		parts = append(parts, text(msg.Text))
	}
	for _, image := range msg.Images {
		parts = append(parts, chat.JSON(map[string]any{
			"inlineData": struct {
				MIME string `json:"mimeType"`
				Data []byte `json:"data"`
			}{image.MIME, image.Data},
		}))
	}
	return chat.JSON(content{"user", parts})
}

// assistant is an answer of another provider's model.
func assistant(msg agent.Assistant) []json.RawMessage {
	var parts []json.RawMessage
	if msg.Text != "" {
		parts = append(parts, text(msg.Text))
	}
	for _, c := range msg.Calls {
		parts = append(parts, chat.JSON(map[string]any{
			"functionCall": call{ID: c.ID, Name: c.Name, Args: chat.Sound(c.Args)},
		}))
	}
	if len(parts) == 0 {
		return nil
	}
	return []json.RawMessage{chat.JSON(content{"model", parts})}
}
