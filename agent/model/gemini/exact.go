package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"

	"helve/agent/model/internal/chat"
	"helve/engine/schema"
)

// An exact keeps the arguments of the calls in one answer as the server wrote them. The library decodes numbers into
// float64, which rounds whole numbers beyond 2^53.
type exact struct {
	mu   sync.Mutex
	line []byte            // that has not ended yet
	args []json.RawMessage // of each call, in order; nil where it has none
	lost bool              // something was not kept: the library's word counts
}

// maxEvent bounds an event that is looked at: arguments of the longest kind, with every byte escaped, and what stands
// around them.
const maxEvent = 6*schema.MaxArguments + 64<<10

// exactKey is the key of an exact in a request's context: the library's hooks see nothing of the body.
type exactKey struct{}

// keeping is a context whose request's answer is kept.
func keeping(ctx context.Context) (context.Context, *exact) {
	e := &exact{}
	return context.WithValue(ctx, exactKey{}, e), e
}

// A listener hands what comes through it to the exact of the request.
type listener struct{ through http.RoundTripper }

// RoundTrip sends a request, and keeps what its answer says.
func (l listener) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.through.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	chat.See(r.Context(), resp)
	if e, ok := r.Context().Value(exactKey{}).(*exact); ok {
		e.restart()
		resp.Body = heard{Reader: io.TeeReader(resp.Body, e), Closer: resp.Body}
	}
	return resp, nil
}

// A heard is a body that somebody else reads along.
type heard struct {
	io.Reader
	io.Closer
}

// listen puts a listener into the client.
func listen(c *http.Client) {
	through := c.Transport
	if through == nil {
		through = http.DefaultTransport
	}
	c.Transport = listener{through}
}

// restart forgets an answer that was asked for again.
func (e *exact) restart() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.line, e.args, e.lost = nil, nil, false
}

// Write takes a piece of the answer. It never fails.
func (e *exact) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(p)
	for len(p) > 0 && !e.lost {
		piece, rest, ended := bytes.Cut(p, []byte("\n"))
		if len(e.line)+len(piece) > maxEvent {
			e.lost, e.line = true, nil
			break
		}
		e.line = append(e.line, piece...)
		if ended {
			e.event()
		}
		p = rest
	}
	return n, nil
}

// event reads the calls of one line.
func (e *exact) event() {
	line := e.line
	e.line = e.line[:0]
	data, is := bytes.CutPrefix(line, []byte("data:")) // server-sent events; every other line says nothing
	if !is || !bytes.Contains(data, []byte("functionCall")) {
		return
	}
	var chunk struct {
		Candidates []struct {
			Content struct {
				Parts []struct {
					FunctionCall *struct{ Args json.RawMessage }
				}
			}
		}
	}
	if json.Unmarshal(data, &chunk) != nil {
		e.lost = true
		return
	}
	if len(chunk.Candidates) == 0 {
		return
	}
	for _, p := range chunk.Candidates[0].Content.Parts {
		if p.FunctionCall != nil {
			e.args = append(e.args, bytes.Clone(p.FunctionCall.Args))
		}
	}
}

// calls are the arguments of n calls, nil if they are not known.
func (e *exact) calls(n int) []json.RawMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.event() // the last line may lack its end
	if e.lost || len(e.args) != n {
		return nil
	}
	return e.args
}
