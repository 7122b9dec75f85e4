// Package app is where the shelves meet: configuration, registry, kit, and the commands of the program. It alone knows the terminal.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"helve/tool"
)

// Exit statuses (cli.md). Scripts rely on them.
const (
	exitOK          = 0
	exitFailed      = 1 // the tool failed, or its arguments were wrong
	exitUsage       = 2 // usage or configuration
	exitRefused     = 3 // by policy, mode or person
	exitUnknown     = 4 // no such tool, or switched off
	exitTimedOut    = 5
	exitInterrupted = 130
)

// An Environment is what a run sees of the world: tests bring their own.
type Environment struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Dir            string // the working directory
}

// System is the process's own environment.
func System() Environment {
	dir, _ := os.Getwd() // "" fails with a clear error where the workspace is opened
	return Environment{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Dir: dir}
}

// Main runs one command line and returns its exit status.
func Main(ctx context.Context, args []string, env Environment) int {
	a := &app{env: env}
	root := a.root()
	root.SetArgs(args)
	return a.status(ctx, root.ExecuteContext(ctx))
}

type app struct {
	env   Environment
	flags flags
}

// flags are those that every command takes.
type flags struct {
	dir  string
	mode string
	json bool
}

// An exitError ends the program with a status of its own. A nil err says that everything was said already.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string { return fmt.Sprint(e.err) }
func (e *exitError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// status turns what a command returned into an exit status, and says what is to say.
func (a *app) status(ctx context.Context, err error) int {
	var e *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		if e.err != nil {
			a.say("%v", e.err)
		}
		return e.status
	case ctx.Err() != nil:
		a.say("interrupted")
		return exitInterrupted
	}
	a.say("%v", err)
	return exitUsage
}

// say writes talk, a line at a time, to stderr.
func (a *app) say(format string, args ...any) {
	for line := range strings.Lines(fmt.Sprintf(format, args...)) {
		fmt.Fprintf(a.env.Stderr, "helve: %s\n", strings.TrimSuffix(line, "\n"))
	}
}

func statusOf(e *tool.Error) int {
	switch {
	case e == nil:
		return exitOK
	case e.Code == tool.Permission:
		return exitRefused
	case e.Code == tool.UnknownTool:
		return exitUnknown
	case e.Code == tool.TimedOut:
		return exitTimedOut
	case e.Code == tool.Cancelled:
		return exitInterrupted
	}
	return exitFailed
}

const long = `helve is the tool system of AI coding agents: read, edit, search and run in a workspace,
under one policy, the same from Go, from an MCP client and from this command line.`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "helve",
		Short:         "The tool system of AI coding agents",
		Long:          long,
		SilenceErrors: true, SilenceUsage: true,
		SuggestionsMinimumDistance: 2,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.env.Stdin)
	root.SetOut(a.env.Stdout)
	root.SetErr(a.env.Stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%v\nhint: %s --help", err, cmd.CommandPath())
	})
	f := root.PersistentFlags()
	f.StringVarP(&a.flags.dir, "dir", "C", "", "the workspace (default: $PROJECT_ROOT, else the working directory)")
	f.StringVar(&a.flags.mode, "mode", "ask", "how free the agent is: plan, ask or auto")
	root.AddCommand(a.listCommand(), a.describeCommand(), a.callCommand(), a.declareCommand(), a.versionCommand(), a.manCommand())
	return root
}

func unknownCommand(cmd *cobra.Command, name string) error {
	err := fmt.Sprintf("unknown command %q", name)
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		return usage("%s\nhint: did you mean %s?", err, strings.Join(near, ", "))
	}
	return usage("%s\nhint: helve --help", err)
}

// jsonFlag is for commands that print data.
func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.flags.json, "json", false, "print JSON")
}
