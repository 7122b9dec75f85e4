package gemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"helve/agent"
	"helve/agent/model/internal/chat"
	"helve/engine/schema"
)

// A chunk is a piece of an answer.
type chunk struct {
	Candidates []struct {
		Content struct{ Parts []json.RawMessage }
		Stop    string `json:"finishReason"`
	}
	Feedback struct {
		Reason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *struct {
		Prompt   int64 `json:"promptTokenCount"`
		Cached   int64 `json:"cachedContentTokenCount"`
		Answer   int64 `json:"candidatesTokenCount"`
		Thoughts int64 `json:"thoughtsTokenCount"`
	} `json:"usageMetadata"`
}

// A call is one that the model makes. Its arguments stay as the server wrote them: whole numbers beyond 2^53 are exact.
type call struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

// A part is a piece of the answer's content. What is not known of it goes back as it came.
type part struct {
	members map[string]json.RawMessage
	text    string
	thought bool
	call    *call
}

func readPart(raw json.RawMessage) (*part, error) {
	p := &part{}
	if err := json.Unmarshal(raw, &p.members); err != nil {
		return nil, fmt.Errorf("a part of the answer is no object: %w", err)
	}
	var known struct {
		Text    string
		Thought bool
		Call    *call `json:"functionCall"`
	}
	if err := chat.Decode(raw, &known); err != nil {
		return nil, err
	}
	p.text, p.thought, p.call = known.Text, known.Thought, known.Call
	return p, nil
}

// plain tells that a part is text and nothing else.
func (p *part) plain() bool {
	for name := range p.members {
		if name != "text" && name != "thought" {
			return false
		}
	}
	return true
}

// JSON is the part as it goes back.
func (p *part) JSON() json.RawMessage {
	if p.plain() {
		p.members["text"] = chat.JSON(p.text)
	}
	return chat.JSON(p.members)
}

// A collector puts an answer together.
type collector struct {
	parts []*part
	stop  string
	usage agent.Usage
	size  int // bytes of text so far
}

// refused is what a prompt ends with that brings no candidate, and no reason to finish.
const refused = "SAFETY"

// add takes a chunk, of which the first candidate counts: one is asked for.
func (c *collector) add(piece *chunk, delta func(agent.Delta)) error {
	if u := piece.Usage; u != nil {
		c.usage = agent.Usage{Input: u.Prompt, Cached: u.Cached, Output: u.Answer + u.Thoughts}
	}
	if len(piece.Candidates) == 0 {
		if piece.Feedback.Reason != "" {
			c.stop = refused
		}
		return nil
	}
	first := piece.Candidates[0]
	if first.Stop != "" {
		c.stop = first.Stop
	}
	for _, raw := range first.Content.Parts {
		if string(raw) == "null" {
			continue
		}
		c.size += len(raw)
		if c.size > schema.MaxArguments {
			return chat.ErrTooLong
		}
		p, err := readPart(raw)
		if err != nil {
			return err
		}
		c.part(p)
		tell(p.thought, p.text, delta)
	}
	return nil
}

// tell hands the text of a part on.
func tell(thought bool, text string, delta func(agent.Delta)) {
	switch {
	case thought:
		delta(agent.Delta{Thinking: text})
	case text != "":
		delta(agent.Delta{Text: text})
	}
}

// part adds a part; texts that follow one another are one, as long as no signature stands between.
func (c *collector) part(p *part) {
	if n := len(c.parts); n > 0 {
		before := c.parts[n-1]
		if p.plain() && before.plain() && p.thought == before.thought {
			before.text += p.text
			return
		}
	}
	c.parts = append(c.parts, p)
}

// reply is the whole answer, with what goes back to the server beside it.
func (c *collector) reply() (*agent.Reply, error) {
	switch c.stop {
	case "":
		return nil, agent.Broken(errors.New("no finishReason came"))
	case "MALFORMED_FUNCTION_CALL":
		return nil, agent.Broken(errors.New("the model wrote a call that nobody can read"))
	}
	r := &agent.Reply{Usage: c.usage}
	r.Provider = provider
	var text strings.Builder
	var native []json.RawMessage
	for _, p := range c.parts {
		switch {
		case p.call != nil:
			r.Calls = append(r.Calls, callOf(p, len(r.Calls)))
		case !p.thought:
			text.WriteString(p.text)
		}
		if p.text != "" || !p.plain() { // empty texts are refused when they come back
			native = append(native, p.JSON())
		}
	}
	r.Text = text.String()
	r.Stop = stopOf(c.stop, len(r.Calls))
	if len(native) > 0 {
		r.Native = chat.JSON(content{"model", native})
	}
	return r, nil
}

// callOf reads a call. Gemini may leave out the id: it gets one, here and in what goes back.
func callOf(p *part, n int) agent.Call {
	if p.call.ID == "" {
		p.call.ID = fmt.Sprintf("call_%d", n+1)
		var members map[string]json.RawMessage
		_ = json.Unmarshal(p.members["functionCall"], &members) // it was read before
		members["id"] = chat.JSON(p.call.ID)
		p.members["functionCall"] = chat.JSON(members)
	}
	args := string(p.call.Args)
	if args == "" || args == "null" {
		args = "{}"
	}
	return agent.Call{ID: p.call.ID, Name: p.call.Name, Args: args}
}

// stopOf is why the model ended. Any reason but the natural one and the length is a refusal, unless there are calls to
// answer.
func stopOf(reason string, calls int) agent.Stop {
	switch reason {
	case "MAX_TOKENS":
		return agent.Length
	case "STOP":
	default:
		if calls == 0 {
			return agent.Refused
		}
	}
	if calls > 0 {
		return agent.Calls
	}
	return agent.Done
}
