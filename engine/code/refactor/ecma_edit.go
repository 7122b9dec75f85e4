package refactor

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
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
		s = &scriptImport{from: s.from, end: s.end}
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
		c.plan.unsure(f, 1+strings.Count(string(f.src[:at]), "\n"), "this import would have to change: edit it by hand")
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
	k := slices.IndexFunc(imports, func(o scriptImport) bool { return o.from <= s.Start && s.Start < o.end })
	if k < 0 {
		c.plan.unsure(f, s.Line, "this import was not understood")
		return
	}
	o := &imports[k]
	number, _ := c.r.Tree.Lex.Find(o.module)
	v := c.r.Module(number, f.file)
	spec := slices.IndexFunc(o.specs, func(p scriptSpec) bool { return p.from <= s.Start && s.Start < p.end })
	switch {
	case v.Kind == meaning.ModuleValue && !slices.Contains(v.Files, c.from):
		if f.file == c.dest {
			c.plan.unsure(f, s.Line, "it comes from another file here, which passes it on")
		}
		return
	case v.Kind != meaning.ModuleValue || len(v.Files) != 1 || spec < 0 || !strings.HasPrefix(o.module, "."):
		c.plan.unsure(f, s.Line, "this import was not understood")
		return
	case !c.types && c.dest >= 0 && f.file != c.dest && !c.importsFile(f.file, c.dest) && c.reaches(c.dest, f.file):
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
