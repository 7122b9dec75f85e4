package shell

import (
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// walk visits every node in the order of the text. Nodes are an allow-list: a construct without a case of its own asks.
func (z *analyzer) walk(root syntax.Node) {
	defer func() {
		if r := recover(); r != nil { // a node that syntax.Walk does not know
			z.ask(root.Pos(), "the command holds a construct that is not understood")
		}
	}()
	var stack []syntax.Node
	syntax.Walk(root, func(n syntax.Node) bool {
		if n == nil {
			z.leave(stack[len(stack)-1])
			stack = stack[:len(stack)-1]
			return true
		}
		if z.over(n) {
			return false
		}
		stack = append(stack, n)
		z.enter(n)
		return true
	})
}

// over reports that the time is up and the script is not small.
func (z *analyzer) over(n syntax.Node) bool {
	if z.late {
		return true
	}
	if _, ok := n.(*syntax.Stmt); !ok {
		return false
	}
	z.steps++
	if z.steps > smallScript && time.Now().After(z.until) {
		z.late = true
		z.fail(ErrDeadline)
	}
	return z.late
}

// leave ends what enter began: the body of a loop, and the places where text is evaluated.
func (z *analyzer) leave(n syntax.Node) {
	z.at.leave(n)
	switch n := n.(type) {
	case *syntax.ForClause:
		z.at.loops--
		if it, ok := n.Loop.(*syntax.WordIter); ok {
			delete(z.vars.oneOf, it.Name.Value)
		}
	case *syntax.WhileClause:
		z.at.loops--
	}
	if evaluates(n) {
		z.sums--
	}
}

// evaluates reports syntax inside of which bash may take quoted text for an expression.
func evaluates(n syntax.Node) bool {
	switch n.(type) {
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop,
		*syntax.TestClause, *syntax.DeclClause, *syntax.ParamExp:
		return true
	}
	return false
}

// enter judges a node by itself; what is inside of it comes later. Commands and what joins them are judged here, the
// rest by enterInside.
func (z *analyzer) enter(n syntax.Node) {
	z.at.enter(n)
	if evaluates(n) {
		z.sums++
	}
	switch n := n.(type) {
	case *syntax.Stmt:
		z.stmt(n)
	case *syntax.CallExpr:
		z.call(n)
	case *syntax.Assign:
		if !z.prefixes[n] {
			z.ask(n.Pos(), "an assignment changes what later commands do")
		}
	case *syntax.Comment:
		z.comment(n)
	case *syntax.TimeClause:
		if n.Stmt == nil { // before nothing, bash runs the program of this name
			z.timeProgram(n)
		}
	case *syntax.Redirect:
		z.redirections.redirect(n, z.text)
	case *syntax.BinaryCmd:
		z.pipe(n)
	case *syntax.WhileClause:
		z.at.loops++
	case *syntax.ForClause:
		z.at.loops++
		z.loop(n)
	case *syntax.FuncDecl:
		z.function(n)
	case *syntax.CoprocClause:
		z.coprocess(n)
	default:
		z.enterInside(n)
	}
}

// enterInside judges what stands inside of commands: expansions, tests, declarations.
func (z *analyzer) enterInside(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.ParamExp:
		z.expressions.expansion(n)
	case *syntax.ArithmExp:
		z.expressions.arithmetic(n, n.X)
	case *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
		z.ask(n.Pos(), "arithmetic can assign variables and run substitutions in them")
	case *syntax.CmdSubst:
		if n.TempFile || n.ReplyVar {
			z.ask(n.Pos(), "a substitution of another shell's syntax")
		}
	case *syntax.SglQuoted:
		if z.sums > 0 {
			z.evaluated(n.Value, n.Pos())
		}
	case *syntax.TestClause:
		z.expressions.testExpr(n, n.X)
	case *syntax.DeclClause:
		z.declare(n)
	default:
		if !harmlessNode(n) {
			z.ask(n.Pos(), "%s", nodeName(n))
		}
	}
}

// coprocess judges coproc [NAME] COMMAND, whose name bash takes only before a compound command.
func (z *analyzer) coprocess(c *syntax.CoprocClause) {
	z.ask(c.Pos(), "a coprocess runs in the background")
	z.doubt("bash and this parser disagree about what a coprocess's name is")
	if c.Name != nil { // before a simple command, bash takes the name for its first word
		z.simple(z.words.arguments([]*syntax.Word{c.Name}))
	}
}

// harmlessNode reports syntax that only joins what is judged by itself.
func harmlessNode(n syntax.Node) bool {
	switch n.(type) {
	case *syntax.File, *syntax.Subshell, *syntax.Block, *syntax.IfClause, *syntax.CaseClause, *syntax.CaseItem,
		*syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted, *syntax.WordIter, *syntax.ProcSubst,
		*syntax.UnaryTest, *syntax.BinaryTest, *syntax.ParenTest,
		*syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm:
		return true
	}
	return false
}

// nodeName is what a person is told about syntax that is not in the allow-list.
func nodeName(n syntax.Node) string {
	switch n.(type) {
	case *syntax.ArrayExpr, *syntax.ArrayElem:
		return "an assignment changes what later commands do"
	case *syntax.ExtGlob:
		return "an extended glob"
	}
	return "a construct that is not understood"
}

// stmt judges how a command is run. One in the background goes on when the call has ended, unseen.
func (z *analyzer) stmt(s *syntax.Stmt) {
	if s.Background || s.Coprocess || s.Disown {
		z.ask(s.Pos(), "a command in the background")
	}
	if s.Cmd == nil && len(s.Redirs) == 0 {
		z.ask(s.Pos(), "a statement without a command")
	}
	z.fedInput(s)
}

// comment meets another difference: inside a word, # starts no comment for bash, and the parser sees one behind a
// quote.
func (z *analyzer) comment(c *syntax.Comment) {
	at := int(c.Hash.Offset())
	if at == 0 || at > len(z.text) {
		return
	}
	before := z.text[:at]
	escaped := len(before) > 1 && before[at-2] == '\\'
	if strings.IndexByte(" \t\n;&|()", before[at-1]) >= 0 && !escaped {
		return
	}
	z.doubt("a # inside a word")
	z.raise(Ask, 1, 1, "a comment that bash may take for a part of a word")
	z.a.barred = true
	if end := int(c.End().Offset()); end <= len(z.text) {
		z.nestedQuiet(z.text[at+1:end], c.Hash)
	}
}

// loop judges the variable of a for loop: for PATH in . would choose the programs that run.
func (z *analyzer) loop(f *syntax.ForClause) {
	it, ok := f.Loop.(*syntax.WordIter)
	if !ok || f.Select {
		z.ask(f.Pos(), "a loop that computes or reads its variable")
		return
	}
	// By custom, variables that steer programs are in capitals, and those of a script are not.
	if name := it.Name.Value; name != strings.ToLower(name) || name == "_" {
		z.ask(it.Pos(), "a loop over the variable %s, which may change what commands do", name)
	}
	z.words.loop(f, it)
}

// function asks: from here on, the name runs what the script says and no longer the program that the tables know. The
// body is judged where it stands, as if it ran.
func (z *analyzer) function(f *syntax.FuncDecl) {
	name := ""
	if f.Name != nil {
		name = f.Name.Value
	}
	z.funcs[name] = runsArguments(f) // what it is called with is judged as a command, too
	if bomb(f, name) {
		z.catastrophe(f.Pos(), "the function %s starts itself again and again (a fork bomb)", name)
	}
	z.ask(f.Pos(), "the function %s replaces a command", name)
}

// runsArguments reports a function that takes its arguments for a command: run() { "$@"; }
func runsArguments(f *syntax.FuncDecl) bool {
	found := false
	argument := func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		if ok && p.Param != nil && strings.Contains("@*1", p.Param.Value) {
			found = true
		}
		return true
	}
	syntax.Walk(f.Body, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CallExpr)
		if ok && len(c.Args) > 0 {
			syntax.Walk(c.Args[0], argument)
		}
		return true
	})
	return found
}

// bomb reports a function that calls itself in a pipeline or in the background, so that each copy starts more. One call
// alone may be a loop of a server; under the name of the classic it is not.
func bomb(f *syntax.FuncDecl, name string) bool {
	calls, forks := 0, false
	syntax.Walk(f.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 && n.Args[0].Lit() == name {
				calls++
			}
		case *syntax.BinaryCmd:
			forks = forks || n.Op == syntax.Pipe || n.Op == syntax.PipeAll
		case *syntax.Stmt:
			forks = forks || n.Background || n.Coprocess
		}
		return true
	})
	return calls > 1 && forks || calls == 1 && forks && name == ":"
}

// declare handles export, declare, local, readonly: they change the shell. Values are kept to understand later words.
func (z *analyzer) declare(d *syntax.DeclClause) {
	z.assignments(d.Args)
	z.ask(d.Pos(), "%s changes what later commands do", d.Variant.Value)
	line, col := z.place(d.Pos())
	z.a.Commands = append(z.a.Commands, Command{
		Words:   []string{d.Variant.Value},
		Program: d.Variant.Value,
		Wrapped: z.depth > 0,
		Reason:  "changes what later commands do",
		Line:    line,
		Col:     col,
	})
}
