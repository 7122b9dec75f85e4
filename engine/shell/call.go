package shell

import (
	"strings"

	"helve/internal/names"

	"mvdan.cc/sh/v3/syntax"
)

// call judges a command, or the assignments that are in the place of one.
func (z *analyzer) call(c *syntax.CallExpr) {
	z.at.called = c // cd asks whether it is the one on which the rest depends
	if len(c.Assigns) > 0 && !z.harmlessPrefix(c) {
		z.assignments(c.Assigns)
		z.ask(c.Pos(), "an assignment changes what later commands do")
	}
	if len(c.Args) == 0 {
		z.assigns = true
		return
	}
	z.simple(z.words.arguments(c.Args))
}

// plainValue is what the variables before a command may be set to: no path, nothing that expands. TZ=/etc/passwd would
// read a file.
var plainValue = lazily(`^[A-Za-z0-9._@+:-]*$`)

// plainVariables change only how text is written and read.
var plainVariables = names.List("LC_ALL LC_COLLATE LC_CTYPE LC_NUMERIC LC_TIME LANG TZ NO_COLOR CLICOLOR " +
	"FORCE_COLOR COLUMNS LINES")

// harmlessPrefix reports LC_ALL=C and its kin before a command, and IFS= before read.
func (z *analyzer) harmlessPrefix(c *syntax.CallExpr) bool {
	if len(c.Args) == 0 {
		return false // without a command, they hold for all that follows
	}
	for _, as := range c.Assigns {
		value, ok := z.words.constant(as)
		if !ok || !harmlessValue(as.Name.Value, value, c.Args[0].Lit()) {
			return false
		}
	}
	z.prefixes = map[*syntax.Assign]bool{}
	for _, as := range c.Assigns {
		z.prefixes[as] = true
	}
	return true
}

// harmlessValue reports a variable before a command that changes nothing that the command does but its words.
func harmlessValue(name, value, command string) bool {
	switch name {
	case "PAGER", "GIT_PAGER":
		return value == "cat"
	case "IFS":
		return command == "read"
	}
	return plainVariables.Has(name) && plainValue().MatchString(value)
}

// simple judges one simple command, records it, and goes on to what it wraps. A disaster is looked for even where the
// command asks anyway: nobody shall be asked about it.
func (z *analyzer) simple(a args) {
	if len(a.words) == 0 {
		return
	}
	line, col := z.place(a.pos())
	c := Command{
		Words:   a.texts,
		Program: a.program(),
		Static:  a.static(),
		Wrapped: a.wraps > 0 || z.depth > 0,
		Line:    line,
		Col:     col,
		guessed: a.guessed,
	}
	c.Verdict, c.Reason = ReadOnly, z.asks(a)
	if c.Reason != "" {
		c.Verdict = Ask
	}
	why := z.disaster(a)
	if why != "" {
		c.Verdict, c.Reason = Catastrophic, why
	}
	c.Unread = (c.Verdict != ReadOnly || c.Program == "xargs") && z.unseen.unread(a)
	z.conclude(&c, a)
	z.a.Commands = append(z.a.Commands, c)
	z.effects.of(a)
	w := z.t.wrappers[c.Program]
	if w == nil {
		return
	}
	// What a transparent wrapper runs was judged as the command itself, and may be read-only with it.
	through := w.attrs["transparent"] && !lookup(a)
	if c.Verdict != ReadOnly || through {
		z.runs(z.wraps.inside(w, a))
	}
}

// conclude carries the command's verdict into the analysis. A guessed one asks for nothing: what made it a guess has
// asked already.
func (z *analyzer) conclude(c *Command, a args) {
	switch c.Verdict {
	case Catastrophic:
		z.raise(Catastrophic, c.Line, c.Col, c.Reason)
	case Ask:
		c.Grant = grant(z.t, c)
		z.grants = append(z.grants, c.Grant)
		if !a.guessed {
			z.raise(Ask, c.Line, c.Col, c.Reason)
		}
	}
}

// isFunction reports a name that this script has defined before.
func (z *analyzer) isFunction(name string) bool {
	_, ok := z.funcs[name]
	return ok
}

// asks returns why the command is not read-only, or "". The builtins also change what the analyzer knows; whether they may
// run is said by the table like that of others.
func (z *analyzer) asks(a args) string {
	first, name := a.words[0], a.texts[0]
	switch {
	case !first.fixed():
		return "the program is computed at run time"
	case name == "":
		return "an empty program name"
	case strings.ContainsRune(name, '/'):
		return "a program given by its path: " + name
	case z.isFunction(name):
		return name + " is a function of this script"
	case name == "cd":
		return z.at.cd(a)
	}
	z.changes(name, a)
	w, ok := z.t.wrappers[name]
	if ok && w.attrs["transparent"] && !lookup(a) {
		_, why := z.wraps.wrapped(w, a)
		return why
	}
	return z.judge.judgeProgram(a, name)
}

// changes follows the builtins after which words mean something else.
func (z *analyzer) changes(name string, a args) {
	switch name {
	case "pushd":
		z.at.cd(a)
	case "popd":
		z.at.dirs = compactDirs(append(z.at.dirs, z.at.been...))
	case "set":
		z.vars.setPositional(a)
	}
}

// disaster returns why a command must never run, or "". Also guessed ones are looked at: refusing too much is the smaller
// harm here, but only what destroys a system, a disk or a home belongs in it.
func (z *analyzer) disaster(a args) string {
	p := a.program()
	if p == "" {
		p = a.disguised()
	}
	if z.funcs[p] && len(a.words) > 1 {
		return z.disaster(a.from(1))
	}
	z.runs(foreignCode(p, a, z.t.hidden))
	why := z.disasters.of(p, a)
	if why == "" {
		why = z.runner(a)
	}
	return why
}

// runner finds programs that run what comes behind them in their own words: poetry run, ip netns exec. Where it begins
// is not known: every word may be the first.
func (z *analyzer) runner(a args) string {
	n := z.t.runners.prefix(a.texts)
	if n == 0 || a.wraps >= maxWraps {
		return ""
	}
	for i := n; i < min(len(a.words), n+maxWraps); i++ {
		text := a.texts[i]
		switch {
		case option(text):
			continue
		case strings.ContainsAny(text, separators):
			z.quoted(text, a.words[i].pos)
			continue
		}
		inner := a.from(i)
		inner.wraps = maxWraps
		why := z.disaster(inner)
		if why != "" {
			return why
		}
	}
	return ""
}

// runs judges what a command runs besides itself.
func (z *analyzer) runs(list []inner) {
	for _, in := range list {
		switch in.as {
		case asCommand:
			z.at.inDir(in.dir, func() { z.simple(in.args) })
		case asScript:
			z.vars.withPositional(in.given, func() { z.nested(in.text, in.pos) })
		case asMaybe:
			z.nestedQuiet(in.text, in.pos)
		case asHere:
			z.here(in.text, in.pos)
		case asQuoted:
			z.quoted(in.text, in.pos)
		case asRemoval:
			z.refuse(in.pos, z.disasters.removal(in.text))
		case asFed:
			z.refuse(in.pos, z.disaster(in.args))
		}
	}
}

// refuse is for a disaster, if there is one.
func (z *analyzer) refuse(pos syntax.Pos, why string) {
	if why != "" {
		z.catastrophe(pos, "%s", why)
	}
}

// assignments judges what variables are set to, and keeps what is constant.
func (z *analyzer) assignments(list []*syntax.Assign) {
	for _, as := range list {
		if as.Name == nil {
			continue
		}
		if strings.Trim(strings.ToLower(as.Name.Value), identifier) != "" {
			z.doubt("for bash, a name with other characters is no assignment but a command")
		}
		z.steerBy(as)
		if w, ok := z.words.assign(as); ok {
			z.hook(as.Name.Value, w)
		}
	}
}

// steerBy notes an assignment to a variable that programs obey, and lets pass what is only exported.
func (z *analyzer) steerBy(as *syntax.Assign) {
	if as.Naked {
		return
	}
	value, known := z.words.constant(as)
	z.steer(as.Name.Value, value, known)
}
