package app

import (
	"github.com/spf13/cobra"

	"helve/internal/workspace"
)

// A completion is what cobra asks for the words that a shell may offer.
type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// oneOf completes to one of these, and never to a file.
func oneOf(all ...string) completion {
	return cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp)
}

// completeFlag lets a shell offer the values of a flag. A flag that the command does not have is a mistake of ours.
func completeFlag(cmd *cobra.Command, flag string, values ...string) {
	completeBy(cmd, flag, oneOf(values...))
}

// completeBy lets a shell ask a function for the values of a flag.
func completeBy(cmd *cobra.Command, flag string, by completion) {
	if err := cmd.RegisterFlagCompletionFunc(flag, by); err != nil {
		panic(err)
	}
}

// inWorkspace completes to what a workspace has. It waits for no server: a shell would stand still.
func inWorkspace(c *cli, have func(*workspace.Assembly) []string) completion {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		ws, err := open(cmd.Context(), c.streams().silent(), c.flags.common)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		defer ws.Close()
		return have(ws), cobra.ShellCompDirectiveNoFileComp
	}
}

// onlyFirst completes the first argument.
func onlyFirst(by completion) completion {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return by(cmd, args, begun)
	}
}

// completeTools completes the first argument to the name of a tool.
func completeTools(c *cli) completion {
	return onlyFirst(inWorkspace(c, func(ws *workspace.Assembly) []string {
		var out []string
		v := ws.Kit().View()
		for _, s := range v.Specs() {
			out = append(out, cobra.CompletionWithDesc(v.Name(s), s.Doc.Short))
		}
		return out
	}))
}
