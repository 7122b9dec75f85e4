package app

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"helve/cmd/internal/command"
)

// refuseMistakes makes every command refuse what the parser lets pass: flags that are given and empty, as "$MODE" is
// of a shell in which MODE is not set. Words that a command does not take are refused in the same words as all else.
func refuseMistakes(root *cobra.Command) {
	first := root.PersistentPreRunE
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if err := first(cmd, args); err != nil {
			return err
		}
		if err := emptyFlag(cmd); err != nil {
			return err
		}
		return togetherFlags(cmd)
	}
	for _, cmd := range leaves(root) {
		takes := cmd.Args
		if takes == nil {
			continue
		}
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := takes(cmd, args)
			if own := new(command.ExitError); err == nil || errors.As(err, &own) || len(args) == 0 {
				return err
			}
			return command.Usage("%s: takes no arguments, got %q\nhint: %s --help",
				command.Called(cmd), args[0], cmd.CommandPath())
		}
	}
}

// togetherFlags is the error of two flags of which only one can be meant. The parser finds them, too, in words about
// groups.
func togetherFlags(cmd *cobra.Command) error {
	var err error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if err != nil || !f.Changed {
			return
		}
		for _, group := range f.Annotations["cobra_annotation_mutually_exclusive"] {
			for name := range strings.FieldsSeq(group) {
				if name != f.Name && cmd.Flags().Changed(name) {
					err = command.Usage("%s: --%s and --%s exclude each other\nhint: %s --help",
						command.Called(cmd), f.Name, name, cmd.CommandPath())
					return
				}
			}
		}
	})
	return err
}

// emptyFlag is the error of the first flag, of the command or of those above it, that was given without a value.
func emptyFlag(cmd *cobra.Command) error {
	var empty *pflag.Flag
	for c := cmd; c != nil; c = c.Parent() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Changed && isEmpty(f) {
				empty = f
			}
		})
	}
	if empty == nil {
		return nil
	}
	return command.Usage("--%s needs a value: it is empty\nhint: %s --help", empty.Name, cmd.CommandPath())
}

// isEmpty tells that a flag's value, or one of them, says nothing. Two may: an empty list of tools that are off says
// that none is, and an empty pattern finds every line.
func isEmpty(f *pflag.Flag) bool {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		values := list.GetSlice()
		return f.Name != "regexp" && (len(values) == 0 || slices.Contains(values, ""))
	}
	return f.Value.Type() == "string" && f.Value.String() == ""
}
