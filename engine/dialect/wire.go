package dialect

import (
	"encoding/json"

	rawjson "helve/internal/json"
)

// wire is one declaration in the provider's form. It is put together from bytes: the parameters are JSON already, and
// encoding/json would read them once more.
func wire(d Dialect, name string, t Tool, c conversion) json.RawMessage {
	const keys = 96                       // more than the words of any form
	escaped := len(t.Description) * 9 / 8 // descriptions hold line ends, two bytes each
	b := make([]byte, 0, len(c.parameters)+escaped+len(name)+keys)
	switch d.base() {
	case OpenAI:
		b = append(b, `{"type":"function","function":{`...)
		b = function(b, name, t, "parameters", c)
		b = strictness(b, c)
		b = append(b, "}}"...)
	case Responses: // the same without a wrapping
		b = append(b, `{"type":"function",`...)
		b = function(b, name, t, "parameters", c)
		b = strictness(b, c)
		b = deferral(b, t)
		b = append(b, '}')
	case Anthropic:
		b = append(b, '{')
		b = function(b, name, t, "input_schema", c)
		b = deferral(b, t)
		if c.strict {
			b = append(b, `,"strict":true`...)
		}
		b = append(b, '}')
	case Gemini:
		b = append(b, '{')
		b = function(b, name, t, "parameters", c)
		b = append(b, '}')
	case GeminiJSON:
		b = append(b, '{')
		b = function(b, name, t, "parametersJsonSchema", c)
		b = append(b, '}')
	case Ollama:
		b = append(b, `{"type":"function","function":{`...)
		b = function(b, name, t, "parameters", c)
		b = append(b, "}}"...)
	case MCP:
		b = protocol(b, name, t, c)
	}
	return b
}

// function writes what all providers call alike, but for the parameters, which key names.
func function(b []byte, name string, t Tool, key string, c conversion) []byte {
	b = append(b, `"name":`...)
	b = rawjson.AppendString(b, name)
	b = said(b, "description", t.Description)
	if c.parameters == nil {
		return b
	}
	b = append(b, `,"`...)
	b = append(b, key...)
	b = append(b, `":`...)
	return append(b, c.parameters...)
}

// said writes a member that is left out when it is empty.
func said(b []byte, key, value string) []byte {
	if value == "" {
		return b
	}
	b = append(b, `,"`...)
	b = append(b, key...)
	b = append(b, `":`...)
	return rawjson.AppendString(b, value)
}

// strictness says strict outright: left out, Responses would assume it.
func strictness(b []byte, c conversion) []byte {
	if c.strict {
		return append(b, `,"strict":true`...)
	}
	return append(b, `,"strict":false`...)
}

// deferral leaves a tool to the provider's search, which shows it to the model when it fits.
func deferral(b []byte, t Tool) []byte {
	if t.Defer {
		return append(b, `,"defer_loading":true`...)
	}
	return b
}

// protocol writes a tool of MCP. One that came from a server stays as that server wrote it.
func protocol(b []byte, name string, t Tool, c conversion) []byte {
	if t.Wire != "" && rawjson.Valid([]byte(t.Wire)) {
		return append(b, rawjson.Set([]byte(t.Wire), "name", rawjson.Quote(name))...)
	}
	b = append(b, `{"name":`...)
	b = rawjson.AppendString(b, name)
	if t.Title != name { // said twice it is no title
		b = said(b, "title", t.Title)
	}
	b = said(b, "description", t.Description)
	b = append(b, `,"inputSchema":`...)
	b = append(b, c.parameters...)
	if t.Output != nil {
		b = append(b, `,"outputSchema":`...)
		b = append(b, t.Output.JSON()...)
	}
	if t.ReadOnly {
		b = append(b, `,"annotations":{"readOnlyHint":true}`...)
	}
	return append(b, '}')
}
