package code

import (
	"slices"
	"strings"

	"helve/engine/code/internal/syntax"
)

// maxTargets bounds the definitions kept for one ambiguous reference, of which Confidence.Of still counts all.
const maxTargets = 64

// declared adds to a group of C++ what its ID leaves out: a method or static field is declared in one file and defined in
// another, and references lead to one of them.
func (s *Snapshot) declared(group []symbol, same func(symbol) bool) []symbol {
	if s.files[group[0].file].lang != syntax.CPlusPlus && s.files[group[0].file].lang != syntax.C {
		return group
	}
	if d := s.def(group[0]); !d.kind.Callable() && d.kind != syntax.Field {
		return group
	}
	for _, y := range s.named(s.lex.text(s.def(group[0]).name)) {
		if len(group) >= maxTargets {
			break
		}
		if same(y) && !slices.Contains(group, y) {
			group = append(group, y)
		}
	}
	return group
}

// versions tells which definitions are versions of one thing with a: overloads, branches of conditional compilation,
// Go files for different systems, a declaration and its definition.
func (s *Snapshot) versions(a symbol) func(b symbol) bool {
	da, fa, qa := *s.def(a), s.files[a.file], s.qualified(a)
	return func(b symbol) bool {
		db, fb := s.def(b), s.files[b.file]
		if da.name != db.name || da.kind.Type() != db.kind.Type() {
			return false
		}
		if qb := s.qualified(b); qa != qb && !(fa.lang == syntax.CPlusPlus && oneNamespace(qa, qb)) {
			return false
		}
		if fa == fb {
			return true
		}
		switch fa.lang {
		case syntax.Go:
			return fb.lang == syntax.Go && fa.dir() == fb.dir() && fa.pkg == fb.pkg
		case syntax.CPlusPlus:
			return family(fb.lang) == syntax.C && strings.Contains(qa, ".")
		}
		return false
	}
}

// oneNamespace reports whether two names of C++ differ only by the namespaces around one of them: a method is
// declared in its class with them, and defined as Class::method without.
func oneNamespace(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	return strings.Contains(b, ".") && strings.HasSuffix(a, "."+b)
}
