package server_test

import (
	"context"
	"runtime/debug"
	"strings"
	"testing"

	"helve/server"
	"helve/tool"
)

// An immediate tool says of itself that its Prepare waits for nothing.
type immediate struct{ tool.Tool }

func (immediate) PreparesAtOnce() {}

// servedHere tells of every call of a tool whether the goroutine that read it ran it.
func servedHere(name string, here chan<- bool) tool.Tool {
	return tool.New(tool.Spec{Name: name, Kind: tool.Read}, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
		here <- strings.Contains(string(debug.Stack()), "(*reading).serve")
		return tool.Textf("ok"), nil
	})
}

func TestOnlyCallsOfImmediateToolsAreServedWhereTheyAreRead(t *testing.T) {
	here := make(chan bool, 1)
	reg := registry(t, immediate{servedHere("at_once", here)}, servedHere("waits", here))
	w := dial(t, server.New(opener(reg, tool.KitOptions{}), server.Options{}))
	w.initialize(`{}`)
	call := func(name string) bool {
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, name)
		w.hear()
		return <-here
	}
	if call("at_once") {
		t.Error("the first call, which opens the workspace, was served where it was read")
	}
	// While the one before is still being finished, the next is handed over.
	const tries = 1000
	any := false
	for i := 0; i < tries && !any; i++ {
		any = call("at_once")
	}
	if !any {
		t.Errorf("none of %d calls of an immediate tool was served where it was read", tries)
	}
	for range 20 {
		if call("waits") {
			t.Fatal("a call of a tool whose Prepare may wait was served where it was read")
		}
	}
}
