package shell

import "mvdan.cc/sh/v3/syntax"

// maxLoops bounds the loops inside loops whose variables are followed: the body of each is looked through once.
const maxLoops = 4

// loopWords keeps what a loop's variable stands for in its body, if nothing there sets it otherwise. So for f in *.go;
// do cat "$f"; done is judged like cat *.go.
func (z *analyzer) loopWords(f *syntax.ForClause, it *syntax.WordIter) {
	if z.at.loops > maxLoops || len(it.Items) == 0 {
		return
	}
	a := z.arguments(it.Items)
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
	z.oneOf[it.Name.Value] = a.words
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

// loopWord returns the words that "$f" may be, for a word that is nothing else. Without quotes, names that only the
// file system knows may fall apart.
func (z *analyzer) loopWord(x *syntax.Word) []word {
	if len(z.oneOf) == 0 || len(x.Parts) != 1 {
		return nil
	}
	part, quoted := x.Parts[0], false
	if q, ok := part.(*syntax.DblQuoted); ok && !q.Dollar && len(q.Parts) == 1 {
		part, quoted = q.Parts[0], true
	}
	p, ok := part.(*syntax.ParamExp)
	if !ok || !plainParam(p) {
		return nil
	}
	list := z.oneOf[p.Param.Value]
	for _, w := range list {
		if !quoted && (w.glob || w.blank || w.text == "") {
			return nil
		}
	}
	return list
}

// loopLead is what is known of the start of such a word: enough to tell that it is no option.
func loopLead(list []word) string {
	for _, w := range list {
		if w.lead == "" || w.lead[0] == '-' {
			return ""
		}
	}
	return list[0].lead
}
