// Package version says which helve a program has in it.
package version

import (
	"reflect"
	"runtime/debug"
	"strings"
)

// stamp is the version of a release, which the linker sets (-X). It is empty in every other build.
var stamp string

// A place tells the path of this package.
type place struct{}

// String is the version of helve in this program, or the commit that it was built from; devel if neither is known.
func String() string {
	if stamp != "" {
		return stamp
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	module := Module()
	if info.Main.Path != module { // a program that embeds helve
		for _, dep := range info.Deps {
			if dep.Path == module {
				return dep.Version
			}
		}
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "0-" + s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}

// Module is the path of the module, whatever it is published under.
func Module() string {
	return strings.TrimSuffix(reflect.TypeFor[place]().PkgPath(), "/internal/version")
}
