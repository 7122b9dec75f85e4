package refactor

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// This file reads and writes the imports of JavaScript and TypeScript.

// scriptImport is import … from "m", or export { … } from "m".
type scriptImport struct {
	piece         // the statement
	export, types bool
	all           bool   // export * from
	first, star   string // import first, * as star
	specs         []scriptSpec
	module        string
	quote         string // ' or "
	semicolon     bool
}

// scriptSpec is one of the names in the brackets.
type scriptSpec struct {
	piece
	text, name, local string
}

// scriptImports are the statements of a file that name other modules.
func (t *tokens) scriptImports() (list []scriptImport) {
	for i := 0; i < len(t.list); i++ {
		if !t.list[i].First || !t.is(i, "import export") {
			continue
		}
		if s, last := t.scriptImport(i); last > 0 {
			list = append(list, s)
			i = last
		}
	}
	return list
}

// scriptImport reads the statement at token i; last is its module, 0 where that is none.
func (t *tokens) scriptImport(i int) (s scriptImport, last int) {
	s.from, s.export = t.list[i].Start, t.is(i, "export")
	k := i + 1
	if t.is(k, "type") && !t.is(k+1, "from ,") {
		s.types = true
		k++
	}
	if !s.export && t.name(k) && !t.is(k, "from") {
		if s.first = t.text(k); t.is(k+1, ",") {
			k++
		}
		k++
	}
	switch {
	case s.export && t.is(k, "*") && t.is(k+1, "from"):
		s.all = true
		k++
	case t.is(k, "*") && t.is(k+1, "as"):
		s.star = t.text(k + 2)
		k += 3
	case t.is(k, "{"):
		end := t.closing(k)
		if end < 0 {
			return s, 0
		}
		s.specs = t.scriptSpecs(k, end)
		k = end + 1
	}
	if !t.is(k, "from") || !t.quoted(k+1) {
		return s, 0
	}
	text := t.text(k + 1)
	s.module, s.quote, s.end = strings.Trim(text, "\"'"), text[:1], t.list[k+1].End
	if t.is(k+2, ";") {
		s.semicolon, s.end = true, t.list[k+2].End
	}
	return s, k + 1
}

// scriptSpecs reads the names between two brackets.
func (t *tokens) scriptSpecs(open, end int) (list []scriptSpec) {
	for k := open + 1; k < end; k++ {
		from := k
		for k < end && !t.is(k, ",") {
			k++
		}
		if k == from {
			continue
		}
		p := piece{t.list[from].Start, t.list[k-1].End}
		s := scriptSpec{piece: p, text: p.in(t.src), local: t.text(k - 1), name: t.text(from)}
		if t.is(from, "type") && k-from > 1 && !t.is(from+1, "as") {
			s.name = t.text(from + 1)
		}
		list = append(list, s)
	}
	return list
}

// findImport is the import that gives a file a name, and its place in the brackets, if it stands there.
func findImport(list []scriptImport, name string) (*scriptImport, *scriptSpec) {
	for i := range list {
		s := &list[i]
		if s.export {
			continue
		}
		if s.first == name || s.star == name {
			return s, nil
		}
		for k := range s.specs {
			if s.specs[k].local == name {
				return s, &s.specs[k]
			}
		}
	}
	return nil, nil
}

// only is a statement that brings one name, from a module.
func (s *scriptImport) only(spec *scriptSpec, name, module string) string {
	what := name
	switch {
	case spec != nil:
		what = "{ " + spec.text + " }"
	case s.star == name:
		what = "* as " + name
	}
	text := "import "
	if s.export {
		text = "export "
	}
	if s.types {
		text += "type "
	}
	text += what + " from " + s.quote + module + s.quote
	if s.semicolon {
		text += ";"
	}
	return text
}

// without takes one name out of a statement: with its lines, where it is the only one.
func (s *scriptImport) without(src []byte, spec *scriptSpec, with string) ([]TextEdit, bool) {
	if spec != nil && (len(s.specs) > 1 || s.first != "") {
		at := slices.IndexFunc(s.specs, func(o scriptSpec) bool { return o.piece == spec.piece })
		return s.fewer(src, at, at+1 == len(s.specs), with)
	}
	from, end := lineStart(src, s.from), lineEnd(src, s.end)
	beside := string(src[from:s.from]) + string(src[s.end:end])
	if strings.TrimSpace(beside) != "" || spec == nil && len(s.specs) > 0 {
		return nil, false
	}
	if with != "" {
		return []TextEdit{{s.from, s.end, with}}, true
	}
	return []TextEdit{gap(src, from, end)}, true
}

// fewer takes one of several names out of a statement, and puts another statement behind it. Where
// none behind it stays, the comma before it goes.
func (s *scriptImport) fewer(src []byte, at int, last bool, with string) ([]TextEdit, bool) {
	if len(s.specs) == 1 {
		return nil, false
	}
	edit := TextEdit{s.specs[at].from, 0, ""}
	if !last {
		edit.End = s.specs[at+1].from
	} else {
		edit = TextEdit{s.specs[at-1].end, s.specs[at].end, ""}
	}
	if cut := string(src[edit.Start:edit.End]); strings.Contains(cut, "//") || strings.Contains(cut, "/*") {
		return nil, false
	}
	edits := []TextEdit{edit}
	if with != "" {
		edits = append(edits, TextEdit{s.end, s.end, "\n" + with})
	}
	return edits, true
}

// besideImports puts statements behind the imports of a file.
func besideImports(src []byte, imports []scriptImport, text string) TextEdit {
	at := -1
	for _, s := range imports {
		if !s.export {
			at = lineEnd(src, s.end)
		}
	}
	if at >= 0 {
		return TextEdit{at, at, text + "\n"}
	}
	if at = 0; bytes.HasPrefix(src, []byte("#!")) {
		at = lineEnd(src, 0)
	}
	return TextEdit{at, at, text + "\n\n"}
}

// relativeModule names a file from a folder; style is another module, which says whether endings are written.
func relativeModule(dir, file, style string) string {
	stem := strings.TrimSuffix(file, path.Ext(file))
	switch ext := path.Ext(style); ext {
	case ".js", ".ts", ".mjs", ".mts", ".cjs":
		stem += ext
	}
	return relativeTo(dir, stem)
}

// relativeTo is a path as modules are written: ./a, ../a.
func relativeTo(dir, file string) string {
	rel, err := filepath.Rel(filepath.FromSlash(dir), filepath.FromSlash(file))
	if err != nil {
		return file
	}
	rel = filepath.ToSlash(rel)
	if !strings.HasPrefix(rel, ".") {
		rel = "./" + rel
	}
	return rel
}
