package shell

import (
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// maxScripts bounds sh -c inside sh -c: deeper nesting has no honest use.
const maxScripts = 4

// Analyze judges one bash command line, which may have many lines. It never fails: what cannot be judged is Ask, with
// Err.
func Analyze(src string, o Options) Analysis {
	z := newAnalyzer(o)
	z.script(src)
	a := z.result()
	a.Tries = looking{t: z.t, paths: &z.at.paths, funcs: z.funcs}.tries(&z.report)
	return a
}

// analyzer is the state of one analysis. It goes through the text in its order, once, and knows of each place what the
// text says before it. Each part owns one idea and is handed, in newAnalyzer, those that it needs, and nothing else:
//
//	report        what was found so far
//	at            where the shell may be, and what paths are there
//	vars, words   what is set to constants, and what bash makes of words
//	access, redirections, expressions
//	              what is read and written, and what stands in commands
//	judge         what tables say of a program and its operands
//	disasters, effects
//	              what must never run, and what is written, run and dialled
//	wraps, unseen what a command runs besides itself, as a list of inner ones, and what of that nobody sees here
//
// What is left to the analyzer is what goes round: a command has a script, which has commands.
type analyzer struct {
	o     Options
	t     *tables
	until time.Time
	report

	at    places
	vars  variables
	words expander

	access       access
	redirections redirections
	expressions  expressions

	judge     judge
	disasters disasters
	effects   effects

	wraps  wrapping
	unseen unseen

	prefixes map[*syntax.Assign]bool    // assignments before a command that change nothing
	fed      map[*syntax.CallExpr]bool  // commands of which it is known what they read
	funcs    map[string]bool            // of the script; true: it runs its arguments
	piped    map[*syntax.BinaryCmd]bool // parts of a pipeline that was followed as a whole

	text   string // the script that is walked
	sums   int    // arithmetic, tests and declarations around: quoted text in them is evaluated
	budget int    // texts inside programs of other languages that are still judged
	steps  int    // statements so far
	late   bool   // the time is up
}

func newAnalyzer(o Options) *analyzer {
	z := &analyzer{
		o:      o,
		t:      loadTables(),
		vars:   newVariables(),
		fed:    map[*syntax.CallExpr]bool{},
		funcs:  map[string]bool{},
		piped:  map[*syntax.BinaryCmd]bool{},
		budget: maxQuoted,
	}
	if o.Deadline <= 0 {
		o.Deadline = DefaultDeadline
	}
	z.until = time.Now().Add(o.Deadline)
	z.a.Verdict = ReadOnly
	z.at.paths = newPaths(o)
	z.at.dirs = []string{z.at.start}
	z.words = expander{vars: &z.vars, at: &z.at}
	z.access = access{report: &z.report, at: &z.at}
	z.redirections = redirections{report: &z.report, access: z.access, words: &z.words}
	z.expressions = expressions{report: &z.report, words: &z.words}
	z.judge = judge{t: z.t, access: z.access, vars: &z.vars, own: o.ReadOnly}
	z.disasters = disasters{at: &z.at}
	z.effects = effects{t: z.t, access: z.access}
	z.wraps = wrapping{report: &z.report, judge: &z.judge}
	z.unseen = unseen{wraps: z.wraps, at: &z.at, fed: z.fed}
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
	dirs, saved, needed := z.at.dirs, z.at.saved, z.at.needed
	if outer == nil {
		z.outer = &pos
	}
	z.depth++
	z.script(src)
	z.depth--
	z.outer, z.text = outer, text
	ended = z.at.dirs
	z.at.dirs, z.at.saved, z.at.needed = dirs, saved, needed
	return ended
}

// here analyses a text that the shell of the script itself runs: a cd in it holds for what follows.
func (z *analyzer) here(src string, pos syntax.Pos) {
	ended := z.nested(src, pos)
	z.at.dirs = compactDirs(append(z.at.dirs, ended...))
}

// nestedQuiet analyses text that may or may not be a script: env -S 'rm -rf /'.
func (z *analyzer) nestedQuiet(text string, pos syntax.Pos) {
	if guard(text) == nil {
		z.nested(text, pos)
	}
}

// evaluated analyses quoted text that is evaluated as an expression after all.
func (z *analyzer) evaluated(t string, pos syntax.Pos) {
	if substitutes(t) {
		z.nestedQuiet(": "+t, pos)
	}
}

// quoted refuses text that is given to a shell in some way, where that alone would be refused. Nothing else is made of
// it: that it is given at all is seldom certain.
func (z *analyzer) quoted(text string, pos syntax.Pos) {
	if strings.TrimSpace(text) == "" || z.depth >= maxScripts || z.budget <= 0 {
		return
	}
	z.budget--
	inner := newAnalyzer(z.o)
	inner.until = z.until
	inner.depth = z.depth + 1
	inner.budget = 0
	inner.at.dirs = z.at.dirs
	inner.outer = &pos
	inner.script(text)
	if inner.a.Verdict == Catastrophic {
		z.catastrophe(pos, "%s", inner.a.Reason)
	}
}

// hook judges the value of such a variable.
func (z *analyzer) hook(name string, w word) {
	if hooks().MatchString(name) {
		z.quoted(w.text, w.pos)
	}
}

// hooks are variables whose value programs give to a shell.
var hooks = lazily(`PAGER|EDITOR|VISUAL|COMMAND|_SSH|ASKPASS|EXTERNAL_DIFF|LESSOPEN|BROWSER|^PS[0-4]$|^ENV$`)
