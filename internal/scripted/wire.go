// Package scripted is a model that follows a script, in the true forms of providers: what their requests say, and how
// they answer. Clients of agents are tried with it, and nothing leaves the machine.
package scripted

import (
	"encoding/json"
	"fmt"
	"maps"
	"unicode/utf8"
)

// A Turn is one answer of the script.
type Turn struct {
	Text  string
	Calls []Call
	Stop  string // "": the natural one; length: cut off

	Status     int    // not 0: this HTTP status, and nothing else
	RetryAfter string // the header, with Status
	Body       string // with Status, instead of a busy server's words
	Cut        bool   // the connection ends in mid-stream
	Raw        string // sent as it is instead of the answer
	Hang       bool   // nothing more comes until the client goes away
}

// A Call is one that the model makes. Args are sent in pieces of Piece bytes, 7 if it is 0.
type Call struct {
	ID, Name, Args string
	Piece          int
	Custom         bool // Args are a text and no object; of Responses alone
}

// An object is one of JSON.
type object = map[string]any

// data is one event of a stream.
func data(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // of what this package made
	}
	return "data: " + string(b) + "\n\n"
}

// usualPiece is how many bytes come at a time: few, so that readers meet every seam.
const usualPiece = 7

// pieces cuts a text into what comes at a time.
func pieces(s string, n int) []string {
	if n == 0 {
		n = usualPiece
	}
	var out []string
	for len(s) > n {
		cut := n
		// A piece is a JSON string: whole letters only.
		for cut < len(s) && !utf8.RuneStart(s[cut]) {
			cut++
		}
		out = append(out, s[:cut])
		s = s[cut:]
	}
	return append(out, s)
}

// textPieces are the pieces of a text, none for an empty one.
func textPieces(s string) []string {
	if s == "" {
		return nil
	}
	return pieces(s, 0)
}

// openAI is a turn as chunks of Chat Completions, the n-th of a conversation.
func openAI(t Turn, n int) []string {
	var out []string
	send := func(choices []any, rest object) {
		chunk := object{
			"id":      fmt.Sprintf("chatcmpl-%d", n),
			"object":  "chat.completion.chunk",
			"created": 1,
			"model":   "scripted",
			"choices": choices,
		}
		maps.Copy(chunk, rest)
		out = append(out, data(chunk))
	}
	delta := func(d object, finish any) {
		send([]any{object{"index": 0, "delta": d, "finish_reason": finish}}, nil)
	}
	delta(object{"role": "assistant", "content": ""}, nil)
	for _, p := range textPieces(t.Text) {
		delta(object{"content": p}, nil)
	}
	for i, c := range t.Calls {
		call := object{
			"index":    i,
			"id":       c.ID,
			"type":     "function",
			"function": object{"name": c.Name, "arguments": ""},
		}
		delta(object{"tool_calls": []any{call}}, nil)
		for _, p := range pieces(c.Args, c.Piece) {
			more := object{"index": i, "function": object{"arguments": p}}
			delta(object{"tool_calls": []any{more}}, nil)
		}
	}
	finish := t.Stop // "length" is this provider's own word
	switch {
	case finish != "":
	case len(t.Calls) > 0:
		finish = "tool_calls"
	default:
		finish = "stop"
	}
	delta(object{}, finish)
	usage := object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	send([]any{}, object{"usage": usage}) // the last chunk has no choice, as include_usage wants it
	return append(out, "data: [DONE]\n\n")
}

// anthropic is a turn as events of Messages. Blocks are numbered, text and calls alike.
func anthropic(t Turn, n int) []string {
	var out []string
	event := func(name string, v object) {
		v["type"] = name
		out = append(out, "event: "+name+"\n"+data(v))
	}
	event("message_start", object{"message": object{
		"id":            fmt.Sprintf("msg_%d", n),
		"type":          "message",
		"role":          "assistant",
		"model":         "scripted",
		"content":       []any{},
		"stop_reason":   nil,
		"stop_sequence": nil,
		"usage":         object{"input_tokens": 10, "output_tokens": 1},
	}})
	i := 0
	block := func(begin object, deltas []object) {
		event("content_block_start", object{"index": i, "content_block": begin})
		for _, d := range deltas {
			event("content_block_delta", object{"index": i, "delta": d})
		}
		event("content_block_stop", object{"index": i})
		i++
	}
	if t.Text != "" {
		var deltas []object
		for _, p := range pieces(t.Text, 0) {
			deltas = append(deltas, object{"type": "text_delta", "text": p})
		}
		block(object{"type": "text", "text": ""}, deltas)
	}
	for _, c := range t.Calls {
		var deltas []object
		for _, p := range pieces(c.Args, c.Piece) {
			deltas = append(deltas, object{"type": "input_json_delta", "partial_json": p})
		}
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}, deltas)
	}
	// The provider has words of its own for why it stops.
	stop := map[string]string{"": "end_turn", "length": "max_tokens"}[t.Stop]
	if t.Stop == "" && len(t.Calls) > 0 {
		stop = "tool_use"
	}
	event("message_delta", object{
		"delta": object{"stop_reason": stop, "stop_sequence": nil},
		"usage": object{"output_tokens": 5},
	})
	event("message_stop", object{})
	return out
}

// gemini is a turn as chunks of streamGenerateContent. Arguments come whole: the provider has no
// pieces of them.
func gemini(t Turn, _ int) []string {
	var out []string
	chunk := func(part object, finish string) {
		content := object{"role": "model", "parts": []any{part}}
		candidate := object{"content": content, "index": 0}
		if finish != "" {
			candidate["finishReason"] = finish
		}
		usage := object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
		out = append(out, data(object{
			"candidates":    []any{candidate},
			"modelVersion":  "scripted",
			"usageMetadata": usage,
		}))
	}
	for _, p := range textPieces(t.Text) {
		chunk(object{"text": p}, "")
	}
	for _, c := range t.Calls {
		call := object{"name": c.Name, "args": json.RawMessage(c.Args)}
		if c.ID != "" {
			call["id"] = c.ID
		}
		// Whoever answers a call must send its signature back, or the provider refuses the next
		// turn.
		chunk(object{"functionCall": call, "thoughtSignature": "c2lnbmVk"}, "")
	}
	chunk(object{"text": ""}, map[string]string{"": "STOP", "length": "MAX_TOKENS"}[t.Stop])
	return out
}
