package main

import (
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"helve/sandbox"
)

// The scripts in testdata are the product's specification: each shows one thing that a user can rely on. The commands helve and
// cmdstatus run the test binary itself.
func TestMain(m *testing.M) {
	sandbox.Init()
	testscript.Main(m, map[string]func(){"helve": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			home := e.WorkDir + "/.home" // nothing of a person's own is read or written
			e.Setenv("HOME", home)
			e.Setenv("XDG_CONFIG_HOME", home+"/config")
			e.Setenv("XDG_STATE_HOME", home+"/state")
			e.Setenv("XDG_CACHE_HOME", home+"/cache")
			e.Setenv("NO_COLOR", "1")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status},
	})
}

// status N COMMAND…: the command ends with this exit status.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [arg …]")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if args[0] != strconv.Itoa(code) {
		ts.Fatalf("exit status %d, want %s", code, args[0])
	}
}
