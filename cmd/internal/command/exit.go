package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"helve/internal/config"
	"helve/tool"
)

// Exit statuses. Scripts rely on them.
const (
	ExitOK          = 0
	ExitFailed      = 1 // the tool failed, or its arguments were wrong
	ExitUsage       = 2 // usage or configuration
	ExitRefused     = 3 // by policy, mode or person
	ExitUnknown     = 4 // no such tool, or switched off
	ExitTimedOut    = 5
	ExitInterrupted = 130 // 128 and the number of SIGINT, as shells have it
)

// An ExitError ends the program with a status of its own. A nil err says that everything was said already.
type ExitError struct {
	Status int
	Err    error
}

// Error is that of what happened; one without is never printed.
func (e *ExitError) Error() string { return fmt.Sprint(e.Err) }

func (e *ExitError) Unwrap() error { return e.Err }

// Usage is the error of a command line or a configuration that cannot be meant so.
func Usage(format string, args ...any) error {
	return Misused(fmt.Errorf(format, args...))
}

// Misused makes an error one of usage.
func Misused(err error) error { return &ExitError{ExitUsage, err} }

// Failed is the error of a command that was asked well and could not do it.
func Failed(err error) error { return &ExitError{ExitFailed, err} }

// Status turns what a command returned into an exit status, and says what is to say.
func Status(ctx context.Context, s Streams, err error) int {
	var exit *ExitError
	var tools *config.ToolsError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &tools): // three lines of their own, which other programs look for
		fmt.Fprintln(s.Stderr, Printable(tools.Error()))
		return ExitUsage
	case errors.As(err, &exit):
		if exit.Err != nil {
			s.Say("%v", exit.Err)
		}
		return exit.Status
	case ctx.Err() != nil:
		s.Say("interrupted")
		return ExitInterrupted
	}
	s.Say("%v", err)
	return ExitUsage
}

// StatusOf is the exit status of a call that ended so; nil is success.
func StatusOf(e *tool.Error) int {
	if e == nil {
		return ExitOK
	}
	switch e.Code {
	case tool.Permission:
		return ExitRefused
	case tool.UnknownTool:
		return ExitUnknown
	case tool.TimedOut:
		return ExitTimedOut
	case tool.Cancelled:
		return ExitInterrupted
	}
	return ExitFailed
}

// Unmarked is what a failure says without its mark: a line of this program begins with the program's name.
func Unmarked(text string) string { return strings.TrimPrefix(text, "Error: ") }
