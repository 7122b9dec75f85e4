package refactor

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file reads the parameters and arguments of Python.

// plainDecorators are those that leave the parameters of a function as they are.
var plainDecorators = meaning.WordSet("staticmethod classmethod abstractmethod abc.abstractmethod override typing.override final " +
	"typing.final")

// declaration reads the parameters behind the name at token i. The receiver of a method is none.
func (python) declaration(c *signing, t *tokens, n int32, d *store.Def, i int) (*brackets, []parameter, string) {
	static, class, other := t.decorators(t.at(int(d.Start)), i)
	c.ofType = c.ofType || static || class
	if other != "" {
		return nil, nil, "its decorator may change what it takes: " + other
	}
	b, ok := t.arguments(i+1, pythonCommas, true)
	if !ok {
		return nil, nil, notRead
	}
	if method := d.Parent >= 0 && c.r.DefsOf(n)[d.Parent].Kind.Type(); method && !static {
		if len(b.items) == 0 || t.is(t.at(b.items[0].from), "*") {
			return nil, nil, notRead
		}
		b.open, b.items, b.lead = b.items[0].end, b.items[1:], ", "
	}
	var list []parameter
	for _, it := range b.items {
		p, ok := t.pythonParameter(it)
		if !ok {
			return nil, nil, notRead
		}
		if p.mark && p.name == "/" {
			return nil, nil, "some of its arguments have no name: /"
		}
		list = append(list, p)
	}
	return b, list, ""
}

// decorators reads those from token k to the definition at i. other is the first that is not plain.
func (t *tokens) decorators(k, i int) (static, class bool, other string) {
	for t.is(k, "@") {
		from := k + 1
		for k++; k < i && !t.list[k].First; k++ {
		}
		name := strings.TrimSpace(string(t.src[t.list[from].Start:t.list[k-1].End]))
		if !plainDecorators[name] {
			return static, class, name
		}
		static = static || name == "staticmethod"
		class = class || name == "classmethod"
	}
	return static, class, ""
}

// pythonParameter reads a: T = value, *a, **a and *.
func (t *tokens) pythonParameter(it piece) (p parameter, ok bool) {
	p.piece, p.nameAt = it, -1
	i, last := t.within(it.from, it.end)
	stars := 0
	for ; t.is(i, "* **"); i++ {
		stars += len(t.text(i))
	}
	switch {
	case stars == 1 && i == last || stars == 0 && t.is(i, "/"):
		p.name, p.mark = string(t.src[it.from:it.end]), true
		return p, true
	case !t.word(i) || i+1 < last && !t.is(i+1, ": ="):
		return p, false
	}
	p.name, p.nameAt = t.text(i), t.list[i].Start
	p.rest, p.named = stars == 1, stars == 2
	p.optional = t.hasDefault(i, last)
	p.words = t.wordsOf(p)
	return p, true
}

// argument is what a call passes for a parameter.
type argument struct {
	pieces []piece
	key    bool  // it is written name=value; the piece is the value
	whole  piece // then: all of it
}

// keyed splits an argument of Python: name=value.
func (t *tokens) keyed(a piece) (name string, value piece) {
	i := t.at(a.from)
	if !t.word(i) || !t.is(i+1, "=") {
		return "", a
	}
	return t.text(i), t.trimmed(t.list[i+1].End, a.end)
}

// generates reports whether an argument is a generator without brackets of its own.
func (t *tokens) generates(a piece) bool {
	first, last := t.within(a.from, a.end)
	for i, depth := first, 0; i < last; i++ {
		if depth == 0 && t.is(i, "for") {
			return true
		}
		depth += t.turn(i)
	}
	return false
}

// positional is how many parameters an argument without a name can reach, and where the rest of these goes, or -1.
func (c *signing) positional() (n, rest int) {
	for k, p := range c.params {
		switch {
		case p.rest:
			return k, k
		case p.mark || p.named:
			return k, -1
		}
	}
	return len(c.params), -1
}

// passed are the arguments of a call for each of the old parameters. Those that **kw takes are for it.
func (python) passed(g *importLists, b *brackets) (args []argument, why string) {
	args = make([]argument, len(g.params))
	limit, rest := g.positional()
	for at, a := range b.items {
		name, value := g.t.keyed(a)
		k := at
		switch {
		case g.t.is(g.t.at(a.from), "* **"):
			return nil, "one expression gives several arguments"
		case g.t.generates(a):
			return nil, "a generator is passed"
		case name != "":
			if k = g.takes(name); k < 0 {
				return nil, "passes " + name + ", which it does not have"
			}
			if args[k].key = !g.params[k].named; args[k].key {
				args[k].whole, a = a, value
			}
		case at >= limit:
			if k = rest; k < 0 {
				return nil, "more arguments are passed than it takes"
			}
		}
		args[k].pieces = append(args[k].pieces, a)
	}
	for k, p := range g.params {
		if len(args[k].pieces) == 0 && !p.optional && !p.rest && !p.named && !p.mark {
			return nil, fmt.Sprintf("%s is not passed", p.label(k))
		}
	}
	return args, ""
}

// takes is the parameter that takes an argument called name, or -1.
func (c *signing) takes(name string) int {
	for k, p := range c.params {
		if p.name == name && !p.rest && !p.mark && !p.named {
			return k
		}
	}
	for _, w := range c.want {
		if w.Name == name {
			return -1 // **kw would no longer take it
		}
	}
	return slices.IndexFunc(c.params, func(p parameter) bool { return p.named })
}

// items are the arguments of a call in their new order. Behind one that is left out or named, all are named;
// these stay in the order of the call.
func (python) items(g *importLists, args []argument) (items []item, why string) {
	list := &pythonList{g: g}
	for i, k := range g.from {
		switch {
		case k < 0:
			list.new(&g.want[i])
		case g.params[k].rest:
			if why := list.rest(args[k].pieces); why != "" {
				return nil, why
			}
		case len(args[k].pieces) == 0:
			list.gap = true
		case g.params[k].named:
			for _, a := range args[k].pieces {
				list.named = append(list.named, item{piece: a})
			}
		default:
			list.old(k, g.want[i].Name, &args[k])
		}
	}
	sort.SliceStable(list.named, func(i, j int) bool {
		a, b := &list.named[i], &list.named[j]
		if (a.text == "") != (b.text == "") {
			return a.text == ""
		}
		return byStart(a.piece, b.piece) < 0
	})
	return append(list.items, list.named...), ""
}

// pythonList are the arguments of a call while they are put in order.
type pythonList struct {
	g            *importLists
	items, named []item
	gap          bool // what follows needs its name
}

// new adds the value of a new parameter; one without is left out.
func (l *pythonList) new(w *Parameter) {
	switch {
	case w.Value == "":
		l.gap = true
	case l.gap:
		l.named = append(l.named, item{text: w.Value, key: w.Name + "="})
	default:
		l.items = append(l.items, item{text: w.Value})
	}
}

// rest adds the arguments that *args takes. Behind it every one needs its name.
func (l *pythonList) rest(pieces []piece) (why string) {
	if l.gap && len(pieces) > 0 {
		return "arguments without a name would stand behind some with one"
	}
	l.gap = true
	for _, a := range pieces {
		l.items = append(l.items, item{piece: a})
	}
	return ""
}

// old adds what is passed for parameter k, which is called name from now on.
func (l *pythonList) old(k int, name string, a *argument) {
	switch {
	case a.key && l.g.renames[k] == "":
		l.gap = true
		l.named = append(l.named, item{piece: a.whole})
	case l.gap || a.key:
		l.gap = true
		l.named = append(l.named, item{piece: a.pieces[0], key: name + "="})
	default:
		l.items = append(l.items, item{piece: a.pieces[0]})
	}
}

func (l python) arguments(g *importLists, b *brackets) (args []argument, items []item, why string) {
	if args, why = l.passed(g, b); why == "" {
		items, why = l.items(g, args)
	}
	return args, items, why
}

// pythonCommas stand in lambdas.
var pythonCommas = commas{lambda: true}

func (python) habits() habits {
	h := importedHabits
	h.commas, h.keywords = pythonCommas, true
	return h
}

func (python) nameOf(t *tokens, d *store.Def, name string) int {
	return t.nameIn(d, name, func(i int) bool { return t.is(i-1, "def") })
}

// changeable refuses functions that others call than those that name them.
func (python) changeable(c *signing) error {
	if err := c.oneVersion(); err != nil {
		return err
	}
	if c.file(c.group[0].File).Test {
		return byHand("%s stands in a test, whose runner may pass what its parameters name", c.old)
	}
	return nil
}

func (l python) rewrite(g *signingFile)                        { rewriteLists(g, l) }
func (python) call(t *tokens, i int) (b *brackets, why string) { return t.called(i+1, pythonCommas) }
func (python) passesOn(*tokens, *syntax.Site) bool             { return false }

// parameter is a new one as it is written.
func (python) parameter(w *Parameter, _ bool) string {
	switch {
	case w.Type != "" && w.Default != "":
		return w.Name + ": " + w.Type + " = " + w.Default
	case w.Type != "":
		return w.Name + ": " + w.Type
	case w.Default != "":
		return w.Name + "=" + w.Default
	}
	return w.Name
}

func (python) everywhere() map[string]bool { return pythonCommon }

func (l python) reflects(t *tokens, i int) bool {
	return l.importing.reflects(t, i) || t.is(i+1, "(") && t.is(i, "locals vars exec")
}

func (python) key(t *tokens, i int) bool                          { return t.keyIn(i, '(', "( ,", "=") }
func (python) renamed(_ *importLists, _ int, _, to string) string { return to }
func (python) lost(*importLists)                                  {}
