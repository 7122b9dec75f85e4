package meaning

import (
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// rust are the rules of Rust.
var rust = Rules{
	Language: syntax.Rust,

	outside: true,
	common: WordSet("unwrap expect clone into from iter into_iter iter_mut map filter collect len is_empty push " +
		"pop insert remove get get_mut contains as_ref as_mut as_str to_string to_owned unwrap_or unwrap_or_else " +
		"unwrap_or_default ok err and_then or_else map_err extend next take cloned copied borrow borrow_mut lock " +
		"read write join split trim"),

	namesModules: true,
	onlyImports:  true,
	module:       rustModule,
	submodule:    rustSubmodule,
}

// rustModule finds the file of a path such as crate.a.b.
func rustModule(r *evaluator, name string, from *store.File) []int32 {
	parts := strings.Split(name, ".")
	for len(parts) > 0 && (parts[0] == "crate" || parts[0] == "self" || parts[0] == "super") {
		parts = parts[1:]
	}
	for len(parts) > 0 {
		p, last := strings.Join(parts, "/"), parts[len(parts)-1]
		if n := r.modules.nearest(r.Tree.Called(last), p+".rs", from); n >= 0 {
			return []int32{n}
		}
		if n := r.modules.nearest(r.Tree.Called(last+"/mod"), p+"/mod.rs", from); n >= 0 {
			return []int32{n}
		}
		library := strings.ReplaceAll(parts[0], "_", "-") + "/src/lib.rs"
		if n := r.modules.nearest(r.Tree.Called("lib"), library, from); n >= 0 && len(parts) == 1 {
			return []int32{n}
		}
		parts = parts[:len(parts)-1]
	}
	return nil
}

// rustSubmodule finds the module called name inside the one of f.
func rustSubmodule(r *evaluator, f *store.File, name string) []int32 {
	dir := f.Dir()
	if s := f.Stem(); s != "mod" && s != "lib" && s != "main" {
		dir = Join(dir, s)
	}
	return r.modules.paths(Join(dir, name+".rs"), Join(dir, name+"/mod.rs"))
}
