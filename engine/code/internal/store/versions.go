package store

import (
	"slices"
	"strings"

	"helve/engine/code/internal/syntax"
)

// MaxTargets bounds the definitions kept for one ambiguous reference, of which Confidence.Of still counts all.
const MaxTargets = 64

// Declared adds to a group of a language with headers what its ID leaves out: a method or static field is declared in
// one file and defined in another, and references lead to one of them.
func (s *Snapshot) Declared(group []DefID, same func(DefID) bool) []DefID {
	if !s.Files[group[0].File].Lang.Traits().Headers {
		return group
	}
	if d := s.Def(group[0]); !d.Kind.Callable() && d.Kind != syntax.Field {
		return group
	}
	for _, y := range s.Named(s.Lex.Text(s.Def(group[0]).Name)) {
		if len(group) >= MaxTargets {
			break
		}
		if same(y) && !slices.Contains(group, y) {
			group = append(group, y)
		}
	}
	return group
}

// Versions tells which definitions are versions of one thing with a: overloads, branches of conditional compilation,
// Go files for different systems, a declaration and its definition.
func (s *Snapshot) Versions(a DefID) func(b DefID) bool {
	da, fa, qa := *s.Def(a), s.Files[a.File], s.Qualified(a)
	is := fa.Lang.Traits()
	return func(b DefID) bool {
		db, fb := s.Def(b), s.Files[b.File]
		if da.Name != db.Name || da.Kind.Type() != db.Kind.Type() {
			return false
		}
		if qb := s.Qualified(b); qa != qb && !(is.Namespaces && oneNamespace(qa, qb)) {
			return false
		}
		if fa == fb {
			return true
		}
		switch {
		case is.Folders:
			return fb.Lang == fa.Lang && fa.Dir() == fb.Dir() && fa.Package == fb.Package
		case is.Namespaces:
			return Family(fb.Lang) == Family(fa.Lang) && strings.Contains(qa, ".")
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
