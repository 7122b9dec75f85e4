package server

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// HTTPOptions say who may come in over HTTP, and how much of everything. The
// zero value lets everybody in who reaches the listener.
type HTTPOptions struct {
	Token string // the bearer token that every client must show; "" means Verify decides
	// Verify tells whose token it is; its error keeps the client out. nil and no
	// Token: everybody is "local".
	Verify func(ctx context.Context, token string) (principal string, err error)

	Hosts    []string // values of Host that are answered, with the port; nil: any, for servers behind a proxy
	Origins  []string // further origins from which browsers may come; the server's own may always
	Profiles []string // names at /mcp/p/NAME

	// Stateless gives out no session ids: any replica with the same StateKey
	// serves any request.
	Stateless bool

	// Resource and Issuers are the address of this server and of those whose
	// tokens Verify takes, for the OAuth metadata of a protected resource
	// (RFC 9728); no Issuers: no metadata.
	Resource string
	Issuers  []string

	// Extra are further handlers, by path; a path that ends in / has all below
	// it. They stand behind the checks of Host and Origin. Whom they let in is
	// theirs to say.
	Extra map[string]http.Handler

	MaxBody     int64         // bytes of a request; 0 means DefaultBody
	MaxSessions int           // open at a time; 0 means DefaultSessions
	MaxCalls    int           // running at a time for one client; 0 means DefaultCalls
	Rate        float64       // requests a second of one client; 0 means DefaultRate
	BodyTime    time.Duration // for a request to arrive; 0 means DefaultBodyTime
	Alive       time.Duration // how often a waiting client hears that the server lives; 0 means DefaultAlive
	Resume      time.Duration // how long a call waits for its client to come back; 0 means DefaultResume
}

const (
	// DefaultBody is 16 MB: files to be written come in one request.
	DefaultBody = 16 << 20
	// DefaultSessions is 1,000: each may hold processes and connections.
	DefaultSessions = 1000
	// DefaultCalls is 256 of one client, above what any agent does at a time.
	DefaultCalls = 256
	// DefaultRate is 2,000 a second of one client: above what any agent does,
	// below what hurts.
	DefaultRate = 2000.0
	// DefaultBodyTime is for 16 MB at 5 Mbit/s.
	DefaultBodyTime = 30 * time.Second
	// DefaultAlive is below what proxies and clients wait for a sign of life.
	DefaultAlive = 15 * time.Second
	// DefaultResume is ample: clients come back within a second or two.
	DefaultResume = 10 * time.Second

	// MaxHeader bounds the headers of a request, for
	// http.Server.MaxHeaderBytes: Go adds 4 KB to it.
	MaxHeader = 32 << 10
	// writeTime is how long one write to a client may take.
	writeTime = 30 * time.Second
)

func (o HTTPOptions) filled() HTTPOptions {
	o.BodyTime = cmp.Or(max(o.BodyTime, 0), DefaultBodyTime)
	o.Alive = cmp.Or(max(o.Alive, 0), DefaultAlive)
	o.Resume = cmp.Or(max(o.Resume, 0), DefaultResume)
	o.MaxBody = cmp.Or(max(o.MaxBody, 0), DefaultBody)
	o.MaxSessions = cmp.Or(max(o.MaxSessions, 0), DefaultSessions)
	o.MaxCalls = cmp.Or(max(o.MaxCalls, 0), DefaultCalls)
	o.Rate = cmp.Or(max(o.Rate, 0), DefaultRate)
	return o
}

// An HTTP is a server's handler for /mcp, /mcp/p/NAME, /healthz and /readyz.
type HTTP struct {
	srv *Server
	o   HTTPOptions
	lim *limiter

	draining atomic.Bool
	drained  chan struct{} // closed when streams must end
	once     sync.Once

	mu       sync.Mutex
	sessions map[string]*httpSession
}

var _ http.Handler = (*HTTP)(nil)

// HTTP makes the handler. Close the Server, not the handler.
func (s *Server) HTTP(o HTTPOptions) *HTTP {
	o = o.filled()
	return &HTTP{
		srv:      s,
		o:        o,
		lim:      newLimiter(o.Rate, o.MaxCalls),
		drained:  make(chan struct{}),
		sessions: map[string]*httpSession{},
	}
}

// Drain ends the streams that wait for news and takes no new requests; what
// runs goes on. /readyz says so.
func (h *HTTP) Drain() {
	h.draining.Store(true)
	h.once.Do(func() { close(h.drained) })
}

// ServeHTTP answers one request. Paths are compared as they came: nothing is
// cleaned, nothing redirected.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	head := w.Header()
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cache-Control", "no-store")
	if why := h.foreign(q); why != "" {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	path := q.URL.Path
	switch {
	case path == "/healthz":
		w.Write([]byte("ok\n"))
	case path == "/readyz":
		if h.draining.Load() {
			http.Error(w, "draining", http.StatusServiceUnavailable)
			return
		}
		w.Write([]byte("ok\n"))
	case strings.HasPrefix(path, metadataPath) && h.o.Issuers != nil:
		h.metadata(w)
	default:
		if extra := h.extra(q.URL); extra != nil {
			extra.ServeHTTP(w, q)
			return
		}
		profile, ok := h.profile(q.URL)
		if !ok {
			http.Error(w, nothingHere, http.StatusNotFound)
			return
		}
		h.admit(w, q, profile)
	}
}

// nothingHere is for a person who opens the address in a browser.
const nothingHere = "nothing is here: clients of MCP use /mcp, and the console, where serve has --console, is /console/"

// extra is the further handler of a path; nil: there is none.
func (h *HTTP) extra(u *url.URL) http.Handler {
	if u.RawPath != "" { // in another spelling: a proxy on the way may have read another path
		return nil
	}
	for path, handler := range h.o.Extra {
		below := strings.HasSuffix(path, "/") && strings.HasPrefix(u.Path, path)
		if below || u.Path == path {
			return handler
		}
	}
	return nil
}

// Admits tells whether a request shows a token that Token or Verify know, for
// handlers in Extra that are for the same persons.
func (h *HTTP) Admits(q *http.Request) bool {
	_, err := h.principal(q)
	return err == nil
}

// foreign tells why a request is not one of a program that means this server:
// browsers can be made to send requests to it under another name (DNS
// rebinding) or from another page.
func (h *HTTP) foreign(q *http.Request) string {
	host := strings.ToLower(q.Host)
	if host == "" || h.o.Hosts != nil && !slices.Contains(h.o.Hosts, host) {
		return "forbidden: Host is not a name of this server: " +
			"behind a proxy it is named by serve --public-url or --allow-host"
	}
	origins := q.Header.Values("Origin")
	if len(origins) == 0 {
		return ""
	}
	known := append([]string{"http://" + host, "https://" + host}, h.o.Origins...)
	if len(origins) > 1 || !slices.Contains(known, origins[0]) {
		return "forbidden: Origin may not use this server"
	}
	return ""
}

// metadataPath is where clients look for what protects a resource (RFC 9728).
const metadataPath = "/.well-known/oauth-protected-resource"

func (h *HTTP) metadata(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{ // a client that is gone needs no answer
		"resource":                 h.o.Resource,
		"authorization_servers":    h.o.Issuers,
		"bearer_methods_supported": []string{"header"},
	})
}

// profile is the name in /mcp/p/NAME, "" for /mcp. It tells whether there is
// such a one: a profile that nobody configured is no way in.
func (h *HTTP) profile(u *url.URL) (string, bool) {
	path := u.Path
	if u.RawPath != "" { // in another spelling: a proxy on the way may have read another path
		return "", false
	}
	if path == "/mcp" {
		return "", true
	}
	name, ok := strings.CutPrefix(path, "/mcp/p/")
	return name, ok && slices.Contains(h.o.Profiles, name)
}

// admit lets a client in, and no more of it than the limits allow.
func (h *HTTP) admit(w http.ResponseWriter, q *http.Request, profile string) {
	if h.draining.Load() {
		w.Header().Set("Retry-After", "1")
		http.Error(w, errClosing.Error(), http.StatusServiceUnavailable)
		return
	}
	host, _, err := net.SplitHostPort(q.RemoteAddr)
	if err != nil {
		host = q.RemoteAddr
	}
	who, err := h.principal(q)
	done, ok := h.lim.enter(host + " " + who)
	if !ok {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many requests", http.StatusTooManyRequests)
		return
	}
	defer done()
	if err != nil {
		h.unauthorized(w)
		return
	}
	switch q.Method {
	case http.MethodPost:
		h.post(w, q, who, profile)
	case http.MethodGet:
		h.get(w, q, who, profile)
	case http.MethodDelete:
		h.delete(w, q, who, profile)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

var errUnauthorized = errors.New("unauthorized")

// principal is whose token the request shows. Tokens in addresses do not count:
// they end up in logs.
func (h *HTTP) principal(q *http.Request) (string, error) {
	if h.o.Token == "" && h.o.Verify == nil {
		return "local", nil
	}
	values := q.Header.Values("Authorization")
	if len(values) != 1 {
		return "", errUnauthorized
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "bearer") || token == "" {
		return "", errUnauthorized
	}
	if h.o.Token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(h.o.Token)) == 1 {
		return "local", nil
	}
	if h.o.Verify != nil {
		return h.o.Verify(q.Context(), token)
	}
	return "", errUnauthorized
}

func (h *HTTP) unauthorized(w http.ResponseWriter) {
	challenge := "Bearer"
	if h.o.Issuers != nil {
		base := strings.TrimSuffix(h.o.Resource, "/mcp")
		challenge += ` resource_metadata="` + base + metadataPath + `"`
	}
	w.Header().Set("WWW-Authenticate", challenge)
	http.Error(w, "unauthorized: want Authorization: Bearer TOKEN", http.StatusUnauthorized)
}

// accepts tells which kinds of answers the client takes. One that says nothing
// takes both.
func accepts(q *http.Request) (t taken) {
	values := q.Header.Values("Accept")
	if len(values) == 0 {
		return taken{plain: true, events: true}
	}
	for _, v := range strings.Split(strings.Join(values, ","), ",") {
		switch kind, _, _ := mime.ParseMediaType(v); kind {
		case "*/*":
			t.plain, t.events = true, true
		case "application/json", "application/*":
			t.plain = true
		case "text/event-stream", "text/*":
			t.events, t.first = true, !t.plain
		}
	}
	return t
}
