package shell

import (
	"strings"

	"helve/internal/names"

	"mvdan.cc/sh/v3/syntax"
)

// maxWraps bounds wrappers inside wrappers; each one looks at all words behind it.
const maxWraps = 16

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
	c.Verdict, c.Reason = ReadOnly, z.judge(a)
	if c.Reason != "" {
		c.Verdict = Ask
	}
	why := z.disaster(a)
	if why != "" {
		c.Verdict, c.Reason = Catastrophic, why
	}
	c.Unread = (c.Verdict != ReadOnly || c.Program == "xargs") && z.unread(a)
	z.conclude(&c, a)
	z.a.Commands = append(z.a.Commands, c)
	z.effects(a)
	w := z.t.wrappers[c.Program]
	if w == nil {
		return
	}
	// What a transparent wrapper runs was judged as the command itself, and may be read-only with it.
	through := w.attrs["transparent"] && !lookup(a)
	if c.Verdict != ReadOnly || through {
		z.unwrap(w, a)
	}
}

// conclude carries the command's verdict into the analysis. A guessed one asks for nothing: what made it a guess has
// asked already.
func (z *analyzer) conclude(c *Command, a args) {
	switch c.Verdict {
	case Catastrophic:
		z.raise(Catastrophic, c.Line, c.Col, c.Reason)
	case Ask:
		c.Grant = z.grant(c)
		z.grants = append(z.grants, c.Grant)
		if !a.guessed {
			z.raise(Ask, c.Line, c.Col, c.Reason)
		}
	}
}

// judge returns why the command is not read-only, or "". The builtins among the first cases also change what the
// analyzer knows; whether they may run is said by the table like that of others.
func (z *analyzer) judge(a args) string {
	first, name := a.words[0], a.texts[0]
	switch {
	case !first.static || first.glob:
		return "the program is computed at run time"
	case name == "":
		return "an empty program name"
	case strings.ContainsRune(name, '/'):
		return "a program given by its path: " + name
	case z.isFunction(name):
		return name + " is a function of this script"
	case name == "cd":
		return z.at.cd(a)
	case name == "pushd":
		z.at.cd(a)
	case name == "popd":
		z.at.dirs = compactDirs(append(z.at.dirs, z.at.been...))
	case name == "set":
		z.vars.setPositional(a)
	}
	w, ok := z.t.wrappers[name]
	if ok && w.attrs["transparent"] && !lookup(a) {
		_, why := z.wrapped(w, a)
		return why
	}
	return z.judgeProgram(a, name)
}

// judgeProgram looks a program up in the tables. One that the table has with the word optin is read-only only if the
// user says so too; one that is nowhere asks, with the most telling of the reasons.
func (z *analyzer) judgeProgram(a args, name string) string {
	p, rest, title := z.entry(a)
	switch {
	case p != nil && (!p.attrs["optin"] || z.userReadOnly(a)):
		return z.judgeEntry(p, title, rest)
	case p == nil && z.userReadOnly(a):
		return z.judgeUser(a)
	case z.t.never[name] || z.t.code[name] || z.t.wrappers[name] != nil:
		return name + " can run other code or change state"
	case z.t.net[name]:
		return name + " uses the network"
	case z.t.writers[name] != nil:
		return name + " changes files"
	case z.t.subcommands[name]:
		return title + " is not known to be read-only"
	}
	return name + " is not known to be read-only"
}

// userReadOnly reports that the user's own list names this command: "make check" names all that begin with these words.
func (z *analyzer) userReadOnly(a args) bool {
	for _, entry := range z.o.ReadOnly {
		want := strings.Fields(entry)
		if len(want) > 0 && len(want) <= len(a.words) && equalStatic(want, a.words) {
			return true
		}
	}
	return false
}

// equalStatic reports that the first of the words are exactly these.
func equalStatic(want []string, words []word) bool {
	for i, text := range want {
		w := &words[i]
		if !w.static || w.glob || w.text != text {
			return false
		}
	}
	return true
}

// judgeUser judges a program of which only the user says that it is read-only. What the tables know to do more is not
// believed.
func (z *analyzer) judgeUser(a args) string {
	name := a.texts[0]
	acts := z.t.wrappers[name] != nil || z.t.writers[name] != nil
	if acts || z.t.never[name] || z.t.code[name] || z.t.subcommands[name] {
		return name + " can run other code or change state"
	}
	if a.append {
		return name + ": more arguments are added at run time"
	}
	for _, w := range a.words[1:] {
		if w.static && strings.HasPrefix(w.text, "-") && !strings.Contains(w.text, "/") {
			continue // an option that names no file
		}
		why := z.access.readable(w)
		if why != "" {
			return why
		}
		if !w.static {
			return "an argument is computed at run time"
		}
	}
	return ""
}

// isFunction reports a name that this script has defined before.
func (z *analyzer) isFunction(name string) bool {
	_, ok := z.funcs[name]
	return ok
}
