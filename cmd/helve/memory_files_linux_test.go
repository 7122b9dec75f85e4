package main

import (
	"strings"
	"testing"

	"helve/internal/testing/wiretest"
)

// A person sees what would instruct the model before it does, and later what changed.
func TestFilesThatInstructTheModelAreOneQuestion(t *testing.T) {
	done := wiretest.Turn{Text: "Done."}
	d := newRunDesk(t, done, done, done)
	d.write("AGENTS.md", "Indent by tabs.\n")
	d.write("CLAUDE.md", "never read\n")
	told := func(n int, text string) {
		t.Helper()
		if asked := d.srv.Requests(); len(asked) != n || !strings.Contains(asked[n-1], text) {
			t.Errorf("of %d requests the last has no %q", len(asked), text)
		}
	}

	x := d.sit(100, nil)
	wants(t, x.See("Have the model read them?"), "AGENTS.md, 16 bytes", "> No")
	x.Press("v")
	wants(t, x.See("Indent by tabs."), "--- AGENTS.md ---")
	x.Press("q")
	x.See("Have the model read them?")
	x.Press("y")
	if code := x.Ended(); code != 0 {
		t.Errorf("status %d\n%s", code, x.Screen())
	}
	wants(t, x.Screen(), "the model is told what stands in AGENTS.md (16 bytes)", "Done.")
	told(1, "Indent by tabs.")

	d.write("AGENTS.md", "Indent by spaces.\n")
	x = d.sit(100, nil)
	wants(t, x.See("as they stand now?"), "-Indent by tabs.", "+Indent by spaces.", "What changed in the files")
	x.Press("n")
	if code := x.Ended(); code != 0 {
		t.Errorf("status %d\n%s", code, x.Screen())
	}
	told(2, "Indent by tabs.")

	x = d.sit(100, nil)
	x.See("as they stand now?")
	x.Press("y")
	if code := x.Ended(); code != 0 {
		t.Errorf("status %d\n%s", code, x.Screen())
	}
	told(3, "Indent by spaces.")
}
