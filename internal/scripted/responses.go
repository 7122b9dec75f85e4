package scripted

import (
	"fmt"
	"maps"
	"strings"
)

// Stream is a turn as the events of a provider, the n-th of a conversation: openai (Chat
// Completions), responses (OpenAI's Responses), anthropic (Messages) or gemini
// (streamGenerateContent).
func Stream(provider string, t Turn, n int) ([]string, error) {
	frames := map[string]func(Turn, int) []string{
		"openai":    openAI,
		"responses": responses,
		"anthropic": anthropic,
		"gemini":    gemini,
	}[provider]
	if frames == nil {
		return nil, fmt.Errorf("scripted: no provider %q", provider)
	}
	return frames(t, n), nil
}

// A response is one of OpenAI's Responses while it is sent.
type response struct {
	id     string
	events []string
	output []any // the items that are whole
}

// event is the next one: events of Responses are numbered.
func (r *response) event(name string, v object) {
	v["type"] = name
	v["sequence_number"] = len(r.events)
	r.events = append(r.events, "event: "+name+"\n"+data(v))
}

// state is the response as its first and last events show it.
func (r *response) state(status string) object {
	return object{"response": object{
		"id":         r.id,
		"object":     "response",
		"created_at": 1,
		"status":     status,
		"model":      "scripted",
		"output":     append([]any{}, r.output...),
	}}
}

// item is one of the output: it begins empty, grows by deltas, and is said once more whole.
func (r *response) item(begin, whole object, grow func(place object)) {
	place := object{"output_index": len(r.output)}
	r.event("response.output_item.added", with(place, object{"item": begin}))
	grow(with(place, object{"item_id": whole["id"]}))
	r.event("response.output_item.done", with(place, object{"item": whole}))
	r.output = append(r.output, whole)
}

func with(a, b object) object {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// responses is a turn as events of Responses.
func responses(t Turn, n int) []string {
	r := &response{id: fmt.Sprintf("resp_%d", n)}
	r.event("response.created", r.state("in_progress"))
	r.event("response.in_progress", r.state("in_progress"))
	if t.Text != "" {
		r.text(t.Text)
	}
	for _, c := range t.Calls {
		if c.Custom {
			r.custom(c)
		} else {
			r.call(c)
		}
	}
	status := "completed"
	if t.Stop == "length" {
		status = "incomplete"
	}
	end := r.state(status)
	usage := object{
		"input_tokens":          10,
		"input_tokens_details":  object{"cached_tokens": 0},
		"output_tokens":         5,
		"output_tokens_details": object{"reasoning_tokens": 0},
		"total_tokens":          15,
	}
	last := end["response"].(object)
	last["usage"] = usage
	if status == "incomplete" {
		last["incomplete_details"] = object{"reason": "max_output_tokens"}
	}
	r.event("response."+status, end)
	return r.events
}

func (r *response) text(text string) {
	id := fmt.Sprintf("msg_%s_%d", r.id, len(r.output))
	message := object{"id": id, "type": "message", "role": "assistant"}
	part := object{"type": "output_text", "text": text, "annotations": []any{}}
	begin := with(message, object{"status": "in_progress", "content": []any{}})
	whole := with(message, object{"status": "completed", "content": []any{part}})
	r.item(begin, whole, func(place object) {
		place["content_index"] = 0
		empty := with(part, object{"text": ""})
		r.event("response.content_part.added", with(place, object{"part": empty}))
		for _, p := range textPieces(text) {
			r.event("response.output_text.delta", with(place, object{"delta": p}))
		}
		r.event("response.output_text.done", with(place, object{"text": text}))
		r.event("response.content_part.done", with(place, object{"part": part}))
	})
}

// custom is a call whose input is a text.
func (r *response) custom(c Call) {
	call := object{
		"id":      "ctc_" + c.ID,
		"type":    "custom_tool_call",
		"call_id": c.ID,
		"name":    c.Name,
	}
	begin := with(call, object{"status": "in_progress", "input": ""})
	whole := with(call, object{"status": "completed", "input": c.Args})
	r.item(begin, whole, func(place object) {
		r.event("response.custom_tool_call_input.delta", with(place, object{"delta": c.Args}))
		r.event("response.custom_tool_call_input.done", with(place, object{"input": c.Args}))
	})
}

// call is a call of a function. One of a group of tools has the name GROUP/NAME.
func (r *response) call(c Call) {
	call := object{
		"id":      "fc_" + c.ID,
		"type":    "function_call",
		"call_id": c.ID,
		"name":    c.Name,
	}
	if group, name, ok := strings.Cut(c.Name, "/"); ok {
		call["namespace"], call["name"] = group, name
	}
	begin := with(call, object{"status": "in_progress", "arguments": ""})
	whole := with(call, object{"status": "completed", "arguments": c.Args})
	r.item(begin, whole, func(place object) {
		for _, p := range pieces(c.Args, c.Piece) {
			r.event("response.function_call_arguments.delta", with(place, object{"delta": p}))
		}
		r.event("response.function_call_arguments.done", with(place, object{"arguments": c.Args}))
	})
}
