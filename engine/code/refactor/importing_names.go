package refactor

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file looks at names in the bodies of functions of JavaScript, TypeScript and Python, and at their calls.

// locals refuses where a body uses a parameter that goes, or has the name of one that comes. It renames parameters
// there.
func (g *importLists) locals(d int32, def *store.Def, b *brackets, has []parameter) {
	watched := g.watched(has)
	g.x.Watch(watched...)
	g.x.Rows(g.file(g.scan.file).Path, g.t.src)
	seen := g.x.Seen()
	g.x.Watch()
	if seen.Live > 0 {
		g.unsure(int(def.Line), "a string that counts as code has the name of a parameter")
	}
	first, last := g.t.within(b.open, int(def.End))
	for i := first; i < last; i++ {
		switch name := g.t.text(i); {
		case !g.t.word(i) || g.t.is(i-1, ". ?."):
		case g.own.reflects(g.t, i):
			g.unsure(g.lineAt(g.t.list[i].Start), "its parameters can be reached by %s", name)
		case slices.Contains(watched, name):
			g.local(i, has)
		}
	}
	for k, to := range g.renames {
		if n := g.bindsIn(seen.Binds, has[k].name, d); n != 1 {
			g.unsure(int(def.Line), "%s is bound %d times in it: another local name may be meant", has[k].name, n)
		}
		g.documented(def, has[k].name, to)
	}
}

// watched are the names of parameters that go, come, or change their names.
func (g *importLists) watched(has []parameter) (names []string) {
	for _, k := range g.gone {
		names = append(names, g.namesIn(&has[k])...)
	}
	for i, k := range g.from {
		if k < 0 || g.renames[k] != "" {
			names = append(names, g.want[i].Name)
		}
		if k >= 0 && g.renames[k] != "" {
			names = append(names, has[k].name)
		}
	}
	return names
}

// namesIn are the names that a parameter gives: those of a pattern are some of its words.
func (g *importLists) namesIn(p *parameter) []string {
	if p.name == "" || p.mark {
		return p.words
	}
	return []string{p.name}
}

// local rules on one name in the text of a definition.
func (g *importLists) local(i int, has []parameter) {
	name, off := g.t.text(i), g.t.list[i].Start
	line := g.lineAt(off)
	within := slices.IndexFunc(has, func(p parameter) bool { return p.holds(off) })
	gone := within >= 0 && slices.Contains(g.gone, within)
	if own := within >= 0 && off == has[within].nameAt; gone || !own && g.own.key(g.t, i) {
		return
	}
	for k := range has {
		switch to := g.renames[k]; {
		case slices.Contains(g.gone, k) && slices.Contains(g.namesIn(&has[k]), name):
			g.unsure(line, "uses %s", name)
		case to == name:
			g.unsure(line, "has another %s", name)
		case to != "" && has[k].name == name:
			g.renameWord(i, name, to, off == has[k].nameAt)
		}
	}
	for w, k := range g.from {
		if k < 0 && g.want[w].Name == name {
			g.unsure(line, "has another %s", name)
		}
	}
}

// renameWord gives one use of a parameter its new name.
func (g *importLists) renameWord(i int, name, to string, own bool) {
	if !own {
		to = g.own.renamed(g, i, name, to)
	}
	at := g.t.list[i]
	g.words = append(g.words, TextEdit{at.Start, at.End, to})
}

// bindsIn counts how often a definition, or what stands in it, binds a name.
func (g *importLists) bindsIn(binds []syntax.Bound, name string, d int32) (n int) {
	for _, b := range binds {
		if b.Name == name && b.From >= 0 && g.holds(g.scan.file, d, b.From) {
			n++
		}
	}
	return n
}

// documented notes that comments of a definition, or strings in it, still have the old name of a parameter.
func (g *importLists) documented(def *store.Def, name, to string) {
	from := g.commentAbove(g.t.src, lineStart(g.t.src, int(def.Start)))
	words := meaning.CountWords(g.t.src[from:def.End], name)
	for i := range g.t.list {
		if t := g.t.list[i]; t.Start >= from && t.Start < int(def.End) && g.t.text(i) == name {
			words--
		}
	}
	if note := "comments still call it " + name + ", not " + to; words > 0 && !slices.Contains(g.changes.Notes, note) {
		g.note(note)
	}
}

// scriptCommon and pythonCommon are names that mean the same everywhere.
var (
	scriptCommon = meaning.WordSet("undefined NaN Infinity Math JSON Object Array String Number Boolean Symbol Date Map Set WeakMap " +
		"WeakSet Error Promise RegExp BigInt Function Uint8Array string number boolean any unknown never " +
		"object symbol bigint readonly keyof infer is Record Partial Required Readonly Pick Omit " +
		"ReadonlyArray Iterable AbortSignal AbortController URL")
	pythonCommon = meaning.WordSet("str int float bool bytes list dict set tuple frozenset object type len range bytearray complex " +
		"Exception")
)

// textFile is a name for a text of the language, so that it is read as one.
func (c *signing) textFile() string { return "value" + path.Ext(c.file(c.group[0].File).Path) }

// read reads a text that has to be one item of a list.
func (c *signing) read(text string) (*tokens, bool) {
	t := tokensOf(c.x, c.textFile(), []byte("("+text+")"))
	b, ok := t.arguments(0, c.lang.habits().commas, false)
	if ok && strings.Contains(text, ",") && len(b.items) != 1 {
		b, ok = t.arguments(0, c.lang.habits().commas, true) // a type has commas of its own
	}
	if !ok || len(b.items) != 1 || b.comments || t.closing(0) != len(t.list)-1 || strings.ContainsAny(text, "\n\r") {
		return nil, false
	}
	if strings.Contains(text, "/*") || b.items[0].in(t.src) != strings.TrimSpace(text) {
		return nil, false
	}
	depth := 0
	for i := range t.list {
		if depth += t.turn(i); depth == 1 && t.is(i, "= ; *") && (t.is(i, "= ;") || i == 1) {
			return nil, false
		}
	}
	return t, true
}

// meansHere refuses a type or default whose names mean nothing where the definition stands.
func (g *importLists) meansHere(line int, w *Parameter, d *store.Def) {
	for _, text := range []string{w.Type, w.Default} {
		if t, ok := g.read(text); ok && text != "" {
			g.namesMean(line, t, []int{int(d.Start)})
		}
	}
}

// checkValuesScript refuses where a value means something else at a call than where the function stands, or nothing.
func (g *importLists) checkValuesScript() {
	for i := range g.want {
		if t := g.value[i]; t != nil && g.from[i] < 0 {
			g.namesMean(0, t, g.calls)
		}
	}
}

// namesMean rules on the names of a text at some offsets; line is where the text stands, 0 for that of each offset.
func (g *importLists) namesMean(line int, t *tokens, places []int) {
	names := t.names(0, len(t.list))
	binds := g.binds(g.scan.file, g.t.src, names...)
	for _, name := range names {
		for _, off := range places {
			at := cmp.Or(line, g.lineAt(off))
			d := g.around(off)
			if g.bound(binds, name, d) > 0 || boundOutside(binds, name) {
				g.unsure(at, "%s is a local name here", name)
			} else {
				g.nameMeans(at, name, d, line > 0)
			}
		}
	}
}

// nameMeans refuses a name that means something else in the definition d than where the function stands, or nothing.
// Imports of other files may bring something else under it.
func (g *importLists) nameMeans(line int, name string, d int32, imports bool) {
	y, known := g.r.Tree.Lex.Find(name)
	var here, home meaning.Value
	if known {
		here, home = g.r.Lookup(y, g.scan.file, d).Value, g.r.Lookup(y, g.group[0].File, -1).Value
		imports = (imports || g.scan.file == g.group[0].File) && g.importsAs(g.scan.file, y)
	}
	means := here.Kind == meaning.SymbolValue
	switch {
	case means && home.Kind == meaning.SymbolValue && slices.Equal(here.Symbols, home.Symbols):
	case means:
		g.unsure(line, "%s means something else here", name)
	case known && imports, g.own.everywhere()[name]:
	default:
		g.unsure(line, "%s means nothing here: give a value that every caller can pass", name)
	}
}

// importedHabits are those of languages in which parameters are renamed.
var importedHabits = habits{
	needs:   "A new one needs a value or a default, in TypeScript a type, too.",
	renames: true,
}

// reflects reports whether the name at token i reaches parameters by their names.
func (importing) reflects(t *tokens, i int) bool { return t.is(i, "arguments eval") }

// checkNew refuses new parameters that cannot be declared.
func (importing) checkNew(c *signing, i int, w Parameter) error {
	if w.Value == "" && w.Default == "" {
		return refused("Give the value that calls pass, or a default.", "calls would pass nothing for %s", w.Name)
	}
	for _, text := range []string{w.Type, w.Value, w.Default} {
		if text == "" {
			continue
		}
		t, ok := c.read(text)
		switch {
		case !ok || strings.HasPrefix(strings.TrimSpace(text), "..."):
			return refused("", "%q is no type or value for %s", text, w.Name)
		case t.has("this super await yield arguments function class self"):
			return refused("Give a value that every caller can pass.", "%q does not mean the same everywhere", text)
		}
	}
	if w.Value != "" {
		c.value[i], _ = c.read(w.Value)
	}
	return nil
}
