package tools

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/engine/schema"
	"helve/internal/workspace"
)

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
