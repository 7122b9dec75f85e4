package refactor

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// scriptMove is the plan of a move between files of JavaScript or TypeScript while it is made.
type scriptMove struct {
	*move
	cut      TextEdit
	exported bool
	types    bool     // it is gone when the program runs
	stars    []stars  // files that pass on all of its file
	needs    []need   // the imports that the text needs
	dropped  []string // names that its file imported for nothing else
}

// moves puts a definition into another file of the project: imports follow on both sides.
func (ecma) moves(m *move) []func() error {
	c := &scriptMove{move: m}
	return []func() error{
		c.movableScript, c.plan.scan, c.plan.hazards, c.decided, c.targetScript, c.takeScript, c.settled, c.namesOf,
		c.edit, c.finished,
	}
}

// movableScript refuses what is not moved.
func (c *scriptMove) movableScript() error {
	f, d := c.file(c.from), c.r.Def(c.group[0])
	ext := path.Ext(c.to)
	switch {
	case d.Parent >= 0 || d.Owner != 0:
		return refused("Move what it stands in.", "%s stands in a definition", c.id())
	case c.to == f.Path:
		return refused("", "%s is in %s already", c.id(), c.to)
	case ext != path.Ext(f.Path) || outOfTree(c.to) || strings.HasSuffix(c.to, ".d"+ext):
		return refused("Give the path of a file of that kind, from the root.",
			"%s is no %s file of this tree", c.to, path.Ext(f.Path))
	case markup(f.Path) && ext != ".js" && ext != ".mjs":
		return byHand("elements of JSX are not moved")
	case store.IsTest(f.Path) != store.IsTest(c.to):
		return anotherFile("of %s and %s only one is a test", f.Path, c.to)
	}
	return nil
}

// decided rules on all places that have the name, and refuses where one is in doubt.
func (c *scriptMove) decided() error {
	if err := c.plan.decide(); err != nil {
		return err
	}
	for n, f := range c.r.Tree.Files {
		if !c.related(f) {
			continue
		}
		if err := c.wholeModule(int32(n)); err != nil {
			return err
		}
	}
	return c.plan.refusedOpen("%d places speak against moving %s")
}

// targetScript looks at the file that the definition moves to.
func (c *scriptMove) targetScript() error {
	var err error
	if c.src, err = c.unchanged(c.from); err != nil {
		return err
	}
	c.t = tokensOf(c.x, c.file(c.from).Path, c.src)
	c.dest = c.r.Tree.Number(c.to)
	if c.dest >= 0 {
		if g := c.file(c.dest); g.Skipped != "" || !c.related(g) {
			return anotherFile("%s was not read", c.to)
		}
		src, err := c.unchanged(c.dest)
		if err == nil && !isModule().Match(src) {
			err = anotherFile("%s is no module", c.to)
		}
		return err
	}
	if !c.noFile(c.to) {
		return anotherFile("%s was not read as code", c.to)
	}
	return nil
}

// takeScript cuts the definition out of its file, with all its overloads.
func (c *scriptMove) takeScript() error {
	slices.SortStableFunc(c.group, func(y, z store.DefID) int { return int(c.r.Def(y).Start - c.r.Def(z).Start) })
	from, _, err := c.wholeLines(c.group[0], c.src)
	if err != nil {
		return err
	}
	_, end, err := c.wholeLines(c.group[len(c.group)-1], c.src)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(bytes.TrimSpace(c.src[lineStart(c.src, max(from-1, 0)):from]), []byte("@")) {
		return byHand("a decorator stands before %s", c.id())
	}
	c.types = true
	for i := range c.group {
		if err := c.takeOne(i); err != nil {
			return err
		}
	}
	if c.exported {
		c.note("it is exported: who imports it from elsewhere is not seen here")
	}
	export := !c.exported && c.used(c.from)
	var text strings.Builder
	at := from
	for _, y := range c.group {
		start := lineStart(c.src, int(c.r.Def(y).Start))
		text.Write(c.src[at:start])
		if at = start; export {
			text.WriteString("export ")
		}
	}
	text.Write(c.src[at:end])
	c.text = strings.Trim(text.String(), "\r\n") + "\n"
	c.cut = gap(c.src, from, end)
	return nil
}

// takeOne looks at one definition of those that move together.
func (c *scriptMove) takeOne(i int) error {
	d := c.r.Def(c.group[i])
	first, behind := c.t.at(int(d.Start)), c.t.at(int(d.End))
	head := string(c.src[lineStart(c.src, int(d.Start)):d.Start])
	switch {
	case !c.t.is(first, "async function class abstract const interface type enum"):
		return byHand("%s is declared together with others, or can be set again", c.id())
	case c.t.is(behind, ","):
		return byHand("%s is declared together with others", c.id())
	case c.t.depth(0, first) != 0:
		return refused("Move what it stands in.", "%s stands in a block", c.id())
	case c.t.depth(first, behind) != 0 || !c.t.ends(behind):
		return byHand("where %s ends was not understood", c.id())
	case strings.Contains(head, "default") || c.t.is(first-1, "default"):
		return byHand("%s is exported by default", c.id())
	}
	for k := first; k < behind; k++ {
		if c.t.is(k, "import require __dirname __filename") {
			return byHand("%s depends on the place of its file: %s", c.id(), c.t.text(k))
		}
	}
	c.exported = c.exported || strings.Contains(head, "export")
	c.types = c.types && onlyTypes(d.Kind)
	return c.together(i, first)
}

// together refuses a definition between which and the one before it something else stands.
func (c *scriptMove) together(i, first int) error {
	if i == 0 {
		return nil
	}
	for k := c.t.at(int(c.r.Def(c.group[i-1]).End)); k < first; k++ {
		if !c.t.is(k, "export declare async abstract const ;") {
			return byHand("its %d versions do not stand together", len(c.group))
		}
	}
	return nil
}

// namesOf finds what the text that moves needs: what its file imports, and what else its file exports.
func (c *scriptMove) namesOf() error {
	first, last := c.t.within(int(c.r.Def(c.group[0]).Start), int(c.r.Def(c.group[len(c.group)-1]).End))
	names := c.t.names(first, last)
	binds := c.binds(c.from, c.src, names...)
	there, err := c.otherFile()
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == c.old {
			continue
		}
		if err := c.nameOf(there, name, binds); err != nil {
			return err
		}
	}
	return c.nameFree(there)
}

// nameOf finds what one name of the text means.
func (c *scriptMove) nameOf(there *scriptFile, name string, binds []syntax.Bound) error {
	statement, spec := findImport(c.t.scriptImports(), name)
	m := c.standing(name)
	if slices.ContainsFunc(c.group, func(y store.DefID) bool { return c.boundIn(c.from, binds, name, y.Def) > 0 }) {
		if statement != nil || m.own != nil {
			return byHand("%s is a local name in %s, too", name, c.id())
		}
		return nil
	}
	switch {
	case boundOutside(binds, name):
		return byHand("%s is declared in a way that is not followed", name)
	case statement != nil:
		return c.needImport(there, statement, spec, name)
	case m.imported:
		return byHand("%s is imported in a way that is not followed", name)
	case m.own != nil:
		return c.needExport(there, m.own, name)
	case c.declares(name):
		return anotherFile("%s has a name %s of its own", c.to, name)
	}
	return nil
}

// nameFree refuses where the file that the text goes to has the name for something else.
func (c *scriptMove) nameFree(there *scriptFile) error {
	if c.dest < 0 {
		return nil
	}
	statement, _ := findImport(there.imports, c.old)
	imported := statement != nil && c.used(c.dest)
	switch {
	case !imported && there.has(c.old):
		return anotherFile("%s has a name %s of its own", c.to, c.old)
	case imported && c.made():
		return byHand("%s may use %s before the end of the file, where it would stand", c.to, c.old)
	}
	return nil
}

// needImport notes that the text needs an import of its file.
func (c *scriptMove) needImport(there *scriptFile, s *scriptImport, spec *scriptSpec, name string) error {
	if !c.usedElsewhere(name) {
		c.dropped = append(c.dropped, name)
	}
	files, _ := c.moduleFiles(s.module, c.from)
	switch {
	case c.dest >= 0 && slices.Contains(files, c.dest): // it is at home there
		if spec == nil || spec.name != name || len(files) > 1 {
			return byHand("%s has another name in %s", name, c.to)
		}
		return nil
	case len(files) > 0 && !s.types && c.needsCircle(files[0]):
		return byHand("%s imports %s: the files would import one another", s.module, c.to)
	}
	module := c.rebased(s.module)
	have, other := findImport(there.imports, name)
	switch {
	case have == nil:
		return c.need(there, need{s, spec, name, module})
	case have.module != module || have.first != s.first || !spec.same(other):
		return anotherFile("%s imports %s from somewhere else", c.to, name)
	}
	return nil
}

// needsCircle reports whether the other file would import one that imports it.
func (c *scriptMove) needsCircle(n int32) bool {
	return !c.types && c.dest >= 0 && !c.importsFile(c.dest, n) && c.reaches(n, c.dest)
}

// same reports whether two places in brackets bring the same name, or neither stands in any.
func (s *scriptSpec) same(o *scriptSpec) bool {
	return s == o || s != nil && o != nil && s.name == o.name
}

// need notes an import that the text needs, unless the other file has the name already.
func (c *scriptMove) need(there *scriptFile, n need) error {
	if there.has(n.name) {
		return anotherFile("%s has a name %s of its own", c.to, n.name)
	}
	c.needs = append(c.needs, n)
	return nil
}

// needExport notes that the text needs something that its file exports.
func (c *scriptMove) needExport(there *scriptFile, syms []store.DefID, name string) error {
	d := c.r.Def(syms[0])
	head := string(c.src[lineStart(c.src, int(d.Start)):d.Start])
	elsewhere := slices.ContainsFunc(syms, func(z store.DefID) bool { return z.File != c.from })
	types := !slices.ContainsFunc(syms, func(z store.DefID) bool { return !onlyTypes(c.r.Def(z).Kind) })
	free := types || c.types // nothing is left of an import of types when the program runs
	switch {
	case elsewhere || !strings.Contains(head, "export") || strings.Contains(head, "default"):
		return refused("Export it first, or move it, too.", "%s needs %s, which is not exported", c.id(), name)
	case !free && c.used(c.from):
		return byHand("%s and %s would need one another", c.file(c.from).Path, c.to)
	case !free && c.dest >= 0 && c.reaches(c.from, c.dest):
		return byHand("%s imports %s: it cannot import %s from there", c.file(c.from).Path, c.to, name)
	}
	if have, spec := findImport(there.imports, name); have != nil {
		files, _ := c.moduleFiles(have.module, c.dest)
		if spec != nil && spec.name == name && slices.Equal(files, []int32{c.from}) {
			return nil
		}
		return anotherFile("%s imports %s from somewhere else", c.to, name)
	}
	s := &scriptImport{quote: c.quote(), types: types, semicolon: c.semicolon()}
	module := relativeModule(path.Dir(c.to), c.file(c.from).Path, c.style())
	return c.need(there, need{s, &scriptSpec{text: name}, name, module})
}

// onlyTypes reports whether nothing is left of a kind when the program runs.
func onlyTypes(k syntax.Kind) bool { return k == syntax.Interface || k == syntax.Alias }

// usedElsewhere reports whether a name stands in the file outside of the text that moves and of imports.
func (c *scriptMove) usedElsewhere(name string) bool {
	imports := c.t.scriptImports()
	for i := range c.t.list {
		off := c.t.list[i].Start
		in := slices.ContainsFunc(imports, func(s scriptImport) bool { return !s.export && s.holds(off) })
		if !in && c.t.bare(i) && c.t.text(i) == name && !c.inside(c.from, off) {
			return true
		}
	}
	return false
}
