// Package scripttest is what the scripts of several commands share: a home of their own and the
// exit status by number.
package scripttest

import (
	"os"
	"strconv"
)

// Home gives a script that works in a folder folders of its own: nothing of a person's is read or
// written. They go when the script ends.
func Home(work string, setenv func(key, value string), atEnd func(func())) {
	home := work + ".home"                   // beside it: what holds helve's own files can only be read
	atEnd(func() { _ = os.RemoveAll(home) }) // a program that is ending may still write there
	setenv("HOME", home)
	setenv("XDG_CONFIG_HOME", home+"/config")
	setenv("XDG_STATE_HOME", home+"/state")
	setenv("XDG_CACHE_HOME", home+"/cache")
	setenv("NO_COLOR", "1")
}

// A Script is a *testscript.TestScript, as far as commands need it.
type Script interface {
	Exec(command string, args ...string) error
	Fatalf(format string, args ...any)
}

// Status is the command status N COMMAND…: the command ends with this exit status.
func Status[S Script](ts S, neg bool, args []string) {
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
