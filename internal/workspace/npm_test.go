package workspace_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"helve/server"

	. "helve/internal/workspace"
)

// patience bounds the waiting for what a server of npm does by and by, on a busy machine.
const patience = time.Minute

// npmServers is the configuration of servers that scripts/npm-tools installed, and the command of the first; the test is skipped without them.
func npmServers(t *testing.T) (config string, everything []string) {
	t.Helper()
	dir := os.Getenv("HELVE_NPM")
	if dir == "" {
		t.Skip("HELVE_NPM names no folder filled by scripts/npm-tools")
	}
	bin := filepath.Join(dir, "node_modules", ".bin")
	node := filepath.Join(bin, "node")
	servers := map[string]any{}
	for name, args := range map[string][]string{
		"every":    {"mcp-server-everything", "stdio"},
		"thinking": {"mcp-server-sequential-thinking"},
		"browser":  {"playwright-mcp", "--headless"},
	} {
		script, err := filepath.EvalSymlinks(filepath.Join(bin, args[0]))
		if err != nil {
			t.Skip(err)
		}
		args[0] = script
		servers[name] = map[string]any{"command": node, "args": args, "trust": true, "start_timeout": "60s"}
		if name == "every" {
			everything = append([]string{node}, args...)
		}
	}
	b, err := json.Marshal(map[string]any{"mcp_servers": servers})
	if err != nil {
		t.Fatal(err)
	}
	return string(b), everything
}

// A capableClient is a client that answers whatever it is asked, and counts what it is told.
type capableClient struct {
	t    *testing.T
	in   io.Writer
	out  *bufio.Scanner
	id   int
	root string

	asked map[string]int
	told  map[string][]json.RawMessage
}

const everyCapability = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{"listChanged":true},` +
	`"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}}`

// capable shakes hands as the session protocol does.
func capable(t *testing.T, in io.Writer, out io.Reader, name, root string) *capableClient {
	t.Helper()
	c := &capableClient{t: t, in: in, out: bufio.NewScanner(out), root: root, asked: map[string]int{}, told: map[string][]json.RawMessage{}}
	c.out.Buffer(nil, 16<<20)
	c.request("initialize", fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":%s,"clientInfo":{"name":%q,"version":"1"}}`, everyCapability, name))
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// request is the result, or the error; what the server asks meanwhile is answered.
func (c *capableClient) request(method, params string) json.RawMessage {
	c.t.Helper()
	c.id++
	fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.id, method, params)
	for c.out.Scan() {
		var m struct {
			ID, Params, Result, Error json.RawMessage
			Method                    string
		}
		if err := json.Unmarshal(c.out.Bytes(), &m); err != nil {
			c.t.Fatal(err)
		}
		switch {
		case m.Method != "" && m.ID != nil:
			c.asked[m.Method]++
			fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, c.answer(m.Method, m.Params))
		case m.Method != "":
			c.told[m.Method] = append(c.told[m.Method], m.Params)
		case string(m.ID) == fmt.Sprint(c.id):
			return append(m.Result, m.Error...)
		}
	}
	c.t.Fatalf("%s: no answer", method)
	return nil
}

// answer is what a person, a model or the client itself answers; to a question that wants a task, the task, which is over when it is asked
// about.
func (c *capableClient) answer(method string, params json.RawMessage) string {
	const sampled = `{"role":"assistant","model":"m","content":{"type":"text","text":"sampled words"}}`
	const filled = `{"action":"accept","content":{"name":"Ada","check":true}}`
	const task = `{"taskId":%q,"status":%q,"createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":60000,"pollInterval":50}`
	var in struct {
		Task   json.RawMessage
		TaskID string
	}
	if err := json.Unmarshal(params, &in); err != nil && params != nil {
		c.t.Error(err)
	}
	result := map[string]string{"sampling/createMessage": sampled, "elicitation/create": filled}[method]
	switch {
	case method == "roots/list":
		return fmt.Sprintf(`{"roots":[{"uri":"file://%s","name":"work"}]}`, c.root)
	case in.Task != nil:
		return `{"task":` + fmt.Sprintf(task, method, "working") + `}`
	case method == "tasks/get":
		return fmt.Sprintf(task, in.TaskID, "completed")
	case method == "tasks/result":
		return c.answer(in.TaskID, nil)
	case result != "":
		return result
	}
	return `{}`
}

// tools are the definitions by name, as they came.
func (c *capableClient) tools() map[string]json.RawMessage {
	c.t.Helper()
	var list struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(c.request("tools/list", `{}`), &list); err != nil {
		c.t.Fatal(err)
	}
	out := map[string]json.RawMessage{}
	for _, raw := range list.Tools {
		var d struct{ Name string }
		if err := json.Unmarshal(raw, &d); err != nil {
			c.t.Fatal(err)
		}
		out[d.Name] = raw
	}
	return out
}

// until lists until these are there.
func (c *capableClient) until(names ...string) map[string]json.RawMessage {
	c.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		got := c.tools()
		missing := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return got[n] != nil })
		if len(missing) == 0 {
			return got
		}
		if time.Now().After(end) {
			c.t.Fatalf("%q are missing", missing)
		}
	}
}

// through connects a capable client to a workspace's server.
func (p place) through(w *Assembly, name string) *capableClient {
	p.t.Helper()
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	done := make(chan error, 1)
	srv := w.Server(server.Options{Expose: server.ExposeAll})
	go func() {
		err := srv.Serve(p.t.Context(), stdin, stdout)
		stdout.Close()
		done <- err
	}()
	p.t.Cleanup(func() {
		in.Close()
		go io.Copy(io.Discard, out)
		<-done
		srv.Close()
	})
	return capable(p.t, in, out, name, p.dir)
}

// A capable client sees through helve what it sees without: every tool of server-everything, byte for byte but the name, and what the server
// asks, logs and tells reaches it.
func TestARealServerIsWholeThroughHelve(t *testing.T) {
	config, everything := npmServers(t)
	p := newPlace(t).put(userConfig, config)
	cmd := exec.Command(everything[0], everything[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() }) // it would wait for answers to what it asked
	late := []string{"get-roots-list", "trigger-sampling-request", "trigger-elicitation-request", "trigger-sampling-request-async"}
	alone := capable(t, in, out, "test", p.dir).until(late...)

	w := p.open()
	c := p.through(w, "test")
	var want []string
	for name := range alone {
		want = append(want, "mcp__every__"+name)
	}
	got := c.until(want...)
	n := 0
	for name, raw := range got {
		own, ok := strings.CutPrefix(name, "mcp__every__")
		if !ok {
			continue
		}
		n++
		if def := strings.Replace(string(raw), `"name":"`+name+`"`, `"name":"`+own+`"`, 1); def != string(alone[own]) {
			t.Errorf("%s: %s\nwithout helve: %s", name, def, alone[own])
		}
	}
	if n != len(alone) || n < 19 {
		t.Errorf("%d tools through helve, %d without", n, len(alone))
	}
	for _, x := range []struct{ name, args, asks, want string }{
		{"trigger-sampling-request", `{"prompt":"p","maxTokens":10}`, "sampling/createMessage", "sampled words"},
		{"trigger-elicitation-request", `{}`, "elicitation/create", "Ada"},
		{"trigger-sampling-request-async", `{"prompt":"p","maxTokens":10}`, "tasks/get", "sampled words"},
		{"trigger-elicitation-request-async", `{}`, "tasks/get", "Ada"},
		{"get-roots-list", `{}`, "", filepath.Base(p.dir)},
		{"trigger-long-running-operation", `{"duration":1,"steps":4}`, "", "completed"},
	} {
		res := c.request("tools/call", fmt.Sprintf(`{"name":"mcp__every__%s","arguments":%s,"_meta":{"progressToken":"p"}}`, x.name, x.args))
		if !strings.Contains(string(res), x.want) || x.asks != "" && c.asked[x.asks] == 0 {
			t.Errorf("%s: %s, asked %v", x.name, res, c.asked)
		}
	}
	last := -1.0
	for _, raw := range c.told["notifications/progress"] {
		var p struct{ Progress float64 }
		if json.Unmarshal(raw, &p) == nil && p.Progress <= last && p.Progress != 0 && p.Progress != 1 {
			t.Errorf("progress does not rise: %s after %v", raw, last)
		}
		last = p.Progress
	}
	if last < 0 {
		t.Error("no progress was told")
	}
}

// The list of the second session, in a workspace that is new, is the first one's byte for byte, at once, and no change is announced in a session
// whose servers did not change; names fit behind what clients put before them.
func TestTheListsOfRealServersStayTheSame(t *testing.T) {
	config, _ := npmServers(t)
	patient := strings.Replace(config, "{", `{"client_profiles":{"test":{"list_wait":"2m"}},`, 1) // Node is slow where much else runs
	p := newPlace(t).put(userConfig, patient)
	const wanted = "mcp__every__trigger-sampling-request"
	session := func(client string) (list string, c *capableClient) {
		w := p.open()
		c = p.through(w, client)
		return string(c.request("tools/list", `{}`)), c
	}
	first, c := session("test")
	if !strings.Contains(first, wanted) || !strings.Contains(first, "mcp__browser__browser_navigate") || !strings.Contains(first, "mcp__thinking__") {
		t.Errorf("the first list of all is not whole: %.2000s", first)
	}
	p.dir = filepath.Join(p.home, "elsewhere")
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	second, c2 := session("test")
	if first != second {
		t.Errorf("the second session's list in a new workspace is another one:\n%s\nthe first:\n%s", second, first)
	}
	for range 3 {
		c2.request("tools/call", `{"name":"mcp__every__echo","arguments":{"message":"x"}}`)
		c2.request("tools/call", `{"name":"mcp__every__get-roots-list","arguments":{}}`)
		time.Sleep(time.Second) // longer than changes are damped
	}
	if third := string(c2.request("tools/list", `{}`)); third != second {
		t.Errorf("the list changed in the session:\n%s\nbefore:\n%s", third, second)
	}
	for i, c := range []*capableClient{c, c2} {
		c.request("ping", `{}`)
		if n := len(c.told["notifications/tools/list_changed"]); n != 0 {
			t.Errorf("session %d: %d changes were announced", i+1, n)
		}
	}
	for client, prefix := range map[string]string{"claude-code": "mcp__helve__", "gemini-cli-mcp-client": "mcp_helve_"} {
		_, c := session(client)
		for name := range c.tools() {
			if len(prefix+name) > 64 {
				t.Errorf("%s: %s has %d bytes", client, prefix+name, len(prefix+name))
			}
		}
	}
}
