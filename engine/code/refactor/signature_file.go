package refactor

import (
	"fmt"
	"slices"
	"strings"

	"helve/engine/code/internal/store"
)

// signingFile is one file while its lists are rewritten.
type signingFile struct {
	*signing
	scan    *scan
	t       *tokens
	lists   []rewritten // in the order of the text
	dropped []lost
	calls   []int // offsets of calls that get new values
}

// rewritten is a list with its new items.
type rewritten struct {
	*brackets
	items []item
}

// item is one of a new list: a part of the text or, where that is empty, new text.
type item struct {
	piece
	text string
	key  string // what stands before it: the name of an argument in Python
}

// lost is an argument that no call passes any more.
type lost struct {
	piece
	line int
}

// edits makes those of the lists. What stands in a list is written with it.
func (g *signingFile) edits() {
	slices.SortStableFunc(g.lists, func(a, b rewritten) int { return a.open - b.open })
	for i, end := 0, 0; i < len(g.lists); i++ {
		l := &g.lists[i]
		if l.open < end {
			continue
		}
		end = l.end
		if text := g.write(i); text != string(g.t.src[l.open:l.end]) {
			g.scan.edits = append(g.scan.edits, TextEdit{l.open, l.end, text})
		}
	}
}

func (g *signingFile) unsure(line int, format string, args ...any) {
	g.signing.plan.unsure(g.scan, line, fmt.Sprintf(format, args...))
}

// add notes the new items of a list.
func (g *signingFile) add(line int, b *brackets, items []item) {
	if b.comments {
		g.unsure(line, "comments stand among these: nobody can say to what they belong")
		return
	}
	g.lists = append(g.lists, rewritten{b, items})
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

func (g *signingFile) lineAt(off int) int { return 1 + strings.Count(string(g.t.src[:off]), "\n") }

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
		for _, a := range args[k] {
			if why := effect(g.t, a); why != "" {
				g.unsure(line, "what is passed for %s would go with it: %s", g.params[k].label(k), why)
			}
			g.dropped = append(g.dropped, lost{a, line})
		}
	}
	if !g.sameOrder(moved) {
		g.unsure(line, "several things that are called here would be called in another order")
	}
	if len(items) == len(b.items) && len(g.gone) == 0 && len(moved) == len(items) && slices.IsSortedFunc(moved, byStart) {
		return // nothing changes here
	}
	g.add(line, b, items)
}

func byStart(a, b piece) int { return a.from - b.from }

// passed are the arguments of a call for each of the old parameters.
func (g *goLists) passed(at int, b *brackets) (args [][]piece, why string) {
	n := len(g.params)
	variadic := n > 0 && g.params[n-1].rest
	count := len(b.items)
	if g.throughType(at) {
		return nil, "it is called through its type"
	}
	if count == 1 && (n != 1 || variadic) && g.t.is(g.t.at(b.items[0].end)-1, ")") {
		return nil, "one call gives all arguments, or may"
	}
	if !variadic && count != n || variadic && count < n-1 {
		return nil, fmt.Sprintf("%d arguments are passed", count)
	}
	args = make([][]piece, n)
	for i, a := range b.items {
		k := min(i, n-1)
		args[k] = append(args[k], a)
	}
	return args, ""
}

// throughType reports whether the receiver is an argument: T.method(t), (*T).method(t).
func (g *signingFile) throughType(at int) bool {
	if !g.t.is(at-1, ".") {
		return false
	}
	k := at - 2
	for g.t.is(k, ") ]") {
		k--
	}
	for _, y := range g.group {
		for _, t := range g.ownersOf(y) {
			for _, u := range append(g.r.Subtypes(t), t) {
				if g.t.is(k, g.spelled(g.r.Def(u).Name)) {
					return true
				}
			}
		}
	}
	return false
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

// write is the text of a list between its brackets. It stands in lines as it did.
func (g *signingFile) write(i int) string {
	l, src, between := &g.lists[i], g.t.src, ", "
	before, after := l.lead, ""
	if n := len(l.brackets.items); n > 0 {
		first, last := l.brackets.items[0], l.brackets.items[n-1]
		before, after = string(src[l.open:first.from]), string(src[last.end:l.end])
		if n > 1 {
			gap := string(src[first.end:l.brackets.items[1].from])
			if i := strings.IndexByte(gap, '\n'); i >= 0 && strings.TrimSpace(gap) == "," {
				between = "," + gap[i:]
			}
		}
	}
	if len(l.items) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(before)
	for k, it := range l.items {
		if k > 0 {
			b.WriteString(between)
		}
		b.WriteString(it.key)
		if it.text != "" {
			b.WriteString(it.text)
		} else {
			g.copy(&b, it.piece, i+1)
		}
	}
	b.WriteString(after)
	return b.String()
}

// copy writes a part of the text, with the lists in it rewritten: these come behind the one that it is in.
func (g *signingFile) copy(b *strings.Builder, part piece, behind int) {
	at := part.from
	for i := behind; i < len(g.lists) && g.lists[i].open < part.end; i++ {
		if l := &g.lists[i]; l.open >= at && l.end <= part.end {
			b.Write(g.t.src[at:l.open])
			b.WriteString(g.write(i))
			at = l.end
		}
	}
	b.Write(g.t.src[at:part.end])
}
