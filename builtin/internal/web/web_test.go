package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"helve/builtin/internal/web"
)

var loopback = netip.MustParseAddr("127.0.0.1")

// serve starts a server on loopback and a client to whom pub.test, which is there, was allowed; every other name is
// public.
func serve(t *testing.T, o web.Options, h http.HandlerFunc) (*web.Client, string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	o.AllowPrivate = []string{"pub.test:" + port}
	if o.Lookup == nil {
		o.Lookup = func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{loopback}, nil }
	}
	return web.New(o), "http://pub.test:" + port
}

func get(t *testing.T, c *web.Client, url string) (*web.Page, error) {
	t.Helper()
	target, err := c.Parse(url)
	if err != nil {
		return nil, err
	}
	return c.Get(t.Context(), target)
}

func TestHostsAreNamedAsRulesNameThem(t *testing.T) {
	c := web.New(web.Options{})
	for in, want := range map[string]string{
		"https://Example.COM./x":     "example.com",
		"http://example.com:80/":     "example.com",
		"http://example.com:8080/":   "example.com:8080",
		"https://bücher.example/":    "xn--bcher-kva.example",
		"https://user:pw@go.dev/":    "go.dev",
		"https://a_b.example.com/":   "a_b.example.com",
		"https://[2606:4700::1111]/": "[2606:4700::1111]",
		"https://8.8.8.8:444/":       "8.8.8.8:444",
	} {
		got, err := c.Parse(in)
		if err != nil || got.Host != want {
			t.Errorf("%s: %+v, %v, want %s", in, got, err, want)
		}
	}
}

func TestOnlyTheNamedPrivateHostIsAllowed(t *testing.T) {
	c := web.New(web.Options{AllowPrivate: []string{"127.0.0.1:8080", "*.corp.example", "10.1.0.0/16", "localhost", "[::1]:99"}})
	for url, ok := range map[string]bool{
		"http://127.0.0.1:8080/": true, "http://127.0.0.1:8081/": false, "http://127.0.0.2:8080/": false, "http://a.corp.example/": true,
		"http://10.1.2.3/": true, "http://10.2.0.1/": false, "http://localhost:3000/": true, "http://[::1]:99/": true, "http://[::1]/": false,
		"http://[::ffff:127.0.0.1]:8080/": false,
	} {
		if _, err := c.Parse(url); (err == nil) != ok || err != nil && !errors.Is(err, web.ErrForbidden) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// A name that answers one address to a check and another to the connection gains nothing (fetch-043), nor one that
// answers both at once (fetch-044).
func TestTheAddressThatIsDialledIsJudged(t *testing.T) {
	var asked atomic.Int32
	var answers [][]netip.Addr
	c, base := serve(t, web.Options{Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
		a := answers[0]
		answers = answers[1:]
		return a, nil
	}}, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	_, port, _ := strings.Cut(strings.TrimPrefix(base, "http://"), ":")
	public := netip.MustParseAddr("1.1.1.1")
	answers = [][]netip.Addr{{public, loopback}, {loopback}, {netip.MustParseAddr("::ffff:127.0.0.1")}, {netip.MustParseAddr("169.254.169.254")}}
	for len(answers) > 0 {
		if _, err := get(t, c, "http://rebind.test:"+port+"/"); !errors.Is(err, web.ErrForbidden) {
			t.Errorf("%v", err)
		}
	}
	if asked.Load() > 0 {
		t.Error("the private server was asked")
	}
}

func TestAnAllowedNameNeverLeadsToACloudsKeys(t *testing.T) {
	c := web.New(web.Options{AllowPrivate: []string{"*.corp.example"}, Lookup: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("169.254.169.254")}, nil
	}})
	if _, err := get(t, c, "http://a.corp.example/"); !errors.Is(err, web.ErrForbidden) {
		t.Errorf("%v", err)
	}
}

func TestRedirectsAreFollowedOnTheirHostOnly(t *testing.T) {
	var base string
	hops := map[string]string{"/a": "/b", "/b": "c?x=1", "/loop": "/loop", "/away": "http://other.test/", "/meta": "http://169.254.169.254/latest",
		"/file": "file:///etc/passwd", "/odd": "http://[::1", "/ctl": "http://pub.test/\x7f", "/user": "//u:p@other.test/"}
	c, base := serve(t, web.Options{}, func(w http.ResponseWriter, r *http.Request) {
		if to := hops[r.URL.Path]; to != "" {
			w.Header()["Location"] = []string{to}
			w.WriteHeader(302)
			return
		}
		fmt.Fprint(w, r.URL.String())
	})
	if p, err := get(t, c, base+"/a"); err != nil || string(p.Body) != "/c?x=1" || p.URL != base+"/c?x=1" {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := get(t, c, base+"/away"); err != nil || p.Moved != "http://other.test/" || p.Body != nil {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := get(t, c, base+"/user"); err != nil || p.Moved != "http://u:xxxxx@other.test/" {
		t.Errorf("%+v, %v", p, err)
	}
	for path, want := range map[string]error{"/loop": web.ErrRedirects, "/meta": web.ErrForbidden, "/file": web.ErrForbidden, "/odd": nil, "/ctl": nil} {
		if _, err := get(t, c, base+path); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}

func TestAnswersAreBounded(t *testing.T) {
	c, base := serve(t, web.Options{Time: 500 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow": // fetch-069
			for r.Context().Err() == nil {
				fmt.Fprint(w, "x")
				w.(http.Flusher).Flush()
				time.Sleep(50 * time.Millisecond)
			}
		case "/hdr": // fetch-070
			for i := range 10_000 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("y", 1000))
			}
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			zeros := make([]byte, 1<<20)
			for range 200 {
				if _, err := z.Write(zeros); err != nil {
					return
				}
			}
			z.Close()
		case "/br":
			w.Header().Set("Content-Encoding", "br")
			fmt.Fprint(w, "x")
		}
	})
	if _, err := get(t, c, base+"/slow"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("slow: %v", err)
	}
	for _, path := range []string{"/hdr", "/br"} {
		if _, err := get(t, c, base+path); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
	if p, err := get(t, web.New(web.Options{AllowPrivate: []string{"pub.test"}, Lookup: func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{loopback}, nil }}),
		base+"/bomb"); err != nil || !p.Cut || len(p.Body) != 8<<20 {
		t.Errorf("bomb: %v", err)
	}
}

func TestAPageIsRememberedAndAskedForOnlyIfItChanged(t *testing.T) {
	var asked, unchanged int
	h := func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("ETag", `"v1"`)
		if strings.HasPrefix(r.URL.Path, "/secret") {
			w.Header().Set("Cache-Control", "no-store")
		}
		if r.Header.Get("If-None-Match") == `"v1"` {
			unchanged++
			w.WriteHeader(304)
			return
		}
		fmt.Fprint(w, "page")
	}
	for _, c := range []struct {
		name, path       string
		fresh            time.Duration
		asked, unchanged int
		cached           bool
	}{
		{"fresh", "/", time.Hour, 1, 0, true},
		{"old", "/", time.Nanosecond, 2, 1, true},
		{"not to be stored", "/secret", time.Hour, 2, 0, false},
		{"never", "/", -1, 2, 0, false},
	} {
		asked, unchanged = 0, 0
		client, base := serve(t, web.Options{Fresh: c.fresh}, h)
		var p *web.Page
		for range 2 {
			var err error
			if p, err = get(t, client, base+c.path); err != nil || string(p.Body) != "page" {
				t.Fatal(p, err)
			}
		}
		if asked != c.asked || unchanged != c.unchanged || p.Cached != c.cached {
			t.Errorf("%s: asked %d, unchanged %d, cached %v", c.name, asked, unchanged, p.Cached)
		}
	}
}

// fetch-083, fetch-080
func TestNoProxyIsUsedAndNoCertificateIsForgiven(t *testing.T) {
	proxied := false
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { proxied = true }))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	c, base := serve(t, web.Options{}, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "direct") })
	if p, err := get(t, c, base); err != nil || string(p.Body) != "direct" || proxied {
		t.Errorf("%v, %v, proxied %v", p, err, proxied)
	}
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	c = web.New(web.Options{AllowPrivate: []string{"127.0.0.1"}})
	if _, err := get(t, c, s.URL); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v", err)
	}
}

// again is a client of another process: it shares nothing but the folder.
func again(t *testing.T, base, dir string, fresh time.Duration) *web.Client {
	t.Helper()
	return web.New(web.Options{AllowPrivate: []string{strings.TrimPrefix(base, "http://")}, Dir: dir, Fresh: fresh,
		Lookup: func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{loopback}, nil }})
}

func TestAnotherProcessAsksForAPageOnlyIfItMayHaveChanged(t *testing.T) {
	asked, unchanged := 0, 0
	control := ""
	h := func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Cache-Control", control)
		if r.Header.Get("If-None-Match") == `"v1"` {
			unchanged++
			w.WriteHeader(304)
			return
		}
		w.Header().Set("Content-Type", "text/x-test")
		fmt.Fprint(w, "page")
	}
	for _, c := range []struct {
		name, control    string
		fresh            time.Duration
		asked, unchanged int
		cached           bool
	}{
		{"fresh", "public, max-age=600", time.Hour, 1, 0, true},
		{"old", "", time.Nanosecond, 2, 1, true},
		{"old as its server says", "max-age=0", time.Hour, 2, 1, true},
		{"always to be asked", "no-cache", time.Hour, 2, 1, true},
		{"not to be stored", "no-store", time.Hour, 2, 0, false},
		{"somebody's own", "private", time.Hour, 2, 0, false},
		{"never", "", -1, 2, 0, false},
	} {
		asked, unchanged, control = 0, 0, c.control
		dir := filepath.Join(t.TempDir(), "pages")
		first, base := serve(t, web.Options{Fresh: c.fresh, Dir: dir}, h)
		if _, err := get(t, first, base+"/"); err != nil {
			t.Fatal(err)
		}
		p, err := get(t, again(t, base, dir, c.fresh), base+"/")
		if err != nil || string(p.Body) != "page" || p.Type != "text/x-test" && p.Cached || p.Cached != c.cached || asked != c.asked || unchanged != c.unchanged {
			t.Errorf("%s: %+v, %v; asked %d, unchanged %d", c.name, p, err, asked, unchanged)
		}
	}
}

// What was kept of a private host that a person allowed is nobody's who did not.
func TestAKeptPageOpensNoPrivateHost(t *testing.T) {
	dir := t.TempDir()
	first, base := serve(t, web.Options{Dir: dir}, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "inside") })
	if p, err := get(t, first, base+"/"); err != nil || string(p.Body) != "inside" {
		t.Fatal(p, err)
	}
	strict := web.New(web.Options{Dir: dir, Lookup: func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{loopback}, nil }})
	if p, err := get(t, strict, base+"/"); !errors.Is(err, web.ErrForbidden) {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestADamagedPageIsNone(t *testing.T) {
	asked := 0
	dir := t.TempDir()
	first, base := serve(t, web.Options{Dir: dir}, func(w http.ResponseWriter, _ *http.Request) { asked++; fmt.Fprint(w, "page") })
	get(t, first, base+"/a")
	get(t, first, base+"/b")
	files, err := filepath.Glob(filepath.Join(dir, "*.page"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	a, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(){
		"cut":            func() { os.WriteFile(files[0], a[:len(a)-1], 0o600) },
		"longer":         func() { os.WriteFile(files[0], append(bytes.Clone(a), 'x'), 0o600) },
		"empty":          func() { os.WriteFile(files[0], nil, 0o600) },
		"no JSON":        func() { os.WriteFile(files[0], []byte("page\npage"), 0o600) },
		"another's page": func() { os.WriteFile(files[0], b, 0o600) },
		"a folder":       func() { os.Remove(files[0]); os.Mkdir(files[0], 0o700) },
		"too large":      func() { os.RemoveAll(files[0]); os.WriteFile(files[0], a, 0o600); os.Truncate(files[0], 1<<30) },
	} {
		damage()
		asked = 0
		c := again(t, base, dir, time.Hour)
		for _, path := range []string{"/a", "/b"} {
			if p, err := get(t, c, base+path); err != nil || string(p.Body) != "page" {
				t.Errorf("%s: %+v, %v", name, p, err)
			}
		}
		if asked != 1 {
			t.Errorf("%s: asked %d times, want once: for the damaged one", name, asked)
		}
	}
}

func TestWhatIsKeptIsPrivateAndBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pages")
	body := strings.Repeat("x", 4<<20)
	c, base := serve(t, web.Options{Dir: dir}, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(dir, ".helve-1")
	os.WriteFile(left, []byte("half"), 0o600)
	os.Chtimes(left, time.Now(), time.Now().Add(-2*time.Hour))
	for i := range 20 {
		if _, err := get(t, c, fmt.Sprint(base, "/", i)); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, e := range entries {
		fi, err := e.Info()
		if err != nil || fi.Mode().Perm() != 0o600 || !strings.HasSuffix(fi.Name(), ".page") {
			t.Errorf("%v, %v", fi, err)
		}
		total += fi.Size()
	}
	if total > 64<<20 || total < 48<<20 {
		t.Errorf("%d bytes are kept in %d files", total, len(entries))
	}
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

// FuzzParse: what passes is http or https to a host that is public as far as its name tells, and says so the second
// time.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"http://127.1/", "http://[::ffff:7f00:1]/", "http://0x7f.1", "http://a@b:c@d/", "http://１２７.0.0.1", "http://x:99999/", "http://%31/", "http://[fe80::1%25eth0]/"} {
		f.Add(s)
	}
	c := web.New(web.Options{})
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := c.Parse(raw)
		if err != nil {
			return
		}
		again, err := c.Parse(got.URL.String())
		if err != nil || again.Host != got.Host {
			t.Fatalf("%q → %q → %+v, %v", raw, got.URL, again, err)
		}
		if a, err := netip.ParseAddr(got.URL.Hostname()); err == nil && (a.Unmap().IsPrivate() || a.Unmap().IsLoopback() || a.IsUnspecified()) {
			t.Fatalf("%q passes as %s", raw, a)
		}
	})
}
