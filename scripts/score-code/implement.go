package main

import (
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// implement notes which methods implement those of interfaces, as go/types sees it.
func (t *truth) implement(pkgs []*packages.Package) {
	where := map[*types.Package]*packages.Package{}
	for _, p := range pkgs {
		where[p.Types] = p
	}
	implementing(pkgs, func(n, i *types.Named) { t.pairs(where, i, n) })
}

// implementing goes through the types that implement an interface, of each interface. Every type is held against every
// interface: go/types keeps no list of who implements what.
func implementing(pkgs []*packages.Package, each func(n, i *types.Named)) {
	var interfaces, others []*types.Named
	for _, p := range pkgs {
		for _, n := range namedTypes(p.Types.Scope()) {
			if types.IsInterface(n) {
				interfaces = append(interfaces, n)
			} else {
				others = append(others, n)
			}
		}
	}
	for _, i := range interfaces {
		for _, n := range others {
			if implements(n, i) {
				each(n, i)
			}
		}
	}
}

// namedTypes are the types that a package declares. Generic ones are left out: only their instances
// implement anything, and which instances there are is not written in the package.
func namedTypes(scope *types.Scope) []*types.Named {
	var out []*types.Named
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		n, ok := obj.Type().(*types.Named)
		if ok && n.TypeParams().Len() == 0 {
			out = append(out, n)
		}
	}
	return out
}

// implements tells whether a type or its pointer has the methods of an interface. Every type has
// those of an empty one, which says nothing.
func implements(n, i *types.Named) bool {
	want := i.Underlying().(*types.Interface)
	if want.NumMethods() == 0 {
		return false
	}
	return types.Implements(n, want) || types.Implements(types.NewPointer(n), want)
}

// pairs notes each method of the interface with the one of the type that implements it. A type that
// embeds an interface has its methods by promotion, so the method found may be an interface's own:
// that is no implementation.
func (t *truth) pairs(where map[*types.Package]*packages.Package, i, n *types.Named) {
	want := i.Underlying().(*types.Interface)
	for k := range want.NumExplicitMethods() {
		m := want.ExplicitMethod(k)
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), false, m.Pkg(), m.Name())
		fn, ok := obj.(*types.Func)
		if !ok || types.IsInterface(fn.Signature().Recv().Type()) {
			continue
		}
		from, inside := t.path(where, m)
		to, found := t.path(where, fn)
		if !inside || !found {
			continue
		}
		t.asked[from+"#"+qualified(m)] = true
		asked := filepath.Dir(from) + "#" + qualified(m)
		t.implements[asked+" => "+filepath.Dir(to)+"#"+qualified(fn)] = true
	}
}

// path is the file of a function; false where it is not one of the packages compared.
func (t *truth) path(where map[*types.Package]*packages.Package, fn *types.Func) (string, bool) {
	p := where[fn.Pkg()]
	if p == nil {
		return "", false
	}
	path := t.rel(p.Fset.Position(fn.Pos()))
	return path, !strings.HasPrefix(path, "..")
}
