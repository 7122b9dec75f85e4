package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A request is what every provider's request says, in one form.
type request struct {
	tools   []offered
	results []answered // in the order of the conversation
	stream  bool
	texts   string // messages that are not results: the user's words, and what the client adds
}

// An offered tool is one that the model may call.
type offered struct {
	group    string // the name of the group that it belongs to, where the provider has groups
	name     string
	deferred bool // only its name is known until the model has searched for it
}

// call is what the model calls it: wiretest.Call has groups in the name.
func (o offered) call() string {
	if o.group == "" {
		return o.name
	}
	return o.group + "/" + o.name
}

// An answered call has its result in the conversation.
type answered struct {
	name string // of the tool; "": the provider says its id alone
	id   string
	text string
}

// readRequest reads a request to a provider.
func readRequest(provider string, body []byte) (request, error) {
	switch provider {
	case "anthropic":
		return readAnthropic(body)
	case "openai":
		return readOpenAI(body)
	case "responses":
		return readResponses(body)
	case "gemini", "gemini whole":
		req, err := readGemini(body)
		req.stream = provider == "gemini" // its address says so, not the request
		return req, err
	}
	return request{}, fmt.Errorf("no provider %q", provider)
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
func readAnthropic(body []byte) (request, error) {
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
		return request{}, err
	}
	out := request{stream: in.Stream}
	for _, t := range in.Tools {
		out.tools = append(out.tools, offered{name: t.Name, deferred: t.Defer})
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
				return request{}, err
			}
			out.texts += plain
			continue
		}
		for _, b := range blocks {
			switch b.Type {
			case "tool_result":
				out.results = append(out.results, answered{id: b.ID, text: string(b.Content)})
			case "text":
				out.texts += b.Text
			}
		}
	}
	return out, nil
}

// readOpenAI reads Chat Completions: results are messages of their own.
func readOpenAI(body []byte) (request, error) {
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
		return request{}, err
	}
	out := request{stream: in.Stream}
	for _, t := range in.Tools {
		out.tools = append(out.tools, offered{name: t.Function.Name})
	}
	for _, m := range in.Messages {
		switch m.Role {
		case "tool":
			out.results = append(out.results, answered{id: m.ID, text: string(m.Content)})
		case "user", "system":
			out.texts += string(m.Content)
		}
	}
	return out, nil
}

// readResponses reads Responses: results are items; tools may stand in groups, which are called namespaces.
func readResponses(body []byte) (request, error) {
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
		return request{}, err
	}
	out := request{stream: in.Stream}
	for _, t := range in.Tools {
		if t.Type != "namespace" {
			out.tools = append(out.tools, offered{name: or(t.Name, t.Type), deferred: t.Defer})
		}
		for _, member := range t.Tools {
			out.tools = append(out.tools, offered{group: t.Name, name: member.Name, deferred: member.Defer})
		}
	}
	for _, item := range in.Input {
		switch {
		case strings.HasSuffix(item.Type, "_call_output"):
			out.results = append(out.results, answered{id: item.ID, text: string(item.Output)})
		case item.Role == "user", item.Role == "developer":
			out.texts += string(item.Content)
		}
	}
	return out, nil
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// readGemini reads generateContent: results are parts, with an object of the client's own making in each.
func readGemini(body []byte) (request, error) {
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
		return request{}, err
	}
	var out request
	for _, t := range in.Tools {
		for _, f := range t.Functions {
			out.tools = append(out.tools, offered{name: f.Name})
		}
	}
	for _, c := range in.Contents {
		for _, p := range c.Parts {
			if p.Response != nil {
				// An object with the text in one of its members: its letters are compared as JSON
				// has them.
				a := answered{id: p.Response.ID, name: p.Response.Name, text: string(p.Response.Response)}
				out.results = append(out.results, a)
			} else if c.Role == "user" {
				out.texts += p.Text
			}
		}
	}
	return out, nil
}
