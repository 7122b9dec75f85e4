package workspace_test

import (
	"os"
	"testing"

	"helve/engine/sandbox"
	"helve/internal/testing/leaktest"
)

// TestMain lets sandboxes launch this program, is an MCP server where a test wants one, and looks for goroutines that no test may
// leave behind.
func TestMain(m *testing.M) {
	if file := os.Getenv(LateServer); file != "" {
		ServeLate(file)
		return
	}
	sandbox.Init()
	leaktest.Main(m)
}
