package main

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// goTruth collects what go/types knows of edges.
type goTruth struct {
	truth *edgeTruth
	rel   func(token.Position) string
	fset  *token.FileSet
	defs  map[token.Position]int // by the place of the name: a package and its test variant see the same one
	seen  map[token.Position]bool

	fields map[*ast.Ident]bool // of the types that files declare at their top: of others an index lists none
	skip   map[*ast.Ident]bool // names of receivers' types: that a type has a method is no use of it
}

// goEdges loads the packages of the pattern below root, with their tests, and writes down each use of what they define.
func goEdges(ctx context.Context, root, pattern string) (*edgeTruth, error) {
	pkgs, err := packages.Load(&packages.Config{Mode: loaded, Dir: root, Context: ctx, Tests: true}, pattern)
	if err != nil {
		return nil, fmt.Errorf("load packages: %w", err)
	}
	g := &goTruth{
		truth:  &edgeTruth{},
		rel:    newTruth(root).rel,
		defs:   map[token.Position]int{},
		seen:   map[token.Position]bool{},
		fields: map[*ast.Ident]bool{},
		skip:   map[*ast.Ident]bool{},
	}
	pkgs = slices.DeleteFunc(pkgs, func(p *packages.Package) bool {
		return strings.HasSuffix(p.ID, ".test") // the main that go test makes
	})
	for _, p := range pkgs {
		g.fset = p.Fset
		for _, f := range p.Syntax {
			g.outer(f)
			if path := g.rel(p.Fset.Position(f.Package)); !slices.Contains(g.truth.Files, path) {
				g.truth.Files = append(g.truth.Files, path)
			}
		}
		for id, obj := range p.TypesInfo.Defs {
			g.define(id, obj)
		}
	}
	for _, p := range pkgs {
		for _, f := range p.Syntax {
			g.uses(p, f)
		}
	}
	g.overrides(pkgs)
	return g.truth, g.truth.check()
}

// outer notes the fields of the types that a file declares at its top, and the receivers of its methods.
func (g *goTruth) outer(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				ast.Inspect(d.Recv, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						g.skip[id] = true
					}
					return true
				})
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				g.outerFields(s)
			}
		}
	}
}

// outerFields notes the fields of a type, if that is what is declared.
func (g *goTruth) outerFields(s ast.Spec) {
	t, ok := s.(*ast.TypeSpec)
	if !ok {
		return
	}
	if list, ok := t.Type.(*ast.StructType); ok {
		for _, field := range list.Fields.List {
			for _, id := range field.Names {
				g.fields[id] = true
			}
		}
	}
}

// define notes what a package declares.
func (g *goTruth) define(id *ast.Ident, obj types.Object) {
	kind := g.kind(id, obj)
	if kind == "" {
		return
	}
	at := g.fset.Position(id.Pos())
	if _, ok := g.defs[at]; ok || strings.HasPrefix(g.rel(at), "..") {
		return
	}
	g.defs[at] = len(g.truth.Defs)
	g.truth.Defs = append(g.truth.Defs, trueDef{g.rel(at), at.Line, id.Name, kind})
}

// kind is what a name declares that an index lists: no local variables, parameters, results and type parameters.
func (g *goTruth) kind(id *ast.Ident, obj types.Object) string {
	if obj == nil || id.Name == "_" || obj.Pkg() == nil {
		return ""
	}
	outer := obj.Parent() == obj.Pkg().Scope()
	switch obj := obj.(type) {
	case *types.Func:
		if obj.Signature().Recv() != nil {
			return "method"
		}
		return only(outer, "function")
	case *types.TypeName:
		return only(outer, "class")
	case *types.Const:
		return only(outer, "constant")
	case *types.Var:
		if obj.IsField() { // what is embedded has the name of its type, which is what is used
			return only(g.fields[id] && !obj.Embedded(), "field")
		}
		return only(outer, "variable")
	}
	return ""
}

func only(ok bool, kind string) string {
	if ok {
		return kind
	}
	return ""
}

// uses notes the uses in one file, in the order of the text.
func (g *goTruth) uses(p *packages.Package, f *ast.File) {
	calls := map[*ast.Ident]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if id := called(c); id != nil {
				calls[id] = true
			}
		}
		return true
	})
	ast.Inspect(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		obj := p.TypesInfo.Uses[id]
		if obj == nil || g.skip[id] {
			return true
		}
		switch o := obj.(type) { // of an instance of what is generic, what is written
		case *types.Func:
			obj = o.Origin()
		case *types.Var:
			obj = o.Origin()
		}
		to, own := g.defs[p.Fset.Position(obj.Pos())]
		at := p.Fset.Position(id.Pos())
		if !own || g.seen[at] {
			return true
		}
		g.seen[at] = true
		_, fn := obj.(*types.Func)
		g.truth.Uses = append(g.truth.Uses, trueUse{g.rel(at), at.Line, id.Name, calls[id] && fn, []int{to}})
		return true
	})
}

// overrides notes which methods implement those of interfaces, and which types implement interfaces.
func (g *goTruth) overrides(pkgs []*packages.Package) {
	pairs := map[[2]int]bool{}
	implementing(pkgs, func(n, i *types.Named) { g.pair(pairs, n, i) })
	g.truth.Over = slices.SortedFunc(maps.Keys(pairs), func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
}

// pair notes a type that implements an interface, and its methods.
func (g *goTruth) pair(pairs map[[2]int]bool, n, i *types.Named) {
	note := func(a, b types.Object) {
		from, ok := g.defs[g.fset.Position(a.Pos())]
		to, known := g.defs[g.fset.Position(b.Pos())]
		if ok && known && from != to {
			pairs[[2]int{from, to}] = true
		}
	}
	note(n.Obj(), i.Obj())
	want := i.Underlying().(*types.Interface)
	for k := range want.NumMethods() {
		m := want.Method(k)
		found, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), false, m.Pkg(), m.Name())
		if fn, ok := found.(*types.Func); ok && !types.IsInterface(fn.Signature().Recv().Type()) {
			note(fn.Origin(), m)
		}
	}
}
