package app

import (
	"github.com/spf13/cobra"

	"helve/cmd/internal/acp"
	"helve/cmd/internal/command"
	"helve/cmd/internal/configure"
	"helve/cmd/internal/conversations"
	"helve/cmd/internal/doctor"
	"helve/cmd/internal/drafts"
	"helve/cmd/internal/exec"
	"helve/cmd/internal/history"
	"helve/cmd/internal/hook"
	"helve/cmd/internal/initialize"
	"helve/cmd/internal/mcp"
	"helve/cmd/internal/models"
	"helve/cmd/internal/replay"
	"helve/cmd/internal/review"
	"helve/cmd/internal/rules"
	"helve/cmd/internal/run"
	"helve/cmd/internal/search"
	"helve/cmd/internal/serve"
	"helve/cmd/internal/tools"
	"helve/cmd/internal/upgrade"
	"helve/internal/workspace"
	"helve/policy"
)

const long = `helve is the tool system of AI coding agents: read, edit, search and run in a workspace,
under one policy, the same from Go, from an MCP client and from this command line.`

// rootCommand makes all commands, or the only one that is meant: most of what a start takes would go into the others.
// They are made for one command line each, since their flags are.
func rootCommand(c *command.Line) *cobra.Command {
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
	root.SetIn(c.Env.Stdin)
	root.SetOut(c.Env.Stdout)
	root.SetErr(c.Env.Stderr)
	root.SetFlagErrorFunc(command.WrongFlag)
	root.TraverseChildren = true
	command.CommonFlags(root.PersistentFlags(), &c.Flags)
	for _, group := range commandGroups() {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, named := range group.commands {
			if c.Only != "" && named.name != c.Only {
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
		dirFlag(cmd, &c.Flags.Dir)
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
	make func(*command.Line) *cobra.Command
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
			{"list", tools.ListCommand},
			{"describe", tools.DescribeCommand},
			{"call", tools.CallCommand},
			{"exec", exec.Command},
			{"script", tools.ScriptCommand},
			{"grep", search.GrepCommand},
			{"glob", search.GlobCommand},
			{"index", search.IndexCommand},
		}},
		{"Give them to an agent", []namedCommand{
			{"init", initialize.Command},
			{"setup", initialize.SetupCommand},
			{"serve", serve.Command},
			{"hook", hook.Command},
			{"run", run.Command},
			{"acp", acp.Command},
			{"conversations", conversations.Command},
			{"replay", replay.Command},
			{"models", models.Command},
			{"worker", serve.WorkerCommand},
			{"nodes", serve.NodesCommand},
			{"declare", tools.DeclareCommand},
			{"tokens", tools.TokensCommand},
		}},
		{"Bring tools from elsewhere", []namedCommand{
			{"mcp", mcp.Command},
			{"discover", tools.DiscoverCommand},
		}},
		{"Say what is allowed", []namedCommand{
			{"allow", rules.Write("allow", "Allow calls without a question")},
			{"ask", rules.Write("ask", "Have calls asked about")},
			{"deny", rules.Write("deny", "Refuse calls")},
			{"rules", rules.Command},
			{"config", configure.ConfigCommand},
			{"why", tools.WhyCommand},
			{"trust", configure.TrustCommand},
			{"approvals", configure.ApprovalsCommand},
		}},
		{"See and undo what happened", []namedCommand{
			{"review", func(c *command.Line) *cobra.Command { return review.Command(c, drafts.ForReview) }},
			{"draft", drafts.Command},
			{"history", history.Command},
			{"diff", history.DiffCommand},
			{"undo", history.UndoCommand},
			{"redo", history.RedoCommand},
			{"audit", history.AuditCommand},
			{"stats", history.StatsCommand},
			{"console", serve.ConsoleCommand},
		}},
		{aboutHelve, []namedCommand{
			{"doctor", doctor.Command},
			{"version", versionCommand},
			{"upgrade", upgrade.Command},
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

// completeCommon completes the flags that every command takes.
func completeCommon(root *cobra.Command, c *command.Line) {
	var modes []string
	for _, m := range policy.Modes() {
		modes = append(modes, m.String()+"\t"+m.Summary())
	}
	command.CompleteFlag(root, "mode", modes...)
	command.CompleteFlag(root, "log-level", "debug", "info", "warn", "error")
	command.CompleteBy(root, "profile", command.InWorkspace(c, func(ws *workspace.Assembly) []string {
		return append([]string{"default", "codebase-index", "small"}, ws.Profiles()...)
	}))
}
