package console

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/internal/packed"
	"helve/tool"
)

// A site is a console on a loopback port.
type site struct {
	*bench
	t     *testing.T
	url   string
	login *Login
	page  *Handler
	links int
}

func newSite(t *testing.T, o Options) *site {
	t.Helper()
	s := &site{bench: newBench(t, &Hub{}, nil, nil), t: t, login: NewLogin()}
	o.Login = s.login
	o.NewLink = func() { s.links++ }
	page, err := s.Handler(o)
	if err != nil {
		t.Fatal(err)
	}
	s.page = page
	ts := httptest.NewServer(page)
	t.Cleanup(func() { page.Close(); ts.Close() })
	s.url = ts.URL + Base
	return s
}

// A visitor is a browser with what it knows.
type visitor struct {
	*site
	cookie *http.Cookie
	key    string
}

// enter logs a visitor in.
func (s *site) enter() *visitor {
	s.t.Helper()
	v := &visitor{site: s}
	status, body, resp := v.post("login", `{"token":"`+s.login.Token()+`"}`, nil)
	if status != http.StatusOK || len(resp.Cookies()) != 1 {
		s.t.Fatalf("%d %s, %d cookies", status, body, len(resp.Cookies()))
	}
	v.cookie = resp.Cookies()[0]
	var in struct{ Key string }
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		s.t.Fatal(err)
	}
	v.key = in.Key
	return v
}

func (v *visitor) do(method, path, body string, head map[string]string) (int, string, *http.Response) {
	v.t.Helper()
	q, err := http.NewRequestWithContext(v.t.Context(), method, v.url+"api/"+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	if method == http.MethodPost {
		q.Header.Set("Content-Type", "application/json")
	}
	if v.cookie != nil {
		q.AddCookie(v.cookie)
		q.Header.Set(keyHeader, v.key)
	}
	for k, value := range head {
		q.Header.Set(k, value)
	}
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return resp.StatusCode, string(b), resp
}

func (v *visitor) get(path string) (int, string) {
	v.t.Helper()
	status, body, _ := v.do(http.MethodGet, path, "", nil)
	return status, body
}

func (v *visitor) post(path, body string, head map[string]string) (int, string, *http.Response) {
	v.t.Helper()
	return v.do(http.MethodPost, path, body, head)
}

func TestEveryAnswerHasItsHeaders(t *testing.T) {
	v := newSite(t, Options{}).enter()
	for _, path := range []string{"", "main.js", "console.css", "nothing", "api/state", "api/nothing", "api/login"} {
		resp, err := http.Get(v.url + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		for name, want := range map[string]string{
			"Content-Security-Policy":      contentPolicy,
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Cache-Control":                "no-store",
		} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
	for _, part := range []string{"default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'", "trusted-types 'none'", "frame-ancestors 'none'", "base-uri 'none'"} {
		if !strings.Contains(contentPolicy, part) || strings.Contains(contentPolicy, "unsafe") {
			t.Errorf("the policy has no %s, or something unsafe: %s", part, contentPolicy)
		}
	}
	c := v.cookie
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != Base || c.Secure || c.MaxAge != 12*60*60 {
		t.Errorf("%+v", c)
	}
	if secure := newSite(t, Options{Secure: true}).enter(); !secure.cookie.Secure {
		t.Errorf("%+v", secure.cookie)
	}
}

// everything is data that says all there is to say: what is asked of it fails, and is never asked without a login.
type everything struct {
	fakeData
	Explainer
	Switcher
	someSessions
	Ender
	someServers
	Ruler
	Historian
	Reviewer
	Player
}

// An embedded interface must not bear the name of its method.
type (
	someSessions interface{ Sessions }
	someServers  interface{ Servers }
)

// Nobody reads or does anything without both halves of a login.
func TestNothingWithoutALogin(t *testing.T) {
	s := newSite(t, Options{Data: &everything{}})
	for view, shown := range s.page.shows() {
		if !shown {
			t.Fatalf("%s is not tried", view)
		}
	}
	in, other := s.enter(), s.enter()
	gone := s.enter()
	if status, body, _ := gone.post("logout", `{}`, nil); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	old := s.enter()
	s.login.visits[len(s.login.visits)-1].began = time.Now().Add(-visitTime - time.Minute)
	half := func(cookie *http.Cookie, key string) *visitor { return &visitor{s, cookie, key} }
	for name, v := range map[string]*visitor{
		"nobody":                {site: s},
		"no cookie":             half(&http.Cookie{Name: in.cookie.Name, Value: "x"}, in.key),
		"a cookie alone":        half(in.cookie, ""),
		"a cookie and a guess":  half(in.cookie, "x"),
		"halves of two":         half(in.cookie, other.key),
		"who has logged out":    gone,
		"yesterday's":           old,
		"another port's cookie": half(&http.Cookie{Name: cookieName + "1", Value: in.cookie.Value}, in.key),
	} {
		for path := range s.page.api() {
			method, path, _ := strings.Cut(path, " ")
			if status, body, _ := v.do(method, path, `{}`, nil); status != http.StatusUnauthorized {
				t.Errorf("%s: %s %s: %d %.80s", name, method, path, status, body)
			}
		}
	}
	if status, _ := in.get("state"); status != http.StatusOK {
		t.Errorf("who is logged in: %d", status)
	}
}

func TestALinkIsGoodOnce(t *testing.T) {
	s := newSite(t, Options{})
	v := &visitor{site: s}
	word := s.login.Token()
	for _, c := range []struct {
		body   string
		status int
	}{
		{`{"token":""}`, 401},
		{`{"token":"x"}`, 401},
		{`{}`, 401},
		{`{"token":"` + word + `"}`, 200},
		{`{"token":"` + word + `"}`, 401},
	} {
		if status, body, _ := v.post("login", c.body, nil); status != c.status {
			t.Errorf("%s: %d %s, want %d", c.body, status, body, c.status)
		}
	}
	for i, want := range []int{200, 429} {
		if status, body, _ := v.post("link", `{}`, nil); status != want || s.links != 1 {
			t.Errorf("link %d: %d %s, %d links", i, status, body, s.links)
		}
	}
}

// Another origin, another kind of body or too much of it: nothing happens.
func TestRequestsThatAreNoneOfThePage(t *testing.T) {
	s := newSite(t, Options{})
	v := s.enter()
	done := s.start(t.Context(), &tool.Call{Name: "work", Args: args("a")})
	q := s.question(t)
	yes := fmt.Sprintf(`{"id":%q,"digest":%q,"yes":true}`, q.ID, q.Digest)
	for name, c := range map[string]struct {
		body   string
		head   map[string]string
		status int
	}{
		"another site":          {yes, map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"another port":          {yes, map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		"another origin":        {yes, map[string]string{"Origin": "http://evil.example"}, 403},
		"a form":                {yes, map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, 415},
		"text":                  {yes, map[string]string{"Content-Type": "text/plain"}, 415},
		"no JSON":               {`yes`, nil, 400},
		"two values":            {yes + yes, nil, 400},
		"an unknown member":     {`{"id":"x","digest":"y","yes":true,"sure":true}`, nil, 400},
		"too much":              {`{"note":"` + strings.Repeat("x", maxBody) + `"}`, nil, 413},
		"another digest":        {fmt.Sprintf(`{"id":%q,"digest":"x","yes":true}`, q.ID), nil, 409},
		"another question":      {`{"id":"x","digest":"y","yes":true}`, nil, 409},
		"a rule of its own":     {fmt.Sprintf(`{"id":%q,"digest":%q,"yes":true,"for":"always","rule":7}`, q.ID, q.Digest), nil, 409},
		"a session that is not": {fmt.Sprintf(`{"id":%q,"digest":%q,"yes":true,"for":"session"}`, q.ID, q.Digest), nil, 409},
	} {
		if status, body, _ := v.post("answer", c.body, c.head); status != c.status {
			t.Errorf("%s: %d %.120s, want %d", name, status, body, c.status)
		}
	}
	if status, _, _ := v.do(http.MethodGet, "state", "", map[string]string{"Sec-Fetch-Site": "cross-site"}); status != 403 {
		t.Errorf("state of another site: %d", status)
	}
	if status, _, _ := v.do(http.MethodGet, "answer", "", nil); status != 405 {
		t.Errorf("GET answer: %d", status)
	}
	if len(s.state().Questions) != 1 {
		t.Fatal("one of them was an answer")
	}
	if status, body, _ := v.post("answer", yes, map[string]string{"Sec-Fetch-Site": "same-origin"}); status != 200 {
		t.Errorf("the page itself: %d %s", status, body)
	}
	if e := end(t, done); e.res.Approver.Kind != tool.ByConsole {
		t.Errorf("%+v", e)
	}
	if status, _, _ := v.post("answer", yes, nil); status != 409 {
		t.Errorf("a second time: %d", status)
	}
}

// A browser without JavaScript shows words and no empty page.
func TestThePageSaysThatItNeedsJavaScript(t *testing.T) {
	s := newSite(t, Options{})
	res, err := http.Get(s.url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	_, words, ok := strings.Cut(string(page), "<noscript>")
	words, _, _ = strings.Cut(words, "</noscript>")
	if err != nil || !ok || !strings.Contains(words, "needs JavaScript") || !strings.Contains(words, "helve audit") {
		t.Errorf("%v: %q", err, words)
	}
}

// Who sends all before it listens hears why its body is refused, and not only that the connection broke.
func TestWhoSendsThePageTooMuchIsToldSo(t *testing.T) {
	s := newSite(t, Options{})
	const sent = 20 << 20 // more than the buffers of a connection hold
	host := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), Base)
	for name, c := range map[string]struct {
		header string
		body   io.Reader
	}{
		"a length": {fmt.Sprintf("Content-Length: %d", sent), strings.NewReader(strings.Repeat(" ", sent))},
		"no JSON":  {fmt.Sprintf("Content-Length: %d", sent), strings.NewReader(strings.Repeat("x", sent))},
		"chunks": {"Transfer-Encoding: chunked",
			strings.NewReader(fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", sent, strings.Repeat(" ", sent)))},
		"a question": {fmt.Sprintf("Content-Length: %d\r\nExpect: 100-continue", sent), strings.NewReader("")},
	} {
		conn, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST %sapi/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%s\r\n\r\n", Base, host, c.header)
		if _, err := io.Copy(conn, c.body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		said, err := io.ReadAll(res.Body)
		if res.StatusCode != http.StatusRequestEntityTooLarge || !res.Close || err != nil ||
			!strings.Contains(string(said), "more than 65536 bytes, the most that is read") {
			t.Errorf("%s: %s %s %v", name, res.Status, said, err)
		}
		conn.Close()
	}
}

func TestAPageHearsOfWhatHappens(t *testing.T) {
	s := newSite(t, Options{Title: "/work", Version: "1.2"})
	v := s.enter()
	_, text := v.get("state")
	var state struct {
		Rev     uint64
		Title   string
		Version string
		Shows   map[string]bool
	}
	if err := json.Unmarshal([]byte(text), &state); err != nil || state.Title != "/work" || state.Version != "1.2" || state.Shows["board"] {
		t.Fatalf("%v %s", err, text)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprint(v.url, "api/events?since=", state.Rev), nil)
	if err != nil {
		t.Fatal(err)
	}
	q.AddCookie(v.cookie)
	q.Header.Set(keyHeader, v.key)
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	next := func() (b batch) {
		t.Helper()
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if err := json.Unmarshal([]byte(data), &b); err != nil {
					t.Fatal(err)
				}
				return b
			}
		}
		t.Fatalf("the stream has ended: %v", lines.Err())
		return b
	}
	next() // nothing happened yet
	done := s.start(t.Context(), &tool.Call{Name: "work", Args: args("<b>\u202e")})
	var question questionView
	for question.ID == "" {
		if b := next(); len(b.Questions) > 0 {
			question = b.Questions[0]
		}
	}
	if question.Title != `work on <b>\u202e` || !question.Diff || question.Preview != "-old\n+new\n" {
		t.Errorf("%+v", question)
	}
	if err := s.answer(reply{ID: question.ID, Digest: question.Digest, Yes: true}); err != nil {
		t.Fatal(err)
	}
	end(t, done)
	for waiting, over := 1, false; waiting > 0 || !over; {
		b := next()
		if b.Waiting != nil {
			waiting = len(*b.Waiting)
		}
		for _, c := range b.Calls {
			over = over || c.State == Done
		}
	}
	s.Notice()
	for !next().Notice {
	}
	s.page.Close() // the program ends
	for lines.Scan() {
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream: %v", err)
	}
	if s.Watched() {
		t.Error("the page counts as open")
	}
}

func TestACallIsShownInFull(t *testing.T) {
	s := newSite(t, Options{})
	v := s.enter()
	end(t, s.start(t.Context(), &tool.Call{Name: "free", Args: args("a")}))
	status, text := v.get("call?n=1")
	var d callDetail
	if err := json.Unmarshal([]byte(text), &d); err != nil || status != 200 || d.Args != "{\n  \"what\": \"a\"\n}" || d.Result != "done" {
		t.Errorf("%d %s %v", status, text, err)
	}
	for _, path := range []string{"call?n=2", "call?n=x", "call"} {
		if status, _ := v.get(path); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status, _, _ := v.post("stop", `{"n":1}`, nil); status != 409 {
		t.Errorf("a call that is over is cancelled: %d", status)
	}
	if status, _ := v.get("events?since=x"); status != 400 {
		t.Errorf("%d", status)
	}
}

// fakeData notes what it is asked.
type fakeData struct{ query Query }

func (*fakeData) Board(context.Context) (Board, error) { return Board{Mode: "ask"}, nil }

func (f *fakeData) Audit(_ context.Context, q Query) (Page, error) {
	f.query = q
	if q.Text == "break" {
		return Page{}, errors.New("the record cannot be read")
	}
	return Page{Records: []json.RawMessage{json.RawMessage(`{"name":"x"}`)}}, nil
}

var _ Charter = (*fakeData)(nil)

func (*fakeData) Figures(_ context.Context, q FigureQuery) (Figures, error) {
	return Figures{Since: q.Since, Step: q.Until.Sub(q.Since).Seconds() / float64(q.Parts)}, nil
}

func TestWhatDataSaysIsShown(t *testing.T) {
	data := &fakeData{}
	v := newSite(t, Options{Data: data}).enter()
	for _, c := range []struct {
		path   string
		status int
		has    string
	}{
		{"board", 200, `"mode":"ask"`},
		{"audit?text=a&limit=9999&skip=3&until=2026-01-02T03:04:05Z", 200, `"records":[{"name":"x"}]`},
		{"audit?text=break", 409, "the record cannot be read"},
		{"audit?since=yesterday", 400, "since"},
		{"audit?limit=-1", 400, "limit"},
		{"figures?since=2026-01-02T03:00:00Z&until=2026-01-02T04:00:00Z&parts=60", 200, `"step":60`},
		{"figures?since=2026-01-02T03:00:00Z&until=2026-01-02T03:00:00Z&parts=60", 400, "want"},
		{"sessions", 404, ""}, // nobody says anything of them
	} {
		status, body := v.get(c.path)
		if status != c.status || !strings.Contains(body, c.has) {
			t.Errorf("%s: %d %s, want %d %s", c.path, status, body, c.status, c.has)
		}
		if strings.Contains(c.path, "skip") && (data.query.Limit != maxAudit || data.query.Skip != 3 || data.query.Until.Year() != 2026) {
			t.Errorf("%+v", data.query)
		}
	}
}

var update = flag.Bool("update", false, "write web.zst")

const (
	// mostPage bounds the page's files, mostPacked the same compressed, in bytes: what a person waits for on a slow line.
	mostPage, mostPacked = 120_000, 40_000
)

// The files of others are those that web/VENDORED.txt names, byte for byte, and all of them are small.
func TestThePageIsSmallAndWhatItSays(t *testing.T) {
	listed, err := os.ReadFile("web/VENDORED.txt")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string // a name, its text, the next name
	err = fs.WalkDir(os.DirFS("web"), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(filepath.Join("web", name))
		if err != nil {
			return err
		}
		texts = append(texts, name, string(b))
		sum := sha256.Sum256(b)
		if strings.Contains(string(listed), "\n"+name+"\n") && !strings.Contains(string(listed), "sha256 "+hex.EncodeToString(sum[:])) {
			t.Errorf("%s is not what web/VENDORED.txt says: sha256 %x", name, sum)
		}
		// Our own files make no markup of text.
		if !strings.Contains(string(listed), "\n"+name+"\n") {
			for _, word := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "dangerouslySetInnerHTML", "http:", "https:"} {
				if strings.HasSuffix(name, ".js") && strings.Contains(string(b), word) {
					t.Errorf("%s has %s", name, word)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	whole := packed.Join(texts...)
	packed.Check(t, "web.zst", whole, *update)
	t.Logf("%d bytes, %d compressed", len(whole), len(web))
	if len(whole) > mostPage || len(web) > mostPacked {
		t.Errorf("%d bytes, %d compressed, at most %d and %d", len(whole), len(web), mostPage, mostPacked)
	}
}
