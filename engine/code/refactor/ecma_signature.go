package refactor

import (
	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file reads the parameters and arguments of JavaScript and TypeScript.

// askedByScript are methods that the language itself calls, or its library.
var askedByScript = meaning.WordSet("then catch finally next return throw toString toLocaleString valueOf toJSON handleEvent get set has " +
	"deleteProperty apply construct ownKeys defineProperty getOwnPropertyDescriptor getPrototypeOf setPrototypeOf start " +
	"pull cancel write close " +
	"abort transform flush connectedCallback disconnectedCallback adoptedCallback attributeChangedCallback")

// changeableScript refuses functions that others call than those that name them.
func (c *signing) changeableScript() error {
	y := c.group[0]
	f, d := c.file(y.File), c.r.Def(y)
	parents := map[store.DefID]bool{}
	for _, z := range c.group {
		parent := store.At(z.File, c.r.Def(z).Parent)
		if parents[parent] {
			return byHand("%s has several versions in one place", c.id())
		}
		parents[parent] = true
	}
	switch {
	case c.family == syntax.JavaScript && c.member && askedByScript[c.old]:
		return refused("", "the language's own library may call %s", c.old)
	case c.family == syntax.JavaScript && !c.member && d.Body >= d.End:
		return refused("", "%s has no body here", c.old)
	case c.family == syntax.Python && f.Test && d.Kind.Callable():
		return byHand("%s stands in a test, whose runner may pass what its parameters name", c.old)
	}
	return nil
}

// scriptName is the token of the name of a definition that begins at token i.
func (c *signing) scriptName(t *tokens, i int, d *store.Def) int {
	for depth := 0; i < len(t.list) && t.list[i].Start < int(d.End); i++ {
		if depth == 0 && t.text(i) == c.old && (c.family != syntax.Python || t.is(i-1, "def")) && !t.is(i-1, "@") {
			return i
		}
		depth += t.turn(i)
	}
	return i
}

// scriptDeclaration reads the parameters behind the name at token i, which a function, a method or a variable has.
func (c *signing) scriptDeclaration(t *tokens, d *store.Def, i int) (*brackets, []parameter, string) {
	first := t.at(int(d.Start))
	if t.is(first, "@") || t.is(i-2, "@") || t.is(first, "get set") && first < i || t.is(i-1, "get set") {
		return nil, nil, "what calls it is not sure: it is an accessor or has a decorator"
	}
	k := i + 1
	if t.is(k, "? !") {
		k++
	}
	arrow := t.is(k, "=")
	if arrow {
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
	b, ok := t.arguments(k, c.family, true)
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
	p.optional = p.question
	for depth := 0; i >= 0 && i < last; i++ {
		p.optional = p.optional || depth == 0 && t.is(i, "=")
		depth += t.turn(i)
	}
	p.words = t.wordsOf(p)
	return p, i >= 0
}

// wordsOf are the names in the text of a parameter but its own.
func (t *tokens) wordsOf(p parameter) []string {
	first, last := t.within(p.from, p.end)
	if p.nameAt >= 0 {
		first = t.at(p.nameAt) + 1
	}
	return t.names(first, last)
}

// scriptCall finds the arguments of what is called at token i: f(…), f?.(…), f<T>(…).
func (t *tokens) scriptCall(i int, lang syntax.Language) (b *brackets, why string) {
	k := i + 1
	if lang == syntax.JavaScript {
		if t.is(k, "!") {
			k++
		}
		if t.is(k, "?.") {
			k++
		}
		if t.is(k, "<") && !t.is(i-1, "<") {
			k = t.angles(k) + 1
		}
	}
	if !t.is(k, "(") || k == 0 {
		return nil, "it is used as a value"
	}
	b, ok := t.arguments(k, lang, false)
	if !ok {
		return nil, "the arguments were not understood"
	}
	return b, ""
}

// scriptPassed are the arguments of a call of JavaScript, for each of the old parameters.
func (g *signingFile) scriptPassed(b *brackets) (args []argument, why string) {
	n := len(g.params)
	args = make([]argument, n)
	for i, a := range b.items {
		k := i
		if n > 0 && g.params[n-1].rest {
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

// scriptItems are the arguments of a call of JavaScript in their new order.
func (g *signingFile) scriptItems(args []argument) (items []item) {
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
