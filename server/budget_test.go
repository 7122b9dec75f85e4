package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"helve/internal/tokens"
	"helve/tool"
)

func TestTheMetaToolsCostFewTokens(t *testing.T) {
	n := 0
	for _, m := range metaTools() {
		n += tokens.Count(string(m.definition()))
	}
	if n > 600 {
		t.Errorf("%d tokens, at most 600 are allowed", n)
	}
	t.Logf("%d tokens", n)
}

// Fifty-seven tools of four servers, each with a description and parameters as real ones have them, cost what three tools cost.
func TestManyToolsOfServersCostFewTokensDeferred(t *testing.T) {
	reg := &tool.Registry{}
	about := strings.Repeat("Does one thing to one kind of thing, and says what became of it. ", 5)
	whole := 0
	for i := range 57 {
		name := fmt.Sprintf("do_thing_%d", i)
		wire := json.RawMessage(fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Which one"},"deep":{"type":"boolean"}}}}`, name, about))
		whole += tokens.Count(string(wire))
		x, err := tool.Raw(tool.Spec{Name: name, Origin: tool.Origin{Kind: tool.MCP, Server: fmt.Sprint("s", i%4), Name: name}, Wire: wire},
			func(context.Context, *tool.Call, json.RawMessage) (*tool.Result, error) { return nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		if err := reg.Add(x); err != nil {
			t.Fatal(err)
		}
	}
	l := list(reg.Kit(tool.KitOptions{}).View(), ExposeAuto, &ClientProfile{})
	n := tokens.Count(string(joined(l.tools)))
	if !l.deferred || n > 1000 {
		t.Errorf("deferred %v: %d tokens, at most 1000 are allowed", l.deferred, n)
	}
	t.Logf("%d tokens instead of %d", n, whole)
}
