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
		if z.consumedBy(a.from(i), text, s.Pos()) {
			return
		}
	}
}

// consumedBy judges text that a program reads, if it is one that makes something of it.
func (z *analyzer) consumedBy(a args, text string, pos syntax.Pos) bool {
	p := a.program()
	switch p {
	case "xargs", "parallel":
		z.appended(a, text)
		return true
	case "fdisk", "sfdisk", "gdisk", "parted":
		i := slices.IndexFunc(a.texts, devicePath)
		if i > 0 {
			z.catastrophe(a.pos(), "%s changes the partitions of %s", p, a.texts[i])
		}
		return true
	}
	switch {
	case z.runsInput(p, a):
		z.nested(text, pos)
	case (p == "make" || p == "gmake") && a.hasAny("-", "-f-", stdin):
		z.makefile(text, pos)
	case foreign(p):
		z.program(p, text, pos)
	default:
		return false
	}
	return true
}

// runsInput reports a program, other than a shell, that takes what it reads for a script.
func (z *analyzer) runsInput(p string, a args) bool {
	switch p {
	case "at", "batch": // later, and by another process
		return true
	case "ssh":
		return z.onlyHost(a)
	case "source", ".":
		return a.hasAny(stdin)
	}
	return false
}

// onlyHost reports ssh without a command: what it reads runs there.
func (z *analyzer) onlyHost(a args) bool {
	i, why := z.wrapped(z.t.wrappers["ssh"], a)
	return why == "" && i >= len(a.words)
}

// appended judges what xargs runs, with the words that it reads.
func (z *analyzer) appended(a args, text string) {
	i, _ := z.wrapped(z.t.wrappers[a.program()], a)
	if i >= len(a.words) {
		return
	}
	inner := a.from(i)
	inner.words = slices.Clone(inner.words)
	inner.texts = slices.Clone(inner.texts)
	separates := func(r rune) bool { return strings.ContainsRune(" \t\n\x00", r) }
	for _, f := range strings.FieldsFunc(text, separates) {
		glob := strings.ContainsAny(f, "*?[")
		inner.add(word{text: f, known: true, glob: glob, pos: a.pos()})
	}
	for range maxWraps { // what the wrappers behind xargs run gets the words
		w := z.t.wrappers[inner.program()]
		if w == nil || w.mode != "words" {
			break
		}
		k, why := z.wrapped(w, inner)
		if why != "" || k >= len(inner.words) {
			break
		}
		inner = inner.from(k)
	}
	why := z.disaster(inner)
	if why != "" {
		z.catastrophe(a.pos(), "%s", why)
	}
}

// makefile judges the recipes of a makefile that make reads from its input.
func (z *analyzer) makefile(text string, pos syntax.Pos) {
	for line := range strings.Lines(text) {
		recipe, ok := strings.CutPrefix(line, "\t")
		if !ok {
			_, recipe, _ = strings.Cut(line, ";") // all: ; rm x
		}
		recipe = strings.TrimLeft(recipe, "@-+ \t")
		z.quoted(recipe, pos)
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
	start := z.vastStart(a)
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

// stdin is what a command reads, as a file.
const stdin = "/dev/stdin"
