package refactor

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file moves a function or type of Go, with its methods, to another file of its package.

// goMove is the plan of a move of Go.
type goMove struct {
	*move
	pkg   string        // the package that it moves to
	parts []store.DefID // a type with its methods
	cuts  []TextEdit
	taken []piece           // of the file, without the blank lines around
	there []TextEdit        // of the file that it moves to, besides
	needs map[string]string // packages that the text needs, by their names
}

func (golang) moves(m *move) []func() error {
	c := &goMove{move: m, pkg: m.spelled(m.file(m.from).Package), needs: map[string]string{}}
	if store.DirOf(m.to) != m.home {
		return c.packageSteps()
	}
	return []func() error{c.movable, c.target, c.take, c.understood, c.put}
}

// movable refuses what is not moved.
func (m *goMove) movable() error {
	f := m.file(m.group[0].File)
	switch {
	case len(m.group) > 1:
		return byHand("%s has %d versions, for other systems", m.id(), len(m.group))
	case m.r.Def(m.group[0]).Parent >= 0:
		return refused("Move the type.", "%s stands in a type", m.id())
	case m.to == f.Path:
		return refused("", "%s is in %s already", m.id(), m.to)
	case path.Ext(m.to) != ".go" || outOfTree(m.to):
		return refused("Give the path of a Go file, from the root.", "%s is no Go file of this tree", m.to)
	}
	return nil
}

// target looks at the file that the definition moves to.
func (m *goMove) target() error {
	f := m.file(m.group[0].File)
	var err error
	if m.src, err = m.unchanged(m.group[0].File); err != nil {
		return err
	}
	m.t = tokensOf(m.x, f.Path, m.src)
	was, now := constraints(m.src), []byte(nil)
	if m.dest = m.r.Tree.Number(m.to); m.dest >= 0 {
		g := m.file(m.dest)
		dest, err := m.unchanged(m.dest)
		switch {
		case err != nil:
			return err
		case g.Dir() == f.Dir() && g.Package != f.Package || g.Lang != syntax.Go || g.Skipped != "":
			return anotherFile("%s is of another package", m.to)
		}
		now = constraints(dest)
	} else if !m.noFile(m.to) {
		return anotherFile("%s was not read as Go", m.to)
	}
	system1, machine1 := meaning.System(f.Path)
	system2, machine2 := meaning.System(m.to)
	if store.IsTest(f.Path) != store.IsTest(m.to) ||
		system1 != system2 || machine1 != machine2 || !bytes.Equal(was, now) {
		return anotherFile("%s is not built where %s is", m.to, f.Path)
	}
	return nil
}

// constraints is the line of a file that says where it is built.
func constraints(src []byte) []byte {
	for line := range bytes.Lines(src) {
		switch line = bytes.TrimSpace(line); {
		case bytes.HasPrefix(line, []byte("//go:build ")):
			return line
		case bytes.HasPrefix(line, []byte("package ")):
			return nil
		}
	}
	return nil
}

// take cuts the definition out of its file, and the methods of a type with it.
func (m *goMove) take() error {
	y := m.group[0]
	d := m.r.Def(y)
	for i := range m.r.DefsOf(y.File) {
		if part := (store.At(y.File, int32(i))); part == y || d.Kind.Type() && m.r.Def(part).Owner == d.Name {
			m.parts = append(m.parts, part)
		}
	}
	for _, part := range m.parts {
		from, end, err := m.wholeLines(part, m.src)
		if err != nil {
			return err
		}
		if i := m.t.at(int(m.r.Def(part).Start)); !m.t.is(i, "type func") {
			return byHand("%s is declared together with others", m.r.Tree.Symbol(part).ID)
		}
		if n := len(m.cuts) - 1; n >= 0 && len(bytes.TrimSpace(m.src[m.cuts[n].End:from])) == 0 {
			m.cuts[n].End = end
		} else {
			m.cuts = append(m.cuts, TextEdit{from, end, ""})
		}
	}
	for i, c := range m.cuts {
		m.taken = append(m.taken, piece{c.Start, c.End})
		m.cuts[i] = gap(m.src, c.Start, c.End)
	}
	m.rewrite(nil)
	return nil
}

// rewrite makes the text that moves, with edits of its file in it.
func (m *goMove) rewrite(edits []TextEdit) {
	var texts []string
	for _, p := range m.taken {
		f := FileEdits{Before: m.src[:p.end]}
		for _, e := range edits {
			if p.from <= e.Start && e.End <= p.end {
				f.Edits = append(f.Edits, e)
			}
		}
		f.sorted()
		texts = append(texts, strings.Trim(string(f.After()[p.from:]), "\r\n"))
	}
	m.text = strings.Join(texts, "\n\n") + "\n"
}

// understood finds what each name before a dot means in the text that moves: a package has to be imported where it
// goes.
func (m *goMove) understood() error {
	locals := map[string]bool{}
	for _, row := range m.r.Tree.ImportsOf(m.from) {
		local := m.spelled(row.Local)
		if row.Local == 0 || local == "C" {
			return byHand("%s imports %s in a way that is not followed", m.file(m.from).Path, m.spelled(row.Module))
		}
		locals[local] = true
	}
	for _, part := range m.parts {
		if err := m.packagesOf(part, locals); err != nil {
			return err
		}
	}
	return nil
}

// packagesOf finds the packages that a part of the text needs, of those that its file imports.
func (m *goMove) packagesOf(part store.DefID, imported map[string]bool) error {
	d := m.r.Def(part)
	first, last := m.t.within(int(d.Start), int(d.End))
	names := m.t.packages(first, last)
	binds := m.binds(m.from, m.src, names...)
	for _, name := range names {
		bound := m.boundIn(m.from, binds, name, part.Def) > 0 || m.t.receiver(int(d.Start)) == name
		number, _ := m.r.Tree.Lex.Find(name)
		switch {
		case imported[name] && bound:
			return byHand("%s is a package and a local name in %s", name, m.r.Tree.Symbol(part).ID)
		case imported[name]:
			byName, _ := m.importOf(m.from, name, "")
			m.needs[name] = m.spelled(byName.Module)
		case !bound && len(m.r.SamePackage(number, m.from)) == 0:
			return byHand("what %s means in %s was not found", name, m.r.Tree.Symbol(part).ID)
		}
	}
	return nil
}

// put makes the edits of both files.
func (m *goMove) put() error {
	from := FileEdits{Path: m.changes.Of.Path, Before: m.src}
	edits, err := m.goImports(m.group[0].File, m.src, m.cuts, nil)
	if err != nil {
		return err
	}
	from.Edits = edits
	from.sorted()
	if len(m.parts) == len(m.r.DefsOf(m.group[0].File)) {
		m.note("nothing else is defined in " + from.Path + ": delete it")
	}
	to, err := m.arrival()
	if err != nil {
		return err
	}
	m.changes.Files = []FileEdits{from, to}
	if to.Path < from.Path {
		slices.Reverse(m.changes.Files)
	}
	for i := range m.changes.Files {
		m.changes.Edits += len(m.changes.Files[i].Edits)
	}
	return nil
}

// arrival are the edits of the file that the text goes to: it stands at the end.
func (m *goMove) arrival() (FileEdits, error) {
	e := FileEdits{Path: m.to, New: m.dest < 0}
	if e.New {
		head := "package " + m.pkg + "\n"
		var imports []string
		for name, module := range m.needs {
			imports = append(imports, importSpec(name, module))
		}
		slices.Sort(imports)
		if len(imports) > 0 {
			head += "\nimport (\n\t" + strings.Join(imports, "\n\t") + "\n)\n"
		}
		e.Edits = []TextEdit{{0, 0, head + "\n" + m.text}}
		return e, nil
	}
	var err error
	if e.Before, err = m.unchanged(m.dest); err != nil {
		return e, err
	}
	for name, module := range m.needs {
		if byName, _ := m.importOf(m.dest, name, module); byName != nil && m.spelled(byName.Module) == module {
			delete(m.needs, name)
		} else if why := m.mayImport(m.dest, name, module); why != "" {
			return e, byHand("%s: %s", m.to, why)
		}
	}
	end := len(bytes.TrimRight(e.Before, "\r\n\t "))
	edits := append(m.there, TextEdit{end, len(e.Before), "\n\n" + m.text})
	e.Edits, err = m.goImports(m.dest, e.Before, edits, m.needs)
	e.sorted()
	return e, err
}
