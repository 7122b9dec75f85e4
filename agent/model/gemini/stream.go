package gemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/genai"

	"helve/agent"
	"helve/agent/model/internal/chat"
	"helve/engine/schema"
)

// A collector puts an answer together.
type collector struct {
	parts []*genai.Part
	stop  genai.FinishReason
	usage agent.Usage
	size  int // bytes of text so far
	exact *exact
}

// add takes a chunk, of which the first candidate counts: one is asked for.
func (c *collector) add(chunk *genai.GenerateContentResponse, delta func(agent.Delta)) error {
	if u := chunk.UsageMetadata; u != nil {
		c.usage = agent.Usage{
			Input:  int64(u.PromptTokenCount),
			Cached: int64(u.CachedContentTokenCount),
			Output: int64(u.CandidatesTokenCount) + int64(u.ThoughtsTokenCount),
		}
	}
	if len(chunk.Candidates) == 0 {
		// A prompt that is refused brings no candidate, and no reason to finish.
		if f := chunk.PromptFeedback; f != nil && f.BlockReason != "" {
			c.stop = genai.FinishReasonSafety
		}
		return nil
	}
	first := chunk.Candidates[0]
	if first.FinishReason != "" {
		c.stop = first.FinishReason
	}
	if first.Content == nil {
		return nil
	}
	for _, p := range first.Content.Parts {
		if p == nil {
			continue
		}
		c.size += len(p.Text)
		if c.size > schema.MaxArguments {
			return chat.ErrTooLong
		}
		c.part(p)
		tell(p, delta)
	}
	return nil
}

// tell hands the text of a part on.
func tell(p *genai.Part, delta func(agent.Delta)) {
	switch {
	case p.Thought:
		delta(agent.Delta{Thinking: p.Text})
	case p.Text != "":
		delta(agent.Delta{Text: p.Text})
	}
}

// part adds a part; texts that follow one another are one, as long as no signature stands between.
func (c *collector) part(p *genai.Part) {
	if n := len(c.parts); n > 0 {
		before := c.parts[n-1]
		if plain(p) && plain(before) && p.Thought == before.Thought {
			before.Text += p.Text
			return
		}
	}
	own := *p
	c.parts = append(c.parts, &own)
}

// plain tells that a part is text and nothing else.
func plain(p *genai.Part) bool {
	return p.FunctionCall == nil &&
		p.InlineData == nil &&
		p.ExecutableCode == nil &&
		p.CodeExecutionResult == nil &&
		p.ThoughtSignature == nil
}

// reply is the whole answer, with what goes back to the server beside it.
func (c *collector) reply() (*agent.Reply, error) {
	switch c.stop {
	case "":
		return nil, agent.Broken(errors.New("no finishReason came"))
	case genai.FinishReasonMalformedFunctionCall:
		return nil, agent.Broken(errors.New("the model wrote a call that nobody can read"))
	}
	r := &agent.Reply{Usage: c.usage}
	r.Provider = provider
	var text strings.Builder
	// The library has rounded the numbers in its own reading of the arguments.
	args := c.exact.calls(c.calls())
	for _, p := range c.parts {
		switch {
		case p.FunctionCall != nil:
			call, err := callOf(p, len(r.Calls), args)
			if err != nil {
				return nil, err
			}
			r.Calls = append(r.Calls, call)
		case !p.Thought:
			text.WriteString(p.Text)
		}
	}
	r.Text = text.String()
	r.Stop = stopOf(c.stop, len(r.Calls))
	c.parts = keep(c.parts)
	if len(c.parts) == 0 {
		return r, nil
	}
	native, err := json.Marshal(&genai.Content{Role: genai.RoleModel, Parts: c.parts})
	r.Native = native
	return r, err
}

// calls counts the calls of the answer.
func (c *collector) calls() int {
	n := 0
	for _, p := range c.parts {
		if p.FunctionCall != nil {
			n++
		}
	}
	return n
}

// callOf reads a call. Gemini may leave out the id: it gets one, here and in what goes back.
func callOf(p *genai.Part, n int, exact []json.RawMessage) (agent.Call, error) {
	f := *p.FunctionCall
	if f.ID == "" {
		f.ID = fmt.Sprintf("call_%d", n+1)
	}
	p.FunctionCall = &f
	args := []byte("{}")
	switch {
	case f.Args == nil:
	case len(exact) > n && exact[n] != nil:
		args = exact[n]
	default:
		b, err := json.Marshal(f.Args)
		if err != nil {
			return agent.Call{}, fmt.Errorf("gemini: arguments of %s: %w", f.Name, err)
		}
		args = b
	}
	return agent.Call{ID: f.ID, Name: f.Name, Args: string(args)}, nil
}

// keep drops empty texts: they are refused when they come back.
func keep(parts []*genai.Part) []*genai.Part {
	var out []*genai.Part
	for _, p := range parts {
		if p.Text != "" || !plain(p) {
			out = append(out, p)
		}
	}
	return out
}

// stopOf is why the model ended. Any reason but the natural one and the length is a refusal, unless there are calls to
// answer.
func stopOf(f genai.FinishReason, calls int) agent.Stop {
	switch f {
	case genai.FinishReasonMaxTokens:
		return agent.Length
	case genai.FinishReasonStop:
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
