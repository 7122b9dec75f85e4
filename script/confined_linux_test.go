package script_test

import (
	"testing"

	"helve/engine/sandbox"
	"helve/script"
)

// Scripts are confined wherever commands can be. The other tests skip where they cannot, and would notice nothing.
func TestScriptsAreConfinedWhereCommandsAre(t *testing.T) {
	limits := sandbox.Limits{Processes: 64, OpenFiles: 64, TempBytes: 1 << 20}
	if _, err := sandbox.Reach(t.Context(), sandbox.Options{Level: sandbox.ReadOnly, Limits: limits}); err != nil {
		t.Skip("a sandbox does not work here: ", err)
	}
	if err := script.Confined(t.Context()); err != nil {
		t.Error(err)
	}
}
