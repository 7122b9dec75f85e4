package refactor

import (
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/syntax"
)

// This file knows places in the types of TypeScript that the reader of the language passes by.

// beforeType are words behind which the name of a type or value stands.
var beforeType = meaning.WordSet("is extends implements keyof typeof as satisfies new unique")

// inType reports whether a name that the reader passed by is surely meant as what its scope says: a part of a type,
// or a value. Names of parameters, keys and type parameters are not.
func (p *renaming) inType(f *scan, s *syntax.Site) bool {
	if s.Dots || slices.ContainsFunc(f.sites, p.mayDeclareType) {
		return false
	}
	switch {
	case s.After == '.', s.Before == '=', s.Before == '|', s.Before == '&':
		return true
	case s.Before == ':':
		return strings.IndexByte("?:(", s.After) < 0
	case s.After == '[':
		return s.Before == ',' || s.Before == '['
	}
	return s.Before == 0 && beforeType[nameBefore(f.src, s.Start)]
}

// mayDeclareType reports whether a name may be that of a type parameter: <name>, infer name.
func (p *renaming) mayDeclareType(s syntax.Site) bool {
	if s.Name != p.old || s.Def >= 0 || len(s.Refs) > 0 || s.Dots || s.Imported {
		return false
	}
	opens := s.Before == '<' || s.Before == ',' || s.First || s.Before == 0
	return opens && (s.After == 0 || s.After == '>' || s.After == ',' || s.After == '=')
}
