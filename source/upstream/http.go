package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/oauth2"

	"helve/internal/redirect"
	"helve/internal/rpc"
)

// errContentType is an answer that is neither JSON nor a stream of events.
var errContentType = errors.New("unsupported content type")

// A wire is one HTTP server as a pipe of messages: Streamable HTTP, or the
// older transport where every answer comes on one stream.
type wire struct {
	client *http.Client
	head   *headers
	url    string // where messages are posted to
	old    bool   // the older transport
	oauth  authorizer
	binder *binder // nil: nothing is signed

	incoming chan *rpc.Message
	broken   chan error // holds the reason for the end
	life     context.Context
	end      context.CancelFunc
	once     sync.Once

	mu      sync.Mutex // keeps wg from growing once life has ended
	wg      sync.WaitGroup
	session atomic.Value // string: the server's name for this session
	over    atomic.Bool  // the server does not know it any more: the wire ends
}

var _ pipe = (*wire)(nil)

// openHTTP makes a wire; nothing is sent yet for Streamable HTTP, a stream is
// opened for sse. ctx bounds the opening.
func openHTTP(
	ctx context.Context, c *Config, o *Options, head map[string]string, oauth authorizer, sse bool,
) (*wire, error) {
	w := &wire{
		url:      c.URL,
		old:      sse,
		oauth:    oauth,
		binder:   binderOf(oauth),
		incoming: make(chan *rpc.Message),
		broken:   make(chan error, 1),
	}
	w.life, w.end = context.WithCancel(context.Background())
	w.head = &headers{fixed: head, origin: redirect.Origin(c.URL), base: o.HTTP}
	if w.head.base == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		w.head.base, w.head.own = own, own
	}
	w.client = &http.Client{Transport: w.head, CheckRedirect: redirect.Within}
	if !sse {
		return w, nil
	}
	if err := w.dial(ctx); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// Send posts one message. What a call is answered with is read aside, as long
// as ctx lasts.
func (w *wire) Send(ctx context.Context, m *rpc.Message) error {
	ctx, stop := context.WithCancel(ctx)
	context.AfterFunc(w.life, stop)
	var out sending
	resp, err := w.post(out.trace(ctx), m, m.Encode())
	if err != nil {
		stop()
		return out.failed(err)
	}
	if err := w.accepted(resp); err != nil || w.old || !m.Request() {
		resp.Body.Close()
		stop()
		return err
	}
	read, err := w.reader(resp)
	if err == nil {
		call := m.ID // the message is the sender's again when Send returns
		running := w.aside(func() {
			read(ctx, call, resp)
			stop()
		})
		if running {
			return nil
		}
		err = io.EOF
	}
	resp.Body.Close()
	stop()
	return err
}

// Answer is Send.
func (w *wire) Answer(ctx context.Context, m *rpc.Message) error { return w.Send(ctx, m) }

// aside runs f in a goroutine of its own until the wire closes; false, without
// running it, once it has.
func (w *wire) aside(f func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.life.Err() != nil {
		return false
	}
	w.wg.Go(f)
	return true
}

// maxPosts is how often one message is sent at most: before a login, after it,
// and each time once more with what the server wants in the proof.
const maxPosts = 4

// post sends a body, and once more after a login that the server asked for, or
// with a proof as the server wants it. None of the earlier ones was served.
func (w *wire) post(ctx context.Context, m *rpc.Message, body []byte) (*http.Response, error) {
	asked := false
	for sent := 1; ; sent++ {
		req, resp, err := w.request(ctx, m, body)
		if err != nil || w.oauth == nil || !wantsLogin(resp.StatusCode) || sent == maxPosts {
			return resp, err
		}
		challenge := resp.Header.Get("WWW-Authenticate")
		switch {
		case strings.Contains(challenge, wantsNonce) && resp.Header.Get(headerNonce) != "":
			resp.Body.Close() // what it wants was heard
		case asked:
			return resp, nil
		default:
			asked = true
			if err := w.oauth.Authorize(ctx, req, resp); err != nil { // closes the body
				return nil, err
			}
		}
	}
}

func wantsLogin(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

func (w *wire) request(
	ctx context.Context,
	m *rpc.Message,
	body []byte,
) (*http.Request, *http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	describeMessage(req.Header, m)
	if err := w.identify(req); err != nil {
		return nil, nil, err
	}
	resp, err := w.client.Do(req)
	if err == nil && w.binder != nil {
		w.binder.heard(resp)
	}
	return req, resp, err
}

// describeMessage repeats in headers what a message of the stateless protocol
// says, for those on the way who do not read bodies.
func describeMessage(h http.Header, m *rpc.Message) {
	version := rpc.MessageVersion(m)
	if version == "" {
		return
	}
	h.Set(rpc.HeaderVersion, version)
	h.Set(rpc.HeaderMethod, m.Method)
	if v, ok := rpc.EncodeHeader(subject(m)); ok {
		h.Set(rpc.HeaderName, v)
	}
}

// identify adds the session and the token.
func (w *wire) identify(r *http.Request) error {
	if id := w.sessionID(); id != "" {
		r.Header.Set(rpc.HeaderSession, id)
	}
	if w.oauth == nil {
		return nil
	}
	ts, err := w.oauth.TokenSource(w.life)
	if err != nil || ts == nil {
		return err
	}
	t, err := ts.Token()
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	if ok && refused.ErrorCode == "invalid_grant" {
		return nil // the server will ask for a login
	}
	if err != nil {
		return err
	}
	t.SetAuthHeader(r)
	if w.binder != nil && strings.EqualFold(t.Type(), headerProof) {
		return w.binder.sign(r, t.AccessToken)
	}
	return nil
}

func (w *wire) sessionID() string {
	id, _ := w.session.Load().(string)
	return id
}

// accepted judges the status of an answer. A session that is gone ends the
// wire; so the next call begins a new one.
func (w *wire) accepted(resp *http.Response) error {
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		if id := resp.Header.Get(rpc.HeaderSession); id != "" {
			w.session.CompareAndSwap(nil, id)
		}
		return nil
	}
	body, _ := io.ReadAll(resp.Body)
	m := rpc.ParseLoosely(body)
	err := unserved(resp, m)
	if sessionOver(w.sessionID(), resp, m) {
		w.session.Store("")
		w.over.Store(true)
		w.fail(fmt.Errorf("the session is over: %w", err))
		<-resp.Request.Context().Done() // ends with the wire: the next call must not find this one
		return rpc.Unsent(err)
	}
	return err
}

// reader chooses how an answer is read.
func (w *wire) reader(resp *http.Response) (func(context.Context, []byte, *http.Response), error) {
	switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind {
	case "application/json":
		return w.single, nil
	case "text/event-stream":
		return w.stream, nil
	default:
		return nil, fmt.Errorf("%w %q", errContentType, kind)
	}
}

// single reads an answer that is one message.
func (w *wire) single(_ context.Context, call []byte, resp *http.Response) {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	m := rpc.ParseLoosely(body)
	switch {
	case err != nil:
		w.unanswered(call, "the answer broke off: "+err.Error())
	case m == nil:
		w.unanswered(call, "cannot decode the answer: it is not a message of the protocol")
	default:
		w.hand(m)
	}
}

// unanswered answers a call in the server's place.
func (w *wire) unanswered(call []byte, why string) {
	why += "; it was not sent again: it may have been carried out"
	w.hand(&rpc.Message{ID: call, Err: rpc.Errorf(rpc.CodeInternal, "%s", why)})
}

func (w *wire) fail(err error) {
	select {
	case w.broken <- err:
	default: // it has failed before
	}
}

// hand gives a message to the reading side. It tells whether there is one still.
func (w *wire) hand(m *rpc.Message) bool {
	select {
	case w.incoming <- m:
		return true
	case <-w.life.Done():
		return false
	}
}

func (w *wire) receive() (*rpc.Message, error) {
	select {
	case m := <-w.incoming:
		return m, nil
	case err := <-w.broken:
		return nil, err
	case <-w.life.Done():
		return nil, io.EOF
	}
}

// close tells the server that its session is over before anything is ended: a
// server that is not told keeps the session for long.
func (w *wire) close() {
	w.once.Do(func() {
		w.leave()
		w.mu.Lock()
		w.end()
		w.mu.Unlock()
	})
	w.wg.Wait()
	w.head.close()
}

// leave tells a server that its session is not needed any more.
func (w *wire) leave() {
	if w.sessionID() == "" {
		return
	}
	ctx, stop := context.WithTimeout(w.life, endTime)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, w.url, nil)
	if err != nil || w.identify(req) != nil {
		return
	}
	if resp, err := w.client.Do(req); err == nil {
		resp.Body.Close()
	}
}
