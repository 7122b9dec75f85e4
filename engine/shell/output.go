package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxFolds bounds substitutions inside substitutions whose output is worked out; each level is read once more.
	maxFolds = 4
	// maxStages bounds the commands of one pipeline that are followed.
	maxStages = 16
)

// stages are the commands of a pipeline in the order of the text.
func stages(b *syntax.BinaryCmd) []*syntax.Stmt {
	var out []*syntax.Stmt
	for _, s := range []*syntax.Stmt{b.X, b.Y} {
		inner, ok := s.Cmd.(*syntax.BinaryCmd)
		if ok && isPipe(inner) && len(out) < maxStages {
			out = append(out, stages(inner)...)
		} else {
			out = append(out, s)
		}
	}
	return out[:min(len(out), maxStages)]
}

// isPipe reports | and |&, and not && and ||, which the parser calls by the same name.
func isPipe(b *syntax.BinaryCmd) bool { return b.Op == syntax.Pipe || b.Op == syntax.PipeAll }

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
	z.partly = false
	text, ok := z.output(list[0], "", false)
	for _, s := range list[1:] {
		if !ok {
			return
		}
		z.consume(s, text)
		z.feeds(s, !z.partly && inputs(s) == 0)
		text, ok = z.output(s, text, true)
	}
}

// timeProgram judges time where bash takes it for the program of this name, not for its keyword: behind a pipe.
func (z *analyzer) timeProgram(t *syntax.TimeClause) {
	name := &syntax.Lit{ValuePos: t.Time, Value: "time"}
	w := &syntax.Word{Parts: []syntax.WordPart{name}}
	z.simple(z.arguments([]*syntax.Word{w}))
}

// substitution adds the output of $(…) where it is known.
func (r *wordReader) substitution(p *syntax.CmdSubst, quoted bool) {
	text, ok := r.z.produced(p.Stmts)
	if !ok {
		r.unknown("$(…)", quoted)
		return
	}
	r.value(strings.TrimRight(text, "\n"), quoted)
}

// produced is the output of one statement, where the text tells it.
func (z *analyzer) produced(list []*syntax.Stmt) (string, bool) {
	if len(list) != 1 || z.folds >= maxFolds {
		return "", false
	}
	z.folds++
	defer func() { z.folds-- }()
	b, ok := list[0].Cmd.(*syntax.BinaryCmd)
	if !ok {
		return z.output(list[0], "", false)
	}
	if b.Op != syntax.Pipe { // of a && b, which of them prints depends on a
		return "", false
	}
	text := ""
	for i, s := range stages(b) {
		text, ok = z.output(s, text, i > 0)
		if !ok {
			return "", false
		}
	}
	return text, true
}

// output is what a command prints, for the few whose output follows from their words and input. fed says that input is
// what it reads.
func (z *analyzer) output(s *syntax.Stmt, input string, fed bool) (string, bool) {
	switch c := s.Cmd.(type) {
	case *syntax.Block:
		return z.outputs(c.Stmts)
	case *syntax.Subshell:
		return z.outputs(c.Stmts)
	case *syntax.CallExpr:
		return z.callOutput(s, c, input, fed)
	}
	return "", false
}

// callOutput is what a simple command prints.
func (z *analyzer) callOutput(s *syntax.Stmt, call *syntax.CallExpr, input string, fed bool) (string, bool) {
	if len(call.Args) == 0 || len(call.Assigns) > 0 || s.Negated || s.Background {
		return "", false
	}
	in, given := z.givenInput(s)
	switch {
	case given: // a here-document counts, whatever comes through a pipe
		z.partly = z.partly || !in.known
		input, fed = in.text, true
	case len(s.Redirs) > 0 && !fed:
		return "", false // it may read, or print into, a file
	}
	a := z.arguments(call.Args)
	unknown := func(w word) bool { return !w.known }
	if len(a.words) == 0 || slices.ContainsFunc(a.words, unknown) {
		return "", false
	}
	switch p := a.program(); p {
	case "echo", "printf", "pwd", "which", "command", "ls":
		return z.printed(p, a)
	}
	return filtered(a, input, fed)
}

// outputs is what several commands print one after the other.
func (z *analyzer) outputs(list []*syntax.Stmt) (string, bool) {
	var b strings.Builder
	for _, s := range list[:min(len(list), maxStages)] {
		text, ok := z.produced([]*syntax.Stmt{s})
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), len(list) > 0
}

// printed is the output of commands that read nothing. It helps to find what a command line would destroy. A word with
// such a part is not static, so nothing is allowed by it.
func (z *analyzer) printed(p string, a args) (string, bool) {
	rest := a.texts[1:]
	names := withoutOptions(rest)
	switch p {
	case "echo":
		return echoed(rest), true
	case "printf":
		return formatted(rest), len(rest) > 0
	case "pwd":
		dir, ok := z.variable("PWD")
		return dir + "\n", ok
	case "ls": // -d prints the names that it is given
		return strings.Join(names, "\n") + "\n", slices.Contains(rest, "-d")
	}
	// which, command -v: where such programs are on almost every system
	if len(names) != 1 || p == "command" && !lookup(a) {
		return "", false
	}
	return "/usr/bin/" + path.Base(names[0]) + "\n", true
}

// givenInput is the text of a here-document, a here-string or < <(…).
func (z *analyzer) givenInput(s *syntax.Stmt) (word, bool) {
	for _, r := range s.Redirs {
		switch {
		case r.Op == syntax.WordHdoc && r.Word != nil:
			return z.word(r.Word), true
		case r.Hdoc != nil:
			return z.word(r.Hdoc), true
		case r.Op == syntax.RdrIn && r.Word != nil:
			w := z.word(r.Word)
			if w.inner != "" {
				return word{text: w.inner, known: true}, true
			}
		}
	}
	return word{}, false
}

// fedInput judges a statement that is given text to read.
func (z *analyzer) fedInput(s *syntax.Stmt) {
	if len(s.Redirs) == 0 {
		return
	}
	in, ok := z.givenInput(s)
	if ok {
		z.consume(s, in.text)
		z.feeds(s, in.known && inputs(s) == 1)
	}
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
	a := z.arguments(call.Args)
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

// stdin is what a command reads, as a file.
const stdin = "/dev/stdin"

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

// hasAny reports that one of the words is one of these.
func (a args) hasAny(texts ...string) bool {
	return slices.ContainsFunc(a.texts, func(t string) bool { return slices.Contains(texts, t) })
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
	a, b := z.arguments(call.Args), z.arguments(into.Args)
	i := slices.Index(b.texts, "xargs")
	if i < 0 || !slices.ContainsFunc(b.texts[i:], removes) {
		return
	}
	start := z.vastStart(a)
	if start != "" {
		z.catastrophe(a.pos(), "everything that find finds below %s is removed", start)
	}
}
