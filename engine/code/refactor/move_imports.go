package refactor

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// This file keeps the imports of JavaScript and TypeScript in order while a definition moves.

// scriptImport is import … from "m", or export { … } from "m".
type scriptImport struct {
	from, end     int // offsets of the statement
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

// without takes one name out of a statement: with its lines, where it is the only one.
func (s *scriptImport) without(src []byte, spec *scriptSpec, with string) ([]TextEdit, bool) {
	at := slices.IndexFunc(s.specs, func(o scriptSpec) bool { return spec != nil && o.piece == spec.piece })
	if spec != nil && len(s.specs) > 1 || spec != nil && s.first != "" {
		return s.fewer(src, at, at+1 == len(s.specs), with)
	}
	from, end := lineStart(src, s.from), lineEnd(src, s.end)
	if len(bytes.TrimSpace(src[from:s.from])) > 0 || len(bytes.TrimSpace(src[s.end:end])) > 0 || spec == nil && len(s.specs) > 0 {
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
	if bytes.Contains(src[edit.Start:edit.End], []byte("//")) || bytes.Contains(src[edit.Start:edit.End], []byte("/*")) {
		return nil, false
	}
	edits := []TextEdit{edit}
	if with != "" {
		edits = append(edits, TextEdit{s.end, s.end, "\n" + with})
	}
	return edits, true
}

// style is a module as the definition's file writes those beside it, or where it has none another file of its kind.
func (c *scriptMove) style() string {
	for _, s := range c.t.scriptImports() {
		if strings.HasPrefix(s.module, ".") {
			return s.module
		}
	}
	for n, f := range c.r.Tree.Files {
		if f == nil || f.Lang != c.r.Tree.Files[c.home].Lang || f.Foreign {
			continue
		}
		for _, row := range c.r.Tree.ImportsOf(int32(n)) {
			if module := c.r.Tree.Lex.Text(row.Module); strings.HasPrefix(module, ".") {
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
	return relativeTo(path.Dir(c.to), path.Join(path.Dir(c.r.Tree.Files[c.home].Path), module))
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
