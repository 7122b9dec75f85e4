package refactor

import (
	"slices"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file renames fields of TypeScript that a parameter of the constructor declares: constructor(private name: T).

// parametersKnown reports whether every definition that a file has in brackets is such a field.
func (p *renaming) parametersKnown(f *scan) bool {
	for i := range f.sites {
		s := &f.sites[i]
		if s.Def < 0 || !p.in[store.At(f.file, s.Def)] {
			continue
		}
		open := p.bracketAround(f.src, s.Start)
		if open < 0 || f.src[open] != '(' {
			continue
		}
		made := p.constructorOf(f.file, s)
		if made < 0 && p.member {
			return false
		}
		if made >= 0 && !slices.Contains(p.made, store.At(f.file, made)) {
			p.made = append(p.made, store.At(f.file, made))
		}
	}
	return true
}

// constructorOf is the constructor whose parameter declares the field that is named at a place, or -1.
func (p *renaming) constructorOf(n int32, s *syntax.Site) int32 {
	defs := p.r.DefsOf(n)
	field := &defs[s.Def]
	if field.Kind != syntax.Field {
		return -1
	}
	for i := range defs {
		d := &defs[i]
		if d.Kind == syntax.Constructor && d.Parent == field.Parent && int(d.Start) <= s.Start && s.Start < int(d.Body) {
			return int32(i)
		}
	}
	return -1
}

// parameterOf reports whether a name stands alone in a constructor that declares the field by a parameter.
func (p *renaming) parameterOf(f *scan, s *syntax.Site) bool {
	return !s.Dots && s.Def < 0 && slices.ContainsFunc(p.made, func(c store.DefID) bool {
		return c.File == f.file && p.holds(f.file, c.Def, s.From)
	})
}

// ruleParameter rules on such a name: it is the parameter, unless something else in the constructor is called like it.
func (p *renaming) ruleParameter(f *scan, s *syntax.Site) (ruling, string) {
	binds := 0
	for _, b := range f.binds {
		for _, c := range p.made {
			if b.Name == p.old && c.File == f.file && p.holds(f.file, c.Def, b.From) {
				binds++
			}
		}
	}
	declares := (s.Before == '(' || s.Before == ',') && (s.After == ':' || s.After == '?') // in the type of a function
	if binds > 1 || declares || s.Label {
		return doubt, "the constructor may have another local name that is called like it"
	}
	return meant, ""
}
