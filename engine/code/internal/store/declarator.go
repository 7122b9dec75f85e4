package store

import (
	"bytes"

	"helve/engine/code/internal/syntax"
)

// shapeBefore is the type whose body stands before the name of y in one declaration, whose text is that of y as
// well:
//
//	typedef struct node {…} Node;    struct pair {…} one, *two;
func (s *Snapshot) shapeBefore(y DefID, src []byte) (*Def, bool) {
	defs := s.DefsOf(y.File)
	d := &defs[y.Def]
	named := d.Kind == syntax.Alias || d.Kind == syntax.Variable || d.Kind == syntax.Field
	if !named || !s.Files[y.File].Lang.Traits().Declarators {
		return nil, false
	}
	for i := y.Def - 1; i >= 0; i-- {
		e := &defs[i]
		if e.Parent != d.Parent || e.End > d.Start {
			continue
		}
		if e.Kind == d.Kind { // another name of the same declaration, or another declaration
			continue
		}
		shape := e.Kind.Type() && e.Kind != syntax.Alias && e.Body < e.End
		return e, shape && !bytes.ContainsAny(src[e.End:d.Start], ";{}()=")
	}
	return nil, false
}
