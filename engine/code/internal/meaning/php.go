package meaning

import (
	"strings"

	"helve/engine/code/internal/syntax"
)

// php are the rules of PHP.
var php = Rules{
	Language: syntax.PHP,

	unbound:     true,
	samePackage: sameDeclared,
	namedFirst:  wholeNamespace,

	untyped: true,

	fieldsOverride: true,
	nameless:       true,

	namesModules:   true,
	importsPrivate: true,
	module:         declaredPackage,
}

// wholeNamespace is what the name y means in file n if it is the whole one of a namespace, which ends with a backslash.
func wholeNamespace(r *evaluator, y uint32, n int32) (Found, bool) {
	name, ok := strings.CutSuffix(r.Tree.Lex.Text(y), "\\")
	if !ok {
		return Found{}, false
	}
	files := declaredPackage(r, strings.ReplaceAll(name, "\\", "."), r.Tree.Files[n])
	if len(files) == 0 {
		return Found{Value: Value{Kind: ExternalValue, outside: true}}, true
	}
	return Found{Value{Kind: ModuleValue, Files: files, Level: Imported}, Imported}, true
}
