// Package app is where the shelves meet: configuration, registry, kit, and the commands of the program. It alone knows the terminal.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"helve"
	"helve/agent"
	"helve/builtin"
	"helve/internal/config"
	"helve/source/upstream"
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
	Environ        []string // as os.Environ
	Dir            string   // the working directory
	Managed        string   // the administrator's folder; "" means the system's

	// Models makes the model of a run. nil: this program links no provider's library and hands run over to helve-full.
	Models func(context.Context, ModelRequest) (agent.Model, error)

	// Replace has another program take the place of this process, with these arguments and this environment; it returns only if
	// that failed. nil, for tests and where the system cannot: the other program runs below this one.
	Replace func(path string, argv, environ []string) error
}

// System is the process's own environment.
func System() Environment {
	dir, _ := os.Getwd() // "" fails with a clear error where the workspace is opened
	return Environment{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Environ: os.Environ(),
		Dir:     dir,
		Replace: replacing(),
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

// Main runs one command line and returns its exit status.
func Main(ctx context.Context, args []string, env Environment) int {
	a := &app{env: env, args: args}
	root := a.root()
	root.SetArgs(args)
	return a.status(ctx, execute(ctx, root))
}

type app struct {
	env      Environment
	args     []string // the command line
	flags    flags
	tolerant bool             // a server, which goes on with what it can read
	oneCall  bool             // this process ends after one call
	ws       *helve.Workspace // the one that is open
	names    tool.Names
	told     map[string]bool // sources of which it was said that they bring nothing
	mute     bool            // nothing is said
	login    upstream.Login
	present  bool               // a person at the terminal can be asked
	clients  helve.Clients      // who approves what the clients of a server call
	asking   sync.Mutex         // one question at a time: an answer belongs to the question that was seen
	reads    builtin.Summarizer // answers questions about pages; nil: nobody does
	hush     func()             // before a question: ends what moves on the terminal; nil: nothing does
}

// flags are those that every command takes.
type flags struct {
	dir      string
	mode     string
	tools    given
	disabled given
	config   string
	profile  string
	trust    bool
	strict   bool
	quiet    bool
	logLevel logLevel
	json     bool
}

// given is a text flag that knows whether it was given.
type given struct {
	text string
	set  bool
	kind string
}

func (g *given) Set(s string) error { g.text, g.set = s, true; return nil }
func (g *given) String() string     { return g.text }
func (g *given) Type() string       { return g.kind }

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
	var tools *config.ToolsError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &tools): // the seed's three lines, as they are (R0.8)
		fmt.Fprintln(a.env.Stderr, printable(tools.Error()))
		return exitUsage
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
	if a.mute {
		return
	}
	for line := range strings.Lines(fmt.Sprintf(format, args...)) {
		fmt.Fprintf(a.env.Stderr, "helve: %s\n", strings.TrimSuffix(line, "\n"))
	}
}

// note says what is no error; with --quiet nothing.
func (a *app) note(format string, args ...any) {
	if !a.flags.quiet {
		a.say(format, args...)
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
		Use:   "helve",
		Short: "The tool system of AI coding agents",
		Long:  long,
		Example: `  helve --tools '{"write":false}' list
  helve --tools '{"bash":false,"write":false}' call grep pattern=TODO`,
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetIn(a.env.Stdin)
	root.SetOut(a.env.Stdout)
	root.SetErr(a.env.Stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%v\nhint: %s --help", err, cmd.CommandPath())
	})
	root.TraverseChildren = true
	a.commonFlags(root.PersistentFlags())
	root.AddCommand(
		a.listCommand(),
		a.describeCommand(),
		a.callCommand(),
		a.declareCommand(),
		a.serveCommand(),
		a.runCommand(),
		a.tokensCommand(),
		a.whyCommand(),
		a.configCommand(),
		a.mcpCommand(),
		a.discoverCommand(),
		a.trustCommand(),
		a.approvalsCommand(),
		a.auditCommand(),
		a.statsCommand(),
		a.grepCommand(),
		a.globCommand(),
		a.indexCommand(),
		a.doctorCommand(),
		a.versionCommand(),
		a.manCommand(),
	)
	a.versionFlag(root)
	groupsRefuse(root)
	for _, cmd := range append(leaves(root), root) {
		a.dirFlag(cmd)
	}
	return root
}

// leaves are the commands that do something, those below others too.
func leaves(cmd *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, c := range cmd.Commands() {
		if c.HasSubCommands() {
			out = append(out, leaves(c)...)
			continue
		}
		out = append(out, c)
	}
	return out
}

// dirFlag gives a command -C, the workspace; grep's own -C takes both a number of lines and a directory.
func (a *app) dirFlag(cmd *cobra.Command) {
	short := "C"
	if cmd.Flags().ShorthandLookup(short) != nil {
		short = ""
	}
	cmd.Flags().StringVarP(&a.flags.dir, "dir", short, a.flags.dir, "the workspace (default: $PROJECT_ROOT, else the working directory)")
}

// commonFlags are those that every command takes.
func (a *app) commonFlags(f *pflag.FlagSet) {
	f.StringVar(&a.flags.mode, "mode", "", "how free the agent is: plan, ask or auto (default: the configuration's, else ask)")
	a.flags.tools.kind, a.flags.disabled.kind = "<json>", "<names>"
	f.Var(&a.flags.tools, "tools", "Tools configuration (JSON object with tool names as keys and boolean values)")
	f.Var(&a.flags.disabled, "disabled-tools", "tools that are off, whatever else says so: a,b")
	f.StringVar(&a.flags.config, "config", "", "the user's configuration file, instead of the usual one")
	f.StringVar(&a.flags.profile, "profile", "", "the set of tools: default, codebase-index or a name of clients")
	f.BoolVar(&a.flags.trust, "trust", false, "trust this workspace's configuration for this run")
	f.BoolVar(&a.flags.strict, "strict", false, "take names of tools that do not exist for errors")
	f.BoolVar(&a.flags.quiet, "quiet", false, "say nothing that is no error")
	a.flags.logLevel = "warn"
	f.Var(&a.flags.logLevel, "log-level", "debug, info, warn or error")
}

// jsonFlag is for commands that print data.
func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.flags.json, "json", false, "print JSON")
}
