package shell

import "mvdan.cc/sh/v3/syntax"

// constant is the value of a plain assignment of one. Subscripts are evaluated, and += needs the value before.
func (e *expander) constant(as *syntax.Assign) (string, bool) {
	special := as.Append || as.Index != nil || as.Naked || as.Array != nil && as.Value == nil
	if as.Name == nil || special {
		return "", false
	}
	if as.Value == nil {
		return "", true
	}
	w := e.word(as.Value)
	return w.text, w.fixed()
}

// assign keeps the constant that a variable is set to, because later words may be made of it, and forgets what was known
// of it.
func (e *expander) assign(as *syntax.Assign) (value word, ok bool) {
	delete(e.vars.texts, as.Name.Value) // it has another value from here on, known or not
	e.assignList(as)
	if as.Value == nil || as.Append || as.Index != nil {
		return word{}, false
	}
	w := e.word(as.Value)
	if !w.known || w.home {
		return word{}, false
	}
	e.vars.texts[as.Name.Value] = w.text
	return w, true
}

// assignList keeps a=(x y) where all its words are constants.
func (e *expander) assignList(as *syntax.Assign) {
	delete(e.vars.lists, as.Name.Value)
	if as.Array == nil || as.Append {
		return
	}
	list := []string{}
	for _, item := range as.Array.Elems {
		if item.Index != nil || item.Value == nil {
			return
		}
		w := e.word(item.Value)
		if !w.known {
			return
		}
		list = append(list, w.text)
	}
	e.vars.lists[as.Name.Value] = list
}

// loop keeps what the variable of a loop stands for in its body.
func (e *expander) loop(f *syntax.ForClause, it *syntax.WordIter) {
	e.vars.forget(it.Name.Value)
	e.loopWords(f, it)
	if len(it.Items) == 1 { // the variable is a constant then
		w := e.word(it.Items[0])
		if w.known && !w.glob && !w.split {
			e.vars.texts[it.Name.Value] = w.text
		}
	}
}

// loopWords keeps what a loop's variable stands for in its body, if nothing there sets it otherwise. So for f in *.go;
// do cat "$f"; done is judged like cat *.go.
func (e *expander) loopWords(f *syntax.ForClause, it *syntax.WordIter) {
	if e.at.loops > maxLoops || len(it.Items) == 0 {
		return
	}
	a := e.arguments(it.Items)
	for _, w := range a.words {
		if !w.static && !w.glob || w.split {
			return
		}
	}
	for _, s := range f.Do { // the second round sees what the first one has set
		if sets(s, it.Name.Value) {
			return
		}
	}
	e.vars.oneOf[it.Name.Value] = a.words
}

// sets reports a statement that gives a variable another value: a loop of the same name, or read.
func sets(s *syntax.Stmt, name string) bool {
	found := false
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.WordIter:
			found = found || n.Name.Value == name
		case *syntax.Assign:
			found = found || n.Name != nil && n.Name.Value == name
		case *syntax.CallExpr:
			for _, a := range n.Args {
				found = found || a.Lit() == name // read, printf -v, mapfile, unset
			}
		}
		return !found
	})
	return found
}

// maxLoops bounds the loops inside loops whose variables are followed: the body of each is looked through once.
const maxLoops = 4
