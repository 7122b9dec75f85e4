package meaning

import (
	"path"
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// python are the rules of Python.
var python = Rules{
	Language: syntax.Python,

	bodyScope: true,
	decorated: true,

	assigned: true,
	untyped:  true,
	common: WordSet("append extend insert remove pop clear index count sort reverse copy keys values items get " +
		"update setdefault popitem add discard union join split rsplit strip lstrip rstrip replace find rfind " +
		"startswith endswith lower upper title format encode decode splitlines isdigit isalpha isspace read write " +
		"close readline readlines seek tell flush group groups match search sub start end partition rpartition " +
		"zfill isinstance hex translate ljust rjust center expandtabs capitalize swapcase fromkeys"),

	constructors:   initializers,
	fieldsOverride: true,

	Checked:    true,
	receiver:   true,
	marks:      "*/",
	Own:        func(name string) bool { return pythonNames[name] || strings.HasPrefix(name, "__") },
	WouldStand: relative,

	namesModules:     true,
	LastNames:        true,
	onlyImports:      true,
	importsInside:    true,
	importsOutermost: true,
	module:           pythonModule,
	submodule:        pythonSubmodule,
}

// initializers are the methods that run when a value of a class is made, in Python and in Ruby.
var initializers = WordSet("__init__ initialize")

// pythonNames are those that Python has without an import.
var pythonNames = WordSet("abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr " +
	"classmethod compile complex copyright credits delattr dict dir divmod enumerate eval exec exit filter float " +
	"format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len license " +
	"list locals map max memoryview min next object oct open ord pow print property quit range repr reversed round " +
	"set setattr slice sorted staticmethod str sum super tuple type vars zip reveal_type Ellipsis NotImplemented " +
	"WindowsError unicode basestring long xrange")

// relative reports whether a module is named by where it stands beside the file.
func relative(_ *store.Snapshot, _ *store.File, module string) bool {
	return strings.HasPrefix(module, ".") && strings.Trim(module, ".") != ""
}

// pythonModule finds the file of a dotted module, relative where it begins with dots.
func pythonModule(r *evaluator, name string, from *store.File) []int32 {
	rest := strings.TrimLeft(name, ".")
	if dots := len(name) - len(rest); dots > 0 {
		dir := from.Dir()
		for range dots - 1 {
			dir = store.DirOf(dir)
		}
		p := Join(dir, strings.ReplaceAll(rest, ".", "/"))
		if rest == "" {
			p = dir
		}
		return r.modules.paths(p+".py", Join(p, "__init__.py"), p+".pyi")
	}
	p := strings.ReplaceAll(name, ".", "/")
	module := r.modules.nearest(r.Tree.Called(path.Base(p)), p+".py", from)
	if module >= 0 && !inPackage(r, module, p+".py") {
		return []int32{module}
	}
	whole := r.modules.nearest(r.Tree.Called(path.Base(p)+"/__init__"), p+"/__init__.py", from)
	switch {
	case whole >= 0 && (module < 0 || !inPackage(r, whole, p+"/__init__.py")):
		return []int32{whole}
	case module >= 0: // a program in the folder of a package sees what stands beside it
		return []int32{module}
	}
	return nil
}

// inPackage reports whether file n, whose path ends with suffix, stands in a folder that is a package: its module has
// a longer name than suffix says then, for all but what runs in that folder.
func inPackage(r *evaluator, n int32, suffix string) bool {
	dir := strings.TrimSuffix(strings.TrimSuffix(r.Tree.Files[n].Path, suffix), "/")
	return dir != "" && r.Tree.Number(dir+"/__init__.py") >= 0
}

// pythonSubmodule finds the module called name in the package that f stands for.
func pythonSubmodule(r *evaluator, f *store.File, name string) []int32 {
	if f.Stem() != "__init__" {
		return nil
	}
	p := Join(f.Dir(), name)
	return r.modules.paths(p+".py", p+"/__init__.py")
}
