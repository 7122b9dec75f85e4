// Package shserver is an MCP server in a few lines of shell, for tests of definitions that change.
package shserver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// script answers what a client asks; its one tool is what the file named by its argument says.
const script = `#!/bin/sh
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  answer() { echo '{"jsonrpc":"2.0","id":'$id',"'"$1"'":'"$2"'}'; }
  case $line in
  *'"method":"initialize"'*) answer result '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},
    "serverInfo":{"name":"sh","version":"1"}}' | tr -d '\n'; echo;;
  *'"method":"tools/list"'*) answer result '{"tools":['"$(cat "$1")"']}';;
  *'"method":"tools/call"'*) answer result '{"content":[{"type":"text","text":"called"}]}';;
  *'"id"'*) answer error '{"code":-32601,"message":"no such method"}';;
  esac
done
`

// A Server is one on disk, which a client starts. Its tool is called hello.
type Server struct {
	t          testing.TB
	path, defs string
}

// New writes a server whose tool "Says hello."
func New(t testing.TB) *Server {
	t.Helper()
	dir := t.TempDir()
	s := &Server{t: t, path: filepath.Join(dir, "server"), defs: filepath.Join(dir, "defs.json")}
	if err := os.WriteFile(s.path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	s.Describe("Says hello.")
	return s
}

// Configured writes a server and, by a test's own put, the configuration file that has it under the name sh; more is
// that of [Server.Config]. What comes back says what its tool is described as from now on.
func Configured[P any](t testing.TB, put func(file, text string) P, file, more string) (describe func(string)) {
	t.Helper()
	s := New(t)
	put(file, s.Config(more))
	return s.Describe
}

// Quoted is a text as JSON has it, for configurations that tests write.
func Quoted(s string) string {
	b, _ := json.Marshal(s) // a text can be written
	return string(b)
}

// Describe sets what the tool is described as from its next listing on.
func (s *Server) Describe(text string) {
	s.t.Helper()
	s.write(map[string]any{
		"name":        "hello",
		"description": text,
		"inputSchema": map[string]string{"type": "object"},
	})
}

func (s *Server) write(definition any) {
	s.t.Helper()
	b, err := json.Marshal(definition)
	if err == nil {
		err = os.WriteFile(s.defs, b, 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// Config is a configuration with the server under the name sh, trusted. more is added to its entry and begins with a
// comma: `,"pin":false`.
func (s *Server) Config(more string) string {
	s.t.Helper()
	command, err := json.Marshal(s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	args, err := json.Marshal([]string{s.defs})
	if err != nil {
		s.t.Fatal(err)
	}
	// A machine that is busy with other tests starts a shell late.
	return `{"mcp_servers":{"sh":{"command":` + string(command) + `,"args":` + string(args) +
		`,"trust":true,"start_timeout":"120s"` + more + `}}}`
}
