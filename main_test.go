package helve_test

import (
	"testing"

	"helve"
	"helve/internal/testing/leaktest"
)

// TestMain lets sandboxes launch this program, and looks for goroutines that no test may
// leave behind.
func TestMain(m *testing.M) {
	helve.Init()
	leaktest.Main(m)
}
