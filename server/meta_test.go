package server_test

import (
	"strings"
	"testing"

	"helve/server"
	"helve/tool"
)

// What stands where nobody reads it is refused, or told: also by the tools that stand for those that are not listed.
func TestTheToolsOfADeferredListLoseNoName(t *testing.T) {
	reg := registry(t, say("deploy", tool.Read), say("look", tool.Read))
	w := over(t, reg, tool.KitOptions{}, server.Options{Expose: server.ExposeDeferred})
	for _, c := range []struct{ name, args, want string }{
		{"search_tools", `{"query":"deploy","server":"db"}`, `{"type":"text","text":"[ignored: \"server\" is no parameter of search_tools]"}`},
		{"search_tools", `{"query":"deploy","Limit":"1"}`, `[repaired: limit: given as \"Limit\"; limit: \"1\" read as 1]`},
		{"search_tools", `{"query":"deploy","limitt":1}`, `unknown property; did you mean limit? Known are query, limit and source`},
		{"search_tools", `{"query":"deploy","limit":99}`, `limit: want at most 25, got 99`},
		{"describe_tool", `{"name":"deploy","format":"short"}`, `[ignored: \"format\" is no parameter of describe_tool]`},
		{"call_tool", `{"name":"deploy","arguments":{"text":"x"},"dry_run":true}`, `dry_run: unknown property: known are name and arguments: what is meant for the tool stands in arguments`},
		{"call_tool", `{"name":"deploy","arguments":{"text":"x"},"args":{"text":"y"}}`, `args: unknown property`},
		{"call_tool", `{"name":"deploy","arguments":{"text":"x"},"reason":"why not"}`, `deploy: x`},
		{"call_tool", `{"name":"deploy","text":"x"}`, `deploy: x`},
		{"call_tool", `{"name":"look","arguments":{"text":"x","deep":true}}`, `{"type":"text","text":"[ignored: \"deep\" is no parameter of look]"},{"type":"text","text":"look: x"}`},
	} {
		if got := ask(t, w, c.name, c.args); !strings.Contains(got, c.want) {
			t.Errorf("%s %s:\n got %s\nwant %s", c.name, c.args, got, c.want)
		}
	}
}
