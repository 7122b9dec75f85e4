package refactor

import (
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// receiver is what a method of Go that begins at an offset calls its receiver, empty if it has no name.
func (t *tokens) receiver(start int) string {
	i := t.at(start) + 1
	if t.is(i, "(") && t.name(i+1) && (t.word(i+2) || t.is(i+2, "*")) {
		return t.text(i + 1)
	}
	return ""
}

// around is the outermost definition that holds an offset, or -1.
func (g *signingFile) around(off int) int32 {
	defs := g.r.DefsOf(g.scan.file)
	for d := range defs {
		if defs[d].Parent < 0 && int(defs[d].Start) <= off && off < int(defs[d].End) {
			return int32(d)
		}
	}
	return -1
}

// bound counts how often the definition d binds a name, as its receiver or in it.
func (g *signingFile) bound(binds []syntax.Bound, name string, d int32) int {
	if d < 0 {
		return 0
	}
	count := g.boundIn(g.scan.file, binds, name, d)
	if g.t.receiver(int(g.r.DefsOf(g.scan.file)[d].Start)) == name {
		count++
	}
	return count
}

// parameterOf reports whether a definition of Go has a receiver or parameter called name, and with what type.
func (g *goLists) parameterOf(d int32, name string) (typ string, ok bool) {
	def := &g.r.DefsOf(g.scan.file)[d]
	if !def.Kind.Callable() {
		return "", false
	}
	at := golang{}.nameOf(g.t, def, "")
	receiver := g.t.at(int(def.Start)) + 1
	for _, open := range []int{g.t.listBehind(at), receiver} {
		if b, ok := g.t.brackets(open); ok {
			for _, p := range parametersOf(g.t, b) {
				if p.name == name {
					return p.typ, true
				}
			}
		}
	}
	return "", false
}

// checkLost refuses to drop what a function has for nothing else: Go does not build it then.
func (g *goLists) checkLost() {
	var all []string
	for _, l := range g.dropped {
		all = append(all, g.t.names(g.t.within(l.from, l.end))...)
	}
	if len(all) == 0 {
		return
	}
	binds := g.binds(g.scan.file, g.t.src, all...)
	for _, l := range g.dropped {
		d := g.around(l.from)
		for _, name := range g.t.names(g.t.within(l.from, l.end)) {
			if !g.spare(binds, name, d) {
				g.unsure(l.line, "%s may be used for nothing else then", name)
			}
		}
	}
}

// spare reports whether a name may lose a use in the definition d.
func (g *goLists) spare(binds []syntax.Bound, name string, d int32) bool {
	count := g.bound(binds, name, d)
	switch count {
	case 0:
		return g.known(name)
	case 1:
		if _, is := g.parameterOf(d, name); is {
			return true
		}
		return g.readIn(name, d)
	}
	return false
}

// known reports whether a name that nothing binds locally is one that Go lets stand without a use, or an import.
func (g *goLists) known(name string) bool {
	for _, m := range g.r.Tree.ImportsOf(g.scan.file) {
		if g.spelled(m.Local) == name {
			return true
		}
	}
	y, ok := g.r.Tree.Lex.Find(name)
	return ok && len(g.r.SamePackage(y, g.scan.file)) > 0
}

// readIn reports whether a definition surely reads a name somewhere else than where it is dropped.
func (g *goLists) readIn(name string, d int32) bool {
	def := &g.r.DefsOf(g.scan.file)[d]
	first, last := g.t.within(int(def.Start), int(def.End))
	for i := first; i < last; i++ {
		if !g.t.bare(i) || g.t.text(i) != name {
			continue
		}
		off := g.t.list[i].Start
		if slices.ContainsFunc(g.dropped, func(l lost) bool { return l.holds(off) }) {
			continue
		}
		if g.t.is(i-1, "( [ ! & return == != if range switch") && g.t.is(i+1, ") . ] ( [ { == != && ||") ||
			g.t.is(i-1, ",") && g.t.is(i+1, ") .") {
			return true
		}
	}
	return false
}

// checkValues refuses where the value that a call would pass means something else than where it was given, or nothing.
func (g *goLists) checkValues() {
	if len(g.calls) == 0 {
		return
	}
	for i := range g.want {
		v := g.value[i]
		if g.from[i] >= 0 || v == nil {
			continue
		}
		names := v.names(0, len(v.list))
		binds := g.binds(g.scan.file, g.t.src, names...)
		for _, name := range names {
			for _, off := range g.calls {
				g.valueMeans(binds, &g.want[i], name, off)
			}
		}
	}
}

// valueMeans rules on one name of a value at one call.
func (g *goLists) valueMeans(binds []syntax.Bound, w *Parameter, name string, off int) {
	d := g.around(off)
	count := g.bound(binds, name, d)
	_, isPackage := g.packageOf(name)
	typ, isParameter := "", false
	if d >= 0 {
		typ, isParameter = g.parameterOf(d, name)
	}
	switch {
	case count == 0 && meaning.GoNames[name]:
	case count == 1 && isParameter && typ == w.Type && strings.TrimSpace(w.Value) == name:
	case count > 0:
		g.unsure(g.lineAt(off), "%s is a local name here", name)
	case g.ownName(name):
	case isPackage:
		g.bring(g.lineAt(off), name)
	default:
		g.unsure(g.lineAt(off), "%s means nothing here: give a value that every caller can pass", name)
	}
}

// ownName reports whether a name stands for a definition of the file's own package, which is that of the definition.
func (g *goLists) ownName(name string) bool {
	n := g.scan.file
	y, ok := g.r.Tree.Lex.Find(name)
	return ok && g.file(n).Dir() == g.home && g.samePackage(n) && len(g.r.SamePackage(y, n)) > 0
}

// typeMeans refuses a type of a new parameter whose names mean nothing in a file.
func (g *goLists) typeMeans(line int, w *Parameter, d *store.Def) {
	t := tokensOf(g.x, "type.go", []byte(strings.TrimPrefix(w.Type, "...")))
	for _, name := range t.names(0, len(t.list)) {
		_, isPackage := g.packageOf(name)
		switch {
		case isPackage && strings.Contains(w.Type, name+"."):
			g.bring(line, name)
		case g.ownName(name):
		default:
			g.unsure(line, "%s means nothing here", name)
		}
	}
}

// bring notes that a file has to import the package called name.
func (g *goLists) bring(line int, name string) {
	module, _ := g.packageOf(name)
	if why := g.mayImport(g.scan.file, name, module); why != "" {
		g.unsure(line, "%s", why)
		return
	}
	if byName, _ := g.importOf(g.scan.file, name, module); byName == nil {
		g.needs[name] = module
	}
}

// imports brings the imports of the file in order.
func (g *goLists) imports() {
	edits, err := g.goImports(g.scan.file, g.t.src, g.scan.edits, g.needs)
	if err != nil {
		g.unsure(1, "%v", err)
		return
	}
	g.scan.edits = edits
}
