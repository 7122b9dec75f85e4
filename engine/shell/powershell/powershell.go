// Package powershell says what a PowerShell command line would do, without running it. It is package shell for machines
// that have no bash, and its answers are of the same type.
//
// [Analyze] knows a small part of the language: pipelines of commands with plain words. What stands in it, on a list of
// commands that only read, is read-only. Everything else is asked about: script blocks, variables, expressions,
// redirections into files, programs that nobody listed. The words of commands inside of such text are looked at all
// the same, and what would destroy the machine is catastrophic wherever it stands.
//
// The package does no I/O and starts nothing. All functions may be called concurrently.
package powershell

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"helve/engine/shell"
)

// maxScripts bounds text that is given to another shell, inside of such text: deeper nesting has no honest use.
const maxScripts = 4

// Analyze judges one PowerShell command line, which may have many lines. It never fails: what cannot be judged is
// shell.Ask. Of the options Dir, Roots, Home, Secret and Protected count; paths have either slash, and upper and
// lower case are one where Dir begins with a drive.
func Analyze(src string, o shell.Options) shell.Analysis {
	z := &analyzer{places: newPlaces(o), t: loadTable()}
	z.a.Verdict = shell.ReadOnly
	switch {
	case strings.TrimSpace(src) == "":
		z.a.Err = shell.ErrEmpty
	case len(src) > shell.MaxLength:
		z.a.Err = shell.ErrTooLong
	case strings.Contains(src, "\x00"):
		z.a.Err = shell.ErrNUL
	}
	if z.a.Err != nil {
		z.a.Verdict, z.a.Reason = shell.Ask, strings.TrimPrefix(z.a.Err.Error(), "shell: ")
		return z.a
	}
	z.script(src)
	if len(z.a.Commands) == 0 {
		z.beyond(1, 1, "no command found")
	}
	sort.SliceStable(z.a.Effects, func(i, j int) bool {
		a, b := z.a.Effects[i], z.a.Effects[j]
		return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Target, b.Target)) < 0
	})
	z.a.Effects = slices.Compact(z.a.Effects)
	return z.a
}

// An analyzer is the state of one analysis.
type analyzer struct {
	places places
	t      *table
	a      shell.Analysis
	depth  int // scripts inside scripts
}

// script analyses a text: the command line itself, or one that it gives to another PowerShell.
func (z *analyzer) script(src string) {
	vars := z.places.variables()
	l := &lexer{src: src, vars: vars}
	l.run()
	found := commands(l)
	if constants(found, vars) { // read again, with what the variables hold
		l = &lexer{src: src, vars: vars}
		l.run()
		found = commands(l)
	}
	if l.odd != "" {
		line, col := position(src, l.oddAt)
		z.beyond(line, col, l.odd)
	}
	for _, c := range found {
		c.line, c.col = position(src, c.at)
		z.command(c)
	}
	for _, inner := range l.inner {
		z.nested(inner)
	}
}

// nested analyses a text that runs inside of this one.
func (z *analyzer) nested(src string) {
	if z.depth >= maxScripts {
		z.beyond(1, 1, "scripts nested too deeply")
		return
	}
	z.depth++
	z.script(src)
	z.depth--
}

// beyond notes what is asked about and is no command: no rule on commands can allow it.
func (z *analyzer) beyond(line, col int, why string) {
	z.a.Commands = append(z.a.Commands, shell.Command{
		Words:   []string{"…"},
		Verdict: shell.Ask,
		Reason:  why,
		Line:    line,
		Col:     col,
	})
	z.raise(shell.Ask, line, col, why)
}

// raise moves the verdict: from ReadOnly to Ask, from anything to Catastrophic. The first cause gives the reason.
func (z *analyzer) raise(v shell.Verdict, line, col int, reason string) {
	if z.a.Verdict == shell.Catastrophic || z.a.Verdict == shell.Ask && v != shell.Catastrophic {
		return
	}
	z.a.Verdict = v
	z.a.Reason = reason
	z.a.Line, z.a.Col = line, col
}

// position is the line and column of an offset, both from 1, the column in bytes.
func position(src string, offset int) (line, col int) {
	before := src[:min(offset, len(src))]
	line = 1 + strings.Count(before, "\n")
	return line, len(before) - strings.LastIndexByte(before, '\n')
}
