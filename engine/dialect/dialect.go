package dialect

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"helve/engine/schema"
)

// A Dialect is a form of declarations. The zero value is that of OpenAI's Chat Completions.
type Dialect uint8

// Strict dialects ask the provider to hold the model to the schema. A tool that they cannot express is declared without
// strictness, as the dialect without the word would.
const (
	OpenAI          Dialect = iota // Chat Completions
	OpenAIStrict                   // Chat Completions, strict where possible
	Responses                      // OpenAI's Responses
	ResponsesStrict                // OpenAI's Responses, strict where possible
	Anthropic                      // Messages
	AnthropicStrict                // Messages, strict where possible
	Gemini                         // functionDeclarations with parameters, a subset of OpenAPI
	GeminiJSON                     // functionDeclarations with parametersJsonSchema
	Ollama                         // a typed struct on its side: what it lacks is lost
	MCP                            // the Model Context Protocol: JSON Schema as it is
)

var dialectNames = [...]string{
	OpenAI:          "openai",
	OpenAIStrict:    "openai-strict",
	Responses:       "responses",
	ResponsesStrict: "responses-strict",
	Anthropic:       "anthropic",
	AnthropicStrict: "anthropic-strict",
	Gemini:          "gemini",
	GeminiJSON:      "gemini-json",
	Ollama:          "ollama",
	MCP:             "mcp",
}

// String is the name that Parse takes.
func (d Dialect) String() string {
	if int(d) < len(dialectNames) {
		return dialectNames[d]
	}
	return fmt.Sprintf("dialect(%d)", d)
}

// Dialects are all of them, in the order of their constants.
func Dialects() []Dialect {
	out := make([]Dialect, len(dialectNames))
	for i := range out {
		out[i] = Dialect(i)
	}
	return out
}

// Parse turns a name into a Dialect. The error lists the names.
func Parse(s string) (Dialect, error) {
	for i, n := range dialectNames {
		if strings.EqualFold(s, n) {
			return Dialect(i), nil
		}
	}
	return OpenAI, fmt.Errorf("dialect %q: want %s", s, strings.Join(dialectNames[:], ", "))
}

// base is the dialect that a strict one falls back to.
func (d Dialect) base() Dialect {
	switch d {
	case OpenAIStrict:
		return OpenAI
	case ResponsesStrict:
		return Responses
	case AnthropicStrict:
		return Anthropic
	}
	return d
}

func (d Dialect) strict() bool { return d.base() != d }

// A Tool is what a declaration is made from. Values are comparable: equal ones have the same declaration.
type Tool struct {
	Name        string
	Title       string // MCP only
	Description string
	Input       *schema.Schema // nil accepts any object
	Output      *schema.Schema // MCP only; nil: none
	Strict      bool           // ask for strictness for this tool, in OpenAI, Responses and Anthropic
	Defer       bool           // Anthropic, Responses: found by the provider's tool search, not shown at once
	ReadOnly    bool           // MCP: readOnlyHint

	// Wire, for MCP only, is the definition as an upstream server gave it: an object that is forwarded with only the
	// name replaced. What is not JSON counts as none.
	Wire string
}

// Options of a whole set. The zero value is usual.
type Options struct {
	// Cache marks the last tool that is not deferred as the end of what Anthropic's prompt cache keeps.
	Cache bool
}

// A Loss is something that a declaration does not say as the tool's schema does.
type Loss struct {
	Tool    string `json:"tool"`
	Pointer string `json:"pointer"` // a JSON pointer into the schema, "" for the tool as a whole
	What    string `json:"what"`    // what became of it, in words
}

// A Declaration is one tool in the form of the dialect.
type Declaration struct {
	Tool   string // as it was given
	Name   string // as the provider knows it
	JSON   json.RawMessage
	Strict bool   // declared so that the provider holds the model to the schema
	Losses []Loss // in the schema's order
	undo   *undo
}

// A Set is the declarations of one dialect. It does not change and is safe for concurrent use.
type Set struct {
	Dialect      Dialect
	Declarations []Declaration // in the order of the tools, without those left out
	Omitted      []Loss        // tools that cannot be declared, and why

	// What the next set is compared with, and made from.
	tools   []Tool
	done    []conversion // of each tool
	options Options
	byName  map[string]*Declaration // as the provider knows them

	once sync.Once // of json
	json json.RawMessage
}

// JSON is the array of tools as the provider's API takes it. Do not change it.
func (s *Set) JSON() json.RawMessage {
	s.once.Do(s.join)
	return s.json
}

// Losses are all losses, tools left out among them, in the order of the tools.
func (s *Set) Losses() []Loss {
	var out []Loss
	for i := range s.Declarations {
		out = append(out, s.Declarations[i].Losses...)
	}
	return append(out, s.Omitted...)
}

// Call turns a model's call into the tool's: the name as it was given, the arguments as its schema expects them. An
// unknown name and arguments that are not JSON come back as they are: whoever runs tools has errors for both.
func (s *Set) Call(name string, args json.RawMessage) (string, json.RawMessage) {
	d := s.byName[name]
	if d == nil {
		return name, args
	}
	return d.Tool, d.undo.arguments(args)
}

// Declare makes the declarations of the tools in one dialect. It keeps nothing: see [Memory].
func Declare(d Dialect, tools []Tool, o Options) *Set {
	var m Memory
	return m.Declare(d, tools, o)
}
