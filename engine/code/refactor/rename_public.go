package refactor

import (
	"path"
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file tells what others may use that do not stand in the tree.

// noteExported says in the result that others may use the definition.
func (p *renaming) noteExported() {
	f := p.r.Tree.Files[p.group[0].File]
	if p.exported && !f.Test && p.public(f) {
		p.changes.Notes = append(p.changes.Notes, "it is exported: who imports it from elsewhere is not seen here")
	}
}

// public reports whether code outside the tree can name the definition: in JavaScript and Python if its file belongs
// to a package that can be published.
func (p *renaming) public(f *store.File) bool {
	switch p.lang {
	case syntax.Go:
		return p.r.Tree.Lex.Text(f.Package) != "main" && !strings.Contains("/"+f.Dir()+"/", "/internal/")
	case syntax.Python:
		return !p.local && p.below(f, "pyproject.toml", "") || p.below(f, "setup.py", "")
	}
	src, err := p.r.Tree.Text(p.ctx, f.Path)
	if err != nil || p.local {
		return false
	}
	top := p.r.Def(store.At(p.group[0].File, p.outermost(p.group[0].File, p.group[0].Def)))
	line := src[lineStart(src, int(top.Start)):top.Start]
	return strings.Contains(string(line), "export") && p.below(f, "package.json", "\"private\": true")
}

// below reports whether a file of that name, without some words, stands in the folder of f or above it. The nearest
// one counts.
func (p *renaming) below(f *store.File, name, without string) bool {
	for dir := f.Dir(); ; dir = path.Dir(dir) {
		at := path.Join(dir, name)
		if p.r.Tree.Number(at) >= 0 {
			src, err := p.r.Tree.Text(p.ctx, at)
			return err == nil && (without == "" || !strings.Contains(string(src), without))
		}
		if dir == "." || dir == "" || dir == "/" {
			return false
		}
	}
}
