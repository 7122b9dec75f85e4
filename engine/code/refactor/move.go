package refactor

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"helve/engine/code"
	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// move is the plan of one while it is made.
type move struct {
	*subject
	plan *judge
	to   string // the file that it moves to
	from int32  // the file that it is in, and the other, -1 for one that there is not yet
	dest int32
	src  []byte // of the file that it is in
	t    *tokens
	text string // that moves
}

// Move plans to put the definition called name into another file, with the comment before it and the imports that it
// needs: in Go with the methods of a type, into a file of its package or another one of its module, in JavaScript and
// TypeScript into any file of the project, in Python into one of the same folder. Imports follow on both sides. What
// it cannot be sure of, it refuses with a *RefusedError.
func Move(ctx context.Context, in *code.Snapshot, name, to string) (*Changes, error) {
	ctx, cancel := context.WithTimeout(ctx, maxPlanning)
	defer cancel()
	of, err := staying(ctx, in, name)
	if err != nil {
		return nil, err
	}
	m := &move{subject: of, plan: newJudge(of, of.standIn()), to: path.Clean(to), from: of.group[0].File}
	for _, step := range of.lang.moves(m) {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return of.changes, nil
}

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
	case path.Ext(m.to) != ".go" || path.IsAbs(m.to) || strings.HasPrefix(m.to, "../"):
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
	if store.IsTest(f.Path) != store.IsTest(m.to) || system1 != system2 || machine1 != machine2 || !bytes.Equal(was, now) {
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
	y := m.group[0]
	locals := map[string]bool{}
	for _, row := range m.r.Tree.ImportsOf(y.File) {
		local := m.spelled(row.Local)
		if row.Local == 0 || local == "C" {
			return byHand("%s imports %s in a way that is not followed", m.file(y.File).Path, m.spelled(row.Module))
		}
		locals[local] = true
	}
	for _, part := range m.parts {
		d := m.r.Def(part)
		first, last := m.t.within(int(d.Start), int(d.End))
		names := m.t.packages(first, last)
		binds := m.binds(y.File, m.src, names...)
		for _, name := range names {
			bound := m.boundIn(y.File, binds, name, part.Def) > 0 || m.t.receiver(int(d.Start)) == name
			number, _ := m.r.Tree.Lex.Find(name)
			switch {
			case locals[name] && bound:
				return byHand("%s is a package and a local name in %s", name, m.r.Tree.Symbol(part).ID)
			case locals[name]:
				byName, _ := m.importOf(y.File, name, "")
				m.needs[name] = m.spelled(byName.Module)
			case !bound && len(m.r.SamePackage(number, y.File)) == 0:
				return byHand("what %s means in %s was not found", name, m.r.Tree.Symbol(part).ID)
			}
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
		m.changes.Notes = append(m.changes.Notes, "nothing else is defined in "+from.Path+": delete it")
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

// leadsTo reports whether an import of file n may name the file to.
func (m *move) leadsTo(row store.ImportRow, n, to int32) bool {
	v := m.r.Module(row.Module, n)
	return v.Kind == meaning.ModuleValue && slices.Contains(v.Files, to)
}

// used reports whether a file uses the definition outside of its own text.
func (m *move) used(n int32) bool {
	for _, f := range m.plan.found {
		if f.file == n {
			return slices.ContainsFunc(f.uses, func(s *syntax.Site) bool { return n != m.from || !m.inside(n, s.Start) })
		}
	}
	return false
}

// reaches reports whether a file imports another one, or others for it.
func (m *move) reaches(from, to int32) bool {
	seen := map[int32]bool{}
	for list := []int32{from}; len(list) > 0; {
		n := list[0]
		list = list[1:]
		if n == to {
			return true
		}
		if seen[n] {
			continue
		}
		seen[n] = true
		list = append(list, m.lang.loads(m.project, n, m.file(m.from).Dir())...)
	}
	return false
}

// importsFile reports whether a file imports another one itself.
func (m *move) importsFile(n, to int32) bool {
	return slices.ContainsFunc(m.r.Tree.ImportsOf(n), func(row store.ImportRow) bool { return m.leadsTo(row, n, to) })
}

// declares reports whether the file that the definition moves to has a name at its top.
func (m *move) declares(name string) bool {
	if m.dest < 0 {
		return false
	}
	number, ok := m.r.Tree.Lex.Find(name)
	if !ok {
		return false
	}
	return slices.ContainsFunc(m.r.DefsOf(m.dest), func(d store.Def) bool { return d.Name == number && d.Parent < 0 && d.Owner == 0 }) ||
		m.importsAs(m.dest, number) ||
		m.bindsAtTop(name)
}

// bindsAtTop reports whether the file that the definition moves to binds a name outside of its definitions.
func (m *move) bindsAtTop(name string) bool {
	src, err := m.unchanged(m.dest)
	return err != nil || boundOutside(m.binds(m.dest, src, name), name)
}

// breaks gives the new text of a file the line breaks that the file has.
func (m *move) breaks() {
	crlf := bytes.Contains(m.src, []byte("\r\n"))
	for i := range m.changes.Files {
		f := &m.changes.Files[i]
		file := bytes.Contains(f.Before, []byte("\r\n")) || f.New && crlf
		for k := range f.Edits {
			e := &f.Edits[k]
			e.New = strings.ReplaceAll(e.New, "\r\n", "\n")
			if file {
				e.New = strings.ReplaceAll(e.New, "\n", "\r\n")
			}
		}
	}
}

// finished makes the changes of the edits, files in order.
func (m *move) finished() error {
	m.plan.finish()
	m.breaks()
	slices.SortStableFunc(m.changes.Files, func(a, b FileEdits) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// standing is what a name of the text that moves means in its file.
type standing struct {
	imported bool          // an import gives it
	own      []store.DefID // definitions of which one is the file's, nil where none is
}

func (m *move) standing(name string) (s standing) {
	number, known := m.r.Tree.Lex.Find(name)
	if !known {
		return s
	}
	s.imported = m.importsAs(m.from, number)
	found := m.r.Lookup(number, m.from, -1).Value
	here := func(z store.DefID) bool { return z.File == m.from }
	if found.Kind == meaning.SymbolValue && slices.ContainsFunc(found.Symbols, here) {
		s.own = found.Symbols
	}
	return s
}

// circles reports whether a file would have to import the other one, which imports it.
func (m *move) circles(n int32) bool {
	return m.dest >= 0 && !m.importsFile(n, m.dest) && m.reaches(m.dest, n)
}
