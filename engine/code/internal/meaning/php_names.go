package meaning

import (
	"strings"

	"helve/engine/code/internal/syntax"
)

// namespace is what the name y means in file n if it is the whole one of a namespace of PHP, which ends with a
// backslash.
func (r *Resolver) namespace(y uint32, n int32) (Found, bool) {
	from := r.Tree.Files[n]
	if from.Lang != syntax.PHP {
		return Found{}, false
	}
	name, ok := strings.CutSuffix(r.Tree.Lex.Text(y), "\\")
	if !ok {
		return Found{}, false
	}
	files := r.declaredPackage(strings.ReplaceAll(name, "\\", "."), from)
	if len(files) == 0 {
		return Found{Value: Value{Kind: ExternalValue, outside: true}}, true
	}
	return Found{Value{Kind: ModuleValue, Files: files, Level: Imported}, Imported}, true
}
