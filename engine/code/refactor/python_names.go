package refactor

import (
	"bytes"
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file finds what a definition of Python needs where it goes, and lets its users import it from there.

// namesPython finds what the text that moves needs: what its file imports, and what else its file defines.
func (c *pythonMove) namesPython() error {
	d := c.r.Def(c.group[0])
	there, err := c.there()
	if err != nil {
		return err
	}
	c.futures = futures(c.t)
	switch {
	case there != nil && futures(there) != c.futures:
		return anotherFile("%s and %s import different things from __future__", c.changes.Of.Path, c.to)
	case there != nil && (bytes.Contains(there.src, []byte("__main__")) || there.hasName(c.old)):
		return anotherFile("%s is a program, or has a name %s", c.to, c.old)
	}
	names := c.t.names(c.t.within(int(d.Start), int(d.End)))
	binds := c.binds(c.from, c.src, names...)
	for _, name := range names {
		if name == c.old {
			continue
		}
		if err := c.nameOf(there, name, binds); err != nil {
			return err
		}
	}
	return nil
}

// futures are what a file imports from __future__.
func futures(t *tokens) string {
	var list []string
	for _, s := range t.pythonImports(true) {
		if s.module == "__future__" {
			for _, spec := range s.specs {
				list = append(list, spec.text)
			}
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// nameOf finds what one name of the text means.
func (c *pythonMove) nameOf(there *tokens, name string, binds []syntax.Bound) error {
	m := c.standing(name)
	s, spec := findPythonImport(c.t.pythonImports(false), name)
	if c.boundIn(c.from, binds, name, c.group[0].Def) > 0 {
		if m.imported || m.own != nil || s != nil {
			return byHand("%s is a local name in %s, too", name, c.id())
		}
		return nil
	}
	switch {
	case boundOutside(binds, name) && !m.imported && m.own == nil:
		return byHand("%s is declared in a way that is not followed", name)
	case s != nil:
		return c.needsImport(there, s, spec, name)
	case m.imported:
		return byHand("%s is imported in a way that is not followed", name)
	case m.own != nil:
		return c.needsOwn(there, m.own, name)
	case c.declares(name):
		return anotherFile("%s has a name %s of its own", c.to, name)
	}
	return nil
}

// findPythonImport is the statement that gives a file a name.
func findPythonImport(list []pythonImport, name string) (*pythonImport, *scriptSpec) {
	for i := range list {
		for k := range list[i].specs {
			if list[i].binds(&list[i].specs[k]) == name {
				return &list[i], &list[i].specs[k]
			}
		}
	}
	return nil, nil
}

// needsImport notes that the text needs an import of its file.
func (c *pythonMove) needsImport(there *tokens, s *pythonImport, spec *scriptSpec, name string) error {
	if s.module == "__future__" {
		return nil
	}
	part := "import " + name + "." // a part that another import of the file loads
	if s.plain && !strings.Contains(spec.text, " as ") &&
		(strings.Contains(spec.text, ".") || bytes.Contains(c.src, []byte(part))) {
		return byHand("%s is imported as a part of %s", name, spec.text)
	}
	if c.dest >= 0 && c.importCircles(name) {
		return byHand("%s imports %s: the files would import one another", spec.text, c.to)
	}
	text := "from " + s.module + " import " + spec.text
	if s.plain {
		text = "import " + spec.text
	}
	return c.bringsPython(there, name, text, func(o *pythonImport, other *scriptSpec) bool {
		return o.module == s.module && o.plain == s.plain && other.text == spec.text
	})
}

// importCircles reports whether what its file imports as a name imports the other file.
func (c *pythonMove) importCircles(name string) bool {
	number, _ := c.r.Tree.Lex.Find(name)
	return slices.ContainsFunc(c.r.Tree.ImportsOf(c.from), func(row store.ImportRow) bool {
		if row.Local != number {
			return false
		}
		v := c.r.Module(row.Module, c.from)
		if v.Kind != meaning.ModuleValue {
			v = c.r.ImportValue(row, c.from)
		}
		reaches := func(n int32) bool { return c.reaches(n, c.dest) }
		return v.Kind == meaning.ModuleValue && slices.ContainsFunc(v.Files, reaches)
	})
}

// bringsPython notes an import, unless the other file has it already.
func (c *pythonMove) bringsPython(there *tokens, name, text string, same func(*pythonImport, *scriptSpec) bool) error {
	if there != nil {
		if o, other := findPythonImport(there.pythonImports(false), name); o != nil && same(o, other) {
			return nil
		}
		if there.hasName(name) {
			return anotherFile("%s has a name %s of its own", c.to, name)
		}
	}
	c.needs = append(c.needs, text)
	return nil
}

// needsOwn notes that the text needs a function or class of its file.
func (c *pythonMove) needsOwn(there *tokens, syms []store.DefID, name string) error {
	switch {
	case len(syms) > 1 || c.r.Def(syms[0]).Kind != syntax.Function && c.r.Def(syms[0]).Kind != syntax.Class:
		return byHand("%s needs %s, which may be set again", c.id(), name)
	case c.used(c.from):
		return byHand("%s and %s would need one another", c.changes.Of.Path, c.to)
	case c.dest >= 0 && c.reaches(c.from, c.dest):
		return byHand("%s imports %s: it cannot import %s from there", c.changes.Of.Path, c.to, name)
	}
	module := c.beside(c.module)
	return c.bringsPython(there, name, "from "+module+" import "+name, func(o *pythonImport, other *scriptSpec) bool {
		return o.module == module && other.text == name
	})
}

// beside names a module of the definition's folder in a file of it.
func (c *pythonMove) beside(name string) string {
	if c.r.Tree.Number(meaning.Join(c.file(c.from).Dir(), "__init__.py")) >= 0 {
		return "." + name
	}
	return name
}

// editPython makes the edits of all files.
func (c *pythonMove) editPython() error {
	for _, f := range c.plan.found {
		switch {
		case f.file == c.from:
			c.leavePython(f, c.used(c.from))
		case len(f.uses) > 0:
			c.followPython(f)
		}
	}
	if err := c.plan.refusedOpen("%d places speak against moving %s"); err != nil {
		return err
	}
	return c.arrivePython()
}

// leavePython makes the edits of the file that the definition stood in: its imports stay, since others may use them.
func (c *pythonMove) leavePython(f *scan, used bool) {
	f.edits = append(f.edits, c.cut)
	if !used {
		return
	}
	if c.dest >= 0 && c.reaches(c.dest, c.from) {
		c.plan.unsure(f, 1, c.to+" imports this file, which would have to import it")
	}
	if bytes.Contains(f.src, []byte("__main__")) {
		c.plan.unsure(f, 1, "the file is a program, and would have to import what moves")
	}
	at, after := pythonPlace(c.t)
	f.edits = append(f.edits, TextEdit{at, at, "from " + c.beside(c.target) + " import " + c.old + after})
}

// pythonPlace is where an import goes, and what stands behind it.
func pythonPlace(t *tokens) (at int, after string) {
	for _, s := range t.pythonImports(false) {
		before := t.at(s.from)
		if !slices.ContainsFunc(t.list[:before], func(k syntax.Token) bool {
			return k.First && lineStart(t.src, k.Start) == k.Start && bytes.HasPrefix(t.src[k.Start:], []byte("def "))
		}) {
			at = lineEnd(t.src, s.end)
		}
	}
	switch {
	case at > 0:
		return at, "\n"
	case t.quoted(0):
		return lineEnd(t.src, t.list[0].End), "\n"
	case len(t.list) > 0:
		return lineStart(t.src, t.list[0].Start), "\n\n\n"
	}
	return len(t.src), "\n"
}

// followPython makes the edits of another file that names the definition: it imports it from elsewhere.
func (c *pythonMove) followPython(f *scan) {
	t := tokensOf(c.x, c.file(f.file).Path, f.src)
	imports := t.pythonImports(true)
	c.plan.imported(f, func(s *syntax.Site) { c.followStatement(f, imports, s) })
}

// followStatement changes the module of one name of an import, where that is the file of the definition.
func (c *pythonMove) followStatement(f *scan, imports []pythonImport, site *syntax.Site) {
	k := slices.IndexFunc(imports, func(o pythonImport) bool { return o.holds(site.Start) })
	if k < 0 || imports[k].plain {
		c.plan.unsure(f, site.Line, "this import was not understood")
		return
	}
	s := &imports[k]
	at := slices.IndexFunc(s.specs, func(p scriptSpec) bool { return p.holds(site.Start) })
	files, known := c.moduleFiles(s.module, f.file)
	if known && !slices.Contains(files, c.from) {
		return // it comes from a file that passes it on
	}
	module, direct := strings.CutSuffix(s.module, c.module)
	if len(files) != 1 || at < 0 || !direct || module != "" && !strings.HasSuffix(module, ".") {
		c.plan.unsure(f, site.Line, "this import was not understood")
		return
	}
	c.redirect(f, s, at, site.Line, "from "+module+c.target+" import "+s.specs[at].text)
}

// redirect puts another statement in the place of one name of an import.
func (c *pythonMove) redirect(f *scan, s *pythonImport, at, line int, text string) {
	const change = "this import would have to change: edit it by hand"
	indent := string(f.src[lineStart(f.src, s.from):s.from])
	switch {
	case strings.TrimSpace(indent) != "" || bytes.ContainsAny(f.src[s.from:s.end], "#\\"):
		c.plan.unsure(f, line, change)
	case c.circles(f.file):
		c.plan.unsure(f, line, c.to+" imports this file, which would have to import it")
	case len(s.specs) == 1:
		f.edits = append(f.edits, TextEdit{s.from, s.end, text})
	default:
		one := &scriptImport{specs: s.specs, piece: piece{end: s.end}}
		edits, ok := one.fewer(f.src, at, at+1 == len(s.specs), "")
		if !ok {
			c.plan.unsure(f, line, change)
		}
		f.edits = append(append(f.edits, edits...), TextEdit{s.end, s.end, "\n" + indent + text})
	}
}

// arrivePython makes the edits of the file that the text goes to: it stands at the end.
func (c *pythonMove) arrivePython() error {
	if c.dest < 0 {
		text := c.text
		if len(c.needs) > 0 {
			text = strings.Join(c.needs, "\n") + "\n\n\n" + text
		}
		if c.futures != "" {
			text = "from __future__ import " + c.futures + "\n\n" + text
		}
		c.newFile(text)
		return nil
	}
	f, err := c.destination()
	if err != nil {
		return err
	}
	f.edits = append(f.edits, atEnd(f.src, "\n\n\n"+c.text))
	if len(c.needs) > 0 {
		at, after := pythonPlace(tokensOf(c.x, c.to, f.src))
		f.edits = append(f.edits, TextEdit{at, at, strings.Join(c.needs, "\n") + after})
	}
	return nil
}
