package code

import (
	"context"
	"slices"
	"sort"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
)

// FileLink is a file that another one uses, or that uses it.
type FileLink struct {
	Path     string
	Imported bool // an import names it
	Uses     int  // distinct references that lead to it
	Test     bool
}

// FileLinks is a page of them, those with most references first.
type FileLinks struct {
	Files []FileLink
	More
}

// FileDependencies answers the files that the file at path uses.
func (s *Snapshot) FileDependencies(ctx context.Context, path string, p Page) (FileLinks, error) {
	n := s.tree.Number(path)
	if n < 0 {
		return FileLinks{}, s.noFile(path)
	}
	ctx, cancel := context.WithTimeout(ctx, store.MaxSearch)
	defer cancel()
	r := newResolver(ctx, s)
	links := r.filesOf(n)
	if err := store.Canceled(ctx); err != nil {
		return FileLinks{}, err
	}
	out, err := s.links(links, p)
	out.Stopped = r.Clock.Ended
	return out, err
}

// filesOf are the files that file n uses.
func (r *resolver) filesOf(n int32) map[int32]*FileLink {
	links := map[int32]*FileLink{}
	link := func(m int32) *FileLink {
		if m == n {
			return &FileLink{}
		}
		if links[m] == nil {
			links[m] = r.s.link(m)
		}
		return links[m]
	}
	for _, m := range r.s.tree.ImportsOf(n) {
		if r.Clock.Over(1) {
			break
		}
		r.importTargets(m, n, func(to int32) { link(to).Imported = true })
	}
	refs := r.s.tree.RefsOf(n)
	for i := range refs {
		if r.Clock.Over(1) {
			break
		}
		if to := r.usedFile(n, &refs[i]); to >= 0 {
			link(to).Uses++
		}
	}
	return links
}

// link is an empty link with file n.
func (s *Snapshot) link(n int32) *FileLink {
	return &FileLink{Path: s.tree.Files[n].Path, Test: s.tree.Files[n].Test}
}

// importTargets calls each for the files that the import m of file n names.
func (r *resolver) importTargets(m store.ImportRow, n int32, each func(to int32)) {
	v := r.Module(m.Module, n)
	if len(v.Files) == 1 {
		each(v.Files[0])
	}
	v = r.ImportedFrom(v, m, n)
	for _, y := range v.Symbols {
		each(y.File)
	}
	if len(v.Files) == 1 { // a module of the package that is imported
		each(v.Files[0])
	}
}

// usedFile is the file to which the reference u of file n leads, or -1.
func (r *resolver) usedFile(n int32, u *store.Ref) int32 {
	if list := r.Resolve(n, u); len(list) > 0 && list[0].Sure.Of <= maxImpactAlike {
		return list[0].File
	}
	return -1
}

// asked is a file whose dependents are looked for.
type asked struct {
	file       int32
	names      store.NameSet // that it defines
	known, may store.NameSet // the modules that were looked at, and of these those that the file may be
}

// called reports whether the file may be what file n imports as this module: in some languages the last part of its
// absolute name tells.
func (a *asked) called(r *resolver, module uint32, n int32) bool {
	if !meaning.RulesOf(r.s.tree.Files[n].Lang).LastNames {
		return true
	}
	if !a.known.Has(module) {
		a.known.Add(module)
		name, unit := r.s.tree.Lex.Text(module), r.s.tree.Files[a.file].Unit()
		last := name[strings.LastIndexAny(name, "./")+1:]
		if strings.HasPrefix(name, ".") || unit == last || unit == last+"/__init__" {
			a.may.Add(module)
		}
	}
	return a.may.Has(module)
}

// imports reports whether file n imports the asked file, or what it defines.
func (r *resolver) imports(n int32, a *asked) bool {
	for _, m := range r.s.tree.ImportsOf(n) {
		if r.Clock.Over(1) {
			break
		}
		if m.Name == 0 && !a.called(r, m.Module, n) {
			continue
		}
		found := false
		if r.importTargets(m, n, func(k int32) { found = found || k == a.file }); found {
			return true
		}
	}
	return false
}

// linkTo is how file n uses the asked file; nil: it does not.
func (r *resolver) linkTo(n int32, a *asked) *FileLink {
	l := r.s.link(n)
	l.Imported = r.imports(n, a)
	alone := r.NamedAlone(n, a.file)
	refs := store.RefsAmong(r.s.tree.Files[n].Packed, a.names)
	r.Clock.Over(len(refs))
	for i := range refs {
		if u := &refs[i]; (u.Qual != 0 || alone(u.Name)) && r.usedFile(n, u) == a.file {
			l.Uses++
		}
	}
	if !l.Imported && l.Uses == 0 {
		return nil
	}
	return l
}

func (s *Snapshot) links(links map[int32]*FileLink, p Page) (FileLinks, error) {
	var list []FileLink
	for _, l := range links {
		if l.Imported || l.Uses > 0 {
			list = append(list, *l)
		}
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return a.Uses > b.Uses || a.Uses == b.Uses && a.Path < b.Path
	})
	part, more, err := cut(list, p)
	return FileLinks{part, more}, err
}

// FileDependents answers the files that use the file at path.
func (s *Snapshot) FileDependents(ctx context.Context, path string, p Page) (FileLinks, error) {
	n := s.tree.Number(path)
	if n < 0 {
		return FileLinks{}, s.noFile(path)
	}
	ctx, cancel := context.WithTimeout(ctx, store.MaxSearch)
	defer cancel()
	links := map[int32]*FileLink{}
	r := newResolver(ctx, s)
	list, names := r.mentioningAny(n)
	a := &asked{n, names, s.tree.NewNameSet(), s.tree.NewNameSet()}
	for _, m := range r.importers(a, list) {
		if r.Clock.Look() {
			break
		}
		if l := r.linkTo(m, a); l != nil {
			links[m] = l
		}
	}
	if err := store.Canceled(ctx); err != nil {
		return FileLinks{}, err
	}
	out, err := s.links(links, p)
	out.Stopped = r.Clock.Ended
	return out, err
}

// importedFile is the one file that stands for a module named in file n, or -1.
func (r *resolver) importedFile(module uint32, n int32) int32 {
	if v := r.Module(module, n); len(v.Files) == 1 {
		return v.Files[0]
	}
	return -1
}

// importers adds to list the files that import the asked file itself, whatever it defines: it may only pass on what
// others define.
func (r *resolver) importers(a *asked, list []int32) []int32 {
	n, known := a.file, make([]bool, len(r.s.tree.Files))
	known[n] = true
	for _, m := range list {
		known[m] = true
	}
	for k, f := range r.s.tree.Files {
		m := int32(k)
		if f == nil || known[m] || store.Family(f.Lang) != store.Family(r.s.tree.Files[n].Lang) || r.Clock.Over(1) {
			continue
		}
		// The imports of the whole tree are not kept: they would fill the memory that the index saves.
		imports := store.UnpackImports(f.Packed)
		r.Clock.Over(len(imports))
		if slices.ContainsFunc(imports, func(i store.ImportRow) bool {
			return a.called(r, i.Module, m) && r.importedFile(i.Module, m) == n
		}) {
			list = append(list, m)
		}
	}
	return list
}

// mentioningAny are the files that mention one of the names that file n defines, and these names.
func (r *resolver) mentioningAny(n int32) (list []int32, names store.NameSet) {
	s := r.s
	names = s.tree.NewNameSet()
	seen := make([]bool, len(s.tree.Files))
	seen[n] = true
	for _, d := range s.tree.DefsOf(n) {
		if names.Has(d.Name) {
			continue
		}
		names.Add(d.Name)
		r.Mentioning(d.Name, true, func(m int32) {
			if !seen[m] && store.Family(s.tree.Files[m].Lang) == store.Family(s.tree.Files[n].Lang) {
				seen[m] = true
				list = append(list, m)
			}
		})
	}
	slices.Sort(list)
	return list, names
}
