package app

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A cli is one command line while it is read. The parser alone writes to it, before the command runs; the command
// gets copies of what it takes.
type cli struct {
	env   Environment
	flags flags
	only  string // the command that is meant, whose siblings are not made; "": all are
}

// flags are those that every command takes.
type flags struct {
	common
	quiet    bool
	logLevel logLevel
}

// common are the flags that say which workspace a command opens, and under which settings.
type common struct {
	dir      string   // "": $PROJECT_ROOT, else the working directory
	more     []string // further folders that the tools work in
	mode     string   // plan, ask, review or auto; "": the configuration's
	tools    given    // a JSON object: the highest layer of the configuration
	disabled given    // names with commas between them
	config   string   // the user's file; "": the usual one
	profile  string   // "": the configuration's
	trust    bool     // the workspace's configuration counts as trusted, for this run
	home     bool     // tools may change a workspace that is the home, or holds helve's own files
	strict   bool     // names that mean no tool are errors
	forget   bool     // what calls change is not remembered
}

// given is a text flag that knows whether it was given: an empty value of one that was is a mistake to report.
type given struct {
	text string
	set  bool
	kind string // what the help calls the value
}

// Set, String and Type are what the parser wants of a flag.
func (g *given) Set(s string) error { g.text, g.set = s, true; return nil }
func (g *given) String() string     { return g.text }
func (g *given) Type() string       { return g.kind }

// streams are those of the command that was read.
func (c *cli) streams() streams {
	return streams{Environment: c.env, quiet: c.flags.quiet, level: c.flags.logLevel}
}

const long = `helve is the tool system of AI coding agents: read, edit, search and run in a workspace,
under one policy, the same from Go, from an MCP client and from this command line.`

// rootCommand makes all commands, or the only one that is meant: most of what a start takes would go into the others.
// They are made for one command line each, since their flags are.
func rootCommand(c *cli) *cobra.Command {
	root := &cobra.Command{
		Use:   "helve",
		Short: "The tool system of AI coding agents",
		Long:  long,
		Example: `  helve list                          what an agent could use here
  helve call bash ls                  call a tool as an agent would
  helve grep TODO -t go
  helve why bash git push             who decides about a call
  helve config set tools.write false
  helve init                          set up the MCP clients of this machine`,
		SilenceErrors: true, // status says them, in our words
		SilenceUsage:  true,
	}
	root.SetIn(c.env.Stdin)
	root.SetOut(c.env.Stdout)
	root.SetErr(c.env.Stderr)
	root.SetFlagErrorFunc(wrongFlag)
	root.TraverseChildren = true
	commonFlags(root.PersistentFlags(), &c.flags)
	for _, group := range commandGroups() {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, named := range group.commands {
			if c.only != "" && named.name != c.only {
				continue
			}
			cmd := named.make(c)
			cmd.GroupID = group.title
			root.AddCommand(cmd)
		}
	}
	root.SetCompletionCommandGroupID(aboutHelve)
	completeCommon(root, c)
	versionFlag(root, c)
	groupsRefuse(root)
	refuseMistakes(root)
	for _, cmd := range append(leaves(root), root) {
		dirFlag(cmd, &c.flags.dir)
	}
	return root
}

// aboutHelve is the group of the commands that cobra adds, too.
const aboutHelve = "About helve"

// A commandGroup is what stands together in the help.
type commandGroup struct {
	title    string
	commands []namedCommand
}

// A namedCommand is a command that can be made.
type namedCommand struct {
	name string
	make func(*cli) *cobra.Command
}

// onlyOf is the command that a command line means; "": it may be any, or speaks of all of them. Only a name that stands
// first is believed: behind a flag it may be a value.
func onlyOf(args []string) string {
	if len(args) == 0 || args[0] == "man" {
		return ""
	}
	for _, group := range commandGroups() {
		for _, named := range group.commands {
			if named.name == args[0] {
				return named.name
			}
		}
	}
	return ""
}

// commandGroups are the commands, in the order in which a newcomer needs them.
func commandGroups() []commandGroup {
	return []commandGroup{
		{"Use the tools", []namedCommand{
			{"list", listCommand},
			{"describe", describeCommand},
			{"call", callCommand},
			{"exec", execCommand},
			{"script", scriptCommand},
			{"grep", grepCommand},
			{"glob", globCommand},
			{"index", indexCommand},
		}},
		{"Give them to an agent", []namedCommand{
			{"init", initCommand},
			{"setup", setupCommand},
			{"serve", serveCommand},
			{"hook", hookCommand},
			{"run", runCommand},
			{"worker", workerCommand},
			{"nodes", nodesCommand},
			{"declare", declareCommand},
			{"tokens", tokensCommand},
		}},
		{"Bring tools from elsewhere", []namedCommand{
			{"mcp", mcpCommand},
			{"discover", discoverCommand},
		}},
		{"Say what is allowed", []namedCommand{
			{"config", configCommand},
			{"why", whyCommand},
			{"trust", trustCommand},
			{"approvals", approvalsCommand},
		}},
		{"See and undo what happened", []namedCommand{
			{"history", historyCommand},
			{"diff", diffCommand},
			{"undo", undoCommand},
			{"redo", redoCommand},
			{"audit", auditCommand},
			{"stats", statsCommand},
			{"console", consoleCommand},
		}},
		{aboutHelve, []namedCommand{
			{"doctor", doctorCommand},
			{"version", versionCommand},
			{"man", manCommand},
		}},
	}
}

// leaves are the commands that do something, those below others too.
func leaves(cmd *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, c := range cmd.Commands() {
		if c.Annotations[onlyHolds] == "" {
			out = append(out, c)
		}
		out = append(out, leaves(c)...)
	}
	return out
}

// dirFlag gives a command -C, the workspace; grep's own -C takes both a number of lines and a directory.
func dirFlag(cmd *cobra.Command, dir *string) {
	short := "C"
	if cmd.Flags().ShorthandLookup(short) != nil {
		short = ""
	}
	const help = "the workspace (default: $PROJECT_ROOT, else the working directory)"
	cmd.Flags().StringVarP(dir, "dir", short, *dir, help)
}

// commonFlags declares what every command takes.
func commonFlags(f *pflag.FlagSet, to *flags) {
	to.tools.kind, to.disabled.kind = "<json>", "<names>"
	to.logLevel = "warn"

	f.StringVar(&to.mode, "mode", "",
		"how free the agent is: plan, ask, review or auto (default: the configuration's, else ask)")
	f.Var(&to.tools, "tools",
		"Tools configuration (JSON object with tool names as keys and boolean values)")
	f.Var(&to.disabled, "disabled-tools",
		"tools that are off, whatever else says so: a,b")
	f.StringArrayVar(&to.more, "add-dir", nil,
		"a further folder that the tools work in; may be given several times")
	f.StringVar(&to.config, "config", "",
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

// jsonFlag is for commands that print data.
func jsonFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "json", false, "print JSON")
}
