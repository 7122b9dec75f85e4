package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// pipe follows text that is known through a pipeline to what runs it: echo 'rm -rf /' | sh. The parser nests the
// stages, so the parts of a pipeline are noted, and followed once, with the whole.
func (z *analyzer) pipe(b *syntax.BinaryCmd) {
	if !isPipe(b) {
		return
	}
	z.pipeEnds(b)
	if z.piped[b] {
		return
	}
	list := stages(b)
	for i, s := range list[1:] {
		z.findInto(list[i], s)
	}
	z.words.partly = false
	text, ok := z.words.output(list[0], "", false)
	for _, s := range list[1:] {
		if !ok {
			return
		}
		z.consume(s, text)
		z.feeds(s, !z.words.partly && inputs(s) == 0)
		text, ok = z.words.output(s, text, true)
	}
}

// pipeEnds looks at the two commands, or parts, that a pipe joins.
func (z *analyzer) pipeEnds(b *syntax.BinaryCmd) {
	for _, s := range []*syntax.Stmt{b.X, b.Y} {
		t, ok := s.Cmd.(*syntax.TimeClause)
		first := s == b.X && !z.piped[b] // there, time is the keyword
		if ok && t.Stmt != nil && !first {
			z.timeProgram(t)
		}
		inner, ok := s.Cmd.(*syntax.BinaryCmd)
		if ok {
			z.piped[inner] = true
		}
	}
}

// timeProgram judges time where bash takes it for the program of this name, not for its keyword: behind a pipe.
func (z *analyzer) timeProgram(t *syntax.TimeClause) {
	name := &syntax.Lit{ValuePos: t.Time, Value: "time"}
	w := &syntax.Word{Parts: []syntax.WordPart{name}}
	z.simple(z.words.arguments([]*syntax.Word{w}))
}

// fedInput judges a statement that is given text to read.
func (z *analyzer) fedInput(s *syntax.Stmt) {
	if len(s.Redirs) == 0 {
		return
	}
	in, ok := z.words.givenInput(s)
	if ok {
		z.consume(s, in.text)
		z.feeds(s, in.known && inputs(s) == 1)
	}
}

// feeds notes whether it is known what a statement reads.
func (z *analyzer) feeds(s *syntax.Stmt, known bool) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if ok {
		z.fed[call] = known
	}
}

// consume judges text that a statement reads: a script for a shell, arguments for xargs, a program for an interpreter.
// Which of the words is the program that reads is not known behind wrappers: the first that would is taken for it.
func (z *analyzer) consume(s *syntax.Stmt, text string) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	if z.readsScript(s) {
		z.nested(text, s.Pos())
		return
	}
	a := z.words.arguments(call.Args)
	for i := range min(len(a.words), maxWraps) {
		runs, understood := z.wraps.fed(a.from(i), text, s.Pos())
		z.runs(runs)
		if understood {
			return
		}
	}
}

// findInto judges find / | xargs rm, where the words that are added cannot be known but for where they lie.
func (z *analyzer) findInto(from, to *syntax.Stmt) {
	call, ok := from.Cmd.(*syntax.CallExpr)
	into, ok2 := to.Cmd.(*syntax.CallExpr)
	if !ok || !ok2 || len(call.Args) == 0 || len(into.Args) == 0 {
		return
	}
	if call.Args[0].Lit() != "find" {
		return
	}
	a, b := z.words.arguments(call.Args), z.words.arguments(into.Args)
	i := slices.Index(b.texts, "xargs")
	if i < 0 || !slices.ContainsFunc(b.texts[i:], removes) {
		return
	}
	start := z.disasters.vastStart(a)
	if start != "" {
		z.catastrophe(a.pos(), "everything that find finds below %s is removed", start)
	}
}

// readsScript reports a shell without a script of its own: it runs what it reads.
func (z *analyzer) readsScript(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	end := len(call.Args) - 1
	for i, x := range call.Args {
		w := z.t.wrappers[z.words.word(x).text]
		if w != nil && w.mode == "shell" {
			last := z.words.word(call.Args[end]).text
			return i == end || !strings.Contains(last, "c") // else it may be sh -c, or sh with a script
		}
	}
	return false
}

// inputs counts the redirections by which a statement reads something else.
func inputs(s *syntax.Stmt) int {
	n := 0
	for _, r := range s.Redirs {
		switch r.Op {
		case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			n++
		}
	}
	return n
}
