package otlp

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// prefix begins the variables that say where telemetry goes; the name of a signal may follow it.
const prefix = "OTEL_EXPORTER_OTLP_"

// A target is where one signal goes, and how.
type target struct {
	url     *url.URL
	grpc    bool
	gzip    bool
	header  http.Header
	timeout time.Duration
	tls     *tls.Config
}

// usualTimeout is what the specification gives a request.
const usualTimeout = 10 * time.Second

// Where a collector listens if nobody says it.
const (
	usualHTTP = "http://localhost:4318"
	usualGRPC = "http://localhost:4317"
)

// A reader reads the variables of one signal: its own counts before the one for all.
type reader struct {
	getenv func(string) string
	signal string
	err    error // the first one
}

func (r *reader) get(name string) string {
	return strings.TrimSpace(cmp.Or(r.getenv(prefix+r.signal+"_"+name), r.getenv(prefix+name)))
}

func (r *reader) wrong(name string, err error) {
	if r.err == nil && err != nil {
		r.err = fmt.Errorf("%s%s: %w", prefix, name, err)
	}
}

// readTarget reads where a signal goes. home and method are its place below a base address: over HTTP, and over gRPC.
func readTarget(getenv func(string) string, signal, home, method string) (target, error) {
	r := &reader{getenv: getenv, signal: signal}
	t := target{
		grpc: r.get("PROTOCOL") == "grpc",
		gzip: r.get("COMPRESSION") == "gzip",
	}
	t.url = r.address(t.grpc, home)
	if t.grpc {
		t.url.Path, t.url.RawQuery = method, ""
	}
	t.header = r.headers()
	t.timeout = r.timeout()
	t.tls = r.tls()
	return t, r.err
}

// address is where requests go. A signal's own address is taken as it stands; the common one gets the signal's place.
func (r *reader) address(grpc bool, home string) *url.URL {
	name, text := "ENDPOINT", r.getenv(prefix+"ENDPOINT")
	own := strings.TrimSpace(r.getenv(prefix + r.signal + "_ENDPOINT"))
	if own != "" {
		name, text = r.signal+"_ENDPOINT", own
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "" && grpc:
		text = usualGRPC
	case text == "":
		text = usualHTTP
	case !strings.Contains(text, "://"): // host:port, as gRPC's tools take it
		text = r.scheme() + "://" + text
	}
	u, err := url.Parse(text)
	if err == nil && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		err = fmt.Errorf("%s: want an address as http://127.0.0.1:4318", text)
	}
	if err != nil {
		r.wrong(name, err)
		return &url.URL{}
	}
	switch {
	case own == "":
		u.Path = path.Join("/", u.Path, home)
	case u.Path == "":
		u.Path = "/"
	}
	return u
}

// scheme is for an address that has none.
func (r *reader) scheme() string {
	if on, err := strconv.ParseBool(r.get("INSECURE")); err == nil && on {
		return "http"
	}
	return "https"
}

// headers are name=value pairs with commas between them, the values encoded as in a URL.
func (r *reader) headers() http.Header {
	out := http.Header{}
	for pair := range strings.SplitSeq(r.get("HEADERS"), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, text, is := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(text))
		if err == nil && (!is || name == "") {
			err = fmt.Errorf("want name=value, with commas between them")
		}
		if err != nil {
			r.wrong("HEADERS", err)
			continue
		}
		out.Set(name, value)
	}
	return out
}

// timeout is in milliseconds.
func (r *reader) timeout() time.Duration {
	text := r.get("TIMEOUT")
	if text == "" {
		return usualTimeout
	}
	n, err := strconv.Atoi(text)
	if err == nil && n <= 0 {
		err = fmt.Errorf("%s: want milliseconds", text)
	}
	r.wrong("TIMEOUT", err)
	return time.Duration(n) * time.Millisecond
}

// tls reads whom to trust, and who we are.
func (r *reader) tls() *tls.Config {
	out := &tls.Config{}
	if file := r.get("CERTIFICATE"); file != "" {
		pem, err := os.ReadFile(file)
		r.wrong("CERTIFICATE", err)
		out.RootCAs = x509.NewCertPool()
		if err == nil && !out.RootCAs.AppendCertsFromPEM(pem) {
			r.wrong("CERTIFICATE", fmt.Errorf("%s: no certificate in it", file))
		}
	}
	file, key := r.get("CLIENT_CERTIFICATE"), r.get("CLIENT_KEY")
	if file != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(file, key)
		r.wrong("CLIENT_CERTIFICATE", err)
		out.Certificates = []tls.Certificate{pair}
	}
	return out
}
