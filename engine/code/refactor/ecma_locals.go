package refactor

import (
	"slices"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file looks at the bodies of functions of JavaScript, TypeScript and Python, and at what names mean at their calls.

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
	within := slices.IndexFunc(has, func(p parameter) bool { return p.from <= off && off < p.end })
	if within >= 0 && slices.Contains(g.gone, within) || g.own.key(g.t, i) && (within < 0 || off != has[within].nameAt) {
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
		g.changes.Notes = append(g.changes.Notes, note)
	}
}
