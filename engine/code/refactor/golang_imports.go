package refactor

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file keeps the imports of Go files in order while their text changes.

// standard are the packages of Go's library that a single word imports, with those of several that are used most.
var standard = map[string]string{
	"rand": "math/rand", "http": "net/http", "url": "net/url", "filepath": "path/filepath", "json": "encoding/json",
	"atomic": "sync/atomic", "exec": "os/exec", "slog": "log/slog", "fs": "io/fs",
	"bufio": "", "bytes": "", "cmp": "", "context": "", "errors": "", "fmt": "", "io": "", "log": "", "maps": "",
	"math": "", "net": "", "os": "", "path": "", "reflect": "", "regexp": "", "slices": "", "sort": "", "strconv": "",
	"strings": "", "sync": "", "testing": "", "time": "", "unicode": "",
}

// packageOf is the import path of the package that Go files call name: in the definition's file, in others of the tree,
// or in Go's library.
func (p *subject) packageOf(name string) (module string, ok bool) {
	y, known := p.r.Tree.Lex.Find(name)
	if known {
		for _, m := range p.r.Tree.ImportsOf(p.group[0].File) {
			if m.Local == y {
				return p.spelled(m.Module), true
			}
		}
		if module = p.onlyModule(y); module != "" {
			return module, module != "?"
		}
	}
	if module, ok = standard[name]; module == "" {
		module = name
	}
	return module, ok
}

// onlyModule is the one import path that Go files of the tree give a name, "?" where there are several.
func (p *project) onlyModule(y uint32) string {
	found := ""
	p.r.Mentioning(y, true, func(n int32) {
		if p.file(n).Lang != syntax.Go {
			return
		}
		for _, m := range p.r.Tree.ImportsOf(n) {
			switch module := p.spelled(m.Module); {
			case m.Local != y || module == found:
			case found == "":
				found = module
			default:
				found = "?"
			}
		}
	})
	return found
}

// mayImport says why a file cannot call the package at module name; empty: it can.
func (p *project) mayImport(n int32, name, module string) string {
	byName, byModule := p.importOf(n, name, module)
	y, known := p.r.Tree.Lex.Find(name)
	switch {
	case byName != nil && p.spelled(byName.Module) == module:
		return ""
	case byName != nil:
		return name + " is another package here"
	case byModule != nil:
		return module + " is imported under another name here"
	case known && len(p.r.SamePackage(y, n)) > 0:
		return name + " is a definition of this package"
	}
	v := p.r.Module(p.r.ModuleName(module), n)
	if v.Kind == meaning.ModuleValue && p.importsBack(v.Files, p.file(n).Dir()) {
		return "importing " + module + " would make a cycle"
	}
	return ""
}

// importsBack reports whether the package of some files imports, or others for it, the one in a folder.
func (p *project) importsBack(files []int32, dir string) bool {
	seen := map[int32]bool{}
	for len(files) > 0 {
		n := files[0]
		files = files[1:]
		f := p.file(n)
		if f.Dir() == dir {
			return true
		}
		if seen[n] {
			continue
		}
		seen[n] = true
		for _, m := range p.r.Tree.ImportsOf(n) {
			if v := p.r.Module(m.Module, n); v.Kind == meaning.ModuleValue {
				files = append(files, v.Files...)
			}
		}
	}
	return false
}

// importLines are the lines of a Go file's imports: of each the offset where it begins and the module.
func importLines(t *tokens) (lines []importLine, end int) {
	for i := range t.list {
		switch {
		case !t.list[i].First:
		case t.is(i, "import"):
			last := i + 1
			if t.is(last, "(") {
				last = max(t.closing(last), last)
			} else {
				for !t.quoted(last) && last < i+3 {
					last++
				}
			}
			for k := i + 1; k <= last; k++ {
				if t.quoted(k) {
					at := t.list[k].Start
					module := strings.Trim(t.text(k), "\"`")
					lines = append(lines, importLine{lineStart(t.src, at), module, t.is(i+1, "(")})
				}
			}
			if last < len(t.list) {
				end = lineEnd(t.src, t.list[last].End)
			}
		case t.is(i, "func type var const"):
			return lines, end
		case t.is(i, "package"):
			end = lineEnd(t.src, t.list[i].End)
		}
	}
	return lines, end
}

// importLine is one import.
type importLine struct {
	at      int
	module  string
	grouped bool // it stands in brackets
}

// goImports adds to the edits of a file those of its imports: what nothing names any more goes, what is needed comes.
func (p *project) goImports(n int32, before []byte, edits []TextEdit, needs map[string]string) ([]TextEdit, error) {
	name := p.file(n).Path
	e := FileEdits{Before: before, Edits: slices.Clone(edits)}
	e.sorted()
	was := tokensOf(p.x, name, before)
	lines, end := importLines(was)
	old := usedNames(was, end)
	now := tokensOf(p.x, name, e.After())
	_, nowEnd := importLines(now)
	left := usedNames(now, nowEnd)
	for _, m := range p.r.Tree.ImportsOf(n) {
		local, module := p.spelled(m.Local), p.spelled(m.Module)
		if local == "" || local == "_" || old[local] == left[local] {
			continue
		}
		if left[local] > 0 {
			if left[local] < old[local] && len(p.binds(n, before, local)) > 0 {
				return nil, byHand("%s may be imported for nothing in %s then", module, name)
			}
			continue
		}
		cut, ok := cutImport(before, lines, module)
		if !ok {
			return nil, byHand("the import of %s in %s would have to go", module, name)
		}
		i := slices.IndexFunc(lines, func(l importLine) bool { return l.module == module })
		if i >= 0 && len(needs) > 0 {
			cut = TextEdit{lines[i].at, lineEnd(before, lines[i].at), ""} // the brackets stay for what comes
		}
		edits = append(edits, cut)
	}
	for _, local := range slices.Sorted(maps.Keys(needs)) {
		edits = append(edits, addImport(before, lines, end, local, needs[local]))
	}
	return edits, nil
}

// usedNames counts the names behind the imports that stand behind no dot.
func usedNames(t *tokens, end int) map[string]int {
	out := map[string]int{}
	for i := t.at(end); i < len(t.list); i++ {
		if t.bare(i) && t.is(i+1, ".") {
			out[t.text(i)]++
		}
	}
	return out
}

// cutImport takes out the line of an import.
func cutImport(src []byte, lines []importLine, module string) (TextEdit, bool) {
	for i, l := range lines {
		if l.module != module {
			continue
		}
		end := lineEnd(src, l.at)
		if bytes.IndexByte(src[l.at:end], ';') >= 0 || !l.grouped && len(lines) == 1 && end == len(src) {
			return TextEdit{}, false
		}
		alone := (i == 0 || !lines[i-1].grouped) && (i+1 == len(lines) || !lines[i+1].grouped)
		if l.grouped && alone { // its brackets go, too
			from := bytes.LastIndex(src[:l.at], []byte("import"))
			shut := bytes.IndexByte(src[end:], ')')
			if from < 0 || shut < 0 {
				return TextEdit{}, false
			}
			return gap(src, from, lineEnd(src, end+shut)), true
		}
		return gap(src, l.at, end), true
	}
	return TextEdit{}, false
}

// addImport puts an import where it belongs: beside those of its kind, by its path.
func addImport(src []byte, lines []importLine, end int, local, module string) TextEdit {
	spec := importSpec(local, module)
	if len(lines) == 0 {
		return TextEdit{end, end, "\nimport " + spec + "\n"}
	}
	at, indent := -1, "\t"
	for _, l := range lines {
		if outsidePath(l.module) != outsidePath(module) {
			continue
		}
		indent = "\t"
		if !l.grouped {
			indent = "import "
		}
		if l.module > module {
			return TextEdit{l.at, l.at, indent + spec + "\n"}
		}
		if at < 0 || emptyBetween(src, at, l.at) == 0 {
			at = lineEnd(src, l.at)
		}
	}
	if at >= 0 {
		return TextEdit{at, at, indent + spec + "\n"}
	}
	return addKind(src, lines, spec, outsidePath(module))
}

// importSpec is an import as it is written.
func importSpec(local, module string) string {
	spec := strconv.Quote(module)
	if path.Base(module) != local {
		spec = local + " " + spec
	}
	return spec
}

// addKind puts an import into a paragraph of its own: Go's library before all others.
func addKind(src []byte, lines []importLine, spec string, behind bool) TextEdit {
	l := lines[0]
	if behind {
		l = lines[len(lines)-1]
	}
	text := "\t" + spec + "\n"
	if !l.grouped {
		text = "import " + spec + "\n"
	}
	if behind {
		at := lineEnd(src, l.at)
		return TextEdit{at, at, "\n" + text}
	}
	return TextEdit{l.at, l.at, text + "\n"}
}

// outsidePath reports whether an import path is none of Go's library.
func outsidePath(module string) bool {
	first, _, _ := strings.Cut(module, "/")
	return strings.Contains(first, ".")
}

// leave takes out the imports of Go that nothing needs any more: Go builds no file with one.
func (golang) leave(p *project, n int32, e *FileEdits) {
	var names []string
	for _, m := range p.r.Tree.ImportsOf(n) {
		if local := p.spelled(m.Local); local != "" && local != "_" {
			names = append(names, local)
		}
	}
	p.x.Watch(names...)
	p.x.Rows(e.Path, e.Before)
	left, gone := map[string]bool{}, map[string]bool{}
	for _, s := range p.x.Seen().Sites {
		switch {
		case s.Imported || s.Dots || s.Line <= lastImport(p.r.Tree.ImportsOf(n)):
		case slices.ContainsFunc(e.Edits, func(t TextEdit) bool { return t.Start <= s.Start && s.Start < t.End }):
			gone[s.Name] = true
		default:
			left[s.Name] = true
		}
	}
	for _, m := range p.r.Tree.ImportsOf(n) {
		local := p.spelled(m.Local)
		if !gone[local] || left[local] {
			continue
		}
		from := 0
		for range m.Line - 1 {
			from = lineEnd(e.Before, from)
		}
		e.Edits = append(e.Edits, gap(e.Before, from, lineEnd(e.Before, from)))
	}
	e.sorted()
}

// lastImport is the line of the last import of a file.
func lastImport(rows []store.ImportRow) int {
	last := 0
	for _, m := range rows {
		last = max(last, int(m.Line))
	}
	return last
}
