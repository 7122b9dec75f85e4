package refactor

import (
	"maps"
	"path"
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// packageMove is the plan of such a move while it is made.
type packageMove struct {
	*goMove
	homeFiles, destFiles []int32 // the files of both packages, with their tests
	homeName, homeModule string
	destModule           string
	needsHome            bool
	uses                 map[int32][]TextEdit
	wants                map[int32]map[string]string // imports that files need, by their names
	members              []string                    // unexported fields and methods of a type
}

func (m *goMove) packageSteps() []func() error {
	c := &packageMove{goMove: m, uses: map[int32][]TextEdit{}, wants: map[int32]map[string]string{}}
	return []func() error{
		m.movable, c.packages, m.target, m.take, c.whole, m.understood, c.leaves, c.hidden,
		m.plan.scan, c.users, c.loads, c.putAll,
	}
}

// packages finds the packages that it moves from and to.
func (c *packageMove) packages() error {
	f := c.file(c.from)
	dir := store.DirOf(c.to)
	c.homeName = c.spelled(f.Package)
	for _, n := range c.r.Tree.Folder(c.home) {
		if g := c.file(n); g.Lang == syntax.Go && g.Package == f.Package {
			c.homeFiles = append(c.homeFiles, n)
		}
	}
	c.pkg = path.Base(dir)
	for _, n := range c.r.Tree.Folder(dir) {
		switch g := c.file(n); {
		case g.Lang != syntax.Go || c.besideTests(g):
		case len(c.destFiles) > 0 && c.spelled(g.Package) != c.pkg:
			return anotherFolder("%s has several packages", dir)
		default:
			c.pkg = c.spelled(g.Package)
			c.destFiles = append(c.destFiles, n)
		}
	}
	if err := c.between(dir); err != nil {
		return err
	}
	return c.free()
}

// besideTests reports whether a file is of the package that only tests have beside one.
func (c *packageMove) besideTests(f *store.File) bool {
	return store.IsTest(f.Path) && strings.HasSuffix(c.spelled(f.Package), "_test")
}

// between refuses packages between which nothing is moved.
func (c *packageMove) between(dir string) error {
	var mod, other store.GoModule
	mod, c.homeModule = c.importPath(c.home)
	other, c.destModule = c.importPath(dir)
	switch {
	case c.r.Def(c.group[0]).Owner != 0:
		return refused("Move the type, or choose a file of "+orRoot(c.home)+".",
			"%s is a method: it stays in the package of its type", c.id())
	case store.IsTest(c.file(c.from).Path) || store.IsTest(c.to):
		return anotherFile("tests are not moved to other packages")
	case mod != other || mod.Path == "":
		return refused("Choose a folder of the same module.",
			"%s and %s are of different modules, or of none", orRoot(c.home), orRoot(dir))
	case c.pkg == "main":
		return anotherFolder("%s is a program: nothing can import it", orRoot(dir))
	case c.lang.badName(c.pkg) != "" || strings.HasSuffix(c.pkg, "_test"):
		return anotherFolder("%q is no name of a package", c.pkg)
	case slices.ContainsFunc(strings.Split(dir, "/"), ignoredFolder):
		return anotherFolder("%s is no folder of a package", dir)
	}
	return nil
}

// ignoredFolder reports whether Go has no packages in folders of a name.
func ignoredFolder(name string) bool {
	return name == "vendor" || name == "testdata" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")
}

func anotherFolder(format string, args ...any) error {
	return refused("Choose another folder.", format, args...)
}

// free refuses a name that the other package has already, or one of its files for an import.
func (c *packageMove) free() error {
	for _, n := range c.destFiles {
		byName, _ := c.importOf(n, c.old, "")
		if byName != nil || len(c.r.SamePackage(c.oldName, n)) > 0 {
			return refused("Choose another package, or rename it first.",
				"%s has a name %s already", c.file(n).Path, c.old)
		}
	}
	return nil
}

func orRoot(dir string) string {
	if dir == "" {
		return "the root"
	}
	return dir
}

// importPath is the path by which others import the package in a folder, and the module around it.
func (c *packageMove) importPath(dir string) (best store.GoModule, module string) {
	for _, mod := range c.r.Tree.Modules() {
		within := mod.Dir == "" || dir == mod.Dir || strings.HasPrefix(dir, mod.Dir+"/")
		if within && (best.Path == "" || len(mod.Dir) > len(best.Dir)) {
			best = mod
		}
	}
	return best, meaning.Join(best.Path, strings.TrimPrefix(strings.TrimPrefix(dir, best.Dir), "/"))
}

// whole makes sure that all methods of a type come along, and that no comment tells the compiler something.
func (c *packageMove) whole() error {
	for _, p := range c.taken {
		if part := p.in(c.src); strings.Contains(part, "//go:") || strings.Contains(part, "//export ") {
			return byHand("a comment of %s tells the compiler something", c.id())
		}
	}
	if !c.r.Def(c.group[0]).Kind.Type() {
		return nil
	}
	e := &RefusedError{
		Why:  c.id() + " has methods in other files",
		Next: "Move them to " + c.changes.Of.Path + " first.",
	}
	for _, n := range c.homeFiles {
		for i, d := range c.r.DefsOf(n) {
			y := store.At(n, int32(i))
			switch {
			case d.Owner != c.oldName:
			case n != c.from:
				e.Places = append(e.Places, place(c.file(n).Path, int(d.Line), c.spelled(d.Name)))
			case !slices.Contains(c.parts, y):
				return byHand("%s was not understood", c.r.Tree.Symbol(y).ID)
			}
		}
	}
	return e.ifAny()
}

// moves reports whether a definition goes along.
func (c *packageMove) moves(y store.DefID) bool {
	if y.File != c.group[0].File {
		return false
	}
	d := c.r.Def(y)
	return slices.ContainsFunc(c.parts, func(p store.DefID) bool {
		return c.r.Def(p).Start <= d.Start && d.End <= c.r.Def(p).End
	})
}

// leaves finds what the names of the text that moves mean in the other package, and writes them so.
func (c *packageMove) leaves() error {
	var edits []TextEdit
	for _, part := range c.parts {
		d := c.r.Def(part)
		first, last := c.t.within(int(d.Start), int(d.End))
		names := c.t.names(first, last)
		c.x.Watch(names...)
		c.x.Rows(c.changes.Of.Path, c.src)
		seen := c.x.Seen()
		sites := map[int]*syntax.Site{}
		for i := range seen.Sites {
			sites[seen.Sites[i].Start] = &seen.Sites[i]
		}
		for i := first; i < last; i++ {
			if err := c.unseen(i); err != nil {
				return err
			}
			if !c.t.bare(i) || c.t.is(i, "_") || c.t.text(i) == c.old {
				continue
			}
			name := c.t.text(i)
			bound := c.boundIn(part.File, seen.Binds, name, part.Def) > 0 || c.t.receiver(int(d.Start)) == name
			e, err := c.name(i, sites[c.t.list[i].Start], bound)
			if err != nil {
				return err
			}
			edits = append(edits, e...)
		}
	}
	for local, module := range c.needs {
		if module == c.destModule {
			delete(c.needs, local)
		}
	}
	if c.needsHome {
		c.needs[c.homeName] = c.homeModule
	}
	c.rewrite(edits)
	return c.mayNeed()
}

// name rules on one name of the text that moves that stands alone.
func (c *packageMove) name(i int, s *syntax.Site, bound bool) ([]TextEdit, error) {
	name := c.t.text(i)
	number, _ := c.r.Tree.Lex.Find(name)
	here := c.r.SamePackage(number, c.group[0].File)
	byName, _ := c.importOf(c.group[0].File, name, "")
	switch {
	case byName != nil && c.spelled(byName.Module) == c.destModule && c.t.is(i+1, "."):
		return []TextEdit{{c.t.list[i].Start, c.t.list[i+2].Start, ""}}, c.shadowed(c.t.text(i + 2))
	case byName != nil && c.t.is(i+1, "."):
		return nil, nil
	case s != nil && (s.Def >= 0 && len(s.Refs) == 0 || s.Label):
		return nil, nil // a field, a parameter, a method
	case len(here) > 0 && bound:
		return nil, byHand("%s is a local name in %s, too", name, c.id())
	case len(here) > 0 && slices.ContainsFunc(here, func(y store.DefID) bool { return !c.moves(y) }):
		return c.ofHome(i, s)
	case len(c.destFiles) > 0 && !bound && len(c.r.SamePackage(number, c.destFiles[0])) > 0:
		return nil, refused("Choose another package.", "%s means something of its own in %s", name, store.DirOf(c.to))
	}
	return nil, nil
}

// ofHome writes a name of the package that the text leaves: it has to be exported.
func (c *packageMove) ofHome(i int, s *syntax.Site) ([]TextEdit, error) {
	name := c.t.text(i)
	switch {
	case !upper(name):
		return nil, refused("Export it first, or move it, too.", "%s needs %s, which is not exported", c.id(), name)
	case s == nil || s.Key || s.Owner || len(s.Refs) == 0 || c.t.is(i+1, ":"):
		return nil, byHand("%s in %s was not understood", name, c.id())
	case c.homeName == "main":
		return nil, refused("Move it, too.", "%s needs %s of a program, which cannot be imported", c.id(), name)
	}
	c.needsHome = true
	at := c.t.list[i].Start
	return []TextEdit{{at, at, c.homeName + "."}}, c.shadowed(c.homeName)
}

// shadowed refuses where a name that will stand alone in the text has another meaning there.
func (c *packageMove) shadowed(name string) error {
	if c.t.list == nil {
		return nil
	}
	for _, part := range c.parts {
		d := c.r.Def(part)
		first, last := c.t.within(int(d.Start), int(d.End))
		binds := c.binds(part.File, c.src, name)
		byName, _ := c.importOf(part.File, name, "")
		if c.boundIn(part.File, binds, name, part.Def) > 0 || c.t.receiver(int(d.Start)) == name ||
			byName != nil && slices.Contains(c.t.names(first, last), name) {
			return byHand("%s is a local name in %s", name, c.id())
		}
	}
	return nil
}

// unseen refuses a member that only the package that the text leaves may name.
func (c *packageMove) unseen(i int) error {
	name := c.t.text(i)
	member := c.t.is(i-1, ".") || c.t.is(i-1, "{ ,") && c.t.is(i+1, ":")
	if !c.t.name(i) || upper(name) || !member || c.t.is(i-1, ".") && c.t.is(i-2, "...") {
		return nil
	}
	number, _ := c.r.Tree.Lex.Find(name)
	own, others := 0, 0
	for _, n := range c.homeFiles {
		for k, d := range c.r.DefsOf(n) {
			y := store.At(n, int32(k))
			if d.Name != number || !c.r.IsMember(n, &d) && d.Kind != syntax.Field {
				continue
			}
			if c.moves(y) {
				own++
			} else {
				others++
			}
		}
	}
	if others > 0 || own == 0 && c.t.is(i-1, ".") {
		return byHand("%s may need %s, which is not exported", c.id(), name)
	}
	return nil
}

// mayNeed refuses imports that the other package cannot have.
func (c *packageMove) mayNeed() error {
	dir := store.DirOf(c.to)
	for _, local := range slices.Sorted(maps.Keys(c.needs)) {
		module := c.needs[local]
		number, _ := c.r.Tree.Lex.Find(local)
		for _, n := range c.destFiles {
			if len(c.r.SamePackage(number, n)) > 0 {
				return refused("Choose another package.", "%s is a definition of %s", local, orRoot(dir))
			}
		}
		if !visible(module, c.destModule) {
			return refused("Choose another package.", "%s cannot be imported in %s", module, orRoot(dir))
		}
		if c.importsBack(c.filesOf(module), dir) {
			return byHand("importing %s in %s would make a cycle", module, orRoot(dir))
		}
	}
	return nil
}

// filesOf are the files of the package at an import path, as the definition's file sees it.
func (c *packageMove) filesOf(module string) []int32 {
	if module == c.homeModule {
		return slices.DeleteFunc(slices.Clone(c.homeFiles), func(n int32) bool { return store.IsTest(c.file(n).Path) })
	}
	if v := c.r.Module(c.r.ModuleName(module), c.group[0].File); v.Kind == meaning.ModuleValue {
		return v.Files
	}
	return nil
}

// visible reports whether a package may import another one, for folders called internal.
func visible(module, from string) bool {
	i := strings.LastIndex("/"+module+"/", "/internal/")
	return i < 0 || from == module[:max(i-1, 0)] || strings.HasPrefix(from, module[:i]) && i > 0 || i == 0
}

// hidden refuses where what stays names a member that is not exported.
func (c *packageMove) hidden() error {
	methods := c.ownMembers()
	if len(c.members) == 0 {
		return nil
	}
	e := &RefusedError{
		Why:  "what stays may name members that are not exported",
		Next: "Export them first, or move these places, too.",
	}
	for _, n := range c.homeFiles {
		src, err := c.unchanged(n)
		if err != nil {
			return err
		}
		t := tokensOf(c.x, c.file(n).Path, src)
		for i := range t.list {
			name, off := t.text(i), t.list[i].Start
			if !t.name(i) || !slices.Contains(c.members, name) || n == c.from && c.goes(off) {
				continue
			}
			if methods[name] || t.is(i-1, ".") || t.is(i+1, ":") {
				e.Places = append(e.Places, place(c.file(n).Path, lineOf(src, off), name))
			}
		}
	}
	return e.ifAny()
}

// ownMembers finds the members of what moves that are not exported, and which of them are methods.
func (c *packageMove) ownMembers() (methods map[string]bool) {
	methods = map[string]bool{}
	for i, d := range c.r.DefsOf(c.from) {
		name, field := c.spelled(d.Name), d.Kind == syntax.Field
		if c.moves(store.At(c.from, int32(i))) && !upper(name) && (field || c.r.IsMember(c.from, &d)) {
			c.members = append(c.members, name)
			methods[name] = methods[name] || !field
		}
	}
	return methods
}

// goes reports whether an offset of the definition's file stands in what moves.
func (c *packageMove) goes(at int) bool {
	return slices.ContainsFunc(c.taken, func(p piece) bool { return p.holds(at) })
}
