package refactor

import (
	"strings"

	"helve/engine/code/internal/syntax"
)

// fixedPython refuses names with two underscores, old and new ones.
func (p *subject) fixedPython(to string) error {
	switch {
	case strings.HasPrefix(p.old, "__"):
		return p.meaningFrom("Python")
	case strings.HasPrefix(to, "__"):
		return refused("Choose another name.", "%s is changed by Python inside classes, or has a meaning of its own", to)
	}
	return nil
}

// ruleArgument rules on name=… in Python: a field of a data class is the name of a parameter of it.
func (p *judge) ruleArgument(f *scan, s *syntax.Site) (ruling, string) {
	if p.r.Def(p.group[0]).Kind == syntax.Field {
		return doubt, "an argument of this name may set the field"
	}
	return other, ""
}
