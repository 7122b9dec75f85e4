package serve

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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
