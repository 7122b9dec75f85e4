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
	ID     string // the call's, as the model gave it; "" where the provider has none
	Name   string // as the provider knows the tool
	Parts  []Part // may be empty
	Failed bool   // the parts say why
}

// images are what all providers take as pictures.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Results are the messages, or items, that carry the answers of one turn back to the model, in the order of the
// answers. Anthropic and Gemini want them in one message. What a provider cannot take is told in a sentence, so that
// the model knows there was something.
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

// split are the texts joined by line ends, and the pictures; a sound, or a picture of a rare kind, is a sentence.
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
			said := fmt.Sprintf("[%s, %d bytes: not shown to this model]", p.MIME, len(p.Data))
			texts = append(texts, said)
		}
	}
	return strings.Join(texts, "\n"), pictures
}

func (m Media) base64() string { return base64.StdEncoding.EncodeToString(m.Data) }

// url carries the picture itself: OpenAI's APIs take an address or this.
func (m Media) url() string {
	return "data:" + m.MIME + ";base64," + m.base64()
}

// fields writes an object of members that are JSON or strings: a name and a value, and so on.
func fields(pairs ...any) json.RawMessage {
	b := []byte{'{'}
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(b, pairs[i].(string))
		b = append(b, ':')
		switch v := pairs[i+1].(type) {
		case string:
			b = rawjson.AppendString(b, v)
		case json.RawMessage:
			b = append(b, v...)
		}
	}
	return append(b, '}')
}

// list writes an array of values that are JSON.
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

// chatResults: a tool's message holds text only; pictures follow in a message of the user, behind all answers, because
// nothing may stand between these.
func chatResults(answers []Answer) []json.RawMessage {
	var out, shown []json.RawMessage
	for _, a := range answers {
		body, pictures := a.split()
		if len(pictures) > 0 {
			body = strings.TrimSpace(body + "\n[the picture follows]")
			lead := "What " + a.Name + " brought (" + a.ID + "):"
			shown = append(shown, fields("type", "text", "text", lead))
		}
		for _, p := range pictures {
			image := fields("url", p.url())
			shown = append(shown, fields("type", "image_url", "image_url", image))
		}
		out = append(out, fields("role", "tool", "tool_call_id", a.ID, "content", body))
	}
	if len(shown) > 0 {
		out = append(out, fields("role", "user", "content", list(shown)))
	}
	return out
}

// responseResults: an item's output is a text, or blocks where there are pictures.
func responseResults(answers []Answer) []json.RawMessage {
	var out []json.RawMessage
	for _, a := range answers {
		body, pictures := a.split()
		output := json.RawMessage(rawjson.Quote(body))
		if len(pictures) > 0 {
			output = responseBlocks(body, pictures)
		}
		out = append(out, fields("type", "function_call_output", "call_id", a.ID, "output", output))
	}
	return out
}

func responseBlocks(body string, pictures []Media) json.RawMessage {
	var blocks []json.RawMessage
	if body != "" {
		blocks = append(blocks, fields("type", "input_text", "text", body))
	}
	for _, p := range pictures {
		blocks = append(blocks, fields("type", "input_image", "image_url", p.url()))
	}
	return list(blocks)
}

// anthropicResults is one message with a block for each answer: the API wants all of a turn in the next message.
func anthropicResults(answers []Answer) json.RawMessage {
	var out []json.RawMessage
	for _, a := range answers {
		body, pictures := a.split()
		var blocks []json.RawMessage
		if body != "" { // an empty text block is refused
			blocks = append(blocks, fields("type", "text", "text", body))
		}
		for _, p := range pictures {
			source := fields("type", "base64", "media_type", p.MIME, "data", p.base64())
			blocks = append(blocks, fields("type", "image", "source", source))
		}
		failed := json.RawMessage("false")
		if a.Failed {
			failed = json.RawMessage("true")
		}
		out = append(out, fields(
			"type", "tool_result",
			"tool_use_id", a.ID,
			"content", list(blocks),
			"is_error", failed,
		))
	}
	return fields("role", "user", "content", list(out))
}

// geminiResults is one content with a part for each answer. The response is an object, whose member says whether the
// tool failed.
func geminiResults(answers []Answer) json.RawMessage {
	var out []json.RawMessage
	for _, a := range answers {
		body, pictures := a.split()
		key := "output"
		if a.Failed {
			key = "error"
		}
		var members []any
		if a.ID != "" {
			members = append(members, "id", a.ID)
		}
		members = append(members, "name", a.Name, "response", fields(key, body))
		if len(pictures) > 0 {
			members = append(members, "parts", geminiParts(pictures))
		}
		out = append(out, fields("functionResponse", fields(members...)))
	}
	return fields("role", "user", "parts", list(out))
}

func geminiParts(pictures []Media) json.RawMessage {
	var parts []json.RawMessage
	for _, p := range pictures {
		data := fields("mimeType", p.MIME, "data", p.base64())
		parts = append(parts, fields("inlineData", data))
	}
	return list(parts)
}

// ollamaResults are messages that name the tool: Ollama has no ids of calls.
func ollamaResults(answers []Answer) []json.RawMessage {
	var out []json.RawMessage
	for _, a := range answers {
		body, pictures := a.split()
		members := []any{"role", "tool", "tool_name", a.Name, "content", body}
		if len(pictures) > 0 {
			var data []json.RawMessage
			for _, p := range pictures {
				data = append(data, rawjson.Quote(p.base64()))
			}
			members = append(members, "images", list(data))
		}
		out = append(out, fields(members...))
	}
	return out
}

// protocolResults are results of MCP, which takes sounds as well.
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
				blocks = append(blocks, fields("type", kind, "mimeType", p.MIME, "data", p.base64()))
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

// A partJSON is a text where Text is there, an empty one too, else media.
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
	out := answerJSON{
		ID:     a.ID,
		Name:   a.Name,
		Failed: a.Failed,
		Parts:  []partJSON{},
	}
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

// UnmarshalJSON reads what MarshalJSON wrote. The parts are new, a receiver's own are not kept.
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
