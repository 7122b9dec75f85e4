package helve_test

import (
	"os"
	"testing"

	"helve"
	"helve/engine/sandbox"
	"helve/internal/testing/leaktest"
)

// TestMain lets sandboxes launch this program, is an MCP server where a test wants one, and looks for goroutines that no test may
// leave behind.
func TestMain(m *testing.M) {
	if file := os.Getenv(helve.LateServer); file != "" {
		helve.ServeLate(file)
		return
	}
	sandbox.Init()
	leaktest.Main(m)
}
