package app

import (
	"strings"
	"testing"

	"helve/cmd/internal/command"
	"helve/internal/testing/shserver"
)

// A server whose descriptions differ at each start can be spared the questions, by the user alone.
func TestPinningCanBeSwitchedOffForOneServer(t *testing.T) {
	v := newVictim(t)
	describe := shserver.Configured(t, v.put, userConfig, `,"pin":false`)
	v.run("list")
	describe("Says hello on Saturday.")
	v.run("mcp", "test", "sh") // remembers the new list
	if code, out, errs := v.run("call", "sh/hello"); code != command.ExitOK || !strings.Contains(out, "called") || errs != "" {
		t.Errorf("%d, %q, %q", code, out, errs)
	}
}
