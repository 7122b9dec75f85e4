package command

import (
	"github.com/spf13/cobra"

	"helve/internal/workspace"
)

// A Completion is what cobra asks for the words that a shell may offer.
type Completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// OneOf completes to one of these, and never to a file.
func OneOf(all ...string) Completion {
	return cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp)
}

// CompleteFlag lets a shell offer the values of a flag. A flag that the command does not have is a mistake of ours.
func CompleteFlag(cmd *cobra.Command, flag string, values ...string) {
	CompleteBy(cmd, flag, OneOf(values...))
}

// CompleteBy lets a shell ask a function for the values of a flag.
func CompleteBy(cmd *cobra.Command, flag string, by Completion) {
	if err := cmd.RegisterFlagCompletionFunc(flag, by); err != nil {
		panic(err)
	}
}

// InWorkspace completes to what a workspace has. It waits for no server: a shell would stand still.
func InWorkspace(c *Line, have func(*workspace.Assembly) []string) Completion {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		ws, err := Open(cmd.Context(), c.Streams().Silent(), c.Flags.Common)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		defer ws.Close()
		return have(ws), cobra.ShellCompDirectiveNoFileComp
	}
}

// OnlyFirst completes the first argument.
func OnlyFirst(by Completion) Completion {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return by(cmd, args, begun)
	}
}

// CompleteTools completes the first argument to the name of a tool.
func CompleteTools(c *Line) Completion {
	return OnlyFirst(InWorkspace(c, func(ws *workspace.Assembly) []string {
		var out []string
		v := ws.Kit().View()
		for _, s := range v.Specs() {
			out = append(out, cobra.CompletionWithDesc(v.Name(s), s.Doc.Short))
		}
		return out
	}))
}
