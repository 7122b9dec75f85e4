package store

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"

	"helve/engine/code/internal/syntax"
)

// A manifest names a package of the tree: go.mod a Go module, package.json one of scripts, which others of the tree
// import by that name.

const (
	// maxManifest bounds a package.json; the largest that people write have a tenth.
	maxManifest = 256 << 10
	// maxGoMod is how much of a go.mod is searched for its first line.
	maxGoMod = 64 << 10
)

// manifest reports whether the file at p names a package.
func manifest(p string) bool {
	base := path.Base(p)
	return base == "go.mod" || base == "package.json"
}

// declared fills f from a manifest: the package's name, and for scripts the file that stands for it, as an import.
func (w *worker) declared(f *File, src []byte) {
	if path.Base(f.Path) == "go.mod" {
		f.Package = w.named(goModulePath(src))
		return
	}
	var p struct{ Name, Source, Main string }
	if len(src) > maxManifest || json.Unmarshal(src, &p) != nil || p.Name == "" {
		return
	}
	f.Package = w.named(p.Name)
	if entry := cmp.Or(p.Source, p.Main); entry != "" {
		rows := syntax.Rows{Imports: []syntax.ImportRow{{Module: w.x.Names.InternString(path.Clean(entry))}}}
		f.Packed = w.keep(w.pack.pack(&rows, w.number))
	}
}

// named is the global number of a name.
func (w *worker) named(name string) uint32 {
	if name == "" {
		return 0
	}
	w.numbers.mu.Lock()
	defer w.numbers.mu.Unlock()
	return w.numbers.to.add(name, HashOf(name))
}

// goModulePath is the path that a go.mod declares.
func goModulePath(src []byte) string {
	for line := range strings.Lines(string(src[:min(len(src), maxGoMod)])) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.Trim(strings.TrimSpace(name), "\"")
		}
	}
	return ""
}

// PackageName is the package that an import of a script names, and what of it.
func PackageName(name string) (pkg, rest string) {
	pkg, rest, _ = strings.Cut(name, "/")
	if strings.HasPrefix(pkg, "@") {
		var second string
		second, rest, _ = strings.Cut(rest, "/")
		pkg += "/" + second
	}
	return pkg, rest
}
