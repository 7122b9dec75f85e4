package main

import (
	"go/ast"
	"go/token"
	"strconv"
)

// swapped are the operators that are mistaken for one another.
var swapped = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
	token.LAND: "||", token.LOR: "&&", token.ADD: "-", token.SUB: "+",
}

// node finds the faults of one node of a function's body.
func (f *finder) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.clause(n)
		f.statements(n.Body)
	case *ast.CommClause:
		f.statements(n.Body)
	case *ast.IfStmt:
		f.condition(n)
	case *ast.ForStmt:
		if n.Cond != nil {
			f.replace(n.Cond, "negated condition", "!("+f.text(n.Cond)+")")
		}
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.SliceExpr:
		f.number(n.Low)
		f.number(n.High)
	case *ast.IndexExpr:
		f.number(n.Index)
	case *ast.CallExpr:
		f.arguments(n)
	case *ast.CompositeLit:
		f.fields(n)
	case *ast.Ident:
		f.truth(n)
	}
}

func (f *finder) condition(n *ast.IfStmt) {
	cond := f.text(n.Cond)
	f.replace(n.Cond, "negated condition", "!("+cond+")")
	f.replace(n.Cond, "guard off", "false && ("+cond+")")
}

// statements finds what can be left out of a list of statements.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if _, call := s.X.(*ast.CallExpr); call {
				f.replace(s, "dropped call", "")
			}
		case *ast.DeferStmt:
			f.replace(s, "dropped defer", "")
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				f.replace(s, "dropped assignment", "")
			}
		case *ast.IncDecStmt:
			f.replace(s, "dropped assignment", "")
		case *ast.BranchStmt:
			if s.Tok == token.BREAK || s.Tok == token.CONTINUE {
				f.replace(s, "dropped jump", "")
			}
		}
	}
}

// clause drops a case, or the first of its values.
func (f *finder) clause(c *ast.CaseClause) {
	switch {
	case len(c.List) == 0: // default
	case len(c.List) == 1:
		f.replace(c, "removed case", "")
	default:
		f.span(c.List[0].Pos(), c.List[1].Pos(), "removed case", "")
	}
}

func (f *finder) binary(n *ast.BinaryExpr) {
	f.number(n.Y)
	with, ok := swapped[n.Op]
	if !ok || isText(n.X) || isText(n.Y) && n.Op == token.ADD {
		return
	}
	f.span(n.X.End(), n.Y.Pos(), "swapped operator", " "+with+" ")
}

// isText reports an expression that shows itself to be a string: there is no minus of strings.
func isText(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.STRING
}

// number puts a whole number off by one.
func (f *finder) number(e ast.Expr) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.INT {
		return
	}
	if n, err := strconv.ParseInt(lit.Value, 0, 64); err == nil {
		f.replace(lit, "off by one", strconv.FormatInt(n+1, 10))
	}
}

// arguments puts numbers off by one that are given to a function. What make is given is only a matter of speed, and a
// 0 is mostly a flag or a mode that is not there.
func (f *finder) arguments(c *ast.CallExpr) {
	if name, ok := c.Fun.(*ast.Ident); ok && name.Name == "make" {
		return
	}
	for _, a := range c.Args {
		if f.text(a) != "0" {
			f.number(a)
		}
	}
}

// fields drops what a struct is made with.
func (f *finder) fields(c *ast.CompositeLit) {
	for i, e := range c.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if _, named := kv.Key.(*ast.Ident); !named {
			continue
		}
		if i+1 < len(c.Elts) {
			f.span(kv.Pos(), c.Elts[i+1].Pos(), "dropped field", "")
		} else if i > 0 {
			f.span(c.Elts[i-1].End(), kv.End(), "dropped field", "")
		} else {
			f.replace(kv, "dropped field", "")
		}
	}
}

func (f *finder) truth(n *ast.Ident) {
	switch n.Name {
	case "true":
		f.replace(n, "swapped truth", "false")
	case "false":
		f.replace(n, "swapped truth", "true")
	}
}
