package refactor

import (
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// genericPackages are those of Go's library whose functions and types give back what they are given.
var genericPackages = meaning.WordSet("slices maps sync sync/atomic iter cmp unique weak errors")

// maxOutside bounds how many types are followed to say where an expression leads.
const maxOutside = 8

// leaves follows an expression through the types of the tree to a package of outside.
func (p *project) leaves(n, from int32, expr string, depth int) bool {
	if depth == 0 || strings.Contains(expr, ",") {
		return false
	}
	expr = strings.TrimLeft(expr, "[{")
	root := expr[:meaning.IdentEnd(expr, 0)]
	if is, known := p.imports(n, root, expr[len(root):]); known {
		return is
	}
	if expr == "error" || strings.HasPrefix(expr, "error.") {
		return true
	}
	for end := lastStep(expr, len(expr)); end > 0; end = lastStep(expr, end) {
		v := p.r.Eval(expr[:end], n, from)
		if v.Kind != meaning.SymbolValue || v.Level >= meaning.Unique {
			continue
		}
		for _, y := range v.Symbols {
			if !p.typeLeaves(y, expr[end:], depth-1) {
				return false
			}
		}
		return len(v.Symbols) > 0
	}
	return false
}

// typeLeaves is leaves for what follows the definition y in an expression.
func (p *project) typeLeaves(y store.DefID, rest string, depth int) bool {
	d := p.r.Def(y)
	if d.Type == 0 || d.Kind.Type() && d.Kind != syntax.Alias {
		return false
	}
	typ, from := p.spelled(d.Type), d.Parent
	if d.Kind.Callable() {
		if !strings.HasPrefix(rest, "()") {
			return false
		}
		which := 0
		if rest = rest[2:]; rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			which, rest = int(rest[0]-'0'), rest[1:]
		}
		typ, from = meaning.Part(typ, which), y.Def
	}
	return p.leaves(y.File, from, typ+rest, depth)
}

// lastStep is where the last step of the first end bytes of an expression begins, 0 if there is none.
func lastStep(expr string, end int) int {
	for i := end - 1; i > 0; i-- {
		switch expr[i] {
		case '.', '(', '[', '^':
			return i
		}
	}
	return 0
}

// imports reports whether a file imports a package of that name from outside the tree, and whether what follows it
// cannot come back. known is false where the name is no package.
func (p *project) imports(n int32, local, rest string) (is, known bool) {
	for _, m := range p.r.Tree.ImportsOf(n) {
		if m.Local == 0 || p.spelled(m.Local) != local {
			continue
		}
		module := p.spelled(m.Module)
		if p.r.Module(m.Module, n).Kind == meaning.ModuleValue {
			return false, true
		}
		first, _, _ := strings.Cut(module, "/")
		if strings.Contains(first, ".") || genericPackages[module] {
			return strings.Count(rest, ".") <= 1 && !strings.Contains(rest, "("), true
		}
		return true, true
	}
	return false, false
}
