package server

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	rawjson "helve/internal/json"
)

// post takes one message.
func (h *HTTP) post(w http.ResponseWriter, q *http.Request, who, profile string) {
	if kind, _, err := mime.ParseMediaType(q.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "want Content-Type: application/json", http.StatusUnsupportedMediaType)
		return
	}
	takes := accepts(q)
	if !takes.plain && !takes.events {
		http.Error(w, "want Accept: application/json, text/event-stream", http.StatusNotAcceptable)
		return
	}
	body, status := h.body(w, q)
	if status != 0 {
		http.Error(w, http.StatusText(status), status)
		return
	}
	m, bad := decode(body)
	if bad != nil {
		writeError(w, http.StatusBadRequest, m, bad)
		return
	}
	if bad := checkHeaders(q.Header, m); bad != nil {
		writeError(w, http.StatusBadRequest, m, bad)
		return
	}
	out := newResponse(w, takes, h.o.Alive)
	if m.Request() && requestVersion(m) >= modern {
		h.passing(q, out, m, &peer{principal: who, profile: profile, shared: true})
		return
	}
	h.older(w, q, out, m, who, profile)
}

// body reads the request in its time and size.
func (h *HTTP) body(w http.ResponseWriter, q *http.Request) ([]byte, int) {
	rc := http.NewResponseController(w)
	rc.SetReadDeadline(time.Now().Add(h.o.BodyTime)) // not every ResponseWriter can; http.Server's do
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, h.o.MaxBody))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return nil, http.StatusRequestEntityTooLarge
	case err != nil:
		return nil, http.StatusRequestTimeout
	}
	rc.SetReadDeadline(time.Time{})
	return body, 0
}

// writeError answers what never became a request.
func writeError(w http.ResponseWriter, status int, m *message, bad *Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if m == nil {
		m = &message{}
	}
	w.Write(encodeError(m.ID, bad)) // a client that is gone needs no answer
}

// older serves a client of the older era, in its session.
func (h *HTTP) older(w http.ResponseWriter, q *http.Request, out *response, m *message, who, profile string) {
	id := q.Header.Get(headerSession)
	switch {
	case h.o.Stateless:
		h.passing(q, out, m, &peer{principal: who, profile: profile, shared: true, stateless: true})
		return
	case id == "" && m.Method == "initialize" && m.Request():
		s, bad := h.newSession(who, profile)
		if bad != nil {
			w.Header().Set("Retry-After", "60")
			writeError(w, http.StatusServiceUnavailable, m, bad)
			return
		}
		w.Header().Set(headerSession, s.id)
		s.serve(q, out, m)
		s.peer.mu.Lock()
		failed := s.peer.hello == nil
		s.peer.mu.Unlock()
		if failed {
			h.end(s)
		}
		return
	case id == "":
		writeError(w, http.StatusBadRequest, m, errorf(codeInvalidRequest, "invalid request: %s is missing: initialize comes first, or a request of protocol %s", headerSession, modern))
		return
	}
	s := h.session(id, who, profile)
	if s == nil {
		writeError(w, http.StatusNotFound, m, errorf(codeInvalidRequest, "no such session"))
		return
	}
	s.serve(q, out, m)
}

// passing serves one message of a client that has no session.
func (h *HTTP) passing(q *http.Request, out *response, m *message, p *peer) {
	p, err := h.srv.join(p)
	if err != nil {
		http.Error(out.w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer p.close()
	p.serveHTTP(q, out, m, h.drained)
}

// serveHTTP takes one message, and returns when its answer is out. A client that goes away cancels what it asked for: nobody could
// read the answer.
func (p *peer) serveHTTP(q *http.Request, out *response, m *message, drained <-chan struct{}) {
	ctx, leave := out.outlive(q.Context())
	defer leave()
	if !m.Request() {
		if m.Notification() {
			p.notice(m)
		} else {
			p.answered(m)
		}
		out.w.WriteHeader(http.StatusAccepted)
		return
	}
	out.begin()
	defer out.end()
	r, bad := p.admit(m, out)
	if bad != nil {
		out.fails(statusOf(bad, requestVersion(m) >= modern))
		out.reply(ctx, encodeError(m.ID, bad))
		return
	}
	r.head = q.Header
	if m.Method == "subscriptions/listen" {
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(ctx)
		defer stop()
		go func() {
			select {
			case <-drained:
				stop()
			case <-ctx.Done():
			}
		}()
	}
	r.serve(ctx)
}

// statusOf is the HTTP status of an error; the newer era wants those of the request itself to have one.
func statusOf(e *Error, newer bool) int {
	if !newer {
		return http.StatusOK
	}
	switch e.Code {
	case codeMethodNotFound:
		return http.StatusNotFound
	case codeBusy:
		return http.StatusTooManyRequests
	case codeInvalidRequest, codeInvalidParams, codeHeaderMismatch, codeCapability, codeVersion:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

func requestVersion(m *message) string {
	v, _ := rawjson.String(rawjson.Get(rawjson.Get(m.Params, "_meta"), metaVersion))
	return v
}

const (
	headerSession = "Mcp-Session-Id"
	headerLast    = "Last-Event-Id"
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// checkHeaders holds the headers that proxies read against the body that the server reads.
func checkHeaders(head http.Header, m *message) *Error {
	version := head.Get(headerVersion)
	if version != "" && version < modern && !slices.Contains(versions, version) {
		return errorf(codeInvalidRequest, "invalid request: protocol version %.40q is not spoken; these are: %s", version, strings.Join(versions, ", "))
	}
	if !m.Request() {
		return nil
	}
	inBody := requestVersion(m)
	switch {
	case version < modern && inBody == "":
		return nil
	case version == "":
		return errorf(codeHeaderMismatch, "header mismatch: %s is missing", headerVersion)
	case inBody == "":
		return errorf(codeInvalidParams, "missing or invalid _meta field %q", metaVersion)
	case version != inBody:
		return errorf(codeHeaderMismatch, "header mismatch: %s is %.40q, the body says %.40q", headerVersion, version, inBody)
	case version < modern:
		return nil
	case head.Get(headerMethod) != m.Method:
		return errorf(codeHeaderMismatch, "header mismatch: %s is %.80q, the body says %.80q", headerMethod, head.Get(headerMethod), m.Method)
	}
	return checkName(head, m)
}

// named are the methods whose subject stands in a header, and under which parameter it stands in the body.
var named = map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

func checkName(head http.Header, m *message) *Error {
	key, ok := named[m.Method]
	if !ok {
		return nil
	}
	want, _ := rawjson.String(rawjson.Get(m.Params, key))
	got, ok := decodeHeader(head.Get(headerName))
	if !ok || got != want || len(head.Values(headerName)) != 1 {
		return errorf(codeHeaderMismatch, "header mismatch: %s is %.80q, the body says %.80q", headerName, got, want)
	}
	return nil
}
