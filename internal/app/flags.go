package app

import (
	"strings"

	"github.com/spf13/pflag"
)

// splitUnknown takes unknown flags out of a command line, each with the value that follows it: hosts pass flags of their own, and a
// server should not die of them (R3.4). What is known, and all that stands behind --, stays.
func splitUnknown(flags *pflag.FlagSet, args []string) (known, unknown []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(known, args[i:]...), unknown
		}
		f, attached := lookup(flags, arg)
		switch {
		case !strings.HasPrefix(arg, "-") || arg == "-":
			known = append(known, arg)
		case f == nil:
			unknown = append(unknown, arg)
			if !attached && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				i++
				unknown = append(unknown, args[i])
			}
		default:
			known = append(known, arg)
			if !attached && f.NoOptDefVal == "" && i+1 < len(args) {
				i++
				known = append(known, args[i])
			}
		}
	}
	return known, unknown
}

// lookup finds the flag of an argument; attached tells that its value is in the same word.
func lookup(flags *pflag.FlagSet, arg string) (f *pflag.Flag, attached bool) {
	if long, ok := strings.CutPrefix(arg, "--"); ok {
		name, _, attached := strings.Cut(long, "=")
		return flags.Lookup(name), attached
	}
	if len(arg) < 2 || arg[0] != '-' {
		return nil, false
	}
	f = flags.ShorthandLookup(arg[1:2])
	return f, f != nil && len(arg) > 2
}
