package refactor

import (
	"slices"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file reads the parameters and arguments of JavaScript and TypeScript.

// askedByScript are methods that the language itself calls, or its library.
var askedByScript = meaning.WordSet("then catch finally next return throw toString toLocaleString valueOf toJSON handleEvent get set has " +
	"deleteProperty apply construct ownKeys defineProperty getOwnPropertyDescriptor getPrototypeOf " +
	"setPrototypeOf start pull cancel write close abort transform flush connectedCallback " +
	"disconnectedCallback adoptedCallback attributeChangedCallback")

// declaration reads the parameters behind the name at token i, which a function, a method or a variable has.
func (ecma) declaration(_ *signing, t *tokens, _ int32, d *store.Def, i int) (*brackets, []parameter, string) {
	first := t.at(int(d.Start))
	if t.is(first, "@") || t.is(i-2, "@") || t.is(first, "get set") && first < i || t.is(i-1, "get set") {
		return nil, nil, "what calls it is not sure: it is an accessor or has a decorator"
	}
	k, arrow := t.functionList(i + 1)
	b, ok := t.arguments(k, ecmaCommas, true)
	if !ok || arrow && !t.is(t.closing(k)+1, "=> :") {
		return nil, nil, notRead
	}
	if t.is(first-1, "default") || t.is(first-2, "default") {
		return nil, nil, "it is exported by default, so others give it names of their own"
	}
	list := make([]parameter, len(b.items))
	for k, it := range b.items {
		if list[k], ok = t.scriptParameter(it); !ok {
			return nil, nil, notRead
		}
	}
	return b, list, ""
}

// functionList is the token that opens the parameters of what begins at token k behind its name: (…), = (…) =>, which
// is an arrow, or = function (…).
func (t *tokens) functionList(k int) (open int, arrow bool) {
	if t.is(k, "? !") {
		k++
	}
	if arrow = t.is(k, "="); arrow {
		if k++; t.is(k, "async") {
			k++
		}
		if t.is(k, "function") {
			arrow = false
			if k++; t.is(k, "*") {
				k++
			}
			if t.name(k) {
				k++
			}
		}
	}
	if t.is(k, "<") {
		k = t.angles(k) + 1
	}
	return k, arrow
}

// scriptParameter reads a?: T = value, ...a and {a, b}: T.
func (t *tokens) scriptParameter(it piece) (p parameter, ok bool) {
	p.piece, p.nameAt = it, -1
	i, last := t.within(it.from, it.end)
	if p.rest = t.is(i, "..."); p.rest {
		i++
	}
	switch {
	case t.is(i, "{ ["):
		i = t.closing(i)
	case t.is(i, "this") || !t.name(i) || i+1 < last && !t.is(i+1, ": ? ="):
		return p, false
	default:
		p.name, p.nameAt = t.text(i), t.list[i].Start
	}
	p.question = t.is(i+1, "?") && i+1 < last
	p.optional = p.question || i >= 0 && t.hasDefault(i, last)
	p.words = t.wordsOf(p)
	return p, i >= 0
}

// hasDefault reports whether = stands outside of brackets in the tokens from i to last.
func (t *tokens) hasDefault(i, last int) bool {
	for depth := 0; i < last; i++ {
		if depth == 0 && t.is(i, "=") {
			return true
		}
		depth += t.turn(i)
	}
	return false
}

// wordsOf are the names in the text of a parameter but its own.
func (t *tokens) wordsOf(p parameter) []string {
	first, last := t.within(p.from, p.end)
	if p.nameAt >= 0 {
		first = t.at(p.nameAt) + 1
	}
	return t.names(first, last)
}

// passed are the arguments of a call, for each of the old parameters.
func (ecma) passed(g *importLists, b *brackets) (args []argument, why string) {
	n := len(g.params)
	args = make([]argument, n)
	for i, a := range b.items {
		k := i
		if g.variadic() {
			k = min(i, n-1)
		}
		switch {
		case g.t.is(g.t.at(a.from), "...") && (k >= n || !g.params[k].rest):
			return nil, "one expression gives several arguments"
		case k >= n:
			return nil, "more arguments are passed than it takes"
		}
		args[k].pieces = append(args[k].pieces, a)
	}
	return args, ""
}

// items are the arguments of a call in their new order.
func (ecma) items(g *importLists, args []argument) (items []item) {
	left := 0 // that are left out before what comes next
	add := func(it item) {
		for ; left > 0; left-- {
			items = append(items, item{text: "undefined"})
		}
		items = append(items, it)
	}
	for i, k := range g.from {
		switch {
		case k < 0 && g.want[i].Value != "":
			add(item{text: g.want[i].Value})
		case k < 0 || len(args[k].pieces) == 0:
			left++
		default:
			for _, a := range args[k].pieces {
				add(item{piece: a})
			}
		}
	}
	return items
}

func (l ecma) arguments(g *importLists, b *brackets) (args []argument, items []item, why string) {
	if args, why = l.passed(g, b); why == "" {
		items = l.items(g, args)
	}
	return args, items, why
}

// ecmaCommas stand in type arguments.
var ecmaCommas = commas{angles: true}

func (ecma) habits() habits {
	h := importedHabits
	h.commas = ecmaCommas
	return h
}

func (ecma) nameOf(t *tokens, d *store.Def, name string) int {
	return t.nameIn(d, name, func(i int) bool { return !t.is(i-1, "@") })
}

// changeable refuses functions that others call than those that name them.
func (l ecma) changeable(c *signing) error {
	d := c.r.Def(c.group[0])
	switch err := c.oneVersion(); {
	case err != nil:
		return err
	case c.member && askedByScript[c.old]:
		return refused("", "the language's own library may call %s", c.old)
	case !c.member && d.Body >= d.End:
		return refused("", "%s has no body here", c.old)
	}
	return nil
}

// checkNew refuses new parameters that cannot be declared, in TypeScript without a type.
func (l ecma) checkNew(c *signing, i int, w Parameter) error {
	typed := c.file(c.group[0].File).Lang == syntax.TypeScript
	switch {
	case w.Value == "" && w.Default == "":
	case w.Type == "" && typed:
		return refused("Give its type.", "%s has no type", w.Name)
	case w.Type != "" && !typed:
		return refused("Give none.", "%s has a type, which JavaScript does not know", w.Name)
	}
	return l.importing.checkNew(c, i, w)
}

func (l ecma) rewrite(g *signingFile) { rewriteLists(g, l) }

// call finds the arguments of what is called at token i: f(…), f?.(…), f<T>(…).
func (ecma) call(t *tokens, i int) (b *brackets, why string) {
	k := i + 1
	if t.is(k, "!") {
		k++
	}
	if t.is(k, "?.") {
		k++
	}
	if t.is(k, "<") && !t.is(i-1, "<") {
		k = t.angles(k) + 1
	}
	return t.called(k, ecmaCommas)
}

// passesOn reports whether a place stands in export { … }.
func (ecma) passesOn(t *tokens, s *syntax.Site) bool {
	open := bracketAround(t.src, s.Start)
	k := t.at(open) - 1
	return open >= 0 && t.src[open] == '{' && t.is(k, "export type") && (t.is(k, "export") || t.is(k-1, "export"))
}

// parameter is a new one as it is written.
func (ecma) parameter(w *Parameter, body bool) string {
	text := w.Name
	switch {
	case w.Type != "" && w.Default != "" && !body:
		return text + "?: " + w.Type
	case w.Type != "":
		text += ": " + w.Type
	}
	if w.Default != "" {
		text += " = " + w.Default
	}
	return text
}

func (ecma) everywhere() map[string]bool { return scriptCommon }
func (ecma) key(t *tokens, i int) bool   { return t.keyIn(i, '{', "{ ,", ":") }

// renamed is a use of a parameter by its new name; what is a key at the same time keeps it.
func (ecma) renamed(g *importLists, i int, name, to string) string {
	t, at := g.t, g.t.list[i]
	open := bracketAround(t.src, at.Start)
	inBraces := open >= 0 && t.src[open] == '{' && t.is(i-1, "{ ,") && (open == 0 || t.src[open-1] != '$')
	switch {
	case inBraces && t.is(i+1, ", }") && !markup(g.file(g.scan.file).Path):
		to = name + ": " + to
	case inBraces || t.is(i+1, ":") && !t.is(i-1, "? case") || t.is(i+1, "?") && t.is(i+2, ":") || t.is(i-1, "<"):
		g.unsure(g.lineAt(at.Start), "%s may be a key here", name)
	case markup(g.file(g.scan.file).Path) && t.is(i+1, "="):
		g.unsure(g.lineAt(at.Start), "%s may be an attribute here", name)
	}
	return to
}

// lost refuses to drop what a file may have for nothing else: a compiler may refuse what is unused.
func (ecma) lost(g *importLists) {
	for _, l := range g.dropped {
		for _, name := range g.t.names(g.t.within(l.from, l.end)) {
			uses := 0
			for i := range g.t.list {
				off := g.t.list[i].Start
				gone := slices.ContainsFunc(g.dropped, func(l lost) bool { return l.holds(off) })
				if !gone && g.t.bare(i) && g.t.text(i) == name {
					uses++
				}
			}
			if uses == 1 { // where it is declared
				g.unsure(l.line, "%s may be used for nothing else then", name)
			}
		}
	}
}
