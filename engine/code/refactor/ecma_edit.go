package refactor

import (
	"path"
	"slices"
	"strings"

	"helve/engine/code/internal/syntax"
)

// edit makes the edits of all files.
func (c *scriptMove) edit() error {
	for _, f := range c.plan.found {
		if f.file == c.from {
			c.leave(f, c.used(c.from))
		} else {
			c.follow(f)
		}
		c.named(f)
	}
	if c.exported {
		c.passOn()
	}
	if err := c.plan.refusedOpen("%d places speak against moving %s"); err != nil {
		return err
	}
	c.changes.Texts = 0
	if c.dest >= 0 {
		return c.arrive()
	}
	text := c.text
	if len(c.needs) > 0 {
		text = c.statements() + "\n\n" + text
	}
	c.newFile(text)
	return nil
}

// leave makes the edits of the file that the definition stood in.
func (c *scriptMove) leave(f *scan, used bool) {
	f.edits = append(f.edits, c.cut)
	imports := c.t.scriptImports()
	if c.file(c.from).Lang == syntax.TypeScript { // JavaScript would no longer run what it imports
		for i := range imports {
			c.unimport(f, &imports[i])
		}
	}
	if !used {
		c.stillModule(f)
		return
	}
	if !c.types && c.dest >= 0 && c.reaches(c.dest, c.from) {
		c.plan.unsure(f, 1, c.to+" imports this file, which would have to import it")
	}
	s := &scriptImport{quote: c.quote(), types: c.types, semicolon: c.semicolon()}
	module := relativeModule(path.Dir(c.file(c.from).Path), c.to, c.style())
	f.edits = append(f.edits, besideImports(f.src, imports, s.only(&scriptSpec{text: c.old}, c.old, module)))
}

// unimport takes the names out of an import that only the text that moves needed.
func (c *scriptMove) unimport(f *scan, s *scriptImport) {
	if s.export {
		return
	}
	all := s.first == "" || c.gone(s.first)
	all = all && (s.star == "" || c.gone(s.star))
	some := c.gone(s.first) || c.gone(s.star)
	for _, spec := range s.specs {
		gone := c.gone(spec.local)
		all, some = all && gone, some || gone
	}
	if !some {
		return
	}
	if all {
		s = &scriptImport{piece: s.piece}
		edits, ok := s.without(f.src, nil, "")
		c.noted(f, s.from, edits, ok)
		return
	}
	for i := range s.specs {
		if c.gone(s.specs[i].local) {
			stays := slices.ContainsFunc(s.specs[i+1:], func(o scriptSpec) bool { return !c.gone(o.local) })
			if !stays && i == 0 {
				c.noted(f, s.from, nil, false)
				return
			}
			edits, ok := s.fewer(f.src, i, !stays, "")
			c.noted(f, s.from, edits, ok)
		}
	}
	if c.gone(s.first) || c.gone(s.star) {
		c.noted(f, s.from, nil, false)
	}
}

// gone reports whether only the text that moves needed what an import gives a name.
func (c *scriptMove) gone(name string) bool { return slices.Contains(c.dropped, name) }

// noted adds edits of an import.
func (c *scriptMove) noted(f *scan, at int, edits []TextEdit, ok bool) {
	if !ok {
		c.plan.unsure(f, lineOf(f.src, at), "this import would have to change: edit it by hand")
	}
	f.edits = append(f.edits, edits...)
}

// follow makes the edits of another file that names the definition: what it imports comes from elsewhere.
func (c *scriptMove) follow(f *scan) {
	imports := tokensOf(c.x, c.file(f.file).Path, f.src).scriptImports()
	c.plan.imported(f, func(s *syntax.Site) { c.followImport(f, imports, s) })
}

// followImport changes the module of one name of an import, where that is the file of the definition.
func (c *scriptMove) followImport(f *scan, imports []scriptImport, s *syntax.Site) {
	k := slices.IndexFunc(imports, func(o scriptImport) bool { return o.holds(s.Start) })
	if k < 0 {
		c.plan.unsure(f, s.Line, "this import was not understood")
		return
	}
	o := &imports[k]
	spec := slices.IndexFunc(o.specs, func(p scriptSpec) bool { return p.holds(s.Start) })
	switch files, known := c.moduleFiles(o.module, f.file); {
	case known && !slices.Contains(files, c.from):
		if f.file == c.dest {
			c.plan.unsure(f, s.Line, "it comes from another file here, which passes it on")
		}
		return
	case len(files) != 1 || spec < 0 || !strings.HasPrefix(o.module, "."):
		c.plan.unsure(f, s.Line, "this import was not understood")
		return
	case !c.types && f.file != c.dest && c.circles(f.file):
		c.plan.unsure(f, s.Line, c.to+" imports this file, which would have to import it")
		return
	}
	with := ""
	if f.file != c.dest {
		with = o.only(&o.specs[spec], c.old, relativeModule(path.Dir(c.file(f.file).Path), c.to, o.module))
	} else if o.export || o.specs[spec].local != c.old {
		c.plan.unsure(f, s.Line, "it has another name here, or is passed on")
	}
	edits, ok := o.without(f.src, &o.specs[spec], with)
	c.noted(f, s.Start, edits, ok)
}

// arrive makes the edits of the file that the text goes to: it stands at the end.
func (c *scriptMove) arrive() error {
	f, err := c.destination()
	if err != nil {
		return err
	}
	f.edits = append(f.edits, atEnd(f.src, "\n\n"+c.text))
	if len(c.needs) > 0 {
		imports := tokensOf(c.x, c.to, f.src).scriptImports()
		f.edits = append(f.edits, besideImports(f.src, imports, c.statements()))
	}
	return nil
}

// scriptFile is a file that a definition moves to.
type scriptFile struct {
	t       *tokens
	imports []scriptImport
}

// has reports whether a file has a name that stands alone anywhere.
func (f *scriptFile) has(name string) bool { return f.t != nil && f.t.hasName(name) }

// hasName reports whether a name stands alone anywhere.
func (t *tokens) hasName(name string) bool { return slices.Contains(t.names(0, len(t.list)), name) }

// otherFile reads the file that the definition moves to.
func (c *scriptMove) otherFile() (*scriptFile, error) {
	t, err := c.there()
	if t == nil {
		return &scriptFile{}, err
	}
	return &scriptFile{t, t.scriptImports()}, nil
}

// need is an import that the text needs where it goes.
type need struct {
	like   *scriptImport // how it is written
	spec   *scriptSpec   // nil where it stands in no brackets
	name   string
	module string
}

// statements are the imports that the text needs: names of one module come together.
func (c *scriptMove) statements() string {
	var list []string
	for i, n := range c.needs {
		if n.spec == nil {
			list = append(list, n.like.only(nil, n.name, n.module))
			continue
		}
		same := func(o need) bool { return o.spec != nil && o.module == n.module && o.like.types == n.like.types }
		if slices.ContainsFunc(c.needs[:i], same) {
			continue
		}
		var texts []string
		for _, o := range c.needs[i:] {
			if same(o) {
				texts = append(texts, o.spec.text)
			}
		}
		list = append(list, n.like.only(&scriptSpec{text: strings.Join(texts, ", ")}, n.name, n.module))
	}
	return strings.Join(list, "\n")
}

// style is a module as the definition's file writes those beside it, or where it has none another file of its kind.
func (c *scriptMove) style() string {
	for _, s := range c.t.scriptImports() {
		if strings.HasPrefix(s.module, ".") {
			return s.module
		}
	}
	for n, f := range c.r.Tree.Files {
		if f == nil || f.Lang != c.file(c.from).Lang || f.Foreign {
			continue
		}
		for _, row := range c.r.Tree.ImportsOf(int32(n)) {
			if module := c.spelled(row.Module); strings.HasPrefix(module, ".") {
				return module
			}
		}
	}
	return ""
}

// semicolon reports whether the definition's file ends its imports with one.
func (c *scriptMove) semicolon() bool {
	return slices.ContainsFunc(c.t.scriptImports(), func(o scriptImport) bool { return o.semicolon })
}

// quote is the mark in which the definition's file writes its modules.
func (c *scriptMove) quote() string {
	for _, s := range c.t.scriptImports() {
		return s.quote
	}
	return "'"
}

// rebased is a module that the definition's file names, as the other file names it.
func (c *scriptMove) rebased(module string) string {
	if !strings.HasPrefix(module, ".") {
		return module
	}
	return relativeTo(path.Dir(c.to), path.Join(path.Dir(c.file(c.from).Path), module))
}
