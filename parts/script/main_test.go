package script_test

import (
	"os"
	"testing"

	"helve/engine/sandbox"
	"helve/script/interpreter"
)

// TestMain lets the program be its own sandbox launcher and its own interpreter.
func TestMain(m *testing.M) {
	sandbox.Init()
	interpreter.Init()
	os.Exit(m.Run())
}
