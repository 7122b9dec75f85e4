package console

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/internal/packed"
	"helve/server/internal/overlong"
)

// web has names and texts of the files in web, one after the other. `go test -update` makes it from them.
//
//go:embed web.zst
var web []byte

const (
	// Base is where the console is served.
	Base = "/console/"
	// maxBody bounds what a page sends, maxPlayed the arguments of a call that a person makes, in bytes.
	maxBody, maxPlayed = 64 << 10, 1 << 20
	// bodyTime is what a request may take to arrive: a megabyte at 1 Mbit/s.
	bodyTime = 10 * time.Second
	// cookieName begins the name of the cookie. The port follows: browsers do not tell ports apart.
	cookieName = "helve_console_"
	// keyHeader has the page's key.
	keyHeader = "X-Helve-Page"
	// buildHeader names the page's files: a page of others loads itself anew.
	buildHeader = "X-Helve-Build"
)

// contentPolicy lets the page load nothing but its own files, and write nothing as markup.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Options say what a console shows and who may see it.
type Options struct {
	Login   *Login   // required
	Data    Data     // nil: calls and questions alone
	Secure  bool     // the page comes over TLS: its cookie goes nowhere else
	Origins []string // further origins of the page, where a proxy gives it another name: https://host
	Version string   // of the program, for people
	Title   string   // what the page is about, such as the name of the workspace

	// NewLink gives the person a new link, where they read the first one and nobody else does. nil: pages do not
	// offer it.
	NewLink func()
}

// A Handler serves the console below Base. Whoever mounts it checks the Host of requests before.
type Handler struct {
	hub   *Hub
	o     Options
	files map[string]file
	build string // names the files
	mux   http.Handler

	once sync.Once
	done chan struct{} // closed by Close
}

// A file is one of the page's.
type file struct {
	kind string
	text []byte
}

// Handler makes the handler. Close it before the server is shut down.
func (h *Hub) Handler(o Options) (*Handler, error) {
	if o.Login == nil {
		return nil, errors.New("console: Options without a Login")
	}
	p := &Handler{hub: h, o: o, done: make(chan struct{})}
	p.load()
	guard := http.NewCrossOriginProtection()
	for _, origin := range o.Origins {
		if err := guard.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("console: %w", err)
		}
	}
	p.mux = guard.Handler(p.routes())
	return p, nil
}

// Close ends the streams of open pages. They say that the program has ended.
func (p *Handler) Close() { p.once.Do(func() { close(p.done) }) }

// load reads the files of the page.
func (p *Handler) load() {
	p.files = map[string]file{}
	sum := sha256.New()
	for pair := range slices.Chunk(packed.Texts(web), 2) {
		name, text := pair[0], []byte(pair[1])
		sum.Write(text) // never fails
		kind := mime.TypeByExtension(path.Ext(name))
		switch path.Ext(name) { // not what this system takes them for
		case ".html":
			kind = "text/html; charset=utf-8"
		case ".js":
			kind = "text/javascript; charset=utf-8"
		case ".css":
			kind = "text/css; charset=utf-8"
		case ".svg":
			kind = "image/svg+xml"
		case ".txt":
			kind = "text/plain; charset=utf-8"
		}
		p.files[name] = file{kind, text}
	}
	p.build = hex.EncodeToString(sum.Sum(nil)[:6])
}

// ServeHTTP answers one request.
func (p *Handler) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	head := w.Header()
	head.Set("Content-Security-Policy", contentPolicy)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	head.Set("Cache-Control", "no-store")
	head.Set(buildHeader, p.build)
	p.mux.ServeHTTP(w, q)
}

// routes are the page's files and its data.
func (p *Handler) routes() *http.ServeMux {
	m := &http.ServeMux{}
	m.HandleFunc("GET "+Base+"{$}", func(w http.ResponseWriter, q *http.Request) { p.file(w, q, "index.html") })
	m.HandleFunc("GET "+Base+"{name}", func(w http.ResponseWriter, q *http.Request) { p.file(w, q, q.PathValue("name")) })
	m.HandleFunc("POST "+Base+"api/login", p.login)
	m.HandleFunc("POST "+Base+"api/link", p.link)
	for path, f := range p.api() {
		method, name, _ := strings.Cut(path, " ")
		m.HandleFunc(method+" "+Base+"api/"+name, func(w http.ResponseWriter, q *http.Request) {
			if p.admits(w, q) {
				f(w, q)
			}
		})
	}
	return m
}

func (p *Handler) file(w http.ResponseWriter, q *http.Request, name string) {
	f, ok := p.files[name]
	if !ok {
		http.NotFound(w, q)
		return
	}
	w.Header().Set("Content-Type", f.kind)
	w.Write(f.text) // a browser that is gone needs no answer
}

// admits tells whether a request comes from a page that is logged in, and answers it where not.
func (p *Handler) admits(w http.ResponseWriter, q *http.Request) bool {
	// Pages of other origins cannot read the answers. They need not be able to ask either.
	if site := q.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		fail(w, http.StatusForbidden, "this is for the console's own page")
		return false
	}
	if !p.o.Login.knows(cookieOf(q), q.Header.Get(keyHeader)) {
		fail(w, http.StatusUnauthorized, "not logged in")
		return false
	}
	return true
}

// cookie is the name of the cookie at this address.
func cookie(q *http.Request) string {
	_, port, err := net.SplitHostPort(q.Host)
	if err != nil {
		port = "default"
	}
	return cookieName + port
}

func cookieOf(q *http.Request) string {
	c, err := q.Cookie(cookie(q))
	if err != nil {
		return ""
	}
	return c.Value
}

// login exchanges the word of a link for a cookie and a key.
func (p *Handler) login(w http.ResponseWriter, q *http.Request) {
	var in struct {
		Token string `json:"token"`
	}
	if !read(w, q, maxBody, &in) {
		return
	}
	value, key, ok := p.o.Login.exchange(in.Token)
	if !ok {
		fail(w, http.StatusUnauthorized, "this link was used already, or is older than two minutes")
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name:     cookie(q),
		Value:    value,
		Path:     Base,
		MaxAge:   int(visitTime / time.Second),
		HttpOnly: true,
		Secure:   p.o.Secure,
		SameSite: http.SameSiteStrictMode,
	})
	answer(w, map[string]string{"key": key})
}

// link gives a new link. Nobody needs to be logged in for it: the link goes to the person and not to who asks.
func (p *Handler) link(w http.ResponseWriter, q *http.Request) {
	if !read(w, q, maxBody, &struct{}{}) {
		return
	}
	switch {
	case p.o.NewLink == nil:
		fail(w, http.StatusNotFound, "start helve again for a new link")
	case !p.o.Login.mayAsk():
		fail(w, http.StatusTooManyRequests, "there was a new link a moment ago")
	default:
		p.o.NewLink()
		answer(w, struct{}{})
	}
}

// read reads a request's JSON, and answers one that is not as it should be.
func read(w http.ResponseWriter, q *http.Request, most int64, to any) bool {
	kind, _, err := mime.ParseMediaType(q.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		fail(w, http.StatusUnsupportedMediaType, "want application/json")
		return false
	}
	// Where the connection has no deadlines, as in tests, the body may take its time.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
	body, long, err := bodyOf(q, most)
	if long {
		overlong.Refuse(w, q, most, fail)
		return false
	}
	if err == nil {
		err = decode(body, to)
	}
	if err != nil {
		fail(w, http.StatusBadRequest, "not what was wanted: "+err.Error())
	}
	return err == nil
}

// bodyOf is the body of a request; long tells that it has more bytes than may be read.
func bodyOf(q *http.Request, most int64) (body []byte, long bool, err error) {
	if overlong.Announced(q, most) {
		return nil, true, nil
	}
	body, err = io.ReadAll(io.LimitReader(q.Body, most+1))
	return body, int64(len(body)) > most, err
}

// decode reads one value that has the members of what it is for, and no others.
func decode(body []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, more := d.Token(); more != io.EOF {
		return errors.New("more than one value")
	}
	return nil
}

// answer sends a value as JSON.
func answer(w http.ResponseWriter, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(b) // a page that is gone needs no answer
}

// fail sends an error that the page shows.
func fail(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": text}) // likewise
}
