package shell

import (
	"fmt"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxScripts bounds sh -c inside sh -c: deeper nesting has no honest use.
	maxScripts = 4
	// smallText in bytes and smallScript in statements are judged whatever the clock says: so little takes a few
	// milliseconds at most, and on a machine that is busy with other things the clock tells of those. A verdict must
	// not depend on them.
	smallText   = 4 << 10
	smallScript = 50
)

// analyzer is the state of one analysis. It goes through the text in its order, once, and knows of each place what the
// text says before it: which variables hold constants, in which directories the shell may be.
type analyzer struct {
	o     Options
	t     *tables
	until time.Time
	*report
	at     *places
	access access

	vars  *variables
	words *expander

	prefixes map[*syntax.Assign]bool   // assignments before a command that change nothing
	fed      map[*syntax.CallExpr]bool // commands of which it is known what they read
	funcs    map[string]bool           // true: it runs its arguments

	// Where in the text the analysis is.
	text  string                     // the script that is walked
	sums  int                        // arithmetic, tests and declarations around: quoted text in them is evaluated
	piped map[*syntax.BinaryCmd]bool // parts of a pipeline that was followed as a whole

	budget int  // texts inside programs of other languages that are still judged
	steps  int  // statements so far
	late   bool // the time is up
}

func newAnalyzer(o Options) *analyzer {
	z := &analyzer{
		o:      o,
		t:      loadTables(),
		report: &report{},
		vars:   newVariables(),
		funcs:  map[string]bool{},
		piped:  map[*syntax.BinaryCmd]bool{},
		fed:    map[*syntax.CallExpr]bool{},
		budget: maxQuoted,
	}
	if o.Deadline <= 0 {
		o.Deadline = DefaultDeadline
	}
	z.until = time.Now().Add(o.Deadline)
	known := newPaths(o)
	z.at = &places{paths: known, dirs: []string{known.start}}
	z.access = access{report: z.report, at: z.at}
	z.words = &expander{vars: z.vars, at: z.at}
	z.a.Verdict = ReadOnly
	return z
}

// script analyses a text: the command itself or one that it gives to another shell.
func (z *analyzer) script(src string) {
	err := guard(src)
	if err != nil {
		z.fail(err)
		return
	}
	z.characters(src)
	file, err := parse(src, z.until)
	if err != nil {
		z.fail(err)
		return
	}
	before := len(z.a.Commands)
	z.text = src
	z.evaluates = z.evaluates || evaluatesValues(file)
	z.walk(file)
	z.commentLines(src)
	if len(z.a.Commands) == before && z.depth == 0 && z.a.Verdict == ReadOnly {
		z.raise(Ask, 1, 1, "no command found")
	}
}

// commentLines meets a difference between this parser and bash: a backslash at the end of a comment continues the
// line for the one and not for the other, so that "ls # \\" hides the command on the next line. Such a text is read
// both ways, and asked about.
func (z *analyzer) commentLines(src string) {
	lines := strings.SplitAfter(src, "\n")
	found := false
	for i, line := range lines {
		cut, continued := strings.CutSuffix(line, "\\\n")
		if continued && strings.Contains(cut, "#") {
			lines[i] = strings.TrimRight(cut, `\`) + "\n"
			found = true
		}
	}
	if !found {
		return
	}
	z.doubt("a line with # ends in a backslash")
	z.raise(Ask, 1, 1, "a comment that may hide the next line")
	z.a.barred = true
	file, err := parse(strings.Join(lines, ""), z.until)
	if err == nil {
		z.walk(file)
	}
}

// nested analyses a text that the command at pos gives to a shell, and returns where that shell may be at its end: a cd
// in it holds for it alone. Its places are those of the word that holds it.
func (z *analyzer) nested(src string, pos syntax.Pos) (ended []string) {
	if z.depth >= maxScripts {
		z.ask(pos, "scripts nested too deeply")
		return nil
	}
	if strings.TrimSpace(src) == "" {
		return nil
	}
	outer, text := z.outer, z.text
	before := *z.at
	if outer == nil {
		z.outer = &pos
	}
	z.depth++
	z.script(src)
	z.depth--
	z.outer, z.text = outer, text
	ended = z.at.dirs
	z.at.dirs, z.at.saved, z.at.needed = before.dirs, before.saved, before.needed
	return ended
}

// here analyses a text that the shell of the script itself runs: a cd in it holds for what follows.
func (z *analyzer) here(src string, pos syntax.Pos) {
	ended := z.nested(src, pos)
	z.at.dirs = compactDirs(append(z.at.dirs, ended...))
}

// parse never panics and gives up when the time is over and the text is not small.
func parse(src string, until time.Time) (f *syntax.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("%w: %v", ErrSyntax, r)
		}
	}()
	r := &untilReader{r: strings.NewReader(src), until: until}
	p := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	f, err = p.Parse(r, "")
	switch {
	case err == nil:
		return f, nil
	case r.late:
		return nil, ErrDeadline
	}
	return nil, fmt.Errorf("%w: %s", ErrSyntax, err)
}

// untilReader fails after a moment, which is what stops the parser: it reads in pieces of 1 KiB.
type untilReader struct {
	r     *strings.Reader
	until time.Time
	late  bool
}

// Read reports the deadline only behind a small text, so that short commands are judged alike on a busy machine.
func (u *untilReader) Read(p []byte) (int, error) {
	done := u.r.Size() - int64(u.r.Len())
	if done >= smallText && time.Now().After(u.until) {
		u.late = true
		return 0, ErrDeadline
	}
	return u.r.Read(p)
}

// Analyze judges one bash command line, which may have many lines. It never fails: what cannot be judged is Ask, with
// Err.
func Analyze(src string, o Options) Analysis {
	z := newAnalyzer(o)
	z.script(src)
	a := z.result()
	a.Tries = z.tries()
	return a
}
