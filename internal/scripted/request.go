package scripted

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// A Request is what every provider's request says, in one form.
type Request struct {
	Tools   []Offered
	Results []Answered // in the order of the conversation
	Stream  bool
	Texts   string // messages that are not results: the user's words, and what the client adds
}

// An Offered tool is one that the model may call.
type Offered struct {
	Group    string // the name of the group that it belongs to, where the provider has groups
	Name     string
	Deferred bool // only its name is known until the model has searched for it
}

// Call is what the model calls it: the group stands before the name.
func (o Offered) Call() string {
	if o.Group == "" {
		return o.Name
	}
	return o.Group + "/" + o.Name
}

// An Answered call has its result in the conversation.
type Answered struct {
	Name string // of the tool; "": the provider says its id alone
	ID   string
	Text string
}

// ReadRequest reads a request to a provider.
func ReadRequest(provider string, body []byte) (Request, error) {
	switch provider {
	case "anthropic":
		return readAnthropic(body)
	case "openai":
		return readOpenAI(body)
	case "responses":
		return readResponses(body)
	case "gemini", "gemini whole":
		req, err := readGemini(body)
		req.Stream = provider == "gemini" // its address says so, not the request
		return req, err
	}
	return Request{}, fmt.Errorf("no provider %q", provider)
}

// A text is one of a message's content: a string, or blocks that hold texts and, in results, more
// blocks.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	var whole string
	if json.Unmarshal(b, &whole) == nil {
		*t = text(whole)
		return nil
	}
	var blocks []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ToolName string `json:"tool_name"` // of a reference to a tool
	}
	if json.Unmarshal(b, &blocks) != nil {
		*t = text(b) // a form of the client's own: as it is
		return nil
	}
	var all []string
	for _, block := range blocks {
		all = append(all, block.Text+block.ToolName)
	}
	*t = text(strings.Join(all, "\n"))
	return nil
}

// readAnthropic reads Messages: results are blocks of the user's messages.
func readAnthropic(body []byte) (Request, error) {
	var in struct {
		Stream bool `json:"stream"`
		Tools  []struct {
			Name  string `json:"name"`
			Defer bool   `json:"defer_loading"`
		} `json:"tools"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	out := Request{Stream: in.Stream}
	for _, t := range in.Tools {
		out.Tools = append(out.Tools, Offered{Name: t.Name, Deferred: t.Defer})
	}
	for _, m := range in.Messages {
		var blocks []struct {
			Type    string `json:"type"`
			ID      string `json:"tool_use_id"`
			Text    string `json:"text"`
			Content text   `json:"content"`
		}
		if json.Unmarshal(m.Content, &blocks) != nil {
			var plain string
			if err := json.Unmarshal(m.Content, &plain); err != nil {
				return Request{}, err
			}
			out.Texts += plain
			continue
		}
		for _, b := range blocks {
			switch b.Type {
			case "tool_result":
				out.Results = append(out.Results, Answered{ID: b.ID, Text: string(b.Content)})
			case "text":
				out.Texts += b.Text
			}
		}
	}
	return out, nil
}

// readOpenAI reads Chat Completions: results are messages of their own.
func readOpenAI(body []byte) (Request, error) {
	var in struct {
		Stream bool `json:"stream"`
		Tools  []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
		Messages []struct {
			Role    string `json:"role"`
			ID      string `json:"tool_call_id"`
			Content text   `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	out := Request{Stream: in.Stream}
	for _, t := range in.Tools {
		out.Tools = append(out.Tools, Offered{Name: t.Function.Name})
	}
	for _, m := range in.Messages {
		switch m.Role {
		case "tool":
			out.Results = append(out.Results, Answered{ID: m.ID, Text: string(m.Content)})
		case "user", "system":
			out.Texts += string(m.Content)
		}
	}
	return out, nil
}

// readResponses reads Responses: results are items; tools may stand in groups, which are called namespaces.
func readResponses(body []byte) (Request, error) {
	type tool struct {
		Type  string `json:"type"`
		Name  string `json:"name"`
		Defer bool   `json:"defer_loading"`
	}
	var in struct {
		Stream bool `json:"stream"`
		Tools  []struct {
			tool
			Tools []tool `json:"tools"` // of a namespace
		} `json:"tools"`
		Input []struct {
			Type    string `json:"type"`
			Role    string `json:"role"`
			ID      string `json:"call_id"`
			Content text   `json:"content"`
			Output  text   `json:"output"`
		} `json:"input"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	out := Request{Stream: in.Stream}
	for _, t := range in.Tools {
		if t.Type != "namespace" {
			out.Tools = append(out.Tools, Offered{Name: cmp.Or(t.Name, t.Type), Deferred: t.Defer})
		}
		for _, member := range t.Tools {
			out.Tools = append(out.Tools, Offered{Group: t.Name, Name: member.Name, Deferred: member.Defer})
		}
	}
	for _, item := range in.Input {
		switch {
		case strings.HasSuffix(item.Type, "_call_output"):
			out.Results = append(out.Results, Answered{ID: item.ID, Text: string(item.Output)})
		case item.Role == "user", item.Role == "developer":
			out.Texts += string(item.Content)
		}
	}
	return out, nil
}

// readGemini reads generateContent: results are parts, with an object of the client's own making in each.
func readGemini(body []byte) (Request, error) {
	var in struct {
		Tools []struct {
			Functions []struct {
				Name string `json:"name"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		Contents []struct {
			Role  string `json:"role"`
			Parts []struct {
				Text     string `json:"text"`
				Response *struct {
					ID       string          `json:"id"`
					Name     string          `json:"name"`
					Response json.RawMessage `json:"response"`
				} `json:"functionResponse"`
			} `json:"parts"`
		} `json:"contents"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	var out Request
	for _, t := range in.Tools {
		for _, f := range t.Functions {
			out.Tools = append(out.Tools, Offered{Name: f.Name})
		}
	}
	for _, c := range in.Contents {
		for _, p := range c.Parts {
			if p.Response != nil {
				// An object with the text in one of its members: its letters are compared as JSON
				// has them.
				a := Answered{ID: p.Response.ID, Name: p.Response.Name, Text: string(p.Response.Response)}
				out.Results = append(out.Results, a)
			} else if c.Role == "user" {
				out.Texts += p.Text
			}
		}
	}
	return out, nil
}
