package command

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Line is one command line while it is read. The parser alone writes to it, before the command runs; the command
// gets copies of what it takes.
type Line struct {
	Env   Environment
	Flags Flags
	Only  string   // the command that is meant, whose siblings are not made; "": all are
	Args  []string // the words as they came
}

// Flags are those that every command takes.
type Flags struct {
	Common
	quiet    bool
	logLevel logLevel
}

// Common are the flags that say which workspace a command opens, and under which settings.
type Common struct {
	Dir      string   // "": $PROJECT_ROOT, else the working directory
	more     []string // further folders that the tools work in
	Mode     string   // plan, ask, review or auto; "": the configuration's
	tools    given    // a JSON object: the highest layer of the configuration
	disabled given    // names with commas between them
	Config   string   // the user's file; "": the usual one
	profile  string   // "": the configuration's
	trust    bool     // the workspace's configuration counts as trusted, for this run
	home     bool     // tools may change a workspace that is the home, or holds helve's own files
	strict   bool     // names that mean no tool are errors
	forget   bool     // what calls change is not remembered
}

// Trusts tells that what the workspace says counts as trusted, for this run.
func (c Common) Trusts() bool { return c.trust }

// given is a text flag that knows whether it was given: an empty value of one that was is a mistake to report.
type given struct {
	text string
	set  bool
	kind string // what the help calls the value
}

// Set, String and Type are what the parser wants of a flag.
func (g *given) Set(s string) error { g.text, g.set = s, true; return nil }

func (g *given) String() string { return g.text }

func (g *given) Type() string { return g.kind }

// Streams are those of the command that was read.
func (c *Line) Streams() Streams {
	return Streams{Environment: c.Env, Quiet: c.Flags.quiet, level: c.Flags.logLevel}
}

// CommonFlags declares what every command takes.
func CommonFlags(f *pflag.FlagSet, to *Flags) {
	to.tools.kind, to.disabled.kind = "<json>", "<names>"
	to.logLevel = "warn"

	f.StringVar(&to.Mode, "mode", "",
		"how free the agent is: plan, ask, review or auto (default: the configuration's, else ask)")
	f.Var(&to.tools, "tools",
		"Tools configuration (JSON object with tool names as keys and boolean values)")
	f.Var(&to.disabled, "disabled-tools",
		"tools that are off, whatever else says so: a,b")
	f.StringArrayVar(&to.more, "add-dir", nil,
		"a further folder that the tools work in; may be given several times")
	f.StringVar(&to.Config, "config", "",
		"the user's configuration file, instead of the usual one")
	f.StringVar(&to.profile, "profile", "",
		"the set of tools: default, codebase-index, small or a name of clients")
	f.BoolVar(&to.trust, "trust", false,
		"trust this workspace's configuration for this run")
	f.BoolVar(&to.home, "allow-home", false,
		"let tools change a workspace that is the home folder, /, or holds helve's own files")
	f.BoolVar(&to.strict, "strict", false,
		"take names of tools that do not exist for errors")
	f.BoolVar(&to.forget, "no-history", false,
		"do not remember what calls change: it cannot be undone")
	f.BoolVar(&to.quiet, "quiet", false,
		"say nothing that is no error")
	f.Var(&to.logLevel, "log-level",
		"debug, info, warn or error")
}

// JSONFlag is for commands that print data.
func JSONFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "json", false, "print JSON")
}
