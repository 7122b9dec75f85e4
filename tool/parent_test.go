package tool_test

import (
	"strings"
	"testing"

	"helve/tool"
)

func TestCallsOnBehalfOfOneHaveOneParent(t *testing.T) {
	script := &tool.Call{ID: "call-7", Name: "run_script"}
	parent := script.AsParent()
	if !strings.HasSuffix(parent, "-call-7") || len(parent) != 8+len("-call-7") {
		t.Errorf("got %q, want eight letters and the ID", parent)
	}
	if again := script.AsParent(); again == parent {
		t.Errorf("two runs of one call have one parent: %q", again)
	}
	inner := &tool.Call{ID: "1", Parent: parent}
	if got := inner.AsParent(); got != parent {
		t.Errorf("a call within it: got %q, want %q", got, parent)
	}
	for _, id := range []string{"", strings.Repeat("x", 1000)} {
		long := &tool.Call{ID: id}
		if got := long.AsParent(); len(got) != 8 {
			t.Errorf("of an ID of %d bytes: got %q, want eight letters", len(id), got)
		}
	}
}
