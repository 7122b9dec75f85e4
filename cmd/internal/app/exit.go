package app

import (
	"context"
	"errors"
	"fmt"

	"helve/internal/config"
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
