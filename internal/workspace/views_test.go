package workspace_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/testing/shserver"
	"helve/server"

	. "helve/internal/workspace"
)

// capableServer is an MCP server in a few lines of shell that lists one more tool for a client that can be asked something, and writes
// down that it was started.
const capableServer = `#!/bin/sh
echo started >>"$1"
more=
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  case $line in
  *'"method":"initialize"'*)
    case $line in *'"elicitation"'*) more=',{"name":"ask_person","inputSchema":{"type":"object"}}';; esac
    echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}';;
  *'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"plain","inputSchema":{"type":"object"}}'"$more"']}}';;
  *'"method":"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"called"}]}}';;
  *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no such method"}}';;
  esac
done
`

// A remote is an MCP client of a workspace's server.
type remote struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Scanner
	id  int

	announced int // changes of the list
}

// remote connects a client of this name and these capabilities.
func (p place) remote(w *Assembly, name, capabilities string) *remote {
	p.t.Helper()
	return p.connect(w.Server(server.Options{Expose: server.ExposeAll}), name, capabilities)
}

// remoteDeferred is remote for a client that is shown a deferred list.
func (p place) remoteDeferred(w *Assembly) *remote {
	p.t.Helper()
	return p.connect(w.Server(server.Options{Expose: server.ExposeDeferred}), "anybody", `{}`)
}

func (p place) connect(srv *server.Server, name, capabilities string) *remote {
	p.t.Helper()
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := srv.Serve(p.t.Context(), stdin, stdout)
		stdout.Close()
		done <- err
	}()
	r := &remote{t: p.t, in: in, out: bufio.NewScanner(out)}
	r.out.Buffer(nil, 16<<20)
	p.t.Cleanup(func() {
		in.Close()
		go io.Copy(io.Discard, out)
		<-done
		srv.Close()
	})
	r.request("initialize", fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":%s,"clientInfo":{"name":%q,"version":"1"}}`, capabilities, name))
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return r
}

func (r *remote) request(method, params string) json.RawMessage {
	r.t.Helper()
	r.id++
	fmt.Fprintf(r.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", r.id, method, params)
	for r.out.Scan() {
		var m struct {
			ID, Result, Error json.RawMessage
			Method            string
		}
		if err := json.Unmarshal(r.out.Bytes(), &m); err != nil {
			r.t.Fatal(err)
		}
		if m.Method == "notifications/tools/list_changed" {
			r.announced++
		}
		if m.Method == "" && string(m.ID) == fmt.Sprint(r.id) {
			return append(m.Result, m.Error...)
		}
	}
	r.t.Fatalf("%s: no answer", method)
	return nil
}

// upstreamNames are the listed tools that are not built in.
func (r *remote) upstreamNames() string {
	r.t.Helper()
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(r.request("tools/list", `{}`), &list); err != nil {
		r.t.Fatal(err)
	}
	var out []string
	for _, t := range list.Tools {
		if strings.Contains(t.Name, "sh__") {
			out = append(out, t.Name)
		}
	}
	return strings.Join(out, " ")
}

// The first list of a session is whole, whatever was remembered, and no change follows it; each session sees what the server has for
// its client, over one process; names fit behind what the client puts before them.
func TestTheFirstListOfASessionIsWhole(t *testing.T) {
	p := newPlace(t)
	script, log := filepath.Join(t.TempDir(), "server"), filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(script, []byte(capableServer), 0o755); err != nil {
		t.Fatal(err)
	}
	// A list waits for a server that starts, and after two seconds comes without it: a busy machine may take longer.
	p.put(userConfig, `{"mcp_servers":{"sh":{"command":`+shserver.Quoted(script)+`,"args":[`+shserver.Quoted(log)+`],"trust":true,"start_timeout":"120s"}},
		"client_profiles":{"anybody":{"list_wait":"120s"},"claude-code":{"list_wait":"120s"},"opencode":{"list_wait":"120s"}}}`)
	started := func() int {
		b, _ := os.ReadFile(log)
		return strings.Count(string(b), "started")
	}
	for _, c := range []struct {
		client, capabilities, want string
		processes                  int
	}{
		{"anybody", `{"elicitation":{}}`, "mcp__sh__ask_person mcp__sh__plain", 1}, // never listed
		{"anybody", `{"elicitation":{}}`, "mcp__sh__ask_person mcp__sh__plain", 1}, // remembered
		{"anybody", `{}`, "mcp__sh__plain", 2},
		{"claude-code", `{"elicitation":{}}`, "sh__ask_person sh__plain", 2},
		{"opencode", `{}`, "sh__plain", 2},
	} {
		func() {
			w := p.open()
			r := p.remote(w, c.client, c.capabilities)
			if got := r.upstreamNames(); got != c.want {
				t.Errorf("%s %s: %s, want %s", c.client, c.capabilities, got, c.want)
			}
			if n := started(); n != c.processes {
				t.Errorf("%s %s: %d processes so far, want %d", c.client, c.capabilities, n, c.processes)
			}
		}()
	}
	w := p.open()
	r := p.remote(w, "claude-code", `{"elicitation":{}}`)
	first := r.upstreamNames()
	res := r.request("tools/call", `{"name":"sh__ask_person","arguments":{}}`)
	if !strings.Contains(string(res), "called") {
		t.Errorf("%s", res)
	}
	if n := started(); n != 3 {
		t.Errorf("%d processes for a session that lists and calls", n-2)
	}
	if again := r.upstreamNames(); again != first || r.announced != 0 {
		t.Errorf("%s, then %s; %d changes announced", first, again, r.announced)
	}
}
