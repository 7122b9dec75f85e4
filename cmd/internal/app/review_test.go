package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shServer is an MCP server in a few lines of shell: its one tool is what the file named by its argument says.
const shServer = `#!/bin/sh
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  case $line in
  *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}';;
  *'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":['"$(cat "$1")"']}}';;
  *'"method":"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"called"}]}}';;
  *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no such method"}}';;
  esac
done
`

// withShServer configures that server, and returns the function that says what its tool is described as from now on.
func withShServer(t *testing.T, v victim, more string) (describe func(string)) {
	t.Helper()
	dir := t.TempDir()
	script, defs := filepath.Join(dir, "server"), filepath.Join(dir, "defs.json")
	if err := os.WriteFile(script, []byte(shServer), 0o755); err != nil {
		t.Fatal(err)
	}
	describe = func(text string) {
		t.Helper()
		b, _ := json.Marshal(map[string]any{"name": "hello", "description": text, "inputSchema": map[string]string{"type": "object"}})
		if err := os.WriteFile(defs, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	describe("Says hello.")
	v.put(userConfig, `{"mcp_servers":{"sh":{"command":`+quoted(script)+`,"args":[`+quoted(defs)+`],"trust":true,"start_timeout":"120s"`+more+`}}}`)
	return describe
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// A server whose descriptions differ at each start can be spared the questions, by the user alone.
func TestPinningCanBeSwitchedOffForOneServer(t *testing.T) {
	v := newVictim(t)
	describe := withShServer(t, v, `,"pin":false`)
	v.run("list")
	describe("Says hello on Saturday.")
	v.run("mcp", "test", "sh") // remembers the new list
	if code, out, errs := v.run("call", "sh/hello"); code != exitOK || !strings.Contains(out, "called") || errs != "" {
		t.Errorf("%d, %q, %q", code, out, errs)
	}
}
