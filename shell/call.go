package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxWraps bounds wrappers inside wrappers; each one looks at all words behind it.
const maxWraps = 16

// args are the words of one simple command.
type args struct {
	words   []word
	texts   []string // of words
	wraps   int      // wrappers around it
	append  bool     // more words are added at run time, as xargs does
	guessed bool     // it may not be a command at all: the wrapper's options are not known
}

func (z *analyzer) call(c *syntax.CallExpr) {
	if len(c.Assigns) > 0 {
		z.assignments(c.Assigns)
		z.ask(c.Pos(), "an assignment changes what later commands do")
	}
	if len(c.Args) == 0 {
		return
	}
	z.simple(z.arguments(c.Args))
}

// arguments reads the words; an unquoted variable set to a constant falls apart at its spaces.
func (z *analyzer) arguments(list []*syntax.Word) args {
	var a args
	for _, x := range list {
		w := z.word(x)
		if w.split && w.known {
			for _, f := range strings.Fields(w.text) {
				part := w
				part.text = f
				a.add(part)
			}
			continue
		}
		a.add(w)
	}
	return a
}

func (a *args) add(w word) {
	a.words, a.texts = append(a.words, w), append(a.texts, w.text)
}

// from is the command that starts at word i, one wrapper further in.
func (a args) from(i int) args {
	a.words, a.texts = a.words[i:], a.texts[i:]
	a.wraps++
	return a
}

func (a args) pos() syntax.Pos { return a.words[0].pos }

// program is the base name of the first word, or "" when it is not known.
func (a args) program() string {
	if w := a.words[0]; !w.known || w.glob || w.home || w.text == "" {
		return ""
	}
	return path.Base(a.texts[0])
}

// simple judges one simple command, records it, and goes on to what it wraps.
func (z *analyzer) simple(a args) {
	if len(a.words) == 0 {
		return
	}
	line, col := z.place(a.pos())
	c := Command{Words: a.texts, Program: a.program(), Static: !a.append, Wrapped: a.wraps > 0 || z.depth > 0, Line: line, Col: col}
	for _, w := range a.words {
		c.Static = c.Static && w.static && !w.glob
	}
	c.Verdict, c.Reason = ReadOnly, z.judge(a)
	if c.Reason != "" {
		c.Verdict = Ask
	}
	if why := z.disaster(a); why != "" {
		c.Verdict, c.Reason = Catastrophic, why
	}
	z.conclude(&c, a)
	z.a.Commands = append(z.a.Commands, c)
	z.effects(a)
	if w := z.t.wrappers[c.Program]; w != nil && (c.Verdict != ReadOnly || w.attrs["transparent"] && !lookup(a)) {
		z.unwrap(w, a)
	}
}

// lookup reports command -v, which only tells where a program is.
func lookup(a args) bool {
	return a.texts[0] == "command" && len(a.texts) > 1 && (a.texts[1] == "-v" || a.texts[1] == "-V")
}

// conclude carries the command's verdict into the analysis.
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

// judge returns why the command is not read-only, or "".
func (z *analyzer) judge(a args) string {
	first, name := a.words[0], a.texts[0]
	switch {
	case !first.static || first.glob:
		return "the program is computed at run time"
	case name == "":
		return "an empty program name"
	case strings.ContainsRune(name, '/'):
		return "a program given by its path: " + name
	case z.funcs[name]:
		return name + " is a function of this script"
	case name == "cd":
		return z.cd(a)
	}
	if w, ok := z.t.wrappers[name]; ok && w.attrs["transparent"] && !lookup(a) {
		_, why := z.wrapped(w, a)
		return why
	}
	return z.judgeProgram(a, name)
}

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

// entry finds the line of the table for a command: the longest of "git stash list", "git stash". rest are the words after it.
func (z *analyzer) entry(a args) (p *program, rest args, title string) {
	name := a.texts[0]
	if !z.t.subcommands[name] {
		return z.t.readonly[name], a.from(1), name
	}
	i := 1
	if g := z.t.readonly[name]; g != nil && g.attrs["global"] || g != nil && g.mode == "global" {
		n, why := z.globals(g, a)
		if why != "" {
			return nil, a, name + ": " + why
		}
		i = n
	}
	return z.subcommand(a, name, i)
}

func (z *analyzer) subcommand(a args, name string, i int) (*program, args, string) {
	title := name
	for n := 2; n >= 1; n-- {
		if i+n > len(a.words) {
			continue
		}
		key := name
		for _, w := range a.words[i : i+n] {
			key += " " + w.text
			if !w.static || w.glob {
				key += "\x00"
			}
		}
		if p := z.t.readonly[key]; p != nil {
			return p, a.from(i + n), key
		}
		title = key
	}
	if p := z.t.readonly[name]; p != nil && p.mode != "global" {
		return p, a.from(1), name
	}
	return nil, a, strings.ReplaceAll(title, "\x00", "")
}

// globals skips options between a program and its subcommand and returns the index of the subcommand.
func (z *analyzer) globals(g *program, a args) (int, string) {
	for i := 1; i < len(a.words); i++ {
		w := a.words[i]
		if !strings.HasPrefix(w.text, "-") || !w.static || g.options[w.text] == 0 {
			return i, ""
		}
		if g.options[w.text] != optPath {
			continue
		}
		if i++; i == len(a.words) {
			return i, "an option without its value"
		}
		if why := z.readable(a.words[i]); why != "" {
			return i, why
		}
	}
	return len(a.words), ""
}

// userReadOnly reports that the user's own list names this command.
func (z *analyzer) userReadOnly(a args) bool {
	for _, entry := range z.o.ReadOnly {
		want := strings.Fields(entry)
		if len(want) > 0 && len(want) <= len(a.words) && equalStatic(want, a.words) {
			return true
		}
	}
	return false
}

func equalStatic(want []string, words []word) bool {
	for i, w := range want {
		if !words[i].static || words[i].glob || words[i].text != w {
			return false
		}
	}
	return true
}

// judgeUser judges a program of which only the user says that it is read-only.
func (z *analyzer) judgeUser(a args) string {
	name := a.texts[0]
	if z.t.never[name] || z.t.code[name] || z.t.wrappers[name] != nil || z.t.writers[name] != nil || z.t.subcommands[name] {
		return name + " can run other code or change state"
	}
	if a.append {
		return name + ": more arguments are added at run time"
	}
	for _, w := range a.words[1:] {
		if w.static && strings.HasPrefix(w.text, "-") && !strings.Contains(w.text, "/") {
			continue
		}
		if why := z.readable(w); why != "" {
			return why
		}
		if !w.static {
			return "an argument is computed at run time"
		}
	}
	return ""
}

// cd moves the place from which later words are judged. It may fail, or stand in a branch: the old place stays possible.
func (z *analyzer) cd(a args) string {
	ws := a.words[1:]
	for len(ws) > 0 && ws[0].static && (ws[0].text == "--" || ws[0].text == "-P" || ws[0].text == "-L") {
		ws = ws[1:]
	}
	if len(ws) != 1 || !ws[0].static || ws[0].glob || strings.HasPrefix(ws[0].text, "-") || ws[0].text == "" {
		return "cd to a place that the text does not name"
	}
	if z.loops > 0 && strings.Contains(ws[0].text, "..") {
		return "cd upwards in a loop"
	}
	for _, d := range z.resolve(ws[0].text) {
		if !z.inRoots(d) {
			return "cd leaves the workspace"
		}
		z.dirs = append(z.dirs, d)
	}
	z.dirs = compactDirs(z.dirs)
	if len(z.dirs) > maxDirs {
		return "too many changes of directory"
	}
	return ""
}
