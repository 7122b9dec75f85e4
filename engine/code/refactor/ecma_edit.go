package refactor

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"helve/engine/code/internal/syntax"
)

// edit makes the edits of all files.
func (c *scriptMove) edit() error {
	known := false // whether the file that it moves to is among those that have the name
	for _, f := range c.plan.found {
		switch f.file {
		case c.from:
			c.leave(f, c.used(c.from))
		default:
			c.follow(f)
		}
		c.named(f)
		if f.file == c.dest {
			known = true
			if f.src == nil { // it has a name that only begins like it
				var err error
				if f.src, err = c.unchanged(c.dest); err != nil {
					return err
				}
			}
			c.arrive(f)
		}
	}
	if err := c.passOn(); err != nil {
		return err
	}
	if len(c.plan.open) > 0 {
		return c.plan.refusedPlaces("%d places speak against moving %s")
	}
	c.changes.Texts = 0
	if c.dest < 0 {
		text := c.text
		if len(c.needs) > 0 {
			text = c.statements() + "\n\n" + text
		}
		c.changes.Files = append(c.changes.Files, FileEdits{Path: c.to, New: true, Edits: []TextEdit{{0, 0, text}}})
		c.changes.Edits++
	} else if !known {
		src, err := c.unchanged(c.dest)
		if err != nil {
			return err
		}
		f := &scan{file: c.dest, src: src, seen: &syntax.Seen{}}
		c.arrive(f)
		c.plan.found = append(c.plan.found, f)
	}
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
	all := s.first == "" || slices.Contains(c.dropped, s.first)
	all = all && (s.star == "" || slices.Contains(c.dropped, s.star))
	some := slices.Contains(c.dropped, s.first) || slices.Contains(c.dropped, s.star)
	for _, spec := range s.specs {
		gone := slices.Contains(c.dropped, spec.local)
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
		if slices.Contains(c.dropped, s.specs[i].local) {
			stays := slices.ContainsFunc(s.specs[i+1:], func(o scriptSpec) bool { return !slices.Contains(c.dropped, o.local) })
			if !stays && i == 0 {
				c.noted(f, s.from, nil, false)
				return
			}
			edits, ok := s.fewer(f.src, i, !stays, "")
			c.noted(f, s.from, edits, ok)
		}
	}
	if slices.Contains(c.dropped, s.first) || slices.Contains(c.dropped, s.star) {
		c.noted(f, s.from, nil, false)
	}
}

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
func (c *scriptMove) arrive(f *scan) {
	t := tokensOf(c.x, c.to, f.src)
	end := len(bytes.TrimRight(f.src, "\r\n\t "))
	f.edits = append(f.edits, TextEdit{end, len(f.src), "\n\n" + c.text})
	if len(c.needs) > 0 {
		f.edits = append(f.edits, besideImports(f.src, t.scriptImports(), c.statements()))
	}
}

// scriptFile is a file that a definition moves to.
type scriptFile struct {
	t       *tokens
	src     []byte
	imports []scriptImport
}

// has reports whether a file has a name that stands alone anywhere.
func (f *scriptFile) has(name string) bool {
	if f.t == nil {
		return false
	}
	return slices.Contains(f.t.names(0, len(f.t.list)), name)
}

// destination reads the file that the definition moves to.
func (c *scriptMove) destination() (*scriptFile, error) {
	if c.dest < 0 {
		return &scriptFile{}, nil
	}
	src, err := c.unchanged(c.dest)
	if err != nil {
		return nil, err
	}
	t := tokensOf(c.x, c.to, src)
	return &scriptFile{t, src, t.scriptImports()}, nil
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
