package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"helve/cmd/internal/app"
	"helve/cmd/internal/replicatest"
	"helve/engine/sandbox"
	"helve/internal/testing/scripttest"
	"helve/script/interpreter"
)

// The scripts in testdata are the product's specification: each shows one thing that a user can rely on. The commands
// helve and cmdstatus run the test binary itself.
func TestMain(m *testing.M) {
	sandbox.Init()
	interpreter.Init()
	if filepath.Base(os.Args[0]) == fullName {
		full()
	}
	testscript.Main(m, map[string]func(){"helve": main, "mcp": replicatest.Talk, "feed": scripttest.Feed})
}

// fullName is the link by which a test starts this program as one that has an interpreter.
const fullName = "helve-full"

// full is the main of helve-full, as far as scripts want it.
func full() {
	ctx, stop := app.Interrupted()
	defer stop()
	env := app.System()
	env.Scripts = true
	os.Exit(app.Main(ctx, os.Args[1:], env))
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			scripttest.Home(e.WorkDir, e.Setenv, e.Defer)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": scripttest.Status[*testscript.TestScript]},
	})
}
