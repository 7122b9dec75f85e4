package refactor

import (
	"slices"

	"helve/engine/code/internal/syntax"
)

// This file rewrites the lists of JavaScript, TypeScript and Python.

// importLists are the lists of a file of such a language while they are rewritten.
type importLists struct {
	*signingFile
	own   listing
	words []TextEdit // parameters that are called by another name, in bodies
}

// listing is what such a language says of parameters and arguments.
type listing interface {
	listingCalls
	listingBodies
}

type listingCalls interface {
	// call finds the arguments of what is called at token i.
	call(t *tokens, i int) (b *brackets, why string)
	// arguments are those of a call, for each of the old parameters, and in their new order.
	arguments(g *importLists, b *brackets) (args []argument, items []item, why string)
	// parameter is a new one as it is written; body tells that of a function from a declaration.
	parameter(w *Parameter, body bool) string
	// passesOn reports whether a place only passes the subject on.
	passesOn(t *tokens, s *syntax.Site) bool
}

type listingBodies interface {
	// everywhere are names that mean the same everywhere.
	everywhere() map[string]bool
	// reflects reports whether the name at token i reaches parameters by their names.
	reflects(t *tokens, i int) bool
	// key reports whether a name is surely none of a local thing.
	key(t *tokens, i int) bool
	// renamed is a use of a parameter by its new name.
	renamed(g *importLists, i int, name, to string) string
	// lost refuses to drop what a file may have for nothing else.
	lost(g *importLists)
}

// rewriteLists makes the edits of a file in which the subject is meant.
func rewriteLists(file *signingFile, own listing) {
	g := &importLists{signingFile: file, own: own}
	for _, s := range g.scan.uses {
		g.scriptSite(s)
	}
	own.lost(g)
	g.checkValuesScript()
	for _, w := range g.words {
		word := &brackets{open: w.Start, end: w.End}
		g.lists = append(g.lists, rewritten{word, []item{{text: w.New}}})
	}
	g.edits()
}

// scriptSite rewrites the list behind a place that means the definition.
func (g *importLists) scriptSite(s *syntax.Site) {
	at := g.t.at(s.Start)
	switch {
	case g.t.is(at+1, "as"):
		g.unsure(s.Line, "it gets another name here")
	case s.Imported:
	case s.Def >= 0:
		g.scriptDefinition(s, at)
	case g.own.passesOn(g.t, s):
	default:
		g.scriptArguments(s, at)
	}
}

// scriptDefinition rewrites the parameters of a definition.
func (g *importLists) scriptDefinition(s *syntax.Site, at int) {
	def := &g.r.DefsOf(g.scan.file)[s.Def]
	b, has, why := g.lang.declaration(g.signing, g.t, g.scan.file, def, at)
	if why == "" && !slices.EqualFunc(has, g.params, g.alike) {
		why = "its parameters are others"
	}
	if why != "" {
		g.unsure(s.Line, "%s", why)
		return
	}
	if g.ownTypes(at) && (len(g.gone) > 0 || g.moved()) {
		g.unsure(s.Line, "it has type parameters, which are found by what is passed, in this order")
	}
	g.locals(s.Def, def, b, has)
	var items []item
	for i, k := range g.from {
		if k >= 0 {
			items = append(items, item{piece: has[k].piece})
			continue
		}
		g.meansHere(s.Line, &g.want[i], def)
		items = append(items, item{text: g.own.parameter(&g.want[i], def.Body < def.End)})
	}
	g.add(s.Line, b, items)
}

// alike reports whether two definitions take the same with a parameter.
func (g *importLists) alike(p, q parameter) bool {
	same := p.rest == q.rest && p.named == q.named && p.mark == q.mark
	return same && (p.name == q.name || !g.lang.habits().keywords)
}

// ownTypes reports whether type parameters stand between the name at a token and the list.
func (g *importLists) ownTypes(at int) bool {
	for k := at + 1; k < len(g.t.list) && !g.t.is(k, "("); k++ {
		if g.t.is(k, "<") {
			return true
		}
	}
	return false
}

// scriptArguments rewrites the arguments of a call.
func (g *importLists) scriptArguments(s *syntax.Site, at int) {
	b, why := g.own.call(g.t, at)
	if why != "" {
		g.unsure(s.Line, "%s", why)
		return
	}
	if g.lang.habits().keywords && g.member && !g.ofType && g.throughType(at) {
		g.unsure(s.Line, "it is called through its type")
		return
	}
	args, items, why := g.own.arguments(g, b)
	if why != "" {
		g.unsure(s.Line, "%s", why)
		return
	}
	for _, k := range g.gone {
		g.drop(s.Line, k, args[k].pieces, g.scriptEffect)
	}
	g.arranged(s.Line, b, items)
	g.calls = append(g.calls, s.Start)
}

// arranged notes new arguments, if what is evaluated for them happens in the same order.
func (g *importLists) arranged(line int, b *brackets, items []item) {
	var doing []piece
	for _, it := range items {
		if it.text == "" && g.scriptEffect(it.piece) != "" {
			doing = append(doing, it.piece)
		}
	}
	if !slices.IsSortedFunc(doing, byStart) {
		g.unsure(line, "several things that are called here would be called in another order")
	}
	same := len(items) == len(b.items)
	for i := 0; same && i < len(items); i++ {
		same = items[i].text == "" && items[i].key == "" && items[i].piece == b.items[i]
	}
	if !same {
		g.add(line, b, items)
	}
}

// scriptEffect says what the evaluation of an argument may do besides giving a value; empty: nothing.
func (g *importLists) scriptEffect(part piece) string {
	first, last := g.t.within(part.from, part.end)
	if g.t.later(first, last) {
		return ""
	}
	for i := first; i < last; i++ {
		switch {
		case g.t.callsAt(i, first) || g.t.is(i, "new"):
			return "something is called there"
		case g.t.setsAt(i):
			return "a value is set there"
		case g.t.is(i, "await yield"):
			return "it waits there"
		}
	}
	return ""
}
