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
	"deleteProperty apply construct ownKeys defineProperty getOwnPropertyDescriptor getPrototypeOf setPrototypeOf start " +
	"pull cancel write close " +
	"abort transform flush connectedCallback disconnectedCallback adoptedCallback attributeChangedCallback")

// changeableScript refuses functions that others call than those that name them.
func (c *signing) changeableScript() error {
	y := c.group[0]
	f, d := c.r.Tree.Files[y.File], c.r.Def(y)
	parents := map[store.DefID]bool{}
	for _, z := range c.group {
		parent := store.At(z.File, c.r.Def(z).Parent)
		if parents[parent] {
			return refused("Edit it by hand.", "%s has several versions in one place", c.changes.Of.ID)
		}
		parents[parent] = true
	}
	switch {
	case c.lang == syntax.JavaScript && c.member && askedByScript[c.old]:
		return refused("", "the language's own library may call %s", c.old)
	case c.lang == syntax.JavaScript && !c.member && d.Body >= d.End:
		return refused("", "%s has no body here", c.old)
	case c.lang == syntax.Python && f.Test && d.Kind.Callable():
		return refused("Edit it by hand.", "%s stands in a test, whose runner may pass what its parameters name", c.old)
	}
	return nil
}

// scriptName is the token of the name of a definition that begins at token i.
func (c *signing) scriptName(t *tokens, i int, d *store.Def) int {
	for depth := 0; i < len(t.list) && t.list[i].Start < int(d.End); i++ {
		if depth == 0 && t.text(i) == c.old && (c.lang != syntax.Python || t.is(i-1, "def")) && !t.is(i-1, "@") {
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
	b, ok := t.arguments(k, c.lang, true)
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

// maxAngles bounds how many tokens stand between < and >.
const maxAngles = 400

// angles is the token that closes the < at token i, or -1 where that is none that holds types.
func (t *tokens) angles(i int) int {
	open, depth := 0, 0
	for end := min(i+maxAngles, len(t.list)); i < end; i++ {
		switch {
		case t.is(i, "<"):
			open++
		case t.is(i, ">"):
			open--
		case t.is(i, "&& || == === != !== ++ --"):
			return -1
		}
		if depth += t.turn(i); depth < 0 {
			return -1
		}
		if open == 0 {
			if depth != 0 {
				return -1
			}
			return i
		}
	}
	return -1
}

// arguments reads the brackets that token i opens, of a language whose items hold commas of their own: those of type
// arguments and of lambda. declared says that these are parameters. It is not ok where a comma may be read in two ways.
func (t *tokens) arguments(i int, lang syntax.Language, declared bool) (*brackets, bool) {
	if !t.is(i, "(") {
		return nil, false
	}
	last := t.closing(i)
	if last < 0 {
		return nil, false
	}
	b := &brackets{open: t.list[i].End, end: t.list[last].Start}
	commas := commaReader{t: t, lang: lang, declared: declared}
	from := b.open
	for k := i + 1; k < last; k++ {
		b.comments = b.comments || t.remark(t.list[k-1].End, t.list[k].Start)
		next, parts, ok := commas.at(k)
		if !ok {
			return nil, false
		}
		if k = next; parts {
			b.items = append(b.items, t.trimmed(from, t.list[k].Start))
			from = t.list[k].End
		}
	}
	b.comments = b.comments || t.remark(t.list[last-1].End, b.end)
	if rest := t.trimmed(from, b.end); rest.from < rest.end {
		b.items = append(b.items, rest)
	}
	empty := slices.ContainsFunc(b.items, func(p piece) bool { return p.from >= p.end })
	return b, !empty
}

// A commaReader tells the commas between the items of a list from those in them.
type commaReader struct {
	t        *tokens
	lang     syntax.Language
	declared bool
	depth    int
	lambda   int  // how many lambdas have no colon yet
	value    bool // the item has a default
}

// at reads token k. It answers where to go on, and whether this is a comma between items.
func (c *commaReader) at(k int) (next int, parts, ok bool) {
	c.depth += c.t.turn(k)
	switch {
	case c.depth != 0:
	case c.lang == syntax.Python && c.t.is(k, "lambda"):
		c.lambda++
	case c.t.is(k, ":") && c.lambda > 0:
		c.lambda--
	case c.t.is(k, "="):
		c.value = true
	case c.lang == syntax.JavaScript && c.t.is(k, "<"):
		return c.angle(k)
	case c.t.is(k, ",") && c.lambda == 0:
		c.value = false
		return k, true, true
	}
	return k, false, true
}

// angle reads a < of JavaScript: what it opens is skipped where it holds types. A comma behind any other may be read
// in two ways.
func (c *commaReader) angle(k int) (next int, parts, ok bool) {
	end := c.t.angles(k)
	switch {
	case end <= 0 || !c.t.holdsComma(k, end):
		return k, false, true
	case c.declared && !c.value, c.t.is(end+1, "("):
		return end, false, true
	}
	return k, false, false
}

// holdsComma reports whether a comma stands between two tokens.
func (t *tokens) holdsComma(from, end int) bool {
	for ; from < end; from++ {
		if t.is(from, ",") {
			return true
		}
	}
	return false
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
