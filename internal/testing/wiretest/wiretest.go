// Package wiretest stands in for model providers in tests: servers that speak their true streaming
// formats and follow a script.
package wiretest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"helve/internal/scripted"
)

// A Turn is one answer of the script.
type Turn = scripted.Turn

// A Call is one that the model makes.
type Call = scripted.Call

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
func OpenAI(t testing.TB, turns ...Turn) *Server { return serve(t, turns, framesOf("openai")) }

// Responses serves OpenAI's Responses.
func Responses(t testing.TB, turns ...Turn) *Server { return serve(t, turns, framesOf("responses")) }

// Anthropic serves Messages.
func Anthropic(t testing.TB, turns ...Turn) *Server { return serve(t, turns, framesOf("anthropic")) }

// Gemini serves streamGenerateContent.
func Gemini(t testing.TB, turns ...Turn) *Server { return serve(t, turns, framesOf("gemini")) }

// maxBody is more than any test sends.
const maxBody = 64 << 20

// serve ends the server with the test.
func serve(t testing.TB, turns []Turn, frames func(Turn, int) []string) *Server {
	s := start(turns, frames)
	t.Cleanup(s.Close)
	return s
}

// Start serves a provider by its name: openai, responses, anthropic or gemini. Close it.
func Start(provider string, turns []Turn) (*Server, error) {
	switch provider {
	case "openai-responses": // as the kinds of servers are called
		provider = "responses"
		fallthrough
	case "openai", "responses", "anthropic", "gemini":
		return start(turns, framesOf(provider)), nil
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
			refuse(turn, w)
			return
		}
		send(turn, w, r, frames(turn, n))
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
func refuse(turn Turn, w http.ResponseWriter) {
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
func send(turn Turn, w http.ResponseWriter, r *http.Request, frames []string) {
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

// framesOf makes the events of a provider's turns.
func framesOf(provider string) func(Turn, int) []string {
	return func(t Turn, n int) []string {
		frames, err := scripted.Stream(provider, t, n)
		if err != nil {
			panic(err) // of the names in this file
		}
		return frames
	}
}
