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

// This file refuses moves of JavaScript and TypeScript that would change what a program does, and keeps what passes on
// all of a file in order.

// stars are the statements of a file that pass on all of the definition's file: export * from "m".
type stars struct {
	file int32
	src  []byte
	list []scriptImport
}

// made reports whether the definition is made when its file is loaded, and not before: its place in time counts.
func (c *scriptMove) made() bool {
	return slices.ContainsFunc(c.group, func(y store.DefID) bool {
		return c.t.is(c.t.at(int(c.r.Def(y).Start)), "const class abstract enum")
	})
}

// wholeModule notes how a file names all of the definition's file at once: it may pass all on, and use it by a name.
func (c *scriptMove) wholeModule(n int32) error {
	rows := slices.DeleteFunc(slices.Clone(c.r.Tree.ImportsOf(n)), func(row store.ImportRow) bool {
		return row.Name != c.r.Star || !c.leadsTo(row, n, c.from)
	})
	if len(rows) == 0 {
		return nil
	}
	src, err := c.unchanged(n)
	if err != nil {
		return err
	}
	t := tokensOf(c.x, c.file(n).Path, src)
	passed := stars{file: n, src: src}
	f := &scan{file: n}
	for _, row := range rows {
		i := slices.IndexFunc(t.scriptImports(), func(s scriptImport) bool {
			return s.module == c.spelled(row.Module) && (s.all || s.star != "")
		})
		if i < 0 {
			if row.Local == 0 {
				c.plan.unsure(f, int(row.Line), "passes on all that the file exports")
			}
			continue
		}
		switch s := t.scriptImports()[i]; {
		case s.all && strings.HasPrefix(s.module, "."):
			passed.list = append(passed.list, s)
		case s.export, s.all:
			c.plan.unsure(f, int(row.Line), "passes on all that the file exports")
		case t.value(s.star, s.end):
			c.plan.unsure(f, int(row.Line), "the module is used as a value")
		}
	}
	if len(passed.list) > 0 {
		c.stars = append(c.stars, passed)
	}
	return nil
}

// value reports whether a name of a module stands without a dot behind it.
func (t *tokens) value(name string, from int) bool {
	for i := t.at(from); i < len(t.list); i++ {
		if t.bare(i) && t.text(i) == name && !t.is(i+1, ". ?.") {
			return true
		}
	}
	return false
}

// passOn lets the files that pass on all of the definition's file pass on what moves.
func (c *scriptMove) passOn() {
	for _, p := range c.stars {
		f := c.plan.at(p.file)
		f.src = p.src
		for _, s := range p.list {
			switch {
			case p.file == c.dest:
				c.plan.unsure(f, f.line(s.from), "passes on all that the file exports")
			case c.passesOnAll(p.file): // the other file, too
			case !c.types && c.circles(p.file):
				c.plan.unsure(f, f.line(s.from), c.to+" imports this file, which would have to import it")
			default:
				module := relativeModule(path.Dir(c.file(p.file).Path), c.to, s.module)
				one := &scriptImport{export: true, types: c.types || s.types, quote: s.quote, semicolon: s.semicolon}
				text := "\n" + one.only(&scriptSpec{text: c.old}, c.old, module)
				f.edits = append(f.edits, TextEdit{s.end, s.end, text})
			}
		}
	}
}

// passesOnAll reports whether a file passes on all that the other one exports.
func (c *scriptMove) passesOnAll(n int32) bool {
	return c.dest >= 0 && slices.ContainsFunc(c.r.Tree.ImportsOf(n), func(row store.ImportRow) bool {
		return row.Name == c.r.Star && row.Local == 0 && c.leadsTo(row, n, c.dest)
	})
}

// named refuses where a file that has the name names the definition's file in a string, as mocks of tests do, or adds
// to its declarations.
func (c *scriptMove) named(f *scan) {
	if f.src == nil {
		return
	}
	home := c.file(c.from)
	stem := strings.TrimSuffix(home.Path, path.Ext(home.Path))
	t := tokensOf(c.x, c.file(f.file).Path, f.src)
	for i := range t.list {
		if !t.quoted(i) || t.is(i-1, "from import") || t.is(i-2, "require import") || !t.is(i-1, "( module") {
			continue
		}
		module := strings.Trim(t.text(i), "\"'`")
		joined := path.Join(path.Dir(c.file(f.file).Path), module)
		if strings.HasPrefix(module, ".") && (joined == stem || strings.TrimSuffix(joined, path.Ext(joined)) == stem) {
			c.plan.unsure(f, f.line(t.list[i].Start), "a string names the file that it is in")
		}
	}
}

// settled refuses moves that would change when something happens, or where.
func (c *scriptMove) settled() error {
	there, err := c.there()
	if err != nil {
		return err
	}
	here, other := c.t.directives(), there.directives()
	switch {
	case here != other:
		return anotherFile("%s begins with %q, and %s with %q", c.changes.Of.Path, here, c.to, other)
	case !isESModule(c.src):
		return byHand("%s has no import or export: only what modules have is moved", c.changes.Of.Path)
	case there != nil && !isESModule(there.src):
		return anotherFile("%s has no import or export", c.to)
	}
	if line := c.effect(); line > 0 && c.exported && !c.types {
		return c.loadsMore(line)
	}
	switch {
	case !c.made():
		return nil
	case c.computes():
		return byHand("%s calls something when its file is loaded: it would do so at another time", c.id())
	case slices.ContainsFunc(c.r.Tree.ImportsOf(c.from), c.circular):
		return byHand("%s imports itself through others: what is loaded first would change", c.changes.Of.Path)
	}
	return nil
}

// ends reports whether a statement may end before token i: another one begins there.
func (t *tokens) ends(i int) bool {
	if i >= len(t.list) || t.is(i, ";") {
		return true
	}
	return t.list[i].First && (t.is(i, "@") || t.word(i) && !t.is(i, "as satisfies extends in instanceof is"))
}

// directives are the strings that a file begins with: "use strict", "use client".
func (t *tokens) directives() string {
	var list []string
	for i := 0; t != nil && i < len(t.list) && (t.quoted(i) || t.is(i, ";")); i++ {
		if t.quoted(i) {
			list = append(list, strings.Trim(t.text(i), "\"'"))
		}
	}
	return strings.Join(list, ", ")
}

// circular reports whether an import of the definition's file leads back to it.
func (c *scriptMove) circular(row store.ImportRow) bool {
	v := c.r.Module(row.Module, c.from)
	back := func(n int32) bool { return n != c.from && c.reaches(n, c.from) }
	return v.Kind == meaning.ModuleValue && slices.ContainsFunc(v.Files, back)
}

// effect is the line of a statement of the definition's file that is neither a definition nor an import, 0 without one.
func (c *scriptMove) effect() int {
	imports := c.t.scriptImports()
	defs := c.r.DefsOf(c.from)
	depth := 0
	for i := range c.t.list {
		off := c.t.list[i].Start
		if depth == 0 && c.t.list[i].First && c.t.word(i) &&
			!c.t.is(i, "import export declare type interface namespace module") &&
			!slices.ContainsFunc(imports, func(s scriptImport) bool { return s.holds(off) }) &&
			!slices.ContainsFunc(defs, func(d store.Def) bool {
				return d.Parent < 0 && lineStart(c.src, int(d.Start)) <= off && off < int(d.End)
			}) {
			return lineOf(c.src, off)
		}
		depth += c.t.turn(i)
	}
	return 0
}

// computes reports whether what moves calls something while its file is loaded, as far as the text says: a call marked
// as pure does not count.
func (c *scriptMove) computes() bool {
	for _, y := range c.group {
		d := c.r.Def(y)
		first, last := c.t.within(int(d.Start), int(d.End))
		switch {
		case bytes.Contains(c.src[d.Start:d.End], []byte("#__PURE__")):
		case d.Kind == syntax.Class && c.staticCalls(first, last):
			return true
		case (d.Kind == syntax.Constant || d.Kind == syntax.Variable) && c.calls(first, last):
			return true
		}
	}
	return false
}

// calls reports whether tokens make a call, outside of the bodies of functions that only their brackets tell.
func (c *scriptMove) calls(first, last int) bool {
	for i := first; i < last; i++ {
		switch {
		case c.t.is(i, "=>") && c.t.is(i+1, "{"), c.t.is(i, ")") && c.t.is(i+1, "{"):
			i = max(c.t.closing(i+1), i)
		case c.t.is(i, "=>"): // an expression: as far as its brackets go, it is not run
			for i++; i < last && !c.t.is(i, ", ; ) ] }"); i++ {
				if c.t.turn(i) > 0 {
					i = max(c.t.closing(i), i)
				}
			}
		case c.t.is(i, "new await"), c.t.is(i+1, "( `") && (c.t.name(i) || c.t.is(i, ") ]")):
			return true
		case c.t.quoted(i) && bytes.HasPrefix(c.src[c.t.list[i].Start:], []byte("`")) && c.t.name(i-1):
			return true
		}
	}
	return false
}

// staticCalls reports whether a class calls something for a static field, or has a static block.
func (c *scriptMove) staticCalls(first, last int) bool {
	for i := first; i < last; i++ {
		if !c.t.is(i, "static") {
			continue
		}
		for i++; i < last && !c.t.is(i, "= ( { ;"); i++ {
		}
		if c.t.is(i, "{") {
			return true
		}
		if !c.t.is(i, "=") {
			continue
		}
		for i++; i < last && !c.t.is(i, ";") && !c.t.list[i].First; i++ {
			if c.t.is(i, "( new") {
				return true
			}
		}
	}
	return false
}

// stillModule keeps a file a module that loses its only export.
func (c *scriptMove) stillModule(f *scan) {
	e := FileEdits{Before: f.src, Edits: slices.Clone(f.edits)}
	e.sorted()
	switch left := e.After(); {
	case len(bytes.TrimSpace(left)) == 0:
		c.note("nothing else is defined in " + c.file(f.file).Path + ": delete it")
		fallthrough
	case !isESModule(left):
		end := "\n"
		if c.semicolon() {
			end = ";\n"
		}
		f.edits = append(f.edits, TextEdit{len(f.src), len(f.src), "export {}" + end})
	}
}
