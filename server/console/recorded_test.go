package console

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"helve/tool"
)

// What another process did is shown among the calls, without what is not known of it, and cannot be made again.
func TestCallsOfOtherProcessesAreShown(t *testing.T) {
	h := &Hub{}
	long := strings.Repeat("x", 1000)
	for i := range maxCalls + 3 {
		h.Recorded(Past{
			Time:     time.Unix(int64(i), 0),
			Name:     fmt.Sprintf("tool%d", i),
			Title:    long,
			State:    Failed,
			Error:    "execution_error",
			Verdict:  "ask",
			Why:      "a rule",
			Approver: tool.Approver{Kind: tool.ByConsole, Via: "page"},
			Effects:  make([]tool.Effect, maxEffects+2),
			Took:     5,
			Waited:   7,
		})
	}
	b := h.state()
	if len(b.Calls) != maxCalls || b.Begun != maxCalls+3 {
		t.Fatalf("%d calls of %d", len(b.Calls), b.Begun)
	}
	c := b.Calls[0]
	if c.Name != "tool3" || !c.Elsewhere || c.By != "console (page)" || c.Verdict != "ask" || c.Why != "a rule" || c.Took != 12 || c.More != 2 ||
		len(c.Title) > maxTitle+4 || c.State != Failed {
		t.Errorf("%+v", c)
	}
	if d, ok := h.detail(c.N); !ok || d.Kept || d.Args != "" {
		t.Errorf("%v %+v", ok, d)
	}
	if _, _, err := h.calledWith(c.N); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("%v", err)
	}
	if h.Stop(c.N) {
		t.Error("it was stopped from here")
	}
}
