package shell

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
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
	roots []string // cleaned
	a     Analysis // as far as it has come

	// Where the shell may be. After a cd that may fail, or is in a branch, there are several directories.
	start  string                    // the directory in which the command line starts
	dirs   []string                  // where a command may find itself
	inside []string                  // where the last script inside ended
	been   []string                  // where it may have been before, for cd -
	saved  [][]string                // dirs to come back to, one for each node that placeNode names
	needed *syntax.CallExpr          // a cd without whose success nothing that follows runs
	called *syntax.CallExpr          // the command that is being judged
	partly bool                      // what a pipeline begins with has parts that are computed
	fed    map[*syntax.CallExpr]bool // commands of which it is known what they read

	// What names mean.
	vars     map[string]string       // set to a constant earlier in this script
	prefixes map[*syntax.Assign]bool // assignments before a command that change nothing
	oneOf    map[string][]word       // the variables of the loops around, with the words that they go through
	lists    map[string][]string     // arrays set to constants, and the positional parameters as @
	funcs    map[string]bool         // true: it runs its arguments

	// Where in the text the analysis is.
	text  string                     // the script that is walked
	depth int                        // scripts inside scripts
	outer *syntax.Pos                // of the word that holds the script, for a script inside another
	loops int                        // around
	sums  int                        // arithmetic, tests and declarations around: quoted text in them is evaluated
	folds int                        // substitutions inside substitutions that are being evaluated
	piped map[*syntax.BinaryCmd]bool // parts of a pipeline that was followed as a whole

	unclear bool // a person may read the text otherwise than bash
	assigns bool // it has an assignment without a command
	// evaluates: it has bash evaluate values in which commands may stand
	evaluates bool
	steers    bool     // it sets a variable that programs obey
	budget    int      // texts inside programs of other languages that are still judged
	steps     int      // statements so far
	late      bool     // the time is up
	grants    []string // of the commands that are not read-only
}

func newAnalyzer(o Options) *analyzer {
	z := &analyzer{
		o:      o,
		t:      loadTables(),
		vars:   map[string]string{},
		oneOf:  map[string][]word{},
		lists:  map[string][]string{},
		funcs:  map[string]bool{},
		piped:  map[*syntax.BinaryCmd]bool{},
		fed:    map[*syntax.CallExpr]bool{},
		budget: maxQuoted,
	}
	if o.Deadline <= 0 {
		o.Deadline = DefaultDeadline
	}
	z.until = time.Now().Add(o.Deadline)
	dir := unknownDir
	if path.IsAbs(o.Dir) {
		dir = path.Clean(o.Dir)
	}
	z.start = dir
	z.dirs = []string{dir}
	for _, r := range o.Roots {
		if path.IsAbs(r) {
			z.roots = append(z.roots, path.Clean(r))
		}
	}
	if len(o.Roots) == 0 {
		z.roots = []string{dir}
	}
	if o.Protected == nil {
		z.o.Protected = []string{".helve"}
	}
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

// characters asks about a text that a person may read in another way than bash.
func (z *analyzer) characters(src string) {
	offset, why := odd(src)
	if why != "" {
		line, col := position(src, offset)
		z.raise(Ask, line, col, why)
		z.a.barred, z.unclear = true, true
	}
	if strings.HasSuffix(strings.TrimRight(src, "\n"), `\`) {
		z.doubt("bash keeps a backslash at the end of the text at one time and drops it at another")
	}
	control := func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }
	if strings.ContainsFunc(src, control) {
		z.doubt("control characters, of which the parser drops some and bash none")
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

// nested analyses a text that the command at pos gives to a shell. Its places are those of the word that holds it.
func (z *analyzer) nested(src string, pos syntax.Pos) {
	if z.depth >= maxScripts {
		z.ask(pos, "scripts nested too deeply")
		return
	}
	if strings.TrimSpace(src) == "" {
		return
	}
	outer, saved, needed, text := z.outer, z.saved, z.needed, z.text
	dirs := z.dirs
	if outer == nil {
		z.outer = &pos
	}
	z.depth++
	z.script(src)
	z.depth--
	z.outer, z.saved, z.needed, z.text = outer, saved, needed, text
	z.inside, z.dirs = z.dirs, dirs // a cd in it holds for it alone
}

// here analyses a text that the shell of the script itself runs: a cd in it holds for what follows.
func (z *analyzer) here(src string, pos syntax.Pos) {
	z.inside = nil
	z.nested(src, pos)
	z.dirs = compactDirs(append(z.dirs, z.inside...))
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

// fail notes a text that is not judged. Of a text inside the command, only that it is no bash counts as an error of the
// analysis: what is too long there is asked about like anything else.
func (z *analyzer) fail(err error) {
	line, col := 1, 1
	if z.outer != nil {
		line, col = int(z.outer.Line()), int(z.outer.Col())
	}
	z.raise(Ask, line, col, strings.TrimPrefix(err.Error(), "shell: "))
	z.a.barred = true
	if z.a.Err == nil && (z.depth == 0 || isSyntax(err)) {
		z.a.Err = err
	}
}

// doubt notes that bash may read the text in another way than it was read here. It is judged all the same.
func (z *analyzer) doubt(why string) {
	if z.a.Err == nil {
		z.a.Err = fmt.Errorf("%w: %s", ErrSyntax, why)
	}
}

// raise moves the verdict: from ReadOnly to Ask, from anything to Catastrophic. The first cause gives the reason.
func (z *analyzer) raise(v Verdict, line, col int, reason string) {
	if z.a.Verdict == Catastrophic || z.a.Verdict == Ask && v != Catastrophic {
		return
	}
	z.a.Verdict = v
	z.a.Reason = reason
	z.a.Line, z.a.Col = line, col
}

// place is where a person finds the cause: in a script inside another, the word that holds it.
func (z *analyzer) place(pos syntax.Pos) (line, col int) {
	if z.outer != nil {
		pos = *z.outer
	}
	return int(pos.Line()), int(pos.Col())
}

// ask is for what is around commands: no pattern covers it, so it cannot be remembered.
func (z *analyzer) ask(pos syntax.Pos, format string, args ...any) {
	z.a.barred = true
	line, col := z.place(pos)
	z.raise(Ask, line, col, fmt.Sprintf(format, args...))
}

// catastrophe is for what no answer of a person may allow.
func (z *analyzer) catastrophe(pos syntax.Pos, format string, args ...any) {
	line, col := z.place(pos)
	z.raise(Catastrophic, line, col, fmt.Sprintf(format, args...))
}

// effect notes what a command does, as far as it is seen; result removes what is there twice.
func (z *analyzer) effect(kind EffectKind, target string) {
	z.a.Effects = append(z.a.Effects, Effect{kind, target})
}

// effectOrder is from harmless to far-reaching.
var effectOrder = []EffectKind{Read, Write, Exec, Net}

// compareEffects orders effects, so that one command line has one list.
func compareEffects(a, b Effect) int {
	rank := func(e Effect) int { return slices.Index(effectOrder, e.Kind) }
	return cmp.Or(
		cmp.Compare(rank(a), rank(b)),
		strings.Compare(a.Target, b.Target),
	)
}

// result is the analysis in the form that callers get: effects sorted, and the pattern that may be remembered.
func (z *analyzer) result() Analysis {
	slices.SortStableFunc(z.a.Effects, compareEffects)
	z.a.Effects = slices.Compact(z.a.Effects)
	z.a.Tries = z.tries()
	if z.a.Verdict == Ask && !z.a.barred && z.a.Err == nil {
		z.a.Grant = oneGrant(z.grants)
	}
	return z.a
}

// oneGrant returns the pattern of all commands that ask, if they share one.
func oneGrant(grants []string) string {
	if len(grants) == 0 {
		return ""
	}
	for _, g := range grants {
		if g != grants[0] {
			return ""
		}
	}
	return grants[0]
}

// isSyntax reports a text that bash may read in another way.
func isSyntax(err error) bool { return errors.Is(err, ErrSyntax) }
