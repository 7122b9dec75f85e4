package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxBody bounds one answer that is no stream, and one error.
	maxBody = 64 << 20
	// maxRedirects is followed within one origin; other origins never are.
	maxRedirects = 5
)

// A wire is one HTTP server as a pipe of messages. The SDK's transport carries them; what it cannot be told from outside stands here:
// the headers, the protocol's version, and the stream for what the server says unasked.
type wire struct {
	conn   sdk.Connection
	client *http.Client
	head   *headers
	url    string
	oauth  auth.OAuthHandler

	incoming chan *message
	broken   chan error // holds the reason for the end
	life     context.Context
	end      context.CancelFunc
	wg       sync.WaitGroup
	once     sync.Once
}

// openHTTP makes a wire; nothing is sent yet for Streamable HTTP, a stream is opened for sse. ctx bounds the opening.
func openHTTP(ctx context.Context, c *Config, o *Options, head map[string]string, oauth auth.OAuthHandler, sse bool) (*wire, error) {
	w := &wire{url: c.URL, oauth: oauth, incoming: make(chan *message), broken: make(chan error, 1)}
	w.life, w.end = context.WithCancel(context.Background())
	w.head = &headers{fixed: head, origin: origin(c.URL), base: o.HTTP}
	if w.head.base == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		w.head.base, w.head.own = own, own
	}
	w.client = &http.Client{Transport: w.head, CheckRedirect: sameOrigin}
	var t sdk.Transport = &sdk.StreamableClientTransport{Endpoint: c.URL, HTTPClient: w.client, OAuthHandler: oauth, DisableStandaloneSSE: true, MaxEventSize: maxLine, MaxRetries: 2}
	if sse {
		t = &sdk.SSEClientTransport{Endpoint: c.URL, HTTPClient: w.client, MaxEventSize: maxLine}
	}
	stop := context.AfterFunc(ctx, w.end) // the stream of the old transport lives as long as the context it was opened with
	conn, err := t.Connect(w.life)
	if !stop() && err == nil {
		conn.Close()
		err = ctx.Err()
	}
	if err != nil {
		w.end()
		w.head.close()
		return nil, err
	}
	w.conn = conn
	w.wg.Go(w.pump)
	return w, nil
}

// send posts one message. The answer of a call may be a stream that ends with ctx.
func (w *wire) send(ctx context.Context, m *message) error {
	out, err := m.sdk()
	if err != nil {
		return err
	}
	if err := w.conn.Write(ctx, out); err != nil {
		if e := rpcError(err); e.Code != codeInternal && e.Code != codeRejected {
			return e // servers of the newer era answer what is wrong with the request in this way
		}
		stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
		if st, ok := w.head.failed.Load().(*statusError); ok && !stopped {
			return fmt.Errorf("%w: %w", st, err)
		}
		return err
	}
	return nil
}

// pump hands on what the SDK reads.
func (w *wire) pump() {
	for {
		m, err := w.conn.Read(w.life)
		if err != nil {
			w.broken <- err
			return
		}
		if !w.hand(fromSDK(m)) {
			return
		}
	}
}

func (w *wire) hand(m *message) bool {
	select {
	case w.incoming <- m:
		return true
	case <-w.life.Done():
		return false
	}
}

func (w *wire) receive() (*message, error) {
	select {
	case m := <-w.incoming:
		return m, nil
	case err := <-w.broken:
		return nil, err
	case <-w.life.Done():
		return nil, io.EOF
	}
}

func (w *wire) close() {
	w.once.Do(func() {
		w.conn.Close()
		w.end()
		w.head.close()
	})
	w.wg.Wait()
}

// sdk is the message in the SDK's words.
func (m *message) sdk() (jsonrpc.Message, error) {
	var id jsonrpc.ID
	if m.ID != nil {
		var v any
		if err := json.Unmarshal(m.ID, &v); err != nil {
			return nil, err
		}
		var err error
		if id, err = jsonrpc.MakeID(v); err != nil {
			return nil, err
		}
	}
	switch {
	case m.Method != "":
		return &jsonrpc.Request{ID: id, Method: m.Method, Params: m.Params}, nil
	case m.Err != nil:
		return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: int64(m.Err.Code), Message: m.Err.Message, Data: m.Err.Data}}, nil
	}
	if m.Result == nil {
		m.Result = json.RawMessage("{}")
	}
	return &jsonrpc.Response{ID: id, Result: m.Result}, nil
}

func fromSDK(in jsonrpc.Message) *message {
	switch in := in.(type) {
	case *jsonrpc.Request:
		return &message{ID: rawID(in.ID), Method: in.Method, Params: in.Params}
	case *jsonrpc.Response:
		m := &message{ID: rawID(in.ID), Result: in.Result}
		if in.Error != nil {
			m.Err = rpcError(in.Error)
		}
		return m
	}
	return &message{}
}

func rawID(id jsonrpc.ID) json.RawMessage {
	if !id.IsValid() {
		return nil
	}
	b, _ := json.Marshal(id.Raw()) // a string or a number
	return b
}

func rpcError(err error) *RPCError {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return &RPCError{Code: int(e.Code), Message: e.Message, Data: e.Data}
	}
	return &RPCError{Code: codeInternal, Message: err.Error()}
}

// headers adds to every request what the configuration says, and only on the way to its own server.
type headers struct {
	fixed   map[string]string
	origin  string
	base    http.RoundTripper
	own     *http.Transport // nil: somebody else's
	version atomic.Value    // string: the protocol's, once it is agreed on
	failed  atomic.Value    // *statusError: the last answer that was no success
}

// A statusError is an answer of HTTP that was no success.
type statusError struct{ code int }

func (e *statusError) Error() string {
	return fmt.Sprintf("HTTP %d %s", e.code, http.StatusText(e.code))
}

func (h *headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if origin(r.URL.String()) == h.origin {
		for k, v := range h.fixed {
			if k != "Authorization" || r.Header.Get(k) == "" {
				r.Header.Set(k, v)
			}
		}
		if v, _ := h.version.Load().(string); v != "" && r.Header.Get("Mcp-Protocol-Version") == "" {
			r.Header.Set("Mcp-Protocol-Version", v)
		}
		if p, ok := r.Context().Value(paramKey{}).(map[string]string); ok {
			for k, v := range p {
				r.Header.Set(k, v)
			}
		}
	}
	resp, err := h.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 400 {
		h.failed.Store(&statusError{resp.StatusCode})
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxBody), resp.Body}
	}
	return resp, nil
}

func (h *headers) close() {
	if h.own != nil {
		h.own.CloseIdleConnections()
	}
}

// paramKey is the context key of the headers that carry arguments.
type paramKey struct{}

func origin(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// sameOrigin follows redirects within one server: keys must not follow to another.
func sameOrigin(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	if to, from := origin(r.URL.String()), origin(via[0].URL.String()); to != from {
		return fmt.Errorf("redirected from %s to %s, which is another server", from, to)
	}
	return nil
}
