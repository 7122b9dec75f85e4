package refactor

import (
	"path"
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
)

// scriptCommon and pythonCommon are names that mean the same everywhere.
var (
	scriptCommon = meaning.WordSet("undefined NaN Infinity Math JSON Object Array String Number Boolean Symbol Date Map Set WeakMap WeakSet Error " +
		"Promise RegExp BigInt Function Uint8Array string number boolean any unknown never object symbol bigint readonly keyof infer " +
		"is Record Partial Required Readonly Pick Omit ReadonlyArray Iterable AbortSignal AbortController URL")
	pythonCommon = meaning.WordSet("str int float bool bytes list dict set tuple frozenset object type len range bytearray complex Exception")
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

// namesMean rules on the names of a text at some offsets.
func (g *importLists) namesMean(line int, t *tokens, places []int) {
	own := g.own.everywhere()
	names := t.names(0, len(t.list))
	binds := g.binds(g.scan.file, g.t.src, names...)
	for _, name := range names {
		for _, off := range places {
			at := line
			if at == 0 {
				at = g.lineAt(off)
			}
			y, known := g.r.Tree.Lex.Find(name)
			d := g.around(off)
			var here, home meaning.Found
			if known {
				here, home = g.r.Lookup(y, g.scan.file, d), g.r.Lookup(y, g.group[0].File, -1)
			}
			imported := g.hasImport(g.scan.file, y, known) && (g.scan.file == g.group[0].File || line > 0)
			switch {
			case g.bound(binds, name, d) > 0 || boundOutside(binds, name):
				g.unsure(at, "%s is a local name here", name)
			case known && here.Value.Kind == meaning.SymbolValue && home.Value.Kind == meaning.SymbolValue && slices.Equal(here.Value.Symbols, home.Value.Symbols):
			case here.Value.Kind == meaning.SymbolValue:
				g.unsure(at, "%s means something else here", name)
			case imported, own[name]:
			default:
				g.unsure(at, "%s means nothing here: give a value that every caller can pass", name)
			}
		}
	}
}

// hasImport reports whether an import of a file brings a name.
func (g *importLists) hasImport(n int32, y uint32, known bool) bool {
	return known && slices.ContainsFunc(g.r.Tree.ImportsOf(n), func(m store.ImportRow) bool { return m.Local == y })
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
