// Package scripttest is what the scripts of several commands share: a home of their own and the exit status by number.
package scripttest

import (
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// Home gives a script folders of its own: nothing of a person's is read or written.
func Home(e *testscript.Env) {
	home := e.WorkDir + "/.home"
	e.Setenv("HOME", home)
	e.Setenv("XDG_CONFIG_HOME", home+"/config")
	e.Setenv("XDG_STATE_HOME", home+"/state")
	e.Setenv("XDG_CACHE_HOME", home+"/cache")
	e.Setenv("NO_COLOR", "1")
}

// Status is the command status N COMMAND…: the command ends with this exit status.
func Status(ts *testscript.TestScript, neg bool, args []string) {
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
