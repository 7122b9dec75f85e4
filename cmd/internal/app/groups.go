package app

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/internal/names"
)

// execute runs the command line. Asking for the help of a command that does not exist is an error, too: cobra would
// print the help of the group and succeed.
func execute(ctx context.Context, root *cobra.Command) error {
	var unknown error
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if rest := cmd.Flags().Args(); cmd.HasSubCommands() && len(rest) > 0 {
			unknown = unknownCommand(cmd, rest[0])
			return
		}
		help(cmd, args)
	})
	err := root.ExecuteContext(ctx)
	return cmp.Or(unknown, err)
}

// helpOfCommand moves a --help that stands before the name of a command behind it: the parser would take the name for the
// flag's value.
func helpOfCommand(root *cobra.Command, args []string) []string {
	at := slices.IndexFunc(args, func(arg string) bool { return arg == "--help" || arg == "-h" })
	if at < 0 {
		return args
	}
	group, _, err := root.Find(args[:at])
	if err != nil {
		return args
	}
	command, rest, err := group.Find(args[at+1:])
	if err != nil || command == group {
		return args
	}
	behind := len(args) - len(rest)
	return slices.Concat(args[:at], args[at+1:behind], args[at:at+1], args[behind:])
}

// groupsRefuse makes every group of commands print its help when it is called alone, and refuse a name that it does
// not have. cobra does that for the root only.
func groupsRefuse(root *cobra.Command) {
	root.SetHelpCommand(helpCommand())
	root.InitDefaultCompletionCmd()
	for _, cmd := range groups(root) {
		cmd.SuggestionsMinimumDistance = 2
		if cmd.RunE != nil {
			continue // it does something of its own, too
		}
		cmd.Annotations = map[string]string{onlyHolds: "yes"}
		cmd.Args = subcommand
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
}

// onlyHolds marks the groups that do nothing by themselves.
const onlyHolds = "helve/group"

// groups are the commands that hold others, the root among them.
func groups(cmd *cobra.Command) []*cobra.Command {
	if !cmd.HasSubCommands() {
		return nil
	}
	out := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		out = append(out, groups(c)...)
	}
	return out
}

// subcommand takes no argument: what reaches a group is the name of a command that it does not have.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownCommand(cmd, args[0])
}

// otherWord is what helve has under another name than other programs; "" for what it has not.
func otherWord(command string) string {
	word := map[string]string{
		"config edit":      "helve config set KEY VALUE",
		"config show":      "helve config list",
		"config ls":        "helve config list",
		"config add":       "helve config set KEY VALUE",
		"config rm":        "helve config unset KEY",
		"config remove":    "helve config unset KEY",
		"config delete":    "helve config unset KEY",
		"config validate":  "helve config check",
		"mcp rm":           "helve mcp remove NAME",
		"mcp delete":       "helve mcp remove NAME",
		"mcp ls":           "helve mcp list",
		"mcp install":      "helve mcp add NAME -- COMMAND",
		"mcp serve":        "helve serve",
		"mcp start":        "helve serve",
		"mcp auth":         "helve mcp login NAME",
		"approvals rm":     "helve approvals revoke ID",
		"approvals remove": "helve approvals revoke ID",
		"approvals ls":     "helve approvals list",
		"sessions":         "helve conversations",
		"login":            "helve mcp login NAME",
		"logout":           "helve mcp logout NAME",
		"auth":             "helve mcp login NAME",
		"chat":             "helve run PROMPT",
		"prompt":           "helve run PROMPT",
		"agent":            "helve run PROMPT",
		"tools":            "helve list",
		"tool":             "helve list",
		"ls":               "helve list",
		"show":             "helve describe TOOL",
		"info":             "helve describe TOOL",
		"search":           "helve grep PATTERN",
		"find":             "helve glob PATTERN, or helve call find NAME",
		"read":             "helve call read FILE",
		"edit":             "helve call edit",
		"write":            "helve call write",
		"bash":             "helve exec -- COMMAND",
		"sh":               "helve exec -- COMMAND",
		"log":              "helve audit",
		"logs":             "helve audit",
		"rollback":         "helve undo",
		"revert":           "helve undo",
		"restore":          "helve undo",
		"status":           "helve doctor",
		"check":            "helve config check, or helve doctor",
		"server":           "helve serve",
		"start":            "helve serve",
		"mcp-server":       "helve serve",
		"install":          "helve init",
		"uninstall":        "helve init --undo",
		"update":           "helve upgrade",
		"untrust":          "helve trust --revoke",
		"settings":         "helve config list",
		"get":              "helve config get KEY",
		"set":              "helve config set KEY VALUE",
		"permissions":      "helve rules, or helve approvals list",
	}[command]
	return cmp.Or(word, furtherWord(command), plainWord(command))
}

// furtherWord is otherWord for what agents and their consoles call so.
func furtherWord(command string) string {
	return map[string]string{
		"policy":      "helve rules, or helve why TOOL",
		"rule":        "helve rules, or helve deny RULE",
		"session":     "helve conversations",
		"resume":      "helve run --resume",
		"model":       "helve models, or helve config set -g model PROVIDER/NAME",
		"key":         "helve mcp login NAME, or a provider's variable such as OPENAI_API_KEY",
		"agents":      "helve run PROMPT",
		"http":        "helve serve --http 127.0.0.1:8080",
		"web":         "helve console",
		"ui":          "helve console",
		"dashboard":   "helve console",
		"stop":        "Ctrl-C where helve serve runs, or helve nodes drain INSTANCE",
		"test":        "helve doctor, or helve mcp test NAME",
		"env":         "helve doctor",
		"sandbox":     "helve doctor",
		"replace":     "helve call edit",
		"rename":      "helve call rename_symbol",
		"checkpoint":  "helve history",
		"checkpoints": "helve history",
		"plugin":      "helve mcp add NAME -- COMMAND",
		"plugins":     "helve mcp add NAME -- COMMAND",
		"mcp restart": "helve mcp test NAME",
	}[command]
}

// plainWord is otherWord for what people type who think of a shell, of rules or of a manual.
func plainWord(command string) string {
	return map[string]string{
		"add":        "helve mcp add NAME -- COMMAND, or helve allow RULE",
		"remove":     "helve mcp remove NAME, or helve rules rm N",
		"delete":     "helve exec -- rm FILE, or helve rules rm N",
		"rm":         "helve exec -- rm FILE, or helve rules rm N",
		"mv":         "helve exec -- mv FILE FILE",
		"cat":        "helve call read FILE",
		"enable":     "helve config set tools.NAME true, or helve mcp enable NAME",
		"disable":    "helve config set tools.NAME false, or helve mcp disable NAME",
		"block":      "helve deny RULE",
		"forbid":     "helve deny RULE",
		"permit":     "helve allow RULE",
		"unblock":    "helve allow RULE, or helve rules rm N",
		"permission": "helve rules, or helve approvals list",
		"approve":    "helve approvals yes ID, or helve mcp approve NAME",
		"yes":        "helve approvals yes ID",
		"apply":      "helve review apply ID",
		"commit":     "helve draft commit ID, or helve review apply ID",
		"fork":       "helve run --resume ID --fork",
		"cost":       "helve stats, or helve tokens",
		"usage":      "helve stats, or helve COMMAND --help",
		"memory":     "helve run --show-prompt",
		"daemon":     "helve serve",
		"restart":    "Ctrl-C where helve serve runs, and helve serve",
		"clean":      "helve index clear, or helve history prune",
		"reset":      "helve config unset KEY, or helve init --undo",
		"docs":       "helve --help, or helve COMMAND --help",
		"commands":   "helve --help",
		"tutorial":   "helve --help, which begins with what to try",
		"quickstart": "helve init",
		"examples":   "helve COMMAND --help, which ends with some",
		"example":    "helve COMMAND --help, which ends with some",
		"mcp logs":   "helve mcp test NAME",
		"mcp status": "helve mcp list",
		"mcp tools":  "helve list --source NAME",
	}[command]
}

// unknownCommand is the error of a name that a group does not have, with the nearest that it has.
func unknownCommand(cmd *cobra.Command, name string) error {
	whole := strings.TrimPrefix(cmd.CommandPath()+" "+name, cmd.Root().Name()+" ")
	hint := cmd.CommandPath() + " --help"
	if near := cmd.SuggestionsFor(name); name != "" && len(near) > 0 {
		if nearest := names.Near(name, near, 1); len(nearest) > 0 {
			near = nearest
		}
		hint = "did you mean " + strings.Join(near, ", ") + "?"
	}
	if meant := otherWord(whole); meant != "" {
		hint = "did you mean " + meant + "?"
	}
	return command.Usage("unknown command %q\nhint: %s", whole, hint)
}

// helpCommand is cobra's, which greets a name that it does not know with the help of everything and success.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Help about any command",
		GroupID: aboutHelve,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 && about.HasSubCommands() {
				return unknownCommand(about, rest[0])
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
