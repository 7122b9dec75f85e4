package app

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"helve/cmd/internal/command"
	"helve/engine/schema"
	"helve/engine/tree"
	"helve/internal/config"
	"helve/internal/workspace"
)

// completeCommon completes the flags that every command takes.
func completeCommon(root *cobra.Command, c *command.Line) {
	command.CompleteFlag(root, "mode", "plan", "ask", "review", "auto")
	command.CompleteFlag(root, "log-level", "debug", "info", "warn", "error")
	command.CompleteBy(root, "profile", command.InWorkspace(c, func(ws *workspace.Assembly) []string {
		return append([]string{"default", "codebase-index", "small"}, ws.Profiles()...)
	}))
}

// completeCall completes the name of a tool, and behind it its parameters: name=, and where values are known
// name=value.
func completeCall(c *command.Line) command.Completion {
	tools := command.CompleteTools(c)
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return tools(cmd, args, begun)
		}
		parameters := command.InWorkspace(c, func(ws *workspace.Assembly) []string {
			return parameterWords(wordsOf(ws, "call", args[0]).parameters, args[1:], begun)
		})
		// The shell adds no blank: a value follows. A value may be a file, which the shell knows better.
		out, _ := parameters(cmd, args, begun)
		if len(out) == 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return out, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
}

// parameterWords are the words that may follow: parameters that were not given yet, or the values of the one that is.
func parameterWords(all []schema.Property, given []string, begun string) []string {
	var out []string
	name, _, behind := strings.Cut(begun, "=")
	for _, p := range all {
		switch {
		case behind && p.Name == name:
			for _, v := range valuesOf(p) {
				out = append(out, name+"="+v)
			}
		case !behind && !slices.ContainsFunc(given, func(w string) bool { return strings.HasPrefix(w, p.Name+"=") }):
			out = append(out, cobra.CompletionWithDesc(p.Name+"=", p.Description))
		}
	}
	return out
}

// valuesOf are the values that a parameter can have, as far as they are few.
func valuesOf(p schema.Property) []string {
	var out []string
	for _, raw := range p.Enum {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			out = append(out, text)
		}
	}
	if len(out) == 0 && slices.Contains(p.Types, "boolean") {
		return []string{"true", "false"}
	}
	return out
}

// completeKeys completes the first argument to a key of the configuration: those that may stand there, and below them
// those that do.
func completeKeys(c *command.Line) command.Completion {
	return command.OnlyFirst(func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		out := config.Keys()
		if have, err := c.Flags.LoadHere(c.Streams().Silent()); err == nil {
			for _, e := range have.Entries() {
				out = append(out, e.Key)
			}
		}
		slices.Sort(out)
		return slices.Compact(out), cobra.ShellCompDirectiveNoFileComp
	})
}

// completeServers completes the first argument to the name of a configured server. None is started.
func completeServers(c *command.Line) command.Completion {
	return command.OnlyFirst(func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		have, err := c.Flags.LoadHere(c.Streams().Silent())
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var servers map[string]json.RawMessage
		if raw, ok := have.Get("mcp_servers"); ok {
			_ = json.Unmarshal(raw, &servers) // it was read as an object
		}
		return slices.Sorted(maps.Keys(servers)), cobra.ShellCompDirectiveNoFileComp
	})
}

// completeTypes completes to the types of files that a search knows.
func completeTypes() command.Completion { return command.OneOf(tree.TypeNames()...) }

// completeServe completes the flags of serve and their values: whoever parses flags by themselves completes them,
// too.
func completeServe(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	before := ""
	if len(args) > 0 {
		before = args[len(args)-1]
	}
	switch before {
	case "--approval":
		return []string{"auto", "client", "elicit", "deny", byConsole}, cobra.ShellCompDirectiveNoFileComp
	case "--expose":
		return []string{"auto", "all", "deferred", exposeCode}, cobra.ShellCompDirectiveNoFileComp
	case "--names":
		return []string{"qualified", "plain"}, cobra.ShellCompDirectiveNoFileComp
	case "--token-file", "--config", "--dir", "-C":
		return nil, cobra.ShellCompDirectiveDefault
	}
	var out []string
	cmd.InheritedFlags() // merges them into Flags
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		out = append(out, cobra.CompletionWithDesc("--"+f.Name, f.Usage))
	})
	return out, cobra.ShellCompDirectiveNoFileComp
}
