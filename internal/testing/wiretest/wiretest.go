// Package wiretest stands in for model providers in tests: servers that speak their true streaming formats and follow a script.
package wiretest

import (
	"encoding/json"
	"fmt"
	"io"
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

// OpenAI serves Chat Completions.
func OpenAI(t testing.TB, turns ...Turn) *Server { return serve(t, turns, openAI) }

// Anthropic serves Messages.
func Anthropic(t testing.TB, turns ...Turn) *Server { return serve(t, turns, anthropic) }

// Gemini serves streamGenerateContent.
func Gemini(t testing.TB, turns ...Turn) *Server { return serve(t, turns, gemini) }

// maxBody is more than any test sends.
const maxBody = 64 << 20

func serve(t testing.TB, turns []Turn, frames func(Turn, int) []string) *Server {
	s := start(turns, frames)
	t.Cleanup(s.Close)
	return s
}

// Start serves a provider by its name: openai, anthropic or gemini. Close it.
func Start(provider string, turns []Turn) (*Server, error) {
	frames, ok := map[string]func(Turn, int) []string{"openai": openAI, "anthropic": anthropic, "gemini": gemini}[provider]
	if !ok {
		return nil, fmt.Errorf("wiretest: no provider %q", provider)
	}
	return start(turns, frames), nil
}

// Close ends the server.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

func start(turns []Turn, frames func(Turn, int) []string) *Server {
	s := &Server{turns: turns}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
		if err != nil {
			return
		}
		s.mu.Lock()
		n := len(s.requests)
		s.requests = append(s.requests, string(body))
		s.times = append(s.times, time.Now())
		s.mu.Unlock()
		if n >= len(s.turns) {
			http.Error(w, `{"error":{"message":"the script is over","code":400,"status":"INVALID_ARGUMENT"}}`, http.StatusBadRequest)
			return
		}
		s.turns[n].send(w, r, frames(s.turns[n], n))
	}))
	s.http, s.URL = h, h.URL
	return s
}

func (turn Turn) send(w http.ResponseWriter, r *http.Request, frames []string) {
	if turn.Status != 0 {
		if turn.RetryAfter != "" {
			w.Header().Set("Retry-After", turn.RetryAfter)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(turn.Status)
		if turn.Body != "" {
			io.WriteString(w, turn.Body)
			return
		}
		fmt.Fprintf(w, `{"type":"error","error":{"type":"overloaded_error","message":"busy","code":%d,"status":"UNAVAILABLE"}}`, turn.Status)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if turn.Raw != "" {
		frames = []string{turn.Raw}
	}
	if turn.Cut {
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

func data(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return "data: " + string(b) + "\n\n"
}

type m = map[string]any

func pieces(s string, n int) []string {
	if n == 0 {
		n = 7
	}
	var out []string
	for len(s) > n {
		cut := n
		for cut < len(s) && !utf8.RuneStart(s[cut]) { // a piece is a JSON string: whole letters only
			cut++
		}
		out, s = append(out, s[:cut]), s[cut:]
	}
	return append(out, s)
}

func openAI(t Turn, n int) []string {
	var out []string
	chunk := func(delta m, finish any) {
		out = append(out, data(m{"id": fmt.Sprintf("chatcmpl-%d", n), "object": "chat.completion.chunk", "created": 1, "model": "scripted",
			"choices": []any{m{"index": 0, "delta": delta, "finish_reason": finish}}}))
	}
	chunk(m{"role": "assistant", "content": ""}, nil)
	for _, p := range pieces(t.Text, 0) {
		if p != "" {
			chunk(m{"content": p}, nil)
		}
	}
	for i, c := range t.Calls {
		chunk(m{"tool_calls": []any{m{"index": i, "id": c.ID, "type": "function", "function": m{"name": c.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(c.Args, c.Piece) {
			chunk(m{"tool_calls": []any{m{"index": i, "function": m{"arguments": p}}}}, nil)
		}
	}
	finish := t.Stop
	if finish == "" {
		finish = "stop"
		if len(t.Calls) > 0 {
			finish = "tool_calls"
		}
	}
	chunk(m{}, finish)
	out = append(out, data(m{"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": []any{},
		"usage": m{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}))
	return append(out, "data: [DONE]\n\n")
}

func anthropic(t Turn, n int) []string {
	var out []string
	event := func(name string, v m) {
		v["type"] = name
		out = append(out, "event: "+name+"\n"+data(v))
	}
	event("message_start", m{"message": m{"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": "scripted", "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": m{"input_tokens": 10, "output_tokens": 1}}})
	i := 0
	if t.Text != "" {
		event("content_block_start", m{"index": i, "content_block": m{"type": "text", "text": ""}})
		for _, p := range pieces(t.Text, 0) {
			event("content_block_delta", m{"index": i, "delta": m{"type": "text_delta", "text": p}})
		}
		event("content_block_stop", m{"index": i})
		i++
	}
	for _, c := range t.Calls {
		event("content_block_start", m{"index": i, "content_block": m{"type": "tool_use", "id": c.ID, "name": c.Name, "input": m{}}})
		for _, p := range pieces(c.Args, c.Piece) {
			event("content_block_delta", m{"index": i, "delta": m{"type": "input_json_delta", "partial_json": p}})
		}
		event("content_block_stop", m{"index": i})
		i++
	}
	stop := map[string]string{"": "end_turn", "length": "max_tokens"}[t.Stop]
	if t.Stop == "" && len(t.Calls) > 0 {
		stop = "tool_use"
	}
	event("message_delta", m{"delta": m{"stop_reason": stop, "stop_sequence": nil}, "usage": m{"output_tokens": 5}})
	event("message_stop", m{})
	return out
}

func gemini(t Turn, _ int) []string {
	var out []string
	chunk := func(parts []any, finish string) {
		c := m{"content": m{"role": "model", "parts": parts}, "index": 0}
		if finish != "" {
			c["finishReason"] = finish
		}
		out = append(out, data(m{"candidates": []any{c}, "modelVersion": "scripted",
			"usageMetadata": m{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}}))
	}
	for _, p := range pieces(t.Text, 0) {
		if p != "" {
			chunk([]any{m{"text": p}}, "")
		}
	}
	for _, c := range t.Calls {
		call := m{"name": c.Name, "args": json.RawMessage(c.Args)}
		if c.ID != "" {
			call["id"] = c.ID
		}
		chunk([]any{m{"functionCall": call, "thoughtSignature": "c2lnbmVk"}}, "")
	}
	chunk([]any{m{"text": ""}}, map[string]string{"": "STOP", "length": "MAX_TOKENS"}[t.Stop])
	return out
}
