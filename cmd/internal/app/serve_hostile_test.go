package app

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// rawStatus writes a request as it stands and is the status of the answer, 0 for none.
func rawStatus(t *testing.T, addr, request string) int {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(inTime))
	io.WriteString(c, request) // the answer may be there before all is written
	b := make([]byte, 64)
	n, _ := c.Read(b)
	code := 0
	fmt.Sscanf(strings.TrimPrefix(string(b[:n]), "HTTP/1.1 "), "%d", &code)
	return code
}

// Names that look like this server's are not; its own are taken in every spelling that programs use.
func TestForgedHostsAndOriginsAreRefused(t *testing.T) {
	r := newVictim(t).running(t)
	addr := strings.TrimSuffix(strings.TrimPrefix(r.url, "http://"), "/mcp")
	_, port, _ := net.SplitHostPort(addr)
	ping := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	send := func(target, host, more string) int {
		return rawStatus(t, addr, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nConnection: close\r\n%sContent-Length: %d\r\n\r\n%s",
			target, host, r.token, more, len(ping), ping))
	}
	const inside = 200
	for host, want := range map[string]int{
		"127.0.0.1:" + port: inside, "localhost:" + port: inside, "LocalHost:" + port: inside, "[::1]:" + port: inside,
		"127.0.0.1": 403, "localhost": 403, "127.0.0.1:1": 403, "localhost.:" + port: 403, "127.0.0.1.:" + port: 403, "127.1:" + port: 403, "2130706433:" + port: 403,
		"0.0.0.0:" + port: 403, "[::ffff:127.0.0.1]:" + port: 403, "[::]:" + port: 403, "[::1%25lo]:" + port: 403, "localhost.evil.example:" + port: 403, "evil.example:" + port: 403,
		"127.0.0.1:" + port + ".": 403, "127.0.0.1:0" + port: 403, "user@127.0.0.1:" + port: 403, "": 403,
	} {
		if got := send("/mcp", host, ""); got != want && !(want == 403 && got == 400) { // net/http refuses some itself
			t.Errorf("Host %q: %d, want %d", host, got, want)
		}
	}
	for origin, want := range map[string]int{
		"http://127.0.0.1:" + port: inside, "https://127.0.0.1:" + port: inside,
		"http://localhost:" + port: 403, "http://127.0.0.1": 403, "http://127.0.0.1:" + port + "/": 403, "http://127.0.0.1:" + port + ".evil.example": 403, "http://127.0.0.1.:" + port: 403,
		"null": 403, "": inside, "file://": 403, "http://evil.example": 403, "chrome-extension://abc": 403, "http://user@127.0.0.1:" + port: 403, "http://[::1]:" + port: 403,
	} {
		more := "Origin: " + origin + "\r\n"
		if origin == "" {
			more = ""
		}
		if got := send("/mcp", "127.0.0.1:"+port, more); got != want {
			t.Errorf("Origin %q: %d, want %d", origin, got, want)
		}
	}
	if got := send("/mcp", "127.0.0.1:"+port, "Origin: http://127.0.0.1:"+port+"\r\nOrigin: http://evil.example\r\n"); got != 403 {
		t.Errorf("two Origins: %d", got)
	}
	if got := send("http://evil.example/mcp", "127.0.0.1:"+port, ""); got != 403 {
		t.Errorf("another host in the request line: %d", got)
	}
	for _, target := range []string{"/mcp/", "//mcp", "/mcp/../mcp", "/MCP", "/mcp/p/", "/mcp/p/default/..", "/mcp%2fp%2fdefault", "/mcp/p/default%00", "/"} {
		if got := send(target, "127.0.0.1:"+port, ""); got != 404 && got != 400 {
			t.Errorf("path %s: %d", target, got)
		}
	}
}

func TestOtherVerbsDoNothing(t *testing.T) {
	r := newVictim(t).running(t)
	k := r.talk(t, "")
	for _, verb := range []string{"PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "post"} {
		q, err := http.NewRequest(verb, r.url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ls"}}`))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Authorization", k.auth)
		q.Header.Set("Mcp-Session-Id", k.id)
		q.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Errorf("%s: %v", verb, err)
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != 405 || resp.Header.Get("Allow") == "" || resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %s", verb, resp.Status)
		}
	}
	for _, bad := range []string{"", "Bearer", "Bearer ", "Bearer " + r.token + "x", "Bearer " + r.token[:len(r.token)-1], "bearer  x", "Basic " + r.token, r.token, "Bearer " + strings.ToLower(r.token)} {
		other := *k
		other.auth = bad
		if got := other.ask("tools/list", "{}"); !strings.Contains(got, "unauthorized") {
			t.Errorf("authorization %q: %.100s", bad, got)
		}
	}
}

// crashing is an MCP server in a shell's words that ends when its tool is called for the first time, and says how often it was started.
const crashing = `#!/bin/sh
echo start >> starts
while read -r line; do
  id=$(expr "$line" : '.*"id":\([0-9]*\)')
  case "$line" in
  *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"c","version":"1"}}}' ;;
  *tools/list*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"act","inputSchema":{"type":"object"}}]}}' ;;
  *tools/call*) echo call >> calls; [ $(grep -c . calls) = 1 ] && { echo 'out of luck' >&2; exit 3; }
    echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"acted"}]}}' ;;
  *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no"}}' ;;
  esac
done
`

// mcp-042, as a client sees it: a clear error, a restart, nothing replayed.
func TestAnUpstreamThatCrashesInMidCallIsStartedAgain(t *testing.T) {
	if _, err := exec.LookPath("expr"); err != nil {
		t.Skip("no expr: the server is a shell script")
	}
	v := newVictim(t).put("server.sh", crashing).put("starts", "").put("calls", "")
	v = v.put(userConfig, `{"mcp_servers":{"c":{"command":"sh","args":["`+v.repo+`/server.sh"],"trust":true,"start_timeout":"120s"}}}`)
	r := v.running(t)
	k := r.talk(t, "")
	waitFor(t, "the tool", func() bool { return strings.Contains(k.ask("tools/list", "{}"), "mcp__c__act") })
	got := k.call("mcp__c__act", map[string]any{})
	if !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "exit status 3; it said: out of luck") || !strings.Contains(got, "was not sent again") {
		t.Errorf("the call that it died of: %s", got)
	}
	if got := k.call("mcp__c__act", map[string]any{}); !strings.Contains(got, "acted") {
		t.Errorf("the next call: %s", got)
	}
	if got := k.call("read", map[string]any{"file_path": "calls"}); strings.Count(got, "|call") != 2 {
		t.Errorf("calls that the server saw: %s", got)
	}
}

// A list that is remembered stands at once, for a server that is not started, beside one that is dead and one that is mute.
func TestARememberedListStartsNoServer(t *testing.T) {
	if _, err := exec.LookPath("expr"); err != nil {
		t.Skip("no expr: the server is a shell script")
	}
	v := newVictim(t).put("server.sh", crashing).put("starts", "").put("calls", "call\n")
	config := func(more string) {
		v.put(userConfig, `{"mcp_servers":{"c":{"command":"sh","args":["`+v.repo+`/server.sh"],"trust":true,"start_timeout":"120s"}`+more+`}}`)
	}
	config("")
	first := v.running(t)
	k := first.talk(t, "")
	waitFor(t, "the tool", func() bool { return strings.Contains(k.ask("tools/list", "{}"), "mcp__c__act") })
	first.stop()
	v.put("starts", "")
	config(`,"dead":{"command":"false"},"mute":{"command":"sleep","args":["1000"]}`)
	k = v.running(t).talk(t, "")
	if list := k.ask("tools/list", "{}"); !strings.Contains(list, "mcp__c__act") {
		t.Errorf("the list is not remembered: %.200s", list)
	}
	if got := k.call("read", map[string]any{"file_path": "starts"}); strings.Contains(got, "|start") {
		t.Errorf("a server was started for its list: %s", got)
	}
	if got := k.call("mcp__c__act", map[string]any{}); !strings.Contains(got, "acted") {
		t.Errorf("the call: %s", got)
	}
	if got := k.call("read", map[string]any{"file_path": "starts"}); strings.Count(got, "|start") != 1 {
		t.Errorf("starts: %s", got)
	}
}
