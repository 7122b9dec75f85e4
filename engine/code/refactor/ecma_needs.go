package refactor

import (
	"path"
	"slices"
	"strings"
)

// This file finds what the text that moves needs where it goes.

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
