package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// expressions judges what stands inside of commands and is evaluated by bash: expansions, arithmetic, tests.
type expressions struct {
	*report
	words *expander
}

// expansion allows names and the operators that only choose or cut text: others assign (:=), execute (@P), follow
// names (!) or evaluate (subscripts, slices).
func (s expressions) expansion(p *syntax.ParamExp) {
	if p.Length && p.Index == nil && p.Param != nil {
		return
	}
	if !plainParam(p) && !textOperator(p) {
		s.ask(p.Pos(), "an expansion with an operator")
	}
}

// arithmetic allows numbers: a variable's value is evaluated as an expression, whose subscripts run substitutions.
func (s expressions) arithmetic(at syntax.Node, x syntax.ArithmExpr) {
	if x == nil || !constantSum(x) {
		s.ask(at.Pos(), "arithmetic over variables can run substitutions in them")
	}
}

// testExpr judges [[ … ]], whose words are never split; only operators that evaluate are dangerous.
func (s expressions) testExpr(at syntax.Node, x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.ParenTest:
		s.testExpr(at, x.X)
	case *syntax.UnaryTest:
		switch x.Op {
		case syntax.TsVarSet, syntax.TsRefVar, syntax.TsOptSet:
			s.ask(at.Pos(), "[[ %s evaluates its operand", x.Op)
		}
		s.testExpr(at, x.X)
	case *syntax.BinaryTest:
		numbers := x.Op >= syntax.TsEql && x.Op <= syntax.TsGtr // -eq to -gt
		if numbers && !(s.integerTest(x.X) && s.integerTest(x.Y)) {
			s.ask(at.Pos(), "[[ %s evaluates its operands", x.Op)
		}
		s.testExpr(at, x.X)
		s.testExpr(at, x.Y)
	}
}

// integerTest is integer for an operand of [[.
func (s expressions) integerTest(x syntax.TestExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && integer(s.words.word(w))
}

// constantSum reports an expression of numbers and operators alone.
func constantSum(x syntax.ArithmExpr) bool {
	constant := true
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Word:
			constant = constant && numeric(n.Lit())
		case nil, *syntax.Lit, *syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm:
		default:
			constant = false
		}
		return true
	})
	return constant
}

// numeric reports a number without a sign. ASCII alone: other digits are letters to bash.
func numeric(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
