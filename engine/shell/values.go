package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// bash evaluates the value of a variable that stands in arithmetic, in a subscript or for the name of another variable,
// and what it evaluates may hold a command: a[$(touch mark)]. A line that has it do that does more than look, unless
// each such value is a plain number which the line itself has put there.

// evaluatesValues reports a script that has bash evaluate a value in which a command may stand.
func evaluatesValues(f *syntax.File) bool {
	v := &values{numbers: numbersOf(f)}
	syntax.Walk(f, func(n syntax.Node) bool {
		v.found = v.found || v.evaluates(n)
		return !v.found
	})
	return v.found
}

// values looks for what evaluates.
type values struct {
	numbers map[string]syntax.Pos // variables that hold plain numbers, and from where on
	found   bool
}

// evaluates judges one node by itself.
func (v *values) evaluates(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.ArithmExp:
		return !v.number(n.X)
	case *syntax.ArithmCmd:
		return !v.number(n.X)
	case *syntax.LetClause:
		return slices.ContainsFunc(n.Exprs, func(x syntax.ArithmExpr) bool { return !v.number(x) })
	case *syntax.CStyleLoop:
		return !v.number(n.Init) || !v.number(n.Cond) || !v.number(n.Post)
	case *syntax.ParamExp:
		return v.expands(n)
	case *syntax.Assign:
		return n.Index != nil && !v.number(n.Index)
	case *syntax.ArrayElem:
		return n.Index != nil && !v.number(n.Index)
	case *syntax.DeclClause:
		return v.declares(n)
	case *syntax.UnaryTest:
		return (n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar) && !plainName(n.X)
	case *syntax.BinaryTest:
		return comparesNumbers(n.Op) && !(v.testNumber(n.X) && v.testNumber(n.Y))
	case *syntax.CallExpr:
		return namesVariables(n)
	}
	return false
}

// expands judges an expansion: indirect names, subscripts, slices and @P.
func (v *values) expands(p *syntax.ParamExp) bool {
	whole := p.Index == nil || allElements(p.Index)
	switch {
	case p.Excl && p.Names == 0 && (p.Index == nil || !whole):
		return true
	case !whole && !v.number(p.Index):
		return true
	case p.Slice != nil:
		return !v.number(p.Slice.Offset) || !v.number(p.Slice.Length)
	case p.Exp != nil && p.Exp.Op == syntax.OtherParamOps:
		return p.Exp.Word == nil || p.Exp.Word.Lit() == "" || strings.Contains(p.Exp.Word.Lit(), "P")
	}
	return false
}

// allElements reports [@] and [*].
func allElements(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}

// declares judges declare -i, which evaluates what is assigned, and -n, which makes a name of it.
func (v *values) declares(d *syntax.DeclClause) bool {
	for _, a := range d.Args {
		switch {
		case a.Name != nil: // NAME=value, judged as an assignment
		case a.Value == nil:
		case a.Value.Lit() == "":
			return true
		case strings.HasPrefix(a.Value.Lit(), "-") && strings.ContainsAny(a.Value.Lit(), "in"):
			return true
		}
	}
	return d.Variant.Value == "nameref"
}

// comparesNumbers reports the operators of [[ that evaluate both sides.
func comparesNumbers(op syntax.BinTestOperator) bool {
	switch op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		return true
	}
	return false
}

func (v *values) testNumber(x syntax.TestExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && v.number(w)
}

// plainName reports a test's operand that is the name of a variable, without a subscript.
func plainName(x syntax.TestExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && variableName().MatchString(w.Lit())
}

// variableName is a name, or one with a number for its subscript.
var variableName = lazily(`^[A-Za-z_][A-Za-z0-9_]*(\[[0-9@*]+\])?$`)

// namers are the builtins that take names of variables, in which bash evaluates subscripts; and the options whose value
// is one. "": each operand is.
var namers = map[string]string{
	"read": "", "mapfile": "", "readarray": "", "unset": "", "getopts": "", "printf": "-v", "wait": "-p", "test": "-v", "[": "-v",
}

// namesVariables reports a builtin that is given a name which is computed, or has a subscript that is evaluated.
func namesVariables(c *syntax.CallExpr) bool {
	if len(c.Args) == 0 {
		return false
	}
	words := c.Args
	for len(words) > 1 && (words[0].Lit() == "builtin" || words[0].Lit() == "command") {
		words = words[1:]
	}
	option, known := namers[words[0].Lit()]
	if !known {
		return false
	}
	for i, w := range words[1:] {
		before := words[i].Lit()
		if option != "" && before != option {
			name, joined := strings.CutPrefix(w.Lit(), option)
			if joined && name != "" && !variableName().MatchString(name) {
				return true
			}
			continue
		}
		if strings.ContainsAny(textIn(w), "[$`") && !variableName().MatchString(w.Lit()) {
			return true
		}
	}
	return false
}

// textIn is the text of a word in any quotes, with a $ where something is computed.
func textIn(w *syntax.Word) string {
	var b strings.Builder
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			b.WriteString(n.Value)
		case *syntax.SglQuoted:
			b.WriteString(n.Value)
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp:
			b.WriteByte('$')
			return false
		}
		return true
	})
	return b.String()
}

// number reports an expression in which nothing can be but numbers; nil is none.
func (v *values) number(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case nil:
		return true
	case *syntax.BinaryArithm:
		return v.number(x.X) && v.number(x.Y)
	case *syntax.UnaryArithm:
		return v.number(x.X)
	case *syntax.ParenArithm:
		return v.number(x.X)
	case *syntax.Word:
		if x == nil {
			return true
		}
		return !slices.ContainsFunc(x.Parts, func(p syntax.WordPart) bool { return !v.numberPart(p) })
	}
	return false
}

func (v *values) numberPart(p syntax.WordPart) bool {
	switch p := p.(type) {
	case *syntax.Lit:
		return numberText().MatchString(p.Value) || v.holdsNumber(p.Value, p.Pos())
	case *syntax.SglQuoted:
		return numberText().MatchString(p.Value)
	case *syntax.DblQuoted:
		return !slices.ContainsFunc(p.Parts, func(q syntax.WordPart) bool { return !v.numberPart(q) })
	case *syntax.ArithmExp:
		return true // judged by itself
	case *syntax.CmdSubst:
		return printsNumber(p.Stmts)
	case *syntax.ParamExp:
		if p.Param == nil || p.Excl || p.Exp != nil || p.Slice != nil || p.Repl != nil {
			return false
		}
		return p.Length || ownNumbers[p.Param.Value] || v.holdsNumber(p.Param.Value, p.Pos())
	}
	return false
}

// ownNumbers are the parameters that bash itself keeps numbers in.
var ownNumbers = map[string]bool{
	"#": true, "?": true, "$": true, "!": true, "RANDOM": true, "SRANDOM": true, "SECONDS": true, "LINENO": true,
	"PPID": true, "UID": true, "EUID": true, "BASHPID": true, "EPOCHSECONDS": true, "COLUMNS": false,
}

// numberText is a number as bash writes them, with a base or signs, or a range of them in braces.
var numberText = lazily(`^([-+]?[0-9][0-9a-zA-Z#_]*|\{-?[0-9]+\.\.-?[0-9]+(\.\.-?[0-9]+)?\}|[-+]|)$`)

// holdsNumber reports a variable that holds a number at a place.
func (v *values) holdsNumber(name string, at syntax.Pos) bool {
	from, ok := v.numbers[name]
	return ok && at.After(from)
}

// numberFormats are what date prints digits for.
var numberFormats = lazily(`^\+(%-?[sNYmdHMSjyCu])+$`)

// printsNumber reports commands that print nothing but one number.
func printsNumber(stmts []*syntax.Stmt) bool {
	if len(stmts) != 1 {
		return false
	}
	cmd := stmts[0].Cmd
	for {
		pipe, ok := cmd.(*syntax.BinaryCmd)
		if !ok || pipe.Op != syntax.Pipe {
			break
		}
		cmd = pipe.Y.Cmd
	}
	c, ok := cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return false
	}
	var rest []string
	for _, w := range c.Args[1:] {
		rest = append(rest, textIn(w))
	}
	onlyOptions := !slices.ContainsFunc(rest, func(w string) bool { return !strings.HasPrefix(w, "-") })
	switch c.Args[0].Lit() {
	case "nproc":
		return true
	case "wc":
		return onlyOptions
	case "date":
		return len(rest) == 1 && numberFormats().MatchString(rest[0])
	case "id":
		return len(rest) == 1 && (rest[0] == "-u" || rest[0] == "-g")
	}
	return false
}
