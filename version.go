package helve

import (
	"reflect"
	"runtime/debug"
)

// stamp is the version of a release, which the linker sets (-X). It is empty in every other build.
var stamp string

// Version is the version of helve in this program, or the commit that it was built from; devel if neither is known.
func Version() string {
	if stamp != "" {
		return stamp
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	module := reflect.TypeFor[Workspace]().PkgPath() // whatever path it is published under
	if info.Main.Path != module {                    // a program that embeds helve
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
