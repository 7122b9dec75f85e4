package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// numbersOf finds the variables that a script sets to plain numbers and to nothing else, and where it first does so.
func numbersOf(f *syntax.File) map[string]syntax.Pos {
	v := &values{numbers: map[string]syntax.Pos{}}
	other := map[string]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		v.sets(n, other)
		return true
	})
	for name := range other {
		delete(v.numbers, name)
	}
	return v.settled(f, other)
}

// settled leaves out what holds a number only as long as something else does, until nothing more is left out.
func (v *values) settled(f *syntax.File, other map[string]bool) map[string]syntax.Pos {
	for {
		syntax.Walk(f, func(n syntax.Node) bool {
			v.sets(n, other)
			return true
		})
		left := false
		for name := range other {
			if _, ok := v.numbers[name]; ok {
				delete(v.numbers, name)
				left = true
			}
		}
		if !left {
			return v.numbers
		}
	}
}

// sets notes what a node sets variables to: numbers, or something else.
func (v *values) sets(n syntax.Node, other map[string]bool) {
	note := func(name string, at syntax.Pos, number bool) {
		if !number {
			other[name] = true
		} else if _, ok := v.numbers[name]; !ok && !other[name] {
			v.numbers[name] = at
		}
	}
	switch n := n.(type) {
	case *syntax.Assign:
		if n.Name != nil && !n.Naked {
			note(n.Name.Value, n.End(), v.assignsNumber(n))
		}
	case *syntax.ForClause:
		if it, ok := n.Loop.(*syntax.WordIter); ok {
			number := it.InPos.IsValid() && !slices.ContainsFunc(it.Items, func(w *syntax.Word) bool { return !v.item(w) })
			note(it.Name.Value, it.Pos(), number)
		}
	case *syntax.BinaryArithm:
		if w, ok := n.X.(*syntax.Word); ok && n.Op == syntax.Assgn && w.Lit() != "" {
			note(w.Lit(), n.End(), v.number(n.Y))
		}
	case *syntax.CallExpr:
		for _, name := range namedBy(n) {
			other[name] = true
		}
	}
}

// assignsNumber reports an assignment of a number, or of a list of numbers.
func (v *values) assignsNumber(a *syntax.Assign) bool {
	if a.Array != nil {
		return !slices.ContainsFunc(a.Array.Elems, func(e *syntax.ArrayElem) bool {
			return e.Value == nil || !v.item(e.Value)
		})
	}
	return a.Value != nil && v.item(a.Value)
}

// item is a word that comes to be numbers. A name without a $ is a text.
func (v *values) item(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if !numberText().MatchString(p.Value) {
				return false
			}
		case *syntax.CmdSubst:
			if !printsNumber(p.Stmts) && !v.counts(p.Stmts) {
				return false
			}
		default:
			if !v.numberPart(p) {
				return false
			}
		}
	}
	return len(w.Parts) > 0
}

// counts reports seq between numbers.
func (v *values) counts(stmts []*syntax.Stmt) bool {
	if len(stmts) != 1 {
		return false
	}
	c, ok := stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) < 2 || c.Args[0].Lit() != "seq" {
		return false
	}
	return !slices.ContainsFunc(c.Args[1:], func(w *syntax.Word) bool { return !v.item(w) })
}

// namedBy are the variables that a builtin sets to what nobody knows here.
func namedBy(c *syntax.CallExpr) []string {
	if len(c.Args) == 0 {
		return nil
	}
	if _, ok := namers[c.Args[0].Lit()]; !ok {
		return nil
	}
	var out []string
	for _, w := range c.Args[1:] {
		if name := textIn(w); variableName().MatchString(name) {
			out = append(out, name)
		}
	}
	return out
}
