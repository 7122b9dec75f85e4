package app

import (
	"encoding/json"
	"strings"
	"testing"

	"helve/internal/testing/shserver"
)

// withShServer configures a server, and returns the function that says what its tool is described as from now on.
func withShServer(t *testing.T, v victim, more string) (describe func(string)) {
	t.Helper()
	server := shserver.New(t)
	v.put(userConfig, server.Config(more))
	return server.Describe
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
