package app

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"helve/internal/testing/shserver"
)

// lister is an MCP server that writes down that it was started.
const lister = `#!/bin/sh
echo started >>"$1"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  case $line in
  *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}';;
  *'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"plain","inputSchema":{"type":"object"}}]}}';;
  *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no such method"}}';;
  esac
done
`

// One conversation has one process of a server that was never listed before, although its client can be asked: none is
// started to list it for nobody.
func TestAConversationHasOneProcessOfAServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the server is a script of sh")
	}
	v := newVictim(t)
	script, log := filepath.Join(v.home, "lister"), filepath.Join(v.home, "log")
	if err := os.WriteFile(script, []byte(lister), 0o755); err != nil {
		t.Fatal(err)
	}
	v.put(userConfig, `{"mcp_servers":{"x":{"command":"/bin/sh","args":[`+shserver.Quoted(script)+`,`+shserver.Quoted(log)+`],"sandbox":"off"}}}`)
	k := v.headless(t, "anybody", `{"action":"cancel"}`)
	if list := string(k.request("tools/list", `{}`)); !strings.Contains(list, "x__plain") {
		t.Fatalf("the server is not listed: %.300s", list)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), "started"); n != 1 {
		t.Errorf("%d processes of one server for one conversation", n)
	}
}
