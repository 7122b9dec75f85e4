package app

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A running is a helve that serves HTTP, with everything that a user's has.
type running struct {
	url, token string
	link       string // of the console, with --console
	dir        string
	stop       func() int // ends it and is its exit status
}

const inTime = 2 * time.Minute

// running starts `helve serve --http` in a victim's workspace.
func (v victim) running(t *testing.T, flags ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	said, to := io.Pipe()
	env, _, _ := v.streams()
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(""), io.Discard, to
	done := make(chan int, 1)
	go func() {
		done <- Main(ctx, append([]string{"serve", "--http", "127.0.0.1:0"}, flags...), env.Environment)
		to.Close()
	}()
	r := &running{dir: env.Dir}
	stopped := false
	r.stop = func() int {
		if stopped {
			return 0
		}
		stopped = true
		cancel()
		return <-done
	}
	t.Cleanup(func() { r.stop() })
	lines := bufio.NewScanner(said)
	linked := slices.Contains(flags, "--console")
	for (r.url == "" || linked && r.link == "") && lines.Scan() {
		if _, file, ok := strings.Cut(lines.Text(), "console: the link is in "); ok {
			link, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r.link = strings.TrimSpace(string(link))
		}
		if s, ok := strings.CutPrefix(lines.Text(), "helve: token: "); ok {
			r.token = s
		}
		if s, ok := strings.CutPrefix(lines.Text(), "helve: listening on "); ok {
			r.url = s
		}
	}
	go io.Copy(io.Discard, said) // ends with the pipe
	if r.url == "" {
		t.Fatalf("it does not listen: %v", lines.Err())
	}
	return r
}

// A conversation is a session of the older era.
type conversation struct {
	t         *testing.T
	url, auth string
	id        string
}

func (r *running) talk(t *testing.T, profile string) *conversation {
	t.Helper()
	k := &conversation{t: t, url: r.url + profile, auth: "Bearer " + r.token}
	_, head := k.post(context.Background(), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	k.id = head.Get("Mcp-Session-Id")
	return k
}

func (k *conversation) post(ctx context.Context, body string) (string, http.Header) {
	k.t.Helper()
	q, err := http.NewRequestWithContext(ctx, "POST", k.url, strings.NewReader(body))
	if err != nil {
		return err.Error(), nil
	}
	q.Header.Set("Authorization", k.auth)
	q.Header.Set("Content-Type", "application/json")
	if k.id != "" {
		q.Header.Set("Mcp-Session-Id", k.id)
	}
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		return err.Error(), nil
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return string(b), resp.Header
}

func (k *conversation) ask(method, params string) string {
	k.t.Helper()
	out, _ := k.post(context.Background(), fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params))
	return out
}

func (k *conversation) call(name string, args any) string {
	k.t.Helper()
	b, err := json.Marshal(map[string]any{"name": name, "arguments": args})
	if err != nil {
		return err.Error()
	}
	return k.ask("tools/call", string(b))
}

// mcp-060: what a client's profile switches off it cannot reach, whatever another client of the same server may do.
func TestClientsHaveTheToolsOfTheirPath(t *testing.T) {
	v := newVictim(t).put(userConfig, `{"mode":"auto","clients":{"reviewer":{"tools":{"@write":false,"bash":false}}}}`)
	r := v.running(t)
	all, few := r.talk(t, ""), r.talk(t, "/p/reviewer")
	if list := all.ask("tools/list", "{}"); !strings.Contains(list, `"name":"write"`) {
		t.Errorf("without a profile: %.300s", list)
	}
	if list := few.ask("tools/list", "{}"); strings.Contains(list, `"name":"write"`) || strings.Contains(list, `"name":"bash"`) || !strings.Contains(list, `"name":"read"`) {
		t.Errorf("the reviewer's: %.300s", list)
	}
	args := map[string]any{"file_path": "new.txt", "contents": "x"}
	for _, name := range []string{"write", "Write", "write_file"} {
		if got := few.call(name, args); !strings.Contains(got, "Error: tool 'write' is disabled.") {
			t.Errorf("the reviewer calls %s: %s", name, got)
		}
	}
	if got := all.call("write", args); !strings.Contains(got, "Successfully created") {
		t.Errorf("the other one: %s", got)
	}
	stranger := *all
	stranger.url = r.url + "/p/reviewer"
	if got := stranger.ask("tools/list", "{}"); !strings.Contains(got, "no such session") {
		t.Errorf("a session at another path: %s", got)
	}
	if got := (&conversation{t: t, url: r.url + "/p/nobody", auth: all.auth}).ask("tools/list", "{}"); !strings.Contains(got, "nothing is here") {
		t.Errorf("a profile that is not there: %s", got)
	}
}

func TestFilesOfTheWorkspaceAreResources(t *testing.T) {
	v := newVictim(t).put(userConfig, `{"rules":[{"deny":"read:secret/**"},{"deny":"read:**/.env"}]}`).
		put("src/main.go", "package main\n").put("src/map.txt", "x").put("secret/key", "k").put(".env", "TOKEN=1").put("src/odd %.txt", "odd\n")
	r := v.running(t)
	for link, to := range map[string]string{"way": "secret/key", "src/out": "/etc/hostname"} {
		if err := os.Symlink(to, filepath.Join(r.dir, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	k := r.talk(t, "")
	if got := k.ask("resources/templates/list", "{}"); !strings.Contains(got, `"uriTemplate":"workspace:///{+path}"`) {
		t.Errorf("templates: %s", got)
	}
	read := func(path string) string {
		return k.ask("resources/read", fmt.Sprintf(`{"uri":"workspace:///%s"}`, path))
	}
	for path, want := range map[string]string{"src/main.go": `"text":"package main\n"`, "src/odd%20%25.txt": `"text":"odd\n"`} {
		if got := read(path); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
	for _, path := range []string{"secret/key", ".env", "way", "../" + filepath.Base(r.dir) + "/secret/key", "%2e%2e/x", "/etc/hostname", "src", "src/out", "none", "secret%2Fkey", ""} {
		if got := read(path); !strings.Contains(got, `"error"`) || strings.Contains(got, "TOKEN") || strings.Contains(got, `"text"`) {
			t.Errorf("%s: %s", path, got)
		}
	}
	complete := func(value string) string {
		got := k.ask("completion/complete", fmt.Sprintf(`{"ref":{"type":"ref/resource","uri":"workspace:///{+path}"},"argument":{"name":"path","value":%q}}`, value))
		_, got, _ = strings.Cut(got, `"values":`)
		got, _, _ = strings.Cut(got, `}`)
		return got
	}
	for value, want := range map[string]string{"sr": `["src/"]`, "src/ma": `["src/main.go","src/map.txt"]`, "secret/": `[]`, ".e": `[]`, "../": `[]`, "/": `[]`, "none/": `[]`, "way/": `[]`} {
		if got := complete(value); got != want && !strings.HasPrefix(got, want+",") {
			t.Errorf("completion of %q: %s, want %s", value, got, want)
		}
	}
}

// A client that goes away in mid-call takes the processes of the call with it.
func TestTheProcessesOfACallEndWithItsClient(t *testing.T) {
	v := newVictim(t).put(userConfig, `{"mode":"auto","tools":{"bash":"allow"},"sandbox":{"level":"off"}}`)
	r := v.running(t)
	k := r.talk(t, "")
	ctx, gone := context.WithCancel(t.Context())
	mark := filepath.Join(r.dir, "running")
	go k.post(ctx, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"bash","arguments":{"command":"while :; do touch running; sleep 0.05; done","timeout":60000}}}`)
	waitFor(t, "the command", func() bool { _, err := os.Stat(mark); return err == nil })
	gone()
	waitFor(t, "its end", func() bool {
		if err := os.Remove(mark); err != nil {
			return false
		}
		time.Sleep(300 * time.Millisecond) // six turns of the loop
		_, err := os.Stat(mark)
		return err != nil
	})
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(inTime); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("%s: it did not come within %v", what, inTime)
}

// What runs when a server is asked to end comes to its end, and its client hears of it.
func TestAServerThatEndsLetsCallsComeToTheirEnd(t *testing.T) {
	v := newVictim(t).put(userConfig, `{"mode":"auto","tools":{"bash":"allow"},"sandbox":{"level":"off"}}`)
	r := v.running(t)
	k := r.talk(t, "")
	answer := make(chan string, 1)
	go func() {
		answer <- k.call("bash", map[string]any{"command": "touch started; sleep 1; echo done at last"})
	}()
	waitFor(t, "the command", func() bool { _, err := os.Stat(filepath.Join(r.dir, "started")); return err == nil })
	if code := r.stop(); code != 0 && code != 130 {
		t.Errorf("exit status %d", code)
	}
	if got := <-answer; !strings.Contains(got, "done at last") {
		t.Error(got)
	}
}

// What a read sends is its text, numbered and escaped, once.
func TestAReadIsSentOnce(t *testing.T) {
	line := strings.Repeat(`a "quoted" line`, 4) + "\n"
	v := newVictim(t).put("a.txt", strings.Repeat(line, 1500))
	k := v.running(t).talk(t, "")
	sent := k.call("read", map[string]any{"file_path": "a.txt"})
	var numbered strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&numbered, "%6d|%s", i+1, line)
	}
	text, err := json.Marshal(numbered.String())
	if err != nil {
		t.Fatal(err)
	}
	if got, most := len(sent), len(text)*105/100; got > most {
		t.Errorf("%d bytes for a text of %d, at most %d", got, len(text), most)
	}
}
