// Package app is the command line: its commands, their flags, and what they print. A command is a function of the
// streams that it reads and writes and of its options, which the parser fills in from the flags. What the commands do
// is done by package helve; this package alone knows the terminal.
package app

import (
	"context"
	"errors"
	"os"

	"helve/cmd/internal/command"
)

// System is the process's own environment.
func System() command.Environment {
	dir, _ := os.Getwd() // "" fails with a clear error where the workspace is opened
	return command.Environment{
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Environ: os.Environ(),
		Dir:     dir,
	}
}

// Main runs one command line and returns its exit status. When ctx is done the command has its time to end: what does
// not answer then is left behind, and named.
func Main(ctx context.Context, args []string, env command.Environment) int {
	root := rootCommand(&command.Line{Env: env, Only: onlyOf(args), Args: args})
	root.SetArgs(helpOfCommand(root, args))
	s := command.Streams{Environment: env}
	ctx, end := command.WithEnding(ctx)
	done := make(chan error, 1)
	go func() { done <- execute(ctx, root) }()
	err := end.Wait(ctx, done)
	if !errors.Is(err, command.ErrLate) {
		return command.Status(ctx, s, err)
	}
	if open := end.NotClosed(); open != "" {
		s.Say("not closed in order: %s", open)
	}
	s.Say("interrupted")
	return command.ExitInterrupted
}
