package refactor

import (
	"slices"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file rewrites the lists of JavaScript, TypeScript and Python.

// orderFits refuses orders of parameters that the language does not take.
func (c *signing) orderFits() error {
	if c.family == syntax.Go {
		return nil
	}
	open, rest := "", false // one that may be left out, and whether all behind need a name
	for i, k := range c.from {
		p := parameter{name: c.want[i].Name, optional: c.want[i].Default != ""}
		if k >= 0 {
			p = c.params[k]
		}
		rest = rest || p.rest || p.mark
		switch {
		case c.family == syntax.Python && p.mark && i == len(c.from)-1:
			return refused("", "a parameter has to stand behind %s", p.name)
		case c.family == syntax.JavaScript && p.question, c.family == syntax.Python && p.optional && !rest:
			open = p.label(k)
		case open != "" && !p.optional && !p.rest && !p.named && !rest:
			return refused("Give another order.", "%s may be left out: %s, which may not, cannot stand behind it", open, p.label(k))
		}
	}
	if c.moved() {
		return c.speakOfOthers()
	}
	return nil
}

// moved reports whether parameters that stay change their order.
func (c *signing) moved() bool {
	var stay []int
	for _, k := range c.from {
		if k >= 0 {
			stay = append(stay, k)
		}
	}
	return !slices.IsSorted(stay)
}

// speakOfOthers refuses another order where the default or type of a parameter speaks of another one.
func (c *signing) speakOfOthers() error {
	for k, p := range c.params {
		for _, word := range c.params[k].words {
			for j, other := range c.params {
				if j != k && other.name == word {
					return byHand("%s speaks of %s: they stay in this order", p.label(k), word)
				}
			}
		}
	}
	return nil
}

// rivals refuses methods beside which others of that name stand, in types that one may take for the other.
func (c *signing) rivals(f *scan) {
	if c.family == syntax.Go || !c.member {
		return
	}
	for i := range f.sites {
		s := &f.sites[i]
		if s.Name != c.old || s.Def < 0 || c.in[store.At(f.file, s.Def)] {
			continue
		}
		if c.r.IsMember(f.file, c.r.Def(store.At(f.file, s.Def))) {
			c.plan.unsure(f, s.Line, "another type has this name: one may be used for the other")
		}
	}
}

// scriptSite rewrites the list behind a place that means the definition.
func (g *signingFile) scriptSite(s *syntax.Site) {
	at := g.t.at(s.Start)
	switch {
	case g.t.is(at+1, "as"):
		g.unsure(s.Line, "it gets another name here")
	case s.Imported:
	case s.Def >= 0:
		g.scriptDefinition(s, at)
	case g.family == syntax.JavaScript && g.exportList(s):
	default:
		g.scriptArguments(s, at)
	}
}

// exportList reports whether a place stands in export { … }.
func (g *signingFile) exportList(s *syntax.Site) bool {
	open := bracketAround(g.t.src, s.Start)
	k := g.t.at(open) - 1
	return open >= 0 && g.t.src[open] == '{' && g.t.is(k, "export type") && (g.t.is(k, "export") || g.t.is(k-1, "export"))
}

// scriptDefinition rewrites the parameters of a definition.
func (g *signingFile) scriptDefinition(s *syntax.Site, at int) {
	def := &g.r.DefsOf(g.scan.file)[s.Def]
	b, has, why := g.declaration(g.t, g.scan.file, def, at)
	if why == "" && len(has) != len(g.params) {
		why = "its parameters are others"
	}
	for i := 0; why == "" && i < len(has); i++ {
		p, q := &has[i], &g.params[i]
		if p.rest != q.rest || p.named != q.named || p.mark != q.mark || g.family == syntax.Python && p.name != q.name {
			why = "its parameters are others"
		}
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
		items = append(items, item{text: g.newParameter(&g.want[i], def.Body < def.End)})
	}
	g.add(s.Line, b, items)
}

// ownTypes reports whether type parameters stand between the name at a token and the list.
func (g *signingFile) ownTypes(at int) bool {
	for k := at + 1; k < len(g.t.list) && !g.t.is(k, "("); k++ {
		if g.t.is(k, "<") {
			return true
		}
	}
	return false
}

// newParameter is a new parameter as it is written.
func (g *signingFile) newParameter(w *Parameter, body bool) string {
	text, between := w.Name, "="
	switch {
	case w.Type != "" && w.Default != "" && !body && g.family == syntax.JavaScript:
		return w.Name + "?: " + w.Type
	case w.Type != "":
		text, between = w.Name+": "+w.Type, " = "
	case g.family == syntax.JavaScript:
		between = " = "
	}
	if w.Default != "" {
		text += between + w.Default
	}
	return text
}

// scriptArguments rewrites the arguments of a call.
func (g *signingFile) scriptArguments(s *syntax.Site, at int) {
	b, why := g.t.scriptCall(at, g.family)
	if why != "" {
		g.unsure(s.Line, "%s", why)
		return
	}
	if g.family == syntax.Python && g.member && !g.ofType && g.throughType(at) {
		g.unsure(s.Line, "it is called through its type")
		return
	}
	var args []argument
	var items []item
	if g.family == syntax.Python {
		if args, why = g.pythonPassed(b); why == "" {
			items, why = g.pythonItems(args)
		}
	} else if args, why = g.scriptPassed(b); why == "" {
		items = g.scriptItems(args)
	}
	if why != "" {
		g.unsure(s.Line, "%s", why)
		return
	}
	for _, k := range g.gone {
		for _, a := range args[k].pieces {
			if why := g.scriptEffect(a); why != "" {
				g.unsure(s.Line, "what is passed for %s would go with it: %s", g.params[k].label(k), why)
			}
			g.dropped = append(g.dropped, lost{a, s.Line})
		}
	}
	g.arranged(s.Line, b, items)
	g.calls = append(g.calls, s.Start)
}

// arranged notes new arguments, if what is evaluated for them happens in the same order.
func (g *signingFile) arranged(line int, b *brackets, items []item) {
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
func (g *signingFile) scriptEffect(part piece) string {
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
