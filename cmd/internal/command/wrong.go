package command

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"helve/internal/names"
)

// WrongFlag is the error of a flag that the parser refused, with the nearest that the command has.
func WrongFlag(cmd *cobra.Command, err error) error {
	hint := cmd.CommandPath() + " --help"
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if wants, known := wanted[bad.GetFlag().Value.Type()]; known { // the parser's words are those of Go
			return Usage("invalid argument %q for --%s: want %s\nhint: %s",
				bad.GetValue(), bad.GetFlag().Name, wants, hint)
		}
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := unknown.GetSpecifiedName()
		if letters := unknown.GetSpecifiedShortnames(); len(letters) > 1 { // -json
			name = letters
		}
		if near := NearFlag(cmd, name); near != "" {
			hint = "did you mean " + near + "?"
		}
		if unknown.GetSpecifiedShortnames() != "" && name[0] >= '0' && name[0] <= '9' { // a negative number
			hint = "-- stands before what begins with a dash: " + cmd.CommandPath() + " … -- -" + name
		}
	}
	return Usage("%v\nhint: %s", err, hint)
}

// wanted are what flags take, by their type.
var wanted = map[string]string{
	"int":      "a whole number",
	"bool":     "true or false",
	"duration": "a duration such as 30s",
}

// NearFlag is the flag that may have been meant, with its dashes; "" for none. A single letter is near to all others.
func NearFlag(cmd *cobra.Command, name string) string {
	if len(name) < 2 {
		return ""
	}
	var all []string
	add := func(f *pflag.Flag) {
		if !f.Hidden {
			all = append(all, f.Name)
		}
	}
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	for _, near := range names.Near(name, all, 1) {
		return "--" + near
	}
	return ""
}

// Called is a command without the program's name, as messages begin.
func Called(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// Exactly refuses another number of arguments than n, and says what is wanted.
func Exactly(n int, what string) cobra.PositionalArgs { return Between(n, n, what) }

// Between refuses another number of arguments, in the words of the command.
func Between(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > most:
			return Usage("%s: want %s, got %q too\nhint: %s --help", Called(cmd), what, args[most], cmd.CommandPath())
		case len(args) < least:
			return Usage("%s: want %s\nhint: %s --help", Called(cmd), what, cmd.CommandPath())
		}
		return nil
	}
}
