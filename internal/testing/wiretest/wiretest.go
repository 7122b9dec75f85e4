// Package wiretest stands in for model providers in tests: servers that speak their true streaming
// formats and follow a script.
package wiretest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
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

// A Server follows a script, one turn a request.
type Server struct {
	URL string

	http     *httptest.Server
	mu       sync.Mutex
	turns    []Turn
	requests []string
	times    []time.Time
}

// Requests are the bodies of all requests so far.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// Gaps are the times between the requests.
func (s *Server) Gaps() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []time.Duration
	for i := 1; i < len(s.times); i++ {
		out = append(out, s.times[i].Sub(s.times[i-1]))
	}
	return out
}

// OpenAI serves Chat Completions. It ends with the test, as those below.
func OpenAI(t testing.TB, turns ...Turn) *Server { return serve(t, turns, openAI) }

// Responses serves OpenAI's Responses.
func Responses(t testing.TB, turns ...Turn) *Server { return serve(t, turns, responses) }

// Anthropic serves Messages.
func Anthropic(t testing.TB, turns ...Turn) *Server { return serve(t, turns, anthropic) }

// Gemini serves streamGenerateContent.
func Gemini(t testing.TB, turns ...Turn) *Server { return serve(t, turns, gemini) }

// maxBody is more than any test sends.
const maxBody = 64 << 20

// serve ends the server with the test.
func serve(t testing.TB, turns []Turn, frames func(Turn, int) []string) *Server {
	s := start(turns, frames)
	t.Cleanup(s.Close)
	return s
}

// Start serves a provider by its name: openai, anthropic or gemini. Close it.
func Start(provider string, turns []Turn) (*Server, error) {
	switch provider {
	case "openai":
		return start(turns, openAI), nil
	case "anthropic":
		return start(turns, anthropic), nil
	case "gemini":
		return start(turns, gemini), nil
	}
	return nil, fmt.Errorf("wiretest: no provider %q", provider)
}

// Close ends the server.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// The words of refusals, in a form that the readers of all three providers understand.
const (
	over = `{"error":{"message":"the script is over","code":400,"status":"INVALID_ARGUMENT"}}`
	busy = `{"type":"error","error":{"type":"overloaded_error","message":"busy","code":%d,"status":"UNAVAILABLE"}}`
)

// start serves a script. frames makes the events of the n-th turn in the words of one provider.
func start(turns []Turn, frames func(Turn, int) []string) *Server {
	s := &Server{turns: turns}
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
		if err != nil {
			return
		}
		n := s.note(string(body))
		if n >= len(s.turns) {
			http.Error(w, over, http.StatusBadRequest)
			return
		}
		turn := s.turns[n]
		if turn.Status != 0 {
			turn.refuse(w)
			return
		}
		turn.send(w, r, frames(turn, n))
	}))
	s.URL = s.http.URL
	return s
}

// note keeps a request, and returns how many came before it.
func (s *Server) note(body string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, body)
	s.times = append(s.times, time.Now())
	return len(s.requests) - 1
}

// refuse answers with a status, as a server that is busy or wants something else.
func (turn Turn) refuse(w http.ResponseWriter) {
	if turn.RetryAfter != "" {
		w.Header().Set("Retry-After", turn.RetryAfter)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(turn.Status)
	if turn.Body != "" {
		io.WriteString(w, turn.Body)
		return
	}
	fmt.Fprintf(w, busy, turn.Status)
}

// send streams an answer, each event by itself: readers must not wait for the next one.
func (turn Turn) send(w http.ResponseWriter, r *http.Request, frames []string) {
	w.Header().Set("Content-Type", "text/event-stream")
	if turn.Raw != "" {
		frames = []string{turn.Raw}
	}
	if turn.Cut { // where something has come and the end is missing
		frames = frames[:len(frames)*2/3]
	}
	for _, f := range frames {
		io.WriteString(w, f)
		w.(http.Flusher).Flush()
	}
	if turn.Hang {
		<-r.Context().Done()
	}
	if turn.Cut {
		panic(http.ErrAbortHandler) // closes the connection without the last chunk
	}
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
