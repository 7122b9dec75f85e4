package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"helve/engine/sandbox"
	"helve/internal/testing/scripttest"
)

// The scripts in testdata are the product's specification: each shows one thing that a user can rely on. The commands
// helve and cmdstatus run the test binary itself.
func TestMain(m *testing.M) {
	sandbox.Init()
	testscript.Main(m, map[string]func(){"helve": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			scripttest.Home(e.WorkDir, e.Setenv)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": scripttest.Status[*testscript.TestScript]},
	})
}
