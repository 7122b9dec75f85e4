package server

import (
	"context"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/server/internal/overlong"
	"helve/tool/telemetry"
)

// post takes one message.
func (h *HTTP) post(w http.ResponseWriter, q *http.Request, who, profile string) {
	kind, _, err := mime.ParseMediaType(q.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		http.Error(w, "want Content-Type: application/json", http.StatusUnsupportedMediaType)
		return
	}
	takes := accepts(q)
	if !takes.plain && !takes.events {
		http.Error(w, "want Accept: application/json, text/event-stream", http.StatusNotAcceptable)
		return
	}
	body, ok := h.body(w, q)
	if !ok {
		return
	}
	m, bad := rpc.Parse(body)
	if bad == nil {
		bad = checkHeaders(q.Header, m)
	}
	if bad != nil {
		writeError(w, http.StatusBadRequest, m, bad)
		return
	}
	out := newResponse(w, takes, h.o.Alive)
	out.head = q.Header
	if m.Request() && rpc.MessageVersion(m) >= rpc.Stateless {
		out.era = statelessEra{}
		h.passing(q, out, m, connect{
			principal: who,
			profile:   profile,
			shared:    true,
			host:      remoteHost(q.RemoteAddr),
		})
		return
	}
	h.inSession(w, q, out, m, who, profile)
}

// body reads the request in its time and size, and answers one that is not so.
func (h *HTTP) body(w http.ResponseWriter, q *http.Request) (body []byte, ok bool) {
	rc := http.NewResponseController(w)
	rc.SetReadDeadline(time.Now().Add(h.o.BodyTime)) // not every ResponseWriter can; http.Server's do
	if overlong.Announced(q, h.o.MaxBody) {
		h.tooLong(w, q)
		return nil, false
	}
	most := max(h.o.MaxBody, h.o.MaxBody+1) // the largest bound has no next number
	body, err := io.ReadAll(io.LimitReader(q.Body, most))
	switch {
	case err != nil:
		http.Error(w, "the request did not come whole within "+h.o.BodyTime.String(), http.StatusRequestTimeout)
		return nil, false
	case int64(len(body)) > h.o.MaxBody:
		h.tooLong(w, q)
		return nil, false
	}
	rc.SetReadDeadline(time.Time{})
	return body, true
}

// tooLong refuses a request that has more bytes than the bound.
func (h *HTTP) tooLong(w http.ResponseWriter, q *http.Request) {
	inText := func(w http.ResponseWriter, status int, text string) { http.Error(w, text, status) }
	overlong.Refuse(w, q, h.o.MaxBody, inText)
}

// writeError answers what never became a request.
func writeError(w http.ResponseWriter, status int, m *rpc.Message, bad *rpc.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	refusal := &rpc.Message{Err: bad}
	if m != nil {
		refusal.ID = m.ID
	}
	w.Write(refusal.Encode()) // a client that is gone needs no answer
}

// inSession serves a client of the session protocol.
func (h *HTTP) inSession(
	w http.ResponseWriter, q *http.Request, out *response, m *rpc.Message, who, profile string,
) {
	id := q.Header.Get(rpc.HeaderSession)
	switch {
	case h.o.Stateless:
		h.passing(q, out, m, connect{
			principal:  who,
			profile:    profile,
			shared:     true,
			anySession: true,
			host:       remoteHost(q.RemoteAddr),
		})
	case id == "" && m.Method == rpc.MethodInitialize && m.Request():
		h.begin(w, q, out, m, who, profile)
	case id == "":
		writeError(w, http.StatusBadRequest, m, rpc.Errorf(rpc.CodeInvalidRequest,
			"invalid request: %s is missing: initialize comes first, or a request of protocol %s",
			rpc.HeaderSession, rpc.Stateless))
	default:
		s := h.session(id, who, profile)
		if s == nil {
			writeError(w, http.StatusNotFound, m, rpc.Errorf(rpc.CodeInvalidRequest, "no such session"))
			return
		}
		s.serve(q, out, m)
	}
}

// begin makes a session of an initialize, if it succeeds.
func (h *HTTP) begin(
	w http.ResponseWriter,
	q *http.Request,
	out *response,
	m *rpc.Message,
	who, profile string,
) {
	s, bad := h.newSession(who, profile)
	if bad != nil {
		w.Header().Set("Retry-After", "60")
		writeError(w, http.StatusServiceUnavailable, m, bad)
		return
	}
	w.Header().Set(rpc.HeaderSession, s.id)
	s.serve(q, out, m)
	if s.conn.protocol() == "" {
		h.end(s)
	}
}

// protocol is what initialize agreed on; "" before.
func (c *connection) protocol() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client == nil {
		return ""
	}
	return c.client.protocol
}

// passing serves one message of a client that has no session.
func (h *HTTP) passing(q *http.Request, out *response, m *rpc.Message, conf connect) {
	c, err := h.srv.connect(conf, nil)
	if err != nil {
		http.Error(out.w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer c.close()
	c.serveHTTP(q, out, m, h.drained)
}

// serveHTTP takes one message, and returns when its answer is out. A client
// that goes away cancels what it asked for: nobody could read the answer.
func (c *connection) serveHTTP(q *http.Request, out *response, m *rpc.Message, drained <-chan struct{}) {
	ctx, leave := out.outlive(q.Context())
	defer leave()
	if c.srv.o.Telemetry != nil {
		ctx = context.WithValue(ctx, httpTraceKey{}, telemetry.HeaderTrace(q.Header.Get))
	}
	if !m.Request() {
		c.Receive(m, out)
		out.w.WriteHeader(http.StatusAccepted)
		return
	}
	out.begin()
	defer out.end()
	r, bad := c.Admit(m, out)
	if bad != nil {
		out.Answer(ctx, &rpc.Message{ID: m.ID, Err: bad})
		return
	}
	if m.Method == rpc.MethodListen {
		// Such a stream must not hold up a server that wants to close.
		go func() {
			select {
			case <-drained:
				c.Finish(rpc.MethodListen)
			case <-c.Done():
			}
		}()
	}
	c.Serve(ctx, r)
}

// checkHeaders holds the headers that proxies read against the body that the
// server reads: they must not be told two different things.
func checkHeaders(head http.Header, m *rpc.Message) *rpc.Error {
	version := head.Get(rpc.HeaderVersion)
	if version != "" && version < rpc.Stateless && !slices.Contains(rpc.SessionVersions(), version) {
		return rpc.Errorf(rpc.CodeInvalidRequest,
			"invalid request: protocol version %.40q is not spoken; these are: %s",
			version, strings.Join(rpc.Versions(), ", "))
	}
	if !m.Request() {
		return nil
	}
	inBody := rpc.MessageVersion(m)
	switch {
	case version < rpc.Stateless && inBody == "":
		return nil
	case version == "":
		return mismatch("%s is missing", rpc.HeaderVersion)
	case inBody == "":
		return rpc.Errorf(rpc.CodeInvalidParams, "missing or invalid _meta field %q", rpc.MetaVersion)
	case version != inBody:
		return mismatch("%s is %.40q, the body says %.40q", rpc.HeaderVersion, version, inBody)
	case version < rpc.Stateless:
		return nil
	}
	if method := head.Get(rpc.HeaderMethod); method != m.Method {
		return mismatch("%s is %.80q, the body says %.80q", rpc.HeaderMethod, method, m.Method)
	}
	return checkName(head, m)
}

func mismatch(format string, args ...any) *rpc.Error {
	return rpc.Errorf(rpc.CodeHeaderMismatch, "header mismatch: "+format, args...)
}

// checkName holds the header that names the tool, prompt or resource against the
// body. Two such headers are as bad as a wrong one: proxies differ in which they
// read.
func checkName(head http.Header, m *rpc.Message) *rpc.Error {
	key := rpc.Subject(m.Method)
	if key == "" {
		return nil
	}
	want, _ := rawjson.String(rawjson.Get(m.Params, key))
	got, ok := rpc.DecodeHeader(head.Get(rpc.HeaderName))
	if !ok || got != want || len(head.Values(rpc.HeaderName)) != 1 {
		return mismatch("%s is %.80q, the body says %.80q", rpc.HeaderName, got, want)
	}
	return nil
}
