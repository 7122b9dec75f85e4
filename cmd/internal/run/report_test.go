package run

import (
	"fmt"
	"strings"
	"testing"

	"helve/agent"
	"helve/tool"
)

// Who let an agent work reads at its end what takes its changes back, the newest first.
func TestTheEndOfARunNamesWhatTakesItsChangesBack(t *testing.T) {
	r := &reporter{format: jsonFormat}
	for i := range 7 {
		res := tool.Textf("done").WithMeta(map[string]string{"undo": fmt.Sprintf("call%d", i)})
		r.event(agent.Called{Result: res})
		r.event(agent.Called{Result: tool.Textf("read something")})
	}
	if got, want := strings.Join(r.undo, " "), "call0 call1 call2 call3 call4 call5 call6"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	const want = "helve undo call6, helve undo call5, helve undo call4, helve undo call3, helve undo call2" +
		" and 2 more: helve history"
	if got := r.undoLine(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if end := r.endLine(&agent.Outcome{}, nil, false); len(end.Undo) != 7 {
		t.Errorf("the last line has %q", end.Undo)
	}
}
