package code

import (
	"strings"

	"helve/engine/code/internal/syntax"
)

// namespace is what the name y means in file n if it is the whole one of a namespace of PHP, which ends with a backslash.
func (r *resolver) namespace(y uint32, n int32) (found, bool) {
	from := r.s.files[n]
	if from.lang != syntax.PHP {
		return found{}, false
	}
	name, ok := strings.CutSuffix(r.s.lex.text(y), "\\")
	if !ok {
		return found{}, false
	}
	files := r.declaredPackage(strings.ReplaceAll(name, "\\", "."), from)
	if len(files) == 0 {
		return found{v: value{kind: externalValue, outside: true}}, true
	}
	return found{value{kind: moduleValue, files: files, level: Imported}, Imported}, true
}
