package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// A fault is one small change of a file.
type fault struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function,omitempty"`
	Kind     string `json:"kind"`
	Before   string `json:"before"`
	After    string `json:"after"`

	from, to int // what is replaced
	with     string
	in       *function // nil: it stands in none
	number   int       // in its batch
}

// A function is where a fault stands.
type function struct {
	name     string
	from, to int // what is between its braces
	line     int
	results  string
	alone    bool // it asks who called it, or recovers, which a function in it could not do for it
}

// A finder collects the faults that can be put into one file.
type finder struct {
	files *token.FileSet
	name  string
	src   []byte
	in    *function
	out   []fault
}

// faultsOf finds what can be put into a file. The file's name is what is shown.
func faultsOf(name string, src []byte) ([]fault, error) {
	f := &finder{files: token.NewFileSet(), name: filepath.ToSlash(name), src: src}
	file, err := parser.ParseFile(f.files, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			f.constants(d)
		case *ast.FuncDecl:
			if d.Body != nil {
				f.in = f.functionOf(d)
				f.body(d.Type, d.Body)
				f.in = nil
			}
		}
	}
	return f.out, nil
}

// shownMost bounds what is shown of one side of a fault.
const shownMost = 120

func (f *finder) offset(p token.Pos) int { return f.files.Position(p).Offset }

func (f *finder) text(n ast.Node) string { return string(f.src[f.offset(n.Pos()):f.offset(n.End())]) }

// replace notes a fault: a node becomes another text.
func (f *finder) replace(n ast.Node, kind, with string) {
	f.span(n.Pos(), n.End(), kind, with)
}

func (f *finder) span(from, to token.Pos, kind, with string) {
	a, b := f.offset(from), f.offset(to)
	one := fault{
		File: f.name, Line: f.files.Position(from).Line, Kind: kind,
		Before: squeezed(string(f.src[a:b])), After: squeezed(with),
		from: a, to: b, with: with, in: f.in,
	}
	if f.in != nil {
		one.Function = f.in.name
	}
	f.out = append(f.out, one)
}

func (f *finder) functionOf(d *ast.FuncDecl) *function {
	in := &function{
		name: d.Name.Name,
		from: f.offset(d.Body.Lbrace) + 1,
		to:   f.offset(d.Body.Rbrace),
		line: f.files.Position(d.Body.Lbrace).Line,
	}
	if d.Type.Results != nil {
		in.results = f.text(d.Type.Results)
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			in.alone = in.alone || f.text(n.Fun) == "recover" || strings.HasPrefix(f.text(n.Fun), "runtime.Caller")
		}
		return true
	})
	return in
}

func squeezed(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > shownMost {
		s = s[:shownMost] + "…"
	}
	return s
}

// factor is how much too large or too small a wrong bound is.
const factor = 4

// constants finds bounds: constants that begin with a whole number.
func (f *finder) constants(d *ast.GenDecl) {
	if d.Tok != token.CONST {
		return
	}
	for _, s := range d.Specs {
		for _, v := range s.(*ast.ValueSpec).Values {
			lit := first(v)
			if lit == nil {
				continue
			}
			n, err := strconv.ParseInt(lit.Value, 0, 64)
			if err != nil || n < 1 {
				continue
			}
			f.replace(lit, "bound", strconv.FormatInt(n*factor, 10))
			if n >= factor {
				f.replace(lit, "bound", strconv.FormatInt(n/factor, 10))
			}
		}
	}
}

// first is the number that an expression begins with.
func first(e ast.Expr) *ast.BasicLit {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.INT {
			return e
		}
	case *ast.BinaryExpr:
		if e.Op == token.MUL || e.Op == token.SHL {
			return first(e.X)
		}
	}
	return nil
}

// body finds the faults of one function; those within it are found with it.
func (f *finder) body(t *ast.FuncType, b *ast.BlockStmt) {
	if len(b.List) > 0 {
		at := b.List[0].Pos()
		f.span(at, at, "early return", f.zero(t))
	}
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.FuncLit:
			f.body(n.Type, n.Body)
			return false
		case *ast.ReturnStmt:
			f.returned(t, n)
		}
		f.node(n)
		return true
	})
}

// zero is the text that returns nothing.
func (f *finder) zero(t *ast.FuncType) string {
	if t.Results == nil {
		return "if true { return }; "
	}
	var vars, values []string
	for _, r := range t.Results.List {
		for range max(1, len(r.Names)) {
			name := fmt.Sprintf("fault%d", len(values))
			vars = append(vars, "var "+name+" "+f.text(r.Type)+"; ")
			values = append(values, name)
		}
	}
	return "if true { " + strings.Join(vars, "") + "return " + strings.Join(values, ", ") + " }; "
}

// returned drops the error that is returned.
func (f *finder) returned(t *ast.FuncType, r *ast.ReturnStmt) {
	if t.Results == nil || len(r.Results) != t.Results.NumFields() {
		return
	}
	last := t.Results.List[len(t.Results.List)-1]
	what := r.Results[len(r.Results)-1]
	if f.text(last.Type) == "error" && f.text(what) != "nil" {
		f.replace(what, "dropped error", "nil")
	}
}
