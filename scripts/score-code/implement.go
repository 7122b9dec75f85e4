package main

import (
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// implement notes which methods stand in for those of interfaces, as go/types sees it.
func (t *truth) implement(pkgs []*packages.Package) {
	var named, asking []*types.Named
	where := map[*types.Package]*packages.Package{}
	for _, p := range pkgs {
		where[p.Types] = p
		scope := p.Types.Scope()
		for _, name := range scope.Names() {
			n, ok := scope.Lookup(name).Type().(*types.Named)
			if _, isType := scope.Lookup(name).(*types.TypeName); !ok || !isType || n.TypeParams().Len() > 0 {
				continue
			}
			if types.IsInterface(n) {
				asking = append(asking, n)
			} else {
				named = append(named, n)
			}
		}
	}
	place := func(fn *types.Func) (path, id string, ok bool) {
		p := where[fn.Pkg()]
		if p == nil {
			return "", "", false
		}
		path = t.rel(p.Fset.Position(fn.Pos()))
		return path, qualified(fn), !strings.HasPrefix(path, "..")
	}
	for _, i := range asking {
		want := i.Underlying().(*types.Interface)
		for _, n := range named {
			if want.NumMethods() == 0 || !types.Implements(n, want) && !types.Implements(types.NewPointer(n), want) {
				continue
			}
			for k := range want.NumExplicitMethods() {
				m := want.ExplicitMethod(k)
				obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), false, m.Pkg(), m.Name())
				fn, ok := obj.(*types.Func)
				if !ok {
					continue
				}
				from, asked, ok := place(m)
				to, has, found := place(fn)
				if ok && found && !types.IsInterface(fn.Signature().Recv().Type()) {
					t.asks[from+"#"+asked] = true
					t.stands[filepath.Dir(from)+"#"+asked+" => "+filepath.Dir(to)+"#"+has] = true
				}
			}
		}
	}
}
