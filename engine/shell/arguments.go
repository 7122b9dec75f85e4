package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// args are the words of one simple command. Parts of it share the words, so nobody changes these in place.
type args struct {
	words   []word
	texts   []string // of words
	wraps   int      // wrappers around it
	append  bool     // more words are added at run time, as xargs does
	guessed bool     // it may not be a command at all: the wrapper's options are not known
}

// arguments reads the words; braces become several, and an unquoted variable set to a constant falls apart at spaces.
func (e *expander) arguments(list []*syntax.Word) args {
	var a args
	for _, x := range list {
		words, ok := braces(x)
		if !ok {
			words = []*syntax.Word{x}
		}
		for _, part := range words {
			e.argument(&a, part, x.Pos())
		}
	}
	return a
}

// argument reads one word, which may become several or none. A variable with a quoted blank in it is not split as its
// text says.
func (e *expander) argument(a *args, x *syntax.Word, pos syntax.Pos) {
	if len(x.Parts) == 0 {
		return // {,a}
	}
	list, ok := e.list(x)
	if ok {
		for _, text := range list {
			a.add(word{text: text, known: true, pos: pos})
		}
		return
	}
	w := e.word(x)
	w.pos = pos
	w.known = w.known && !(w.split && w.blank)
	if !w.split || !w.known {
		a.add(w)
		return
	}
	for _, f := range e.fields(w.text) {
		part := w
		part.text = f
		a.add(part)
	}
}

// fields splits as bash does, at IFS if this script sets it.
func (e *expander) fields(text string) []string {
	ifs, ok := e.vars.texts["IFS"]
	if !ok {
		return strings.Fields(text)
	}
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(ifs, r) })
}

// list returns the words of "$@" and "${a[@]}" where this script sets them to constants.
func (e *expander) list(x *syntax.Word) ([]string, bool) {
	p := onlyParam(x)
	if p == nil || p.Param == nil {
		return nil, false
	}
	name := p.Param.Value
	switch {
	case plainParam(p) && isAll(name):
		name = "@"
	case !wholeArray(p):
		return nil, false
	}
	list, ok := e.vars.lists[name]
	return list, ok
}

// onlyParam is the expansion that a word consists of, quoted or not; nil if it has anything else.
func onlyParam(x *syntax.Word) *syntax.ParamExp {
	if len(x.Parts) != 1 {
		return nil
	}
	part := x.Parts[0]
	q, quoted := part.(*syntax.DblQuoted)
	if quoted && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	p, _ := part.(*syntax.ParamExp)
	return p
}

// isAll reports the two names that stand for all arguments, or all elements.
func isAll(s string) bool { return s == "@" || s == "*" }

// wholeArray reports ${a[@]} without operators.
func wholeArray(p *syntax.ParamExp) bool {
	if p.Exp != nil || p.Length || p.Excl || p.Slice != nil || p.Repl != nil {
		return false
	}
	index, ok := p.Index.(*syntax.Word)
	return ok && isAll(index.Lit())
}

// add keeps words and texts in step.
func (a *args) add(w word) {
	a.words = append(a.words, w)
	a.texts = append(a.texts, w.text)
}

// from is the command that starts at word i, one wrapper further in.
func (a args) from(i int) args {
	a.words = a.words[i:]
	a.texts = a.texts[i:]
	a.wraps++
	return a
}

func (a args) pos() syntax.Pos { return a.words[0].pos }

// program is the base name of the first word, or "" when it is not known. /bin/rm and rm do the same; that a path may
// lead to something else is asked about elsewhere.
func (a args) program() string {
	w := a.words[0]
	if !w.known || w.glob || w.home {
		return ""
	}
	if w.text == "" || w.text == procSubst {
		return ""
	}
	return path.Base(w.text)
}

// static reports that all words are known, and no others come at run time.
func (a args) static() bool {
	unknown := func(w word) bool { return !w.fixed() }
	return !a.append && !slices.ContainsFunc(a.words, unknown)
}

// hasAny reports that one of the words is one of these.
func (a args) hasAny(texts ...string) bool {
	return slices.ContainsFunc(a.texts, func(t string) bool { return slices.Contains(texts, t) })
}

// lookup reports command -v, which only tells where a program is.
func lookup(a args) bool {
	if a.texts[0] != "command" || len(a.texts) < 2 {
		return false
	}
	return a.texts[1] == "-v" || a.texts[1] == "-V"
}

// disguised is a program that a pattern means: /bin/r? The names that it is compared with are those that remove or
// change trees; of others a pattern is asked about, and that is enough.
func (a args) disguised() string {
	w := a.words[0]
	if !w.glob || !w.known {
		return ""
	}
	for _, p := range []string{"rm", "mv", "chmod", "chown", "find", "shred"} {
		ok, err := path.Match(path.Base(w.text), p)
		if ok && err == nil {
			return p
		}
	}
	return ""
}

// maxWraps bounds wrappers inside wrappers; each one looks at all words behind it.
const maxWraps = 16
