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
func (g *signingFile) locals(d int32, def *store.Def, b *brackets, has []parameter) {
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
		case name == "arguments" || name == "eval" || g.family == syntax.Python && g.t.is(i+1, "(") && g.t.is(i, "locals vars exec"):
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
func (g *signingFile) watched(has []parameter) (names []string) {
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
func (g *signingFile) namesIn(p *parameter) []string {
	if p.name == "" || p.mark {
		return p.words
	}
	return []string{p.name}
}

// local rules on one name in the text of a definition.
func (g *signingFile) local(i int, has []parameter) {
	name, off := g.t.text(i), g.t.list[i].Start
	line := g.lineAt(off)
	within := slices.IndexFunc(has, func(p parameter) bool { return p.from <= off && off < p.end })
	if within >= 0 && slices.Contains(g.gone, within) || g.otherName(i) && (within < 0 || off != has[within].nameAt) {
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

// otherName reports whether a name is surely none of a local thing: a key of a literal, or of an argument.
func (g *signingFile) otherName(i int) bool {
	before, after, mark := "{ ,", ":", byte('{')
	if g.family == syntax.Python {
		before, after, mark = "( ,", "=", '('
	}
	open := bracketAround(g.t.src, g.t.list[i].Start)
	return g.t.is(i-1, before) && g.t.is(i+1, after) && open >= 0 && g.t.src[open] == mark
}

// renameWord gives one use of a parameter its new name.
func (g *signingFile) renameWord(i int, name, to string, own bool) {
	t, at := g.t, g.t.list[i]
	if g.family == syntax.JavaScript && !own {
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
	}
	g.words = append(g.words, TextEdit{at.Start, at.End, to})
}

// bindsIn counts how often a definition, or what stands in it, binds a name.
func (g *signingFile) bindsIn(binds []syntax.Bound, name string, d int32) (n int) {
	for _, b := range binds {
		if b.Name == name && b.From >= 0 && g.holds(g.scan.file, d, b.From) {
			n++
		}
	}
	return n
}

// documented notes that comments of a definition, or strings in it, still have the old name of a parameter.
func (g *signingFile) documented(def *store.Def, name, to string) {
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

// checkLostScript refuses to drop what a file of TypeScript may have for nothing else: a compiler may refuse what is
// unused.
func (g *signingFile) checkLostScript() {
	if g.family != syntax.JavaScript {
		return
	}
	for _, l := range g.dropped {
		for _, name := range g.t.names(g.t.within(l.from, l.end)) {
			uses := 0
			for i := range g.t.list {
				off := g.t.list[i].Start
				gone := slices.ContainsFunc(g.dropped, func(l lost) bool { return l.from <= off && off < l.end })
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
