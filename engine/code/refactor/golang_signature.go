package refactor

import (
	"fmt"
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
)

// goLists are the lists of a file of Go while they are rewritten.
type goLists struct {
	*signingFile
	needs map[string]string // packages that it has to import, by their names there
}

func (golang) habits() habits            { return habits{needs: "A new one needs type and value."} }
func (golang) changeable(*signing) error { return nil }

func (golang) nameOf(t *tokens, d *store.Def, _ string) int {
	i := t.at(int(d.Start))
	if t.is(i, "func") {
		i++
	}
	if t.is(i, "(") { // the receiver
		i = t.closing(i) + 1
	}
	return i
}

func (golang) declaration(_ *signing, t *tokens, _ int32, _ *store.Def, i int) (*brackets, []parameter, string) {
	b, ok := t.brackets(t.listBehind(i))
	if !ok {
		return nil, nil, notRead
	}
	return b, parametersOf(t, b), ""
}

// checkNew refuses new parameters that cannot be declared.
func (golang) checkNew(c *signing, i int, w Parameter) error {
	if w.Default != "" {
		return refused("Give the value that calls pass.", "Go has no defaults: %s", w.Name)
	}
	variadic := strings.HasPrefix(w.Type, "...")
	typ := tokensOf(c.x, "type.go", []byte(strings.TrimPrefix(w.Type, "...")))
	switch {
	case w.Type == "" || !typ.oneExpression() || strings.ContainsAny(w.Type, "\n="):
		return refused("Give its type.", "%q is no type for %s", w.Type, w.Name)
	case variadic && i < len(c.want)-1:
		return refused("", "%s takes all arguments that are left: it has to be the last", w.Name)
	case variadic && w.Value == "":
		return nil
	}
	c.value[i] = tokensOf(c.x, "value.go", []byte(w.Value))
	if !c.value[i].oneExpression() || strings.Contains(w.Value, "\n") || c.value[i].is(0, "func") {
		return refused("Give the value that calls pass.", "%q is no value for %s", w.Value, w.Name)
	}
	return nil
}

func (golang) rewrite(file *signingFile) {
	g := &goLists{file, map[string]string{}}
	for _, s := range g.scan.uses {
		if s.Imported {
			continue
		}
		b, ok := g.t.brackets(g.t.listBehind(g.t.at(s.Start)))
		switch {
		case !ok:
			g.unsure(s.Line, "it is used as a value")
		case s.Def >= 0:
			g.definition(s.Def, s.Line, b)
		default:
			g.call(s.Line, g.t.at(s.Start), b)
		}
	}
	g.checkLost()
	g.checkValues()
	g.edits()
	g.imports()
}

// listBehind is the token that opens the brackets behind the name at i; type arguments stand before them.
func (t *tokens) listBehind(i int) int {
	i++
	if t.is(i, "[") {
		i = t.closing(i) + 1
	}
	return i
}

// parametersOf reads a list of Go's parameters: (a, b int, c ...string), or types alone.
func parametersOf(t *tokens, b *brackets) []parameter {
	list := make([]parameter, len(b.items))
	named := false
	for i, item := range b.items {
		list[i].piece = item
		named = named || namesParameter(t, item)
	}
	typ := ""
	for i := len(list) - 1; i >= 0; i-- {
		p := &list[i]
		text := p.in(t.src)
		switch {
		case !named:
			p.typ = text
		case namesParameter(t, p.piece):
			k := t.at(p.from)
			p.name = t.text(k)
			typ = string(t.src[t.list[k+1].Start:p.end])
			p.typ = typ
		default: // it has the type of the next one
			p.name, p.typ = text, typ
		}
		p.rest = strings.HasPrefix(p.typ, "...")
	}
	return list
}

// namesParameter reports whether an item is a name and its type.
func namesParameter(t *tokens, item piece) bool {
	first, last := t.within(item.from, item.end)
	if last-first < 2 || !t.word(first) || t.is(first, "func map chan struct interface") {
		return false
	}
	switch t.text(first + 1) {
	case ".":
		return false
	case "[": // a []T, a [5]T, or the type G[T]
		return t.closing(first+1) != last-1
	}
	return true
}

// declared writes the new list of a definition that has these parameters.
func (g *goLists) declared(has []parameter) []parameter {
	named := len(has) == 0
	for _, p := range has {
		named = named || p.name != ""
	}
	var out []parameter
	for i, k := range g.from {
		switch {
		case k >= 0:
			out = append(out, has[k])
		case named:
			out = append(out, parameter{name: g.want[i].Name, typ: g.want[i].Type})
		default:
			out = append(out, parameter{typ: g.want[i].Type})
		}
	}
	return out
}

// grouped reports whether a list has names that share a type.
func grouped(has []parameter) bool {
	for i := range has {
		if has[i].name != "" && len(has[i].name) == has[i].end-has[i].from {
			return true
		}
	}
	return false
}

// texts are the items of a list; names that share a type stand before it where they did so before.
func texts(list []parameter, group bool) []string {
	var out []string
	for i, p := range list {
		switch {
		case p.name == "":
			out = append(out, p.typ)
		case group && i+1 < len(list) && list[i+1].typ == p.typ:
			out = append(out, p.name)
		default:
			out = append(out, p.name+" "+p.typ)
		}
	}
	return out
}

// pure are Go's own functions and types that only make a value of another.
var pure = meaning.WordSet("len cap string bool byte rune uintptr float32 float64 complex64 complex128 complex real imag min max " +
	"int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 any error")

// effect says what the evaluation of a part of a text may do besides giving a value; empty: nothing.
func effect(t *tokens, part piece) string {
	first, last := t.within(part.from, part.end)
	for i := first; i < last; i++ {
		switch t.text(i) {
		case "func":
			return "a function is written there"
		case "<-":
			return "a value is received there"
		case "(":
			if i == first || !(t.word(i-1) || t.is(i-1, ") ] }")) {
				continue // brackets around an expression
			}
			if t.is(i-2, ".") || !pure[t.text(i-1)] {
				return "something is called there"
			}
		}
	}
	return ""
}

// definition rewrites the parameters of a definition.
func (g *goLists) definition(d int32, line int, b *brackets) {
	has := parametersOf(g.t, b)
	def := &g.r.DefsOf(g.scan.file)[d]
	if len(has) != len(g.params) {
		g.unsure(line, "it has %d parameters, not %d", len(has), len(g.params))
		return
	}
	for i := range has {
		if has[i].rest != g.params[i].rest {
			g.unsure(line, "its parameters are others")
			return
		}
	}
	g.bodies(def, b, has)
	for i, k := range g.from {
		if k < 0 {
			g.typeMeans(line, &g.want[i], def)
		}
	}
	var items []item
	for _, text := range texts(g.declared(has), grouped(has)) {
		items = append(items, item{text: text})
	}
	g.add(line, b, items)
}

// bodies refuses where a body uses what goes, or has the name of what comes.
func (g *goLists) bodies(d *store.Def, b *brackets, has []parameter) {
	named := len(has) == 0 || has[0].name != ""
	first, last := g.t.within(int(d.Start), int(d.End))
	for i := first; i < last; i++ {
		if !g.t.bare(i) {
			continue
		}
		name, off := g.t.text(i), g.t.list[i].Start
		for _, k := range g.gone {
			if has[k].name == name && off > b.end {
				g.unsure(g.lineAt(off), "uses %s", name)
			}
		}
		for k, w := range g.want {
			if g.from[k] < 0 && named && w.Name == name {
				g.unsure(g.lineAt(off), "has another %s", name)
			}
		}
	}
	if g.typeParameters(d) && len(g.gone) > 0 {
		g.unsure(int(d.Line), "it has type parameters, which may be found by what is passed")
	}
}

// typeParameters reports whether a function has some of its own.
func (g *goLists) typeParameters(d *store.Def) bool {
	return g.t.is(golang{}.nameOf(g.t, d, "")+1, "[")
}

// call rewrites the arguments of a call.
func (g *goLists) call(line, at int, b *brackets) {
	args, why := g.passed(at, b)
	if why != "" {
		g.unsure(line, "%s", why)
		return
	}
	var items []item
	var moved []piece
	for i, k := range g.from {
		switch {
		case k >= 0:
			for _, a := range args[k] {
				items = append(items, item{piece: a})
				moved = append(moved, a)
			}
		case g.want[i].Value != "":
			items = append(items, item{text: strings.TrimSpace(g.want[i].Value)})
			g.calls = append(g.calls, g.t.list[at].Start)
		}
	}
	for _, k := range g.gone {
		g.drop(line, k, args[k], func(a piece) string { return effect(g.t, a) })
	}
	if !g.sameOrder(moved) {
		g.unsure(line, "several things that are called here would be called in another order")
	}
	stays := len(g.gone) == 0 && len(moved) == len(items) && slices.IsSortedFunc(moved, byStart)
	if !stays || len(items) != len(b.items) {
		g.add(line, b, items)
	}
}

// passed are the arguments of a call for each of the old parameters.
func (g *goLists) passed(at int, b *brackets) (args [][]piece, why string) {
	n, count := len(g.params), len(b.items)
	variadic := g.variadic()
	if g.throughType(at) {
		return nil, "it is called through its type"
	}
	if count == 1 && (n != 1 || variadic) && g.t.is(g.t.at(b.items[0].end)-1, ")") {
		return nil, "one call gives all arguments, or may"
	}
	if count < n-1 || count != n && !variadic {
		return nil, fmt.Sprintf("%d arguments are passed", count)
	}
	args = make([][]piece, n)
	for i, a := range b.items {
		k := min(i, n-1)
		args[k] = append(args[k], a)
	}
	return args, ""
}

// sameOrder reports whether the arguments that do something are evaluated in the order that they were.
func (g *goLists) sameOrder(moved []piece) bool {
	var doing []piece
	for _, a := range moved {
		if why := effect(g.t, a); why != "" && !strings.HasPrefix(why, "a function") {
			doing = append(doing, a)
		}
	}
	return slices.IsSortedFunc(doing, byStart)
}
