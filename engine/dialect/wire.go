package dialect

import (
	"encoding/json"

	rawjson "helve/internal/json"
)

// wire is one declaration in the provider's form.
func wire(d Dialect, name string, t Tool, c conversion) json.RawMessage {
	b := make([]byte, 0, len(c.parameters)+len(t.Description)*9/8+len(name)+96) // descriptions hold line ends, two bytes each
	switch d.base() {
	case OpenAI:
		b = append(b, `{"type":"function","function":{`...)
		b = append(function(b, name, t, "parameters", c), strictness(c, "}}")...)
	case Responses:
		b = append(b, `{"type":"function",`...)
		b = append(function(b, name, t, "parameters", c), strictness(c, deferral(t, "}"))...)
	case Anthropic:
		b = append(b, '{')
		b = append(function(b, name, t, "input_schema", c), deferral(t, "}")...)
		if c.strict {
			b = append(b[:len(b)-1], `,"strict":true}`...)
		}
	case Gemini:
		b = append(b, '{')
		b = append(function(b, name, t, "parameters", c), '}')
	case GeminiJSON:
		b = append(b, '{')
		b = append(function(b, name, t, "parametersJsonSchema", c), '}')
	case Ollama:
		b = append(b, `{"type":"function","function":{`...)
		b = append(function(b, name, t, "parameters", c), "}}"...)
	case MCP:
		b = protocol(b, name, t, c)
	}
	return b
}

func function(b []byte, name string, t Tool, key string, c conversion) []byte {
	b = rawjson.AppendString(append(b, `"name":`...), name)
	if t.Description != "" {
		b = rawjson.AppendString(append(b, `,"description":`...), t.Description)
	}
	if c.parameters == nil {
		return b
	}
	b = append(append(b, `,"`...), key...)
	return append(append(b, `":`...), c.parameters...)
}

// strictness says strict outright: left out, Responses would assume it.
func strictness(c conversion, end string) string {
	if c.strict {
		return `,"strict":true` + end
	}
	return `,"strict":false` + end
}

func deferral(t Tool, end string) string {
	if t.Defer {
		return `,"defer_loading":true` + end
	}
	return end
}

func protocol(b []byte, name string, t Tool, c conversion) []byte {
	if t.Wire != "" && rawjson.Valid([]byte(t.Wire)) {
		return append(b, rawjson.Set([]byte(t.Wire), "name", rawjson.Quote(name))...)
	}
	b = rawjson.AppendString(append(b, `{"name":`...), name)
	if t.Title != "" && t.Title != name {
		b = rawjson.AppendString(append(b, `,"title":`...), t.Title)
	}
	if t.Description != "" {
		b = rawjson.AppendString(append(b, `,"description":`...), t.Description)
	}
	b = append(append(b, `,"inputSchema":`...), c.parameters...)
	if t.Output != nil {
		b = append(append(b, `,"outputSchema":`...), t.Output.JSON()...)
	}
	if t.ReadOnly {
		b = append(b, `,"annotations":{"readOnlyHint":true}`...)
	}
	return append(b, '}')
}
