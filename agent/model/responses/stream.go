package responses

import (
	"encoding/json"
	"fmt"

	"helve/agent"
	"helve/agent/model/internal/chat"
	"helve/engine/schema"
)

// An event is one of a stream: what is empty does not belong to its type.
type event struct {
	Type     string          `json:"type"`
	Delta    json.RawMessage `json:"delta"`    // a text, of those that end in .delta
	Item     json.RawMessage `json:"item"`     // of response.output_item.done
	Response *response       `json:"response"` // of those that end the answer
	Code     string          `json:"code"`     // of error
	Message  string          `json:"message"`  // of error
}

type response struct {
	Status     string            `json:"status"`
	Output     []json.RawMessage `json:"output"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Error *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Usage struct {
		Input   int64 `json:"input_tokens"`
		Output  int64 `json:"output_tokens"`
		Details struct {
			Cached int64 `json:"cached_tokens"`
		} `json:"input_tokens_details"`
	} `json:"usage"`
}

// A collector puts an answer together.
type collector struct {
	items []json.RawMessage // those that are whole
	end   *response
	size  int // bytes of items and pieces so far
}

// add takes an event. Those that are not named here say nothing that counts.
func (c *collector) add(e *event, delta func(agent.Delta)) error {
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		delta(agent.Delta{Text: c.text(e.Delta)})
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		delta(agent.Delta{Thinking: c.text(e.Delta)})
	case "response.function_call_arguments.delta":
		c.text(e.Delta)
	case "response.output_item.done":
		c.items = append(c.items, e.Item)
		c.size += len(e.Item)
	case "response.completed", "response.incomplete":
		c.end = e.Response
		return chat.ErrEnd
	case "response.failed", "error":
		return e.failed()
	}
	if c.size > schema.MaxArguments {
		return chat.ErrTooLong
	}
	return nil
}

// text is a piece, which is counted.
func (c *collector) text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // what is no text has nothing to show
	c.size += len(s)
	return s
}

// failed is an error that came after the answer had begun. Codes are of the server's own kind; what is its own trouble
// may not come again.
func (e *event) failed() error {
	code, message := e.Code, e.Message
	if e.Response != nil && e.Response.Error != nil {
		code, message = e.Response.Error.Code, e.Response.Error.Message
	}
	err := fmt.Errorf("the server ends its answer: %s: %s", code, message)
	switch code {
	case "", "server_error", "rate_limit_exceeded":
		return err
	}
	return &agent.ServerError{Message: code + ": " + message, Err: err}
}

// An item is a piece of what the model said.
type item struct {
	Type      string `json:"type"`
	Role      string `json:"role"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Content   []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
	Sealed string `json:"encrypted_content"` // of reasoning
}

// reply is the whole answer. What goes back to the server is kept beside it.
func (c *collector) reply() (*agent.Reply, error) {
	r := &agent.Reply{Stop: agent.Done}
	r.Provider = provider
	r.Usage = agent.Usage{
		Input:  c.end.Usage.Input,
		Cached: c.end.Usage.Details.Cached,
		Output: c.end.Usage.Output,
	}
	if len(c.end.Output) > 0 {
		c.items = c.end.Output // those too that are not whole
	}
	refused, err := c.read(&r.Assistant)
	if err != nil {
		return nil, err
	}
	switch {
	case c.end.Incomplete.Reason == "content_filter", refused:
		r.Stop = agent.Refused
	case c.end.Incomplete.Reason != "", c.end.Status == "incomplete":
		r.Stop = agent.Length
	case len(r.Calls) > 0:
		r.Stop = agent.Calls
	}
	return r, nil
}

// read reads the items into an answer. It tells whether the model refused.
func (c *collector) read(into *agent.Assistant) (refused bool, err error) {
	native := []json.RawMessage{}
	for _, raw := range c.items {
		var it item
		if err := json.Unmarshal(raw, &it); err != nil {
			return false, agent.Broken(err)
		}
		refused = it.addTo(into) || refused
		back, err := it.back(raw)
		if err != nil {
			return false, err
		}
		if back != nil {
			native = append(native, back)
		}
	}
	into.Native, err = json.Marshal(native)
	return refused, err
}

// addTo adds what the item says to an answer. It tells whether the model refused.
func (it item) addTo(out *agent.Assistant) (refused bool) {
	switch it.Type {
	case "message":
		for _, p := range it.Content {
			out.Text += p.Text + p.Refusal
			refused = refused || p.Type == "refusal"
		}
	case "function_call":
		out.Calls = append(out.Calls, agent.Call{ID: it.CallID, Name: it.Name, Args: it.Arguments})
	}
	return refused
}

// back is the item as it goes back to the server; nil: it does not. The names that a server gave to what it did not
// store would mean nothing to it, and arguments that are no JSON would be refused.
func (it item) back(raw json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	delete(members, "status")
	switch it.Type {
	case "reasoning":
		if it.Sealed == "" {
			return nil, nil
		}
	case "function_call":
		members["arguments"] = chat.JSON(string(chat.Sound(it.Arguments)))
		delete(members, "id")
	case "message":
		delete(members, "id")
	default:
		return nil, nil
	}
	return json.Marshal(members)
}
