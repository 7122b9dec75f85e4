package code

import (
	"bytes"

	"helve/engine/code/internal/syntax"
)

// shapeBefore is the type whose body stands before the name of y in one declaration of C, whose text is that of y as well:
//
//	typedef struct node {…} Node;    struct pair {…} one, *two;
func (s *Snapshot) shapeBefore(y symbol, src []byte) (*def, bool) {
	defs := s.defsOf(y.file)
	d := &defs[y.def]
	if family(s.files[y.file].lang) != syntax.C || d.kind != syntax.Alias && d.kind != syntax.Variable && d.kind != syntax.Field {
		return nil, false
	}
	for i := y.def - 1; i >= 0; i-- {
		e := &defs[i]
		if e.parent != d.parent || e.end > d.start {
			continue
		}
		if e.kind == d.kind { // another name of the same declaration, or another declaration
			continue
		}
		return e, e.kind.Type() && e.kind != syntax.Alias && e.body < e.end && !bytes.ContainsAny(src[e.end:d.start], ";{}()=")
	}
	return nil, false
}
