package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"helve/cmd/internal/command"
)

// A consoled is a helve with a console, seen from the browser and from a client.
type consoled struct {
	*running
	t           *testing.T
	said        *lockedBuffer
	base        string // http://HOST:PORT
	cookie, key string
	stop        func() int
}

var (
	consoleSaid = regexp.MustCompile(`helve: console: the link is in (\S+)\n`)
	consoleLink = regexp.MustCompile(`^(http://[^/]+)/console/#token=([A-Z0-9]+)\n$`)
)

// consoled starts a command that shows a console, and logs in.
func (v victim) consoled(t *testing.T, words ...string) *consoled {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := &consoled{running: &running{}, t: t, said: &lockedBuffer{}}
	env, _, _ := v.streams()
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(""), io.Discard, c.said
	done := make(chan int, 1)
	go func() { done <- Main(ctx, words, env.Environment) }()
	c.stop = sync.OnceValue(func() int {
		cancel()
		return <-done
	})
	t.Cleanup(func() { c.stop() })
	eventually(t, "there is a link", func() bool { return consoleSaid.MatchString(c.said.String()) })
	c.dir = env.Dir
	c.enter()
	for line := range strings.Lines(c.said.String()) {
		if s, ok := strings.CutPrefix(line, "helve: token: "); ok {
			c.token = strings.TrimSpace(s)
		}
	}
	c.url = c.base + "/mcp"
	return c
}

// linkFile is the file that has the link.
func (c *consoled) linkFile() string { return consoleSaid.FindStringSubmatch(c.said.String())[1] }

// lastLink is the link that the person has now.
func (c *consoled) lastLink() (base, word string) {
	c.t.Helper()
	text, err := os.ReadFile(c.linkFile())
	if err != nil {
		c.t.Fatal(err)
	}
	link := consoleLink.FindStringSubmatch(string(text))
	if link == nil {
		c.t.Fatalf("no link: %q", text)
	}
	return link[1], link[2]
}

// enter logs in by the last link.
func (c *consoled) enter() {
	c.t.Helper()
	base, word := c.lastLink()
	c.base = base
	status, body, resp := c.ask("POST", "login", `{"token":"`+word+`"}`, nil)
	var in struct{ Key string }
	if err := json.Unmarshal([]byte(body), &in); err != nil || status != 200 || len(resp.Cookies()) != 1 {
		c.t.Fatalf("login: %d %s", status, body)
	}
	c.cookie, c.key = resp.Cookies()[0].String(), in.Key
	c.cookie, _, _ = strings.Cut(c.cookie, ";")
}

// ask asks the console.
func (c *consoled) ask(method, path, body string, head map[string]string) (int, string, *http.Response) {
	c.t.Helper()
	q, err := http.NewRequest(method, c.base+"/console/api/"+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Cookie", c.cookie)
	q.Header.Set("X-Helve-Page", c.key)
	for k, v := range head {
		if k == "Host" {
			q.Host = v
		}
		q.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, string(b), resp
}

// A waiting question, as the page sees it.
type waiting struct {
	ID, Digest, Title, Preview string
	Always                     []string
}

// question is the one that waits.
func (c *consoled) question() (q waiting) {
	c.t.Helper()
	eventually(c.t, "a question", func() bool {
		_, body, _ := c.ask("GET", "state", "", nil)
		var state struct{ Questions []waiting }
		if err := json.Unmarshal([]byte(body), &state); err != nil {
			c.t.Fatalf("%v: %s", err, body)
		}
		if len(state.Questions) != 1 {
			return false
		}
		q = state.Questions[0]
		return true
	})
	return q
}

func (c *consoled) answer(q waiting, more string) {
	c.t.Helper()
	body := fmt.Sprintf(`{"id":%q,"digest":%q%s}`, q.ID, q.Digest, more)
	if status, said, _ := c.ask("POST", "answer", body, nil); status != 200 {
		c.t.Errorf("answer: %d %s", status, said)
	}
}

func TestThePersonAtTheConsoleApproves(t *testing.T) {
	v := newVictim(t).put("a.txt", "old\n").put(userConfig, `{}`)
	c := v.consoled(t, "serve", "--http", "127.0.0.1:0", "--console", "--approval", "console")
	client := c.talk(t, "")
	edit := func(from, to string) chan string {
		out := make(chan string, 1)
		go func() {
			out <- client.call("edit", map[string]any{"file_path": "a.txt", "old_string": from, "new_string": to})
		}()
		return out
	}
	client.call("read", map[string]any{"file_path": "a.txt"})
	said := edit("old", "new")
	q := c.question()
	if !strings.Contains(q.Preview, "-old") || !strings.Contains(q.Preview, "+new") || q.Title != "edit a.txt" || len(q.Always) == 0 {
		t.Errorf("%+v", q)
	}
	c.answer(q, `,"yes":true`)
	if text := <-said; !strings.Contains(text, "Successfully edited") {
		t.Errorf("%s", text)
	}
	said = edit("new", "newer")
	c.answer(c.question(), `,"yes":false,"note":"leave it"`)
	if text := <-said; !strings.Contains(text, "The person says: leave it") {
		t.Errorf("%s", text)
	}
	said = edit("new", "newest")
	c.answer(c.question(), `,"yes":true,"for":"session"`)
	<-said
	if text := <-edit("newest", "last"); !strings.Contains(text, "Successfully edited") { // nobody is asked
		t.Errorf("%s", text)
	}
	if b, err := os.ReadFile(filepath.Join(c.dir, "a.txt")); err != nil || string(b) != "last\n" {
		t.Errorf("%q %v", b, err)
	}
	_, body, _ := c.ask("GET", "audit?tool=edit", "", nil)
	if n := strings.Count(body, `"kind":"console"`); n != 3 || strings.Count(body, `"kind":"grant"`) != 1 {
		t.Errorf("%d answers of the console on record: %s", n, body)
	}
	for path, want := range map[string]string{
		"board": `"name":"edit"`,
		"figures?since=2020-01-01T00:00:00Z&until=2100-01-01T00:00:00Z&parts=10": `"tool":"edit"`,
		"state": `"state":"refused"`,
	} {
		if status, body, _ := c.ask("GET", path, "", nil); status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %.300s", path, status, body)
		}
	}
	if status, body, _ := c.ask("POST", "why", `{"tool":"edit","args":{"file_path":"a.txt","old_string":"last","new_string":"x"}}`, nil); status != 200 ||
		!strings.Contains(body, `"verdict":"ask"`) {
		t.Errorf("why: %d %s", status, body)
	}
}

func TestAPersonSwitchesToolsAndTakesApprovalsBack(t *testing.T) {
	v := newVictim(t).put("a.txt", "1\n").put(userConfig, `{"mode":"ask"}`)
	c := v.consoled(t, "serve", "--http", "127.0.0.1:0", "--console", "--approval", "console")
	client := c.talk(t, "")
	lists := func() bool { return strings.Contains(client.ask("tools/list", "{}"), `"name":"fetch"`) }
	sets := func(body string) string {
		t.Helper()
		status, text, _ := c.ask("POST", "switch", body, nil)
		if status != 200 {
			t.Errorf("%s: %d %s", body, status, text)
		}
		return text
	}
	if said := sets(`{"name":"fetch","on":false,"do":false}`); !strings.Contains(said, "tools.fetch: false") || !strings.Contains(said, "config.json") || !lists() {
		t.Errorf("%s; listed %v", said, lists())
	}
	if said := sets(`{"name":"fetch","on":false,"do":true}`); !strings.Contains(said, `"done":true`) || lists() {
		t.Errorf("%s; listed %v", said, lists())
	}
	if status, said, _ := c.ask("POST", "switch", `{"name":"no such tool","on":false,"do":true}`, nil); status != 409 || !strings.Contains(said, "not found") {
		t.Errorf("%d %s", status, said)
	}
	if said := sets(`{"name":"fetch","on":true,"do":true}`); !strings.Contains(said, `"done":true`) || !lists() {
		t.Errorf("%s; listed %v", said, lists())
	}

	client.call("read", map[string]any{"file_path": "a.txt"})
	edits := func(from, to string) <-chan string {
		out := make(chan string, 1)
		go func() {
			out <- client.call("edit", map[string]any{"file_path": "a.txt", "old_string": from, "new_string": to})
		}()
		return out
	}
	for _, c2 := range []struct{ span, from, to string }{{"session", "1", "2"}, {"always", "3", "4"}} {
		said := edits(c2.from, c2.to)
		c.answer(c.question(), `,"yes":true,"for":"`+c2.span+`"`)
		if text := <-said; !strings.Contains(text, "Successfully") {
			t.Errorf("%s: %s", c2.span, text)
		}
		next := map[string]string{"2": "3", "4": "5"}[c2.to]
		if text := <-edits(c2.to, next); !strings.Contains(text, "Successfully") { // nobody is asked
			t.Errorf("%s: %s", c2.span, text)
		}
		_, body, _ := c.ask("GET", "sessions", "", nil)
		var sessions []struct {
			ID     string
			Grants []struct{ ID string }
		}
		if err := json.Unmarshal([]byte(body), &sessions); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		taken := 0
		for _, s := range sessions {
			for _, g := range s.Grants {
				taken++
				if status, text, _ := c.ask("POST", "revoke", fmt.Sprintf(`{"session":%q,"grant":%q}`, s.ID, g.ID), nil); status != 200 {
					t.Errorf("%d %s", status, text)
				}
			}
		}
		if len(sessions) != 2 || taken != 1 {
			t.Errorf("%d approvals in %s", taken, body)
		}
	}
	said := edits("5", "6")
	c.answer(c.question(), `,"yes":false`) // asked again
	<-said
	_, body, _ := c.ask("GET", "audit", "", nil)
	if strings.Count(body, `"principal":"console"`) != 4 || !strings.Contains(body, "tools.fetch: false") {
		t.Errorf("what was done is not on record: %s", body)
	}
}

// An agent has the clients' token, may reach the port, and may know what the console is. It cannot approve itself.
func TestAnAgentCannotApproveItself(t *testing.T) {
	v := newVictim(t).put("a.txt", "old\n").put(userConfig, `{"fetch":{"allow_private":[]}}`)
	c := v.consoled(t, "serve", "--http", "127.0.0.1:0", "--console", "--approval", "console")
	client := c.talk(t, "")
	said := make(chan string, 1)
	go func() { said <- client.call("write", map[string]any{"file_path": "b.txt", "contents": "x"}) }()
	q := c.question()
	yes := fmt.Sprintf(`{"id":%q,"digest":%q,"yes":true}`, q.ID, q.Digest)
	cookie, key := c.cookie, c.key
	_, used := c.lastLink()
	for name, try := range map[string]struct {
		cookie, key string
		head        map[string]string
		status      int
	}{
		"with the clients' token":            {"", "", map[string]string{"Authorization": "Bearer " + c.token}, 401},
		"with it as cookie and key":          {strings.Split(cookie, "=")[0] + "=" + c.token, c.token, nil, 401},
		"with a cookie without the key":      {cookie, "", nil, 401},
		"with a key without the cookie":      {"", key, nil, 401},
		"under another name of this machine": {cookie, key, map[string]string{"Host": "evil.example"}, 403},
		"from another page":                  {cookie, key, map[string]string{"Origin": "http://evil.example"}, 403},
		"from another port of this machine":  {cookie, key, map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		"with a link that was used":          {"", "", nil, 401},
	} {
		c.cookie, c.key = try.cookie, try.key
		path, body := "answer", yes
		if name == "with a link that was used" {
			path, body = "login", `{"token":"`+used+`"}`
		}
		if status, text, _ := c.ask("POST", path, body, try.head); status != try.status {
			t.Errorf("%s: %d %s, want %d", name, status, text, try.status)
		}
	}
	// The tools themselves lead nowhere: fetch refuses this machine, and a command in the sandbox has no network.
	other := c.talk(t, "")
	for _, path := range []string{"/console/api/state", "/console/", "/metrics"} {
		if text := other.call("fetch", map[string]any{"url": c.base + path}); !strings.Contains(text, "private") {
			t.Errorf("fetch %s: %s", path, text)
		}
	}
	if strings.Contains(other.call("bash", map[string]any{"command": "echo $HELVE_TOKEN; cat /proc/1/environ; ls"}), c.token) {
		t.Error("a command has the token in its environment")
	}
	c.cookie, c.key = cookie, key
	c.answer(q, `,"yes":false`)
	if text := <-said; !strings.Contains(text, "declined") {
		t.Errorf("%s", text)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "b.txt")); err == nil {
		t.Error("it was written")
	}
}

func TestMetricsAreForWhoMayCall(t *testing.T) {
	v := newVictim(t).put("a.txt", "x\n").put(userConfig, `{}`)
	r := v.running(t)
	r.talk(t, "").call("read", map[string]any{"file_path": "a.txt"})
	at := strings.TrimSuffix(r.url, "/mcp") + "/metrics"
	for _, c := range []struct {
		token, has string
		status     int
	}{
		{"", "unauthorized", 401},
		{"x", "unauthorized", 401},
		{r.token, `helve_calls_total{source="builtin",tool="read",outcome="ok"} 1`, 200},
	} {
		q, err := http.NewRequest("GET", at, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.token != "" {
			q.Header.Set("Authorization", "Bearer "+c.token)
		}
		resp, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.status || !strings.Contains(string(b), c.has) || strings.Contains(string(b), "a.txt") {
			t.Errorf("%q: %d %s %v", c.token, resp.StatusCode, b, err)
		}
	}
	if resp, err := http.Get(strings.TrimSuffix(r.url, "/mcp") + "/console/"); err != nil || resp.StatusCode != 404 {
		t.Errorf("a console that nobody asked for: %v %v", resp, err)
	} else {
		resp.Body.Close()
	}
}

func TestAConsoleWithoutAServer(t *testing.T) {
	v := newVictim(t).put("a.txt", "x\n").put(userConfig, `{}`)
	c := v.consoled(t, "console")
	if status, body, _ := c.ask("GET", "board", "", nil); status != 200 || !strings.Contains(body, `"name":"read"`) {
		t.Errorf("%d %.200s", status, body)
	}
	for _, path := range []string{"/mcp", "/metrics", "/healthz"} {
		resp, err := http.Post(c.base+path, "application/json", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 404 {
			t.Errorf("%s: %d: only the page is served", path, resp.StatusCode)
		}
	}
	if status, body, _ := c.ask("POST", "play", `{"tool":"read","args":{"file_path":"a.txt"}}`, nil); status != 200 || !strings.Contains(body, "1|x") {
		t.Errorf("%d %s", status, body)
	}
	if status, body, _ := c.ask("POST", "play", `{"tool":"read","args":{"file_path":"../../x"}}`, nil); status != 200 || !strings.Contains(body, `"failed":"permission_error"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body, _ := c.ask("GET", "tool?name=edit", "", nil); status != 200 || !strings.Contains(body, `"for":"anthropic"`) || !strings.Contains(body, "old_string") {
		t.Errorf("%d %.300s", status, body)
	}
	wrote := make(chan string, 1)
	go func() {
		_, body, _ := c.ask("POST", "play", `{"tool":"write","args":{"file_path":"b.txt","contents":"y"}}`, nil)
		wrote <- body
	}()
	c.answer(c.question(), `,"yes":true`)
	if body := <-wrote; !strings.Contains(body, `"verdict":"ask"`) || strings.Contains(body, "failed") {
		t.Errorf("%s", body)
	}
	if _, body, _ := c.ask("GET", "audit", "", nil); strings.Count(body, `"principal":"console"`) != 3 {
		t.Errorf("the calls are not the console's: %s", body)
	}
	file := c.linkFile()
	if code := c.stop(); code != 0 {
		t.Errorf("exit status %d: %s", code, c.said)
	}
	if _, err := os.Stat(file); err == nil {
		t.Errorf("%s is still there", file)
	}
}

// Where standard error is no terminal it may go to a file that tools read: the link is in one that only the person reads.
func TestTheLinkIsInAPrivateFileWhereThereIsNoTerminal(t *testing.T) {
	v := newVictim(t).put("a.txt", "x\n").put(userConfig, `{}`)
	c := v.consoled(t, "serve", "--http", "127.0.0.1:0", "--console")
	file := c.linkFile()
	for path, want := range map[string]os.FileMode{file: 0o600, filepath.Dir(file): os.ModeDir | 0o700} {
		if st, err := os.Stat(path); err != nil || st.Mode() != want {
			t.Errorf("%s: %v %v, want %v", path, st.Mode(), err, want)
		}
	}
	if strings.Contains(c.said.String(), "token=") {
		t.Errorf("the link is said: %s", c.said)
	}
	_, used := c.lastLink()
	if status, body, _ := c.ask("POST", "link", `{}`, nil); status != 200 {
		t.Fatalf("a new link: %d %s", status, body)
	}
	if _, next := c.lastLink(); next == used {
		t.Error("the new link is the old one")
	}
	c.enter()
	if status, body, _ := c.ask("POST", "link", `{}`, nil); status != 429 {
		t.Errorf("links without end: %d %s", status, body)
	}
	client := c.talk(t, "")
	for _, call := range []struct {
		name string
		args map[string]any
	}{
		{"read", map[string]any{"file_path": file}},
		{"grep", map[string]any{"pattern": "token", "path": filepath.Dir(file)}},
		{"ls", map[string]any{"path": filepath.Dir(file)}},
		{"bash", map[string]any{"command": "cat " + file}},
	} {
		said := make(chan string, 1)
		go func() { said <- client.call(call.name, call.args) }()
		if text := c.unlessAsked(said); strings.Contains(text, "token=") || strings.Contains(text, "link-") && call.name == "ls" {
			t.Errorf("%s reads it: %s", call.name, text)
		}
	}
}

// What cannot be meant so is said, and nothing listens.
func TestFlagsOfTheConsoleThatDoNotGoTogether(t *testing.T) {
	v := newVictim(t).put(userConfig, `{}`)
	for _, c := range []struct{ line, want string }{
		{"serve --console", "want --http, too"},
		{"serve --approval console", "want --console, too"},
		{"serve --http 127.0.0.1:0 --approval console", "want --console, too"},
		{"serve --http 127.0.0.1:0 --approval consol", "want auto, client, elicit, deny or console"},
		{"serve --http 0.0.0.0:0 --console", "--behind-proxy"},
		{"serve --http 0.0.0.0:0 --console --behind-proxy", "--public-url https://"},
		{"serve --http 127.0.0.1:0 --console --public-url http://helve.example", "want https://"},
		{"serve --http 127.0.0.1:0 --console --public-url https://helve.example/x", "without a path"},
		{"serve --http 127.0.0.1:0 --console --console-wait -1s", "--console-wait"},
		{"serve --public-url https://helve.example", "want --http, too"},
		{"console --listen 0.0.0.0:0", "--behind-proxy"},
		{"console --listen 0.0.0.0:0 --behind-proxy", "--public-url https://"},
		{"console --listen nowhere", "want HOST:PORT"},
	} {
		env, _, stderr := v.streams()
		env.Stdin = strings.NewReader("")
		if code := Main(t.Context(), strings.Fields(c.line), env.Environment); code != command.ExitUsage || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: exit status %d, %s; want %q", c.line, code, stderr, c.want)
		}
	}
}

func TestAPersonSeesSessionsThatHaveNotCalled(t *testing.T) {
	v := newVictim(t).put("a.txt", "x\n").put(userConfig, `{}`)
	c := v.consoled(t, "serve", "--http", "127.0.0.1:0", "--console")
	type session struct {
		ID, Client string
		Calls      int
		Open       bool
	}
	sessions := func() (out []session) {
		t.Helper()
		_, body, _ := c.ask("GET", "sessions", "", nil)
		if err := json.Unmarshal([]byte(body), &out); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		return out[1:] // the first is what holds for always
	}
	if got := sessions(); len(got) != 0 {
		t.Errorf("nobody has come: %+v", got)
	}
	calls, silent := c.talk(t, ""), c.talk(t, "")
	calls.call("read", map[string]any{"file_path": "a.txt"})
	got := sessions()
	if len(got) != 2 || got[0].Calls != 1 || got[1].Calls != 0 || !got[0].Open || !got[1].Open || got[1].Client == "" {
		t.Fatalf("%+v", got)
	}
	if status, body, _ := c.ask("POST", "end", fmt.Sprintf(`{"session":%q}`, got[1].ID), nil); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	if left := sessions(); len(left) != 1 || left[0].Calls != 1 {
		t.Errorf("%+v", left)
	}
	if text := silent.ask("tools/list", "{}"); strings.Contains(text, `"name":"read"`) {
		t.Errorf("a session that was ended goes on: %s", text)
	}
}

func TestWhyShowsWhatACallWouldDo(t *testing.T) {
	v := newVictim(t).put("a.txt", "old\n").put(userConfig, `{"disabled_tools":["write"]}`)
	c := v.consoled(t, "serve", "--http", "127.0.0.1:0", "--console")
	if status, body, _ := c.ask("POST", "play", `{"tool":"read","args":{"file_path":"a.txt"}}`, nil); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	for _, one := range []struct{ body, has, not string }{
		{`{"tool":"edit","args":{"file_path":"a.txt","old_string":"old","new_string":"new"}}`, `-old\n+new\n`, "problem"},
		{`{"tool":"bash","args":{"command":"touch b.txt"}}`, `"line":"touch b.txt"`, "problem"},
		{`{"tool":"write","args":{"file_path":"b.txt","contents":"x"}}`, `"verdict":"deny"`, "would"},
		{`{"tool":"edit"}`, `"verdict"`, "would"},
	} {
		status, body, _ := c.ask("POST", "why", one.body, nil)
		if status != 200 || !strings.Contains(body, one.has) || strings.Contains(body, one.not) {
			t.Errorf("%s: %d %s", one.body, status, body)
		}
	}
	if b, err := os.ReadFile(filepath.Join(c.dir, "a.txt")); err != nil || string(b) != "old\n" {
		t.Errorf("it was done: %q %v", b, err)
	}
	if _, body, _ := c.ask("GET", "audit", "", nil); strings.Contains(body, `"name":"edit"`) {
		t.Errorf("a call that was not made is on record: %s", body)
	}
}

// What whoever manages the machine switched off is shown locked.
func TestAToolOfTheManagedLayerIsLocked(t *testing.T) {
	v := newVictim(t).put("~/etc/config.json", `{"disabled_tools":["fetch"]}`).put(userConfig, `{"disabled_tools":["glob"]}`)
	c := v.consoled(t, "console")
	_, body, _ := c.ask("GET", "board", "", nil)
	var board struct {
		Sources []struct {
			Tools []struct {
				Name            string
				Offered, Locked bool
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &board); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"fetch": true, "glob": false, "read": false}
	for _, s := range board.Sources {
		for _, one := range s.Tools {
			if locked, asked := want[one.Name]; asked && (one.Locked != locked || one.Offered != (one.Name == "read")) {
				t.Errorf("%+v", one)
			}
			delete(want, one.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
}
