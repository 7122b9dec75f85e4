//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shServer is an MCP server in a few lines of shell, with one tool that is described as the file "says" says.
const shServer = `#!/bin/sh
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  case $line in
  *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}';;
  *'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"hello","description":"'"$(cat "${0%/*}/says")"'","inputSchema":{"type":"object"}}]}}';;
  *'"method":"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"called"}]}}';;
  *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no such method"}}';;
  esac
done
`

// A definition that is another than the one that was approved is shown as a diff at the terminal, before anything else
// is asked.
func TestAChangedDefinitionIsShownAtTheTerminal(t *testing.T) {
	x := newTerminal(t)
	root := filepath.Dir(x.home)
	says := func(text string) {
		if err := os.WriteFile(filepath.Join(root, "says"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	says("Says hello.")
	if err := os.WriteFile(filepath.Join(root, "server"), []byte(shServer), 0o755); err != nil {
		t.Fatal(err)
	}
	x.silent("config", "set", "-g", "mcp_servers.sh", fmt.Sprintf(`{"command":%q,"trust":true,"start_timeout":"120s"}`, filepath.Join(root, "server")))
	if out, code := x.silent("call", "sh/hello"); code != 0 {
		t.Fatalf("%d: %s", code, out)
	}
	says("Says hello to everybody who reads this.")
	x.silent("mcp", "test", "sh")
	if out, code := x.silent("call", "--yes", "sh/hello"); code != 3 || !strings.Contains(out, "helve mcp approve sh") {
		t.Errorf("with --yes and nobody there: %d: %s", code, out)
	}
	for _, c := range []struct{ keys, ended string }{{"Enter", "ended with 3"}, {"Down Enter", "ended with 0"}} {
		x.start("helve call sh/hello")
		screen := x.see("Yes, from now on")
		for _, want := range []string{"The server sh defines its tool hello in another way", `-  "description": "Says hello."`, `+  "description": "Says hello to everybody`, "Use the new definition?"} {
			if !strings.Contains(screen, want) {
				t.Errorf("no %q in\n%s", want, screen)
			}
		}
		x.press(strings.Fields(c.keys)...)
		x.see(c.ended)
	}
	if out, code := x.silent("call", "sh/hello"); code != 0 || strings.Contains(out, "approved") {
		t.Errorf("asked again: %d: %s", code, out)
	}
}
