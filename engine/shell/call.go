package shell

import (
	"path"
	"slices"
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
	z.called = c
	if len(c.Assigns) > 0 && !z.harmlessPrefix(c) {
		z.assignments(c.Assigns)
		z.ask(c.Pos(), "an assignment changes what later commands do")
	}
	if len(c.Args) == 0 {
		return
	}
	z.simple(z.arguments(c.Args))
}

// plainValue is what the variables before a command may be set to: no path, nothing that expands.
var plainValue = lazily(`^[A-Za-z0-9._@+:-]*$`)

// harmlessPrefix reports LC_ALL=C and its kin before a command, and IFS= before read.
func (z *analyzer) harmlessPrefix(c *syntax.CallExpr) bool {
	for _, as := range c.Assigns {
		if len(c.Args) == 0 || as.Name == nil || as.Value == nil && as.Array != nil || as.Append || as.Index != nil || as.Naked {
			return false
		}
		value, name := "", as.Name.Value
		if as.Value != nil {
			w := z.word(as.Value)
			if !w.static || w.glob {
				return false
			}
			value = w.text
		}
		switch name {
		case "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LANG", "TZ", "NO_COLOR", "CLICOLOR", "FORCE_COLOR", "COLUMNS", "LINES":
			if !plainValue().MatchString(value) {
				return false
			}
		case "PAGER", "GIT_PAGER":
			if value != "cat" {
				return false
			}
		case "IFS":
			if c.Args[0].Lit() != "read" {
				return false
			}
		default:
			return false
		}
	}
	z.prefixes = map[*syntax.Assign]bool{}
	for _, as := range c.Assigns {
		z.prefixes[as] = true
	}
	return true
}

// arguments reads the words; braces become several, and an unquoted variable set to a constant falls apart at its
// spaces.
func (z *analyzer) arguments(list []*syntax.Word) args {
	var a args
	for _, x := range list {
		words, ok := braces(x)
		if !ok {
			words = []*syntax.Word{x}
		}
		for _, part := range words {
			z.argument(&a, part, x.Pos())
		}
	}
	return a
}

func (z *analyzer) argument(a *args, x *syntax.Word, pos syntax.Pos) {
	if len(x.Parts) == 0 {
		return // {,a}
	}
	if list, ok := z.list(x); ok {
		for _, text := range list {
			a.add(word{text: text, known: true, pos: pos})
		}
		return
	}
	w := z.word(x)
	w.pos = pos
	w.known = w.known && !(w.split && w.blank)
	if !w.split || !w.known {
		a.add(w)
		return
	}
	for _, f := range z.fields(w.text) {
		part := w
		part.text = f
		a.add(part)
	}
}

// fields splits as bash does, at IFS if this script sets it.
func (z *analyzer) fields(text string) []string {
	ifs, ok := z.vars["IFS"]
	if !ok {
		return strings.Fields(text)
	}
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(ifs, r) })
}

// list returns the words of "$@" and "${a[@]}" where this script sets them to constants.
func (z *analyzer) list(x *syntax.Word) ([]string, bool) {
	part := x.Parts[0]
	if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	p, ok := part.(*syntax.ParamExp)
	if !ok || len(x.Parts) != 1 || p.Param == nil {
		return nil, false
	}
	switch name := p.Param.Value; {
	case plainParam(p) && (name == "@" || name == "*"):
		list, ok := z.lists["@"]
		return list, ok
	case p.Index != nil && p.Exp == nil && !p.Length && !p.Excl && p.Slice == nil && p.Repl == nil:
		if index, ok := p.Index.(*syntax.Word); ok && (index.Lit() == "@" || index.Lit() == "*") {
			list, ok := z.lists[name]
			return list, ok
		}
	}
	return nil, false
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
	if w := a.words[0]; !w.known || w.glob || w.home || w.text == "" || w.text == procSubst {
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
	case z.isFunction(name):
		return name + " is a function of this script"
	case name == "cd":
		return z.cd(a)
	case name == "pushd":
		z.cd(a)
	case name == "popd":
		z.dirs = compactDirs(append(z.dirs, z.been...))
	case name == "set":
		z.setPositional(a)
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

// entry finds the line of the table for a command: the longest of "git stash list", "git stash". rest are the words
// after it.
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

func (z *analyzer) isFunction(name string) bool {
	_, ok := z.funcs[name]
	return ok
}

// setPositional keeps the words of set -- a b for $@ and $1.
func (z *analyzer) setPositional(a args) {
	i := slices.Index(a.texts, "--")
	if i < 0 {
		return
	}
	z.lists["@"] = slices.Clone(a.texts[i+1:])
	for n, text := range a.texts[i+1 : min(i+10, len(a.texts))] {
		z.vars[string(rune('1'+n))] = text
	}
}
