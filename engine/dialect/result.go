package dialect

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	rawjson "helve/internal/json"
)

// A Part is a block of a result: Text or Media.
type Part interface{ part() }

// Text is text.
type Text string

// Media is an image or a sound, Data its file bytes.
type Media struct {
	MIME string
	Data []byte
}

func (Text) part()  {}
func (Media) part() {}

// An Answer is the result of one call.
type Answer struct {
	ID     string // the call's, as the model gave it
	Name   string // as the provider knows the tool
	Parts  []Part
	Failed bool
}

// images are what the providers take as pictures.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Results are the messages, or items, that carry the answers of one turn back to the model, in the order of the answers. What a
// provider cannot take is told in a sentence.
func Results(d Dialect, answers []Answer) []json.RawMessage {
	if len(answers) == 0 {
		return nil
	}
	switch d.base() {
	case OpenAI:
		return chatResults(answers)
	case Responses:
		return responseResults(answers)
	case Anthropic:
		return []json.RawMessage{anthropicResults(answers)}
	case Gemini, GeminiJSON:
		return []json.RawMessage{geminiResults(answers)}
	case Ollama:
		return ollamaResults(answers)
	}
	return protocolResults(answers)
}

// split are the texts joined by line ends, and the pictures; a sound is a sentence.
func (a Answer) split() (string, []Media) {
	var texts []string
	var pictures []Media
	for _, p := range a.Parts {
		switch p := p.(type) {
		case Text:
			texts = append(texts, string(p))
		case Media:
			if slices.Contains(images, p.MIME) {
				pictures = append(pictures, p)
				continue
			}
			texts = append(texts, fmt.Sprintf("[%s, %d bytes: not shown to this model]", p.MIME, len(p.Data)))
		}
	}
	return strings.Join(texts, "\n"), pictures
}

func (m Media) url() string {
	return "data:" + m.MIME + ";base64," + base64.StdEncoding.EncodeToString(m.Data)
}

// fields writes an object of members that are JSON or strings.
func fields(pairs ...any) json.RawMessage {
	b := []byte{'{'}
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(rawjson.AppendString(b, pairs[i].(string)), ':')
		switch v := pairs[i+1].(type) {
		case string:
			b = rawjson.AppendString(b, v)
		case json.RawMessage:
			b = append(b, v...)
		}
	}
	return append(b, '}')
}

func list(items []json.RawMessage) json.RawMessage {
	b := []byte{'['}
	for i, it := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, it...)
	}
	return append(b, ']')
}

// chatResults: a tool's message holds text only; pictures follow in a message of the user, behind all answers.
func chatResults(answers []Answer) []json.RawMessage {
	var out, shown []json.RawMessage
	for _, a := range answers {
		body, pictures := a.split()
		if len(pictures) > 0 {
			body = strings.TrimSpace(body + "\n[the picture follows]")
			shown = append(shown, fields("type", "text", "text", "What "+a.Name+" brought ("+a.ID+"):"))
		}
		for _, p := range pictures {
			shown = append(shown, fields("type", "image_url", "image_url", fields("url", p.url())))
		}
		out = append(out, fields("role", "tool", "tool_call_id", a.ID, "content", body))
	}
	if len(shown) > 0 {
		out = append(out, fields("role", "user", "content", list(shown)))
	}
	return out
}

func responseResults(answers []Answer) []json.RawMessage {
	var out []json.RawMessage
	for _, a := range answers {
		body, pictures := a.split()
		output := json.RawMessage(rawjson.Quote(body))
		if len(pictures) > 0 {
			var blocks []json.RawMessage
			if body != "" {
				blocks = append(blocks, fields("type", "input_text", "text", body))
			}
			for _, p := range pictures {
				blocks = append(blocks, fields("type", "input_image", "image_url", p.url()))
			}
			output = list(blocks)
		}
		out = append(out, fields("type", "function_call_output", "call_id", a.ID, "output", output))
	}
	return out
}

func anthropicResults(answers []Answer) json.RawMessage {
	var out []json.RawMessage
	for _, a := range answers {
		body, pictures := a.split()
		var blocks []json.RawMessage
		if body != "" { // an empty text block is refused
			blocks = append(blocks, fields("type", "text", "text", body))
		}
		for _, p := range pictures {
			blocks = append(blocks, fields("type", "image", "source", fields("type", "base64", "media_type", p.MIME, "data", base64.StdEncoding.EncodeToString(p.Data))))
		}
		failed := json.RawMessage("false")
		if a.Failed {
			failed = json.RawMessage("true")
		}
		out = append(out, fields("type", "tool_result", "tool_use_id", a.ID, "content", list(blocks), "is_error", failed))
	}
	return fields("role", "user", "content", list(out))
}

func geminiResults(answers []Answer) json.RawMessage {
	var out []json.RawMessage
	for _, a := range answers {
		body, pictures := a.split()
		key := "output"
		if a.Failed {
			key = "error"
		}
		members := []any{"name", a.Name, "response", fields(key, body)}
		if a.ID != "" {
			members = append([]any{"id", a.ID}, members...)
		}
		if len(pictures) > 0 {
			var parts []json.RawMessage
			for _, p := range pictures {
				parts = append(parts, fields("inlineData", fields("mimeType", p.MIME, "data", base64.StdEncoding.EncodeToString(p.Data))))
			}
			members = append(members, "parts", list(parts))
		}
		out = append(out, fields("functionResponse", fields(members...)))
	}
	return fields("role", "user", "parts", list(out))
}

func ollamaResults(answers []Answer) []json.RawMessage {
	var out []json.RawMessage
	for _, a := range answers {
		body, pictures := a.split()
		members := []any{"role", "tool", "tool_name", a.Name, "content", body}
		if len(pictures) > 0 {
			var data []json.RawMessage
			for _, p := range pictures {
				data = append(data, rawjson.Quote(base64.StdEncoding.EncodeToString(p.Data)))
			}
			members = append(members, "images", list(data))
		}
		out = append(out, fields(members...))
	}
	return out
}

func protocolResults(answers []Answer) []json.RawMessage {
	var out []json.RawMessage
	for _, a := range answers {
		var blocks []json.RawMessage
		for _, p := range a.Parts {
			switch p := p.(type) {
			case Text:
				blocks = append(blocks, fields("type", "text", "text", string(p)))
			case Media:
				kind, _, _ := strings.Cut(p.MIME, "/")
				blocks = append(blocks, fields("type", kind, "mimeType", p.MIME, "data", base64.StdEncoding.EncodeToString(p.Data)))
			}
		}
		members := []any{"content", list(blocks)}
		if a.Failed {
			members = append(members, "isError", json.RawMessage("true"))
		}
		out = append(out, fields(members...))
	}
	return out
}

type partJSON struct {
	Text *string `json:"text,omitempty"`
	MIME string  `json:"mime,omitempty"`
	Data []byte  `json:"data,omitempty"`
}

type answerJSON struct {
	ID     string     `json:"id"`
	Name   string     `json:"name"`
	Parts  []partJSON `json:"parts"`
	Failed bool       `json:"failed,omitempty"`
}

// MarshalJSON writes the answer in a form of its own, for logs.
func (a Answer) MarshalJSON() ([]byte, error) {
	out := answerJSON{ID: a.ID, Name: a.Name, Failed: a.Failed, Parts: []partJSON{}}
	for _, p := range a.Parts {
		switch p := p.(type) {
		case Text:
			s := string(p)
			out.Parts = append(out.Parts, partJSON{Text: &s})
		case Media:
			out.Parts = append(out.Parts, partJSON{MIME: p.MIME, Data: p.Data})
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (a *Answer) UnmarshalJSON(b []byte) error {
	var in answerJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*a = Answer{ID: in.ID, Name: in.Name, Failed: in.Failed}
	for _, p := range in.Parts {
		if p.Text != nil {
			a.Parts = append(a.Parts, Text(*p.Text))
			continue
		}
		a.Parts = append(a.Parts, Media{p.MIME, p.Data})
	}
	return nil
}
