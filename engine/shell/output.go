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

// substitution adds the output of $(…) where it is known.
func (r *wordReader) substitution(p *syntax.CmdSubst, quoted bool) {
	text, ok := r.e.produced(p.Stmts)
	if !ok {
		r.unknown("$(…)", quoted)
		return
	}
	r.value(strings.TrimRight(text, "\n"), quoted)
}

// produced is the output of one statement, where the text tells it.
func (e *expander) produced(list []*syntax.Stmt) (string, bool) {
	if len(list) != 1 || e.folds >= maxFolds {
		return "", false
	}
	e.folds++
	defer func() { e.folds-- }()
	b, ok := list[0].Cmd.(*syntax.BinaryCmd)
	if !ok {
		return e.output(list[0], "", false)
	}
	if b.Op != syntax.Pipe { // of a && b, which of them prints depends on a
		return "", false
	}
	text := ""
	for i, s := range stages(b) {
		text, ok = e.output(s, text, i > 0)
		if !ok {
			return "", false
		}
	}
	return text, true
}

// output is what a command prints, for the few whose output follows from their words and input. fed says that input is
// what it reads.
func (e *expander) output(s *syntax.Stmt, input string, fed bool) (string, bool) {
	switch c := s.Cmd.(type) {
	case *syntax.Block:
		return e.outputs(c.Stmts)
	case *syntax.Subshell:
		return e.outputs(c.Stmts)
	case *syntax.CallExpr:
		return e.callOutput(s, c, input, fed)
	}
	return "", false
}

// callOutput is what a simple command prints.
func (e *expander) callOutput(s *syntax.Stmt, call *syntax.CallExpr, input string, fed bool) (string, bool) {
	if len(call.Args) == 0 || len(call.Assigns) > 0 || s.Negated || s.Background {
		return "", false
	}
	in, given := e.givenInput(s)
	switch {
	case given: // a here-document counts, whatever comes through a pipe
		e.partly = e.partly || !in.known
		input, fed = in.text, true
	case len(s.Redirs) > 0 && !fed:
		return "", false // it may read, or print into, a file
	}
	a := e.arguments(call.Args)
	unknown := func(w word) bool { return !w.known }
	if len(a.words) == 0 || slices.ContainsFunc(a.words, unknown) {
		return "", false
	}
	switch p := a.program(); p {
	case "echo", "printf", "pwd", "which", "command", "ls":
		return e.printed(p, a)
	}
	return filtered(a, input, fed)
}

// outputs is what several commands print one after the other.
func (e *expander) outputs(list []*syntax.Stmt) (string, bool) {
	var b strings.Builder
	for _, s := range list[:min(len(list), maxStages)] {
		text, ok := e.produced([]*syntax.Stmt{s})
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), len(list) > 0
}

// printed is the output of commands that read nothing. It helps to find what a command line would destroy. A word with
// such a part is not static, so nothing is allowed by it.
func (e *expander) printed(p string, a args) (string, bool) {
	rest := a.texts[1:]
	names := withoutOptions(rest)
	switch p {
	case "echo":
		return echoed(rest), true
	case "printf":
		return formatted(rest), len(rest) > 0
	case "pwd":
		dir, ok := e.variable("PWD")
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
func (e *expander) givenInput(s *syntax.Stmt) (word, bool) {
	for _, r := range s.Redirs {
		switch {
		case r.Op == syntax.WordHdoc && r.Word != nil:
			return e.word(r.Word), true
		case r.Hdoc != nil:
			return e.word(r.Hdoc), true
		case r.Op == syntax.RdrIn && r.Word != nil:
			w := e.word(r.Word)
			if w.inner != "" {
				return word{text: w.inner, known: true}, true
			}
		}
	}
	return word{}, false
}
