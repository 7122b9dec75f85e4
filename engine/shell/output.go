package shell

import (
	"encoding/base64"
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
		if inner, ok := s.Cmd.(*syntax.BinaryCmd); ok && (inner.Op == syntax.Pipe || inner.Op == syntax.PipeAll) && len(out) < maxStages {
			out = append(out, stages(inner)...)
		} else {
			out = append(out, s)
		}
	}
	return out[:min(len(out), maxStages)]
}

// pipe follows text that is known through a pipeline to what runs it: echo 'rm -rf /' | sh
func (z *analyzer) pipe(b *syntax.BinaryCmd) {
	if b.Op != syntax.Pipe && b.Op != syntax.PipeAll {
		return
	}
	for _, s := range []*syntax.Stmt{b.X, b.Y} {
		if t, ok := s.Cmd.(*syntax.TimeClause); ok && t.Stmt != nil && (s == b.Y || z.piped[b]) {
			z.timeProgram(t)
		}
	}
	for _, s := range []*syntax.Stmt{b.X, b.Y} {
		if inner, ok := s.Cmd.(*syntax.BinaryCmd); ok {
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
	text, ok := z.output(list[0], "", false)
	for _, s := range list[1:] {
		if !ok {
			return
		}
		z.consume(s, text)
		text, ok = z.output(s, text, true)
	}
}

// timeProgram judges time where bash takes it for the program of this name, not for its keyword: behind a pipe.
func (z *analyzer) timeProgram(t *syntax.TimeClause) {
	z.simple(z.arguments([]*syntax.Word{{Parts: []syntax.WordPart{&syntax.Lit{ValuePos: t.Time, Value: "time"}}}}))
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
	if b.Op != syntax.Pipe {
		return "", false
	}
	text, ok := "", true
	for i, s := range stages(b) {
		if text, ok = z.output(s, text, i > 0); !ok {
			return "", false
		}
	}
	return text, true
}

// output is what a simple command prints, for the few whose output follows from their words and input.
func (z *analyzer) output(s *syntax.Stmt, input string, fed bool) (string, bool) {
	switch c := s.Cmd.(type) {
	case *syntax.Block:
		return z.outputs(c.Stmts)
	case *syntax.Subshell:
		return z.outputs(c.Stmts)
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || len(call.Assigns) > 0 || s.Negated || s.Background {
		return "", false
	}
	if text, ok := z.givenInput(s); ok {
		input, fed = text, true
	} else if len(s.Redirs) > 0 && !fed {
		return "", false
	}
	a := z.arguments(call.Args)
	if len(a.words) == 0 || slices.ContainsFunc(a.words, func(w word) bool { return !w.known }) {
		return "", false
	}
	if p := a.program(); p == "echo" || p == "printf" || p == "pwd" || p == "which" || p == "command" || p == "ls" {
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

// printed is the output of commands that read nothing.
func (z *analyzer) printed(p string, a args) (string, bool) {
	rest := a.texts[1:]
	switch p {
	case "echo":
		escapes := false
		for len(rest) > 0 && (rest[0] == "-n" || rest[0] == "-e" || rest[0] == "-ne" || rest[0] == "-en") {
			escapes, rest = escapes || strings.Contains(rest[0], "e"), rest[1:]
		}
		return unescapeIf(escapes, strings.Join(rest, " ")+"\n"), true
	case "printf":
		return formatted(rest), len(rest) > 0
	case "pwd":
		dir, ok := z.variable("PWD")
		return dir + "\n", ok
	case "ls": // -d prints the names that it is given
		return strings.Join(slices.DeleteFunc(slices.Clone(rest), option), "\n") + "\n", slices.Contains(rest, "-d")
	}
	rest = slices.DeleteFunc(slices.Clone(rest), option) // which, command -v
	if len(rest) != 1 || p == "command" && !lookup(a) {
		return "", false
	}
	return "/usr/bin/" + path.Base(rest[0]) + "\n", true
}

func option(s string) bool { return strings.HasPrefix(s, "-") }

func unescapeIf(escapes bool, text string) string {
	if !escapes {
		return text
	}
	text, _, _ = unescapeANSI(text)
	return text
}

// formatted is printf's output, near enough: the words in place of the directives, the format again while words are
// left.
func formatted(words []string) string {
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	format, _, _ := unescapeANSI(words[0])
	words = words[1:]
	var b strings.Builder
	for {
		used := 0
		for i := 0; i < len(format); i++ {
			switch {
			case format[i] != '%' || i+1 == len(format):
				b.WriteByte(format[i])
			case format[i+1] == '%':
				b.WriteByte('%')
				i++
			default:
				i++
				if used < len(words) {
					b.WriteString(words[used])
				}
				used++
			}
		}
		if used == 0 || used >= len(words) {
			return b.String()
		}
		words = words[used:]
	}
}

// filtered is the output of commands that pass on what they read.
func filtered(a args, input string, fed bool) (string, bool) {
	if !fed {
		return "", false
	}
	rest := slices.DeleteFunc(slices.Clone(a.texts[1:]), option)
	decode := slices.ContainsFunc(a.texts, func(t string) bool { return t == "-d" || t == "-D" || t == "--decode" })
	switch p := a.program(); {
	case p == "cat" && len(rest) == 0, p == "tee":
		return input, true
	case p == "base64" && decode && len(rest) == 0:
		out, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(input), ""))
		return string(out), err == nil
	case p == "rev" && len(rest) == 0:
		lines := strings.Split(input, "\n")
		for i, line := range lines {
			r := []rune(line)
			slices.Reverse(r)
			lines[i] = string(r)
		}
		return strings.Join(lines, "\n"), true
	}
	return "", false
}

// givenInput is the text of a here-document, a here-string or < <(…).
func (z *analyzer) givenInput(s *syntax.Stmt) (string, bool) {
	for _, r := range s.Redirs {
		switch {
		case r.Op == syntax.WordHdoc && r.Word != nil:
			return z.word(r.Word).text, true
		case r.Hdoc != nil:
			return z.word(r.Hdoc).text, true
		case r.Op == syntax.RdrIn && r.Word != nil:
			if w := z.word(r.Word); w.inner != "" {
				return w.inner, true
			}
		}
	}
	return "", false
}

// fedInput judges a statement that is given text to read.
func (z *analyzer) fedInput(s *syntax.Stmt) {
	if len(s.Redirs) == 0 {
		return
	}
	if text, ok := z.givenInput(s); ok {
		z.consume(s, text)
	}
}

// consume judges text that a statement reads: a script for a shell, arguments for xargs, a program for an interpreter.
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
		at := a.from(i)
		switch p := at.program(); {
		case p == "xargs" || p == "parallel":
			z.appended(at, text)
			return
		case p == "at" || p == "batch" || p == "ssh" && z.onlyHost(at), (p == "source" || p == ".") && slices.Contains(at.texts, "/dev/stdin"):
			z.nested(text, s.Pos())
			return
		case (p == "make" || p == "gmake") && (slices.Contains(at.texts, "-") || slices.Contains(at.texts, "/dev/stdin") || slices.Contains(at.texts, "-f-")):
			z.makefile(text, s.Pos())
			return
		case foreign(p):
			z.program(p, text, s.Pos())
			return
		case p == "fdisk" || p == "sfdisk" || p == "gdisk" || p == "parted":
			if i := slices.IndexFunc(at.texts, devicePath); i > 0 {
				z.catastrophe(at.pos(), "%s changes the partitions of %s", p, at.texts[i])
			}
			return
		}
	}
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
	inner.words, inner.texts = slices.Clone(inner.words), slices.Clone(inner.texts)
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\x00", r) }) {
		inner.add(word{text: f, known: true, glob: strings.ContainsAny(f, "*?["), pos: a.pos()})
	}
	for range maxWraps {
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
	if why := z.disaster(inner); why != "" {
		z.catastrophe(a.pos(), "%s", why)
	}
}

// makefile judges the recipes of a makefile that make reads from its input.
func (z *analyzer) makefile(text string, pos syntax.Pos) {
	for line := range strings.Lines(text) {
		recipe, ok := strings.CutPrefix(line, "\t")
		if !ok {
			_, recipe, _ = strings.Cut(line, ";")
		}
		if recipe = strings.TrimLeft(recipe, "@-+ \t"); strings.TrimSpace(recipe) != "" {
			z.quoted(recipe, pos)
		}
	}
}

// findInto judges find / | xargs rm, where the words that are added cannot be known but for where they lie.
func (z *analyzer) findInto(from, to *syntax.Stmt) {
	call, ok := from.Cmd.(*syntax.CallExpr)
	into, ok2 := to.Cmd.(*syntax.CallExpr)
	if !ok || !ok2 || len(call.Args) == 0 || len(into.Args) == 0 || call.Args[0].Lit() != "find" {
		return
	}
	a, b := z.arguments(call.Args), z.arguments(into.Args)
	i := slices.Index(b.texts, "xargs")
	if i >= 0 && slices.ContainsFunc(b.texts[i:], removes) {
		if w := z.vastStart(a); w != "" {
			z.catastrophe(a.pos(), "everything that find finds below %s is removed", w)
		}
	}
}
