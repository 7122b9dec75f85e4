// Package app is the command line: its commands, their flags, and what they print. A command is a function of the
// streams that it reads and writes and of its options, which the parser fills in from the flags. What the commands do
// is done by package helve; this package alone knows the terminal.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"helve/agent"
	"helve/internal/config"
	"helve/internal/workspace"
	"helve/tool"
)

// Exit statuses. Scripts rely on them.
const (
	exitOK          = 0
	exitFailed      = 1 // the tool failed, or its arguments were wrong
	exitUsage       = 2 // usage or configuration
	exitRefused     = 3 // by policy, mode or person
	exitUnknown     = 4 // no such tool, or switched off
	exitTimedOut    = 5
	exitInterrupted = 130 // 128 and the number of SIGINT, as shells have it
)

// An Environment is what a run sees of the world: tests bring their own.
type Environment struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string // as os.Environ
	Dir            string   // the working directory
	Managed        string   // the administrator's folder; "" means the system's

	// Models makes the model of a run, Telemetry what sends spans and metrics to a collector, and Bus joins gateways
	// and workers. The program brings them: their libraries stay out of this package's tests, which leave nil what
	// their command lines do not ask for.
	Models    func(context.Context, ModelRequest) (agent.Model, error)
	Telemetry func(context.Context, TelemetryRequest) (*Telemetry, error)
	Bus       Bus

	// Options changes how each workspace is opened whose tools are called; nil: nothing.
	Options func(*workspace.Options)
}

// System is the process's own environment.
func System() Environment {
	dir, _ := os.Getwd() // "" fails with a clear error where the workspace is opened
	return Environment{
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Environ: os.Environ(),
		Dir:     dir,
	}
}

// getenv is one variable; the last of several counts.
func (e Environment) getenv(name string) string {
	for _, kv := range slices.Backward(e.Environ) {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			return v
		}
	}
	return ""
}

// Main runs one command line and returns its exit status. When ctx is done the command has its time to end: what does
// not answer then is left behind, and named.
func Main(ctx context.Context, args []string, env Environment) int {
	root := rootCommand(&cli{env: env, only: onlyOf(args)})
	root.SetArgs(args)
	s := streams{Environment: env}
	ctx, end := withEnding(ctx)
	done := make(chan error, 1)
	go func() { done <- execute(ctx, root) }()
	err := end.wait(ctx, done)
	if !errors.Is(err, errLate) {
		return status(ctx, s, err)
	}
	if open := end.notClosed(); open != "" {
		s.say("not closed in order: %s", open)
	}
	s.say("interrupted")
	return exitInterrupted
}

// An exitError ends the program with a status of its own. A nil err says that everything was said already.
type exitError struct {
	status int
	err    error
}

// Error is that of what happened; one without is never printed.
func (e *exitError) Error() string { return fmt.Sprint(e.err) }
func (e *exitError) Unwrap() error { return e.err }

// usage is the error of a command line or a configuration that cannot be meant so.
func usage(format string, args ...any) error {
	return misused(fmt.Errorf(format, args...))
}

// misused makes an error one of usage.
func misused(err error) error { return &exitError{exitUsage, err} }

// failed is the error of a command that was asked well and could not do it.
func failed(err error) error { return &exitError{exitFailed, err} }

// status turns what a command returned into an exit status, and says what is to say.
func status(ctx context.Context, s streams, err error) int {
	var exit *exitError
	var tools *config.ToolsError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &tools): // three lines of their own, which other programs look for
		fmt.Fprintln(s.Stderr, printable(tools.Error()))
		return exitUsage
	case errors.As(err, &exit):
		if exit.err != nil {
			s.say("%v", exit.err)
		}
		return exit.status
	case ctx.Err() != nil:
		s.say("interrupted")
		return exitInterrupted
	}
	s.say("%v", err)
	return exitUsage
}

// statusOf is the exit status of a call that ended so; nil is success.
func statusOf(e *tool.Error) int {
	if e == nil {
		return exitOK
	}
	switch e.Code {
	case tool.Permission:
		return exitRefused
	case tool.UnknownTool:
		return exitUnknown
	case tool.TimedOut:
		return exitTimedOut
	case tool.Cancelled:
		return exitInterrupted
	}
	return exitFailed
}
