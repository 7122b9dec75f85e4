package refactor

import (
	"maps"
	"slices"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// users writes the places that stay as they name the other package.
func (c *packageMove) users() error {
	if err := c.plan.decide(); err != nil {
		return err
	}
	for _, f := range c.plan.found {
		goes := func(s *syntax.Site) bool { return f.file == c.from && c.goes(s.Start) }
		if uses := slices.DeleteFunc(f.uses, goes); len(uses) > 0 {
			c.user(f, uses)
		}
	}
	return c.plan.refusedOpen("%d places speak against moving %s")
}

// user writes the places of one file.
func (c *packageMove) user(f *scan, uses []*syntax.Site) {
	dest := slices.Contains(c.destFiles, f.file)
	local, why := "", ""
	switch {
	case dest:
	case !upper(c.old):
		why = "it is not exported"
	default:
		local, why = c.qualifier(f)
	}
	if why != "" {
		c.plan.unsure(f, uses[0].Line, why)
		return
	}
	t := tokensOf(c.x, c.file(f.file).Path, f.src)
	for _, s := range uses {
		c.use(f, t, s, local)
	}
	if dest && len(c.binds(f.file, f.src, c.old)) > 0 {
		c.plan.unsure(f, 1, c.old+" is a local name here")
	}
}

// use writes one place; local is what stands before the name then.
func (c *packageMove) use(f *scan, t *tokens, s *syntax.Site, local string) {
	home := golang{}.samePackage(c.file(c.from), c.file(f.file))
	i := t.at(s.Start)
	byName, _ := c.importOf(f.file, t.text(i-2), "")
	switch {
	case len(c.members) > 0 && c.fills(t, i):
		c.plan.unsure(f, s.Line, "it may name members that are not exported")
	case home && !t.is(i-1, "."):
		c.uses[f.file] = append(c.uses[f.file], TextEdit{s.Start, s.Start, local})
	case !home && t.is(i-1, ".") && t.bare(i-2) && byName != nil:
		c.uses[f.file] = append(c.uses[f.file], TextEdit{t.list[i-2].Start, s.Start, local})
	default:
		c.plan.unsure(f, s.Line, "this place was not understood")
	}
}

// fills reports whether the name at token i stands before values of fields without names, or converts something.
func (c *packageMove) fills(t *tokens, i int) bool {
	if t.is(i+1, "[") {
		i = t.closing(i + 1)
	}
	return t.is(i+1, "{") && !t.is(i+2, "}") && !t.is(i+3, ":") || t.is(i+1, "(") && c.r.Def(c.group[0]).Kind.Type() ||
		t.is(i+1, ")") && t.is(i+2, "(")
}

// qualifier is what a file writes before names of the other package, which it imports then.
func (c *packageMove) qualifier(f *scan) (text, why string) {
	g := c.file(f.file)
	_, from := c.importPath(g.Dir())
	deps := slices.DeleteFunc(slices.Clone(c.destFiles), func(n int32) bool { return store.IsTest(c.file(n).Path) })
	for _, module := range c.needs {
		deps = append(deps, c.filesOf(module)...)
	}
	local := c.pkg
	_, byModule := c.importOf(f.file, "", c.destModule)
	if byModule != nil {
		local = c.spelled(byModule.Local)
	}
	switch {
	case local == "" || local == "_" || local == ".":
		return "", c.destModule + " is imported in a way that is not followed"
	case len(c.binds(f.file, f.src, local)) > 0:
		return "", local + " is a local name here"
	case !visible(c.destModule, from):
		return "", "it cannot import " + c.destModule
	case !c.besideTests(g) && c.importsBack(deps, g.Dir()):
		return "", "importing " + c.destModule + " would make a cycle"
	}
	if byModule == nil {
		if why := c.mayImport(f.file, local, c.destModule); why != "" {
			return "", why
		}
		c.wants[f.file] = map[string]string{local: c.destModule}
	}
	return local + ".", ""
}

// loads refuses where others might no longer load a package that does something when it is loaded.
func (c *packageMove) loads() error {
	others := func(n int32) bool { return c.file(n).Dir() != c.home }
	outside := slices.ContainsFunc(slices.Collect(maps.Keys(c.uses)), others)
	for _, n := range c.homeFiles {
		for _, d := range c.r.DefsOf(n) {
			if outside && d.Parent < 0 && d.Owner == 0 && c.spelled(d.Name) == "init" && !store.IsTest(c.file(n).Path) {
				return byHand("%s has a function init: who imports only the other package would not run it",
					c.file(n).Path)
			}
		}
	}
	return nil
}

// putAll makes the edits of all files.
func (c *packageMove) putAll() error {
	home := c.group[0].File
	c.uses[home] = append(c.uses[home], c.cuts...)
	for _, n := range slices.Sorted(maps.Keys(c.uses)) {
		if n == c.dest {
			continue
		}
		src, err := c.unchanged(n)
		if err != nil {
			return err
		}
		if err := c.edit(FileEdits{Path: c.file(n).Path, Before: src}, n); err != nil {
			return err
		}
	}
	if len(c.parts) == len(c.r.DefsOf(home)) {
		c.note("nothing else is defined in " + c.changes.Of.Path + ": delete it")
	}
	c.there = c.uses[c.dest]
	to, err := c.arrival()
	if err != nil {
		return err
	}
	c.changes.Files = append(c.changes.Files, to)
	c.changes.sortFiles()
	for i := range c.changes.Files {
		c.changes.Edits += len(c.changes.Files[i].Edits)
	}
	c.noteExported()
	return nil
}

// edit adds the edits of a file that keeps its place, with those of its imports.
func (c *packageMove) edit(e FileEdits, n int32) error {
	var err error
	if e.Edits, err = c.goImports(n, e.Before, c.uses[n], c.wants[n]); err != nil {
		return err
	}
	e.sorted()
	c.changes.Files = append(c.changes.Files, e)
	return nil
}
