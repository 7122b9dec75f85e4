package code

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"helve/engine/code/internal/syntax"
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
	n := s.number(path)
	if n < 0 {
		return FileLinks{}, s.noFile(path)
	}
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	r := newResolver(ctx, s)
	links := r.filesOf(n)
	if err := canceled(ctx); err != nil {
		return FileLinks{}, err
	}
	out, err := s.links(links, p)
	out.Stopped = r.clock.ended
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
	for _, m := range r.s.importsOf(n) {
		if r.clock.over(1) {
			break
		}
		r.importTargets(m, n, func(to int32) { link(to).Imported = true })
	}
	refs := r.s.refsOf(n)
	for i := range refs {
		if r.clock.over(1) {
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
	return &FileLink{Path: s.files[n].Path, Test: s.files[n].test}
}

// importTargets calls each for the files that the import m of file n names.
func (r *resolver) importTargets(m importRow, n int32, each func(to int32)) {
	v := r.module(m.module, n)
	if len(v.files) == 1 {
		each(v.files[0])
	}
	v = r.importedFrom(v, m, n)
	for _, y := range v.syms {
		each(y.file)
	}
	if len(v.files) == 1 { // a module of the package that is imported
		each(v.files[0])
	}
}

// usedFile is the file to which the reference u of file n leads, or -1.
func (r *resolver) usedFile(n int32, u *ref) int32 {
	if list := r.resolve(n, u); len(list) > 0 && list[0].sure.Of <= maxImpactAlike {
		return list[0].file
	}
	return -1
}

// asked is a file whose dependents are looked for.
type asked struct {
	file       int32
	names      nameSet // that it defines
	known, may nameSet // the modules that were looked at, and of these those that the file may be
}

// called reports whether the file may be what file n imports as this module: of its absolute name the last part
// tells, in Python.
func (a *asked) called(r *resolver, module uint32, n int32) bool {
	if r.s.files[n].lang != syntax.Python {
		return true
	}
	if !a.known.has(module) {
		a.known.add(module)
		name, unit := r.s.lex.text(module), r.s.files[a.file].unit()
		last := name[strings.LastIndexAny(name, "./")+1:]
		if strings.HasPrefix(name, ".") || unit == last || unit == last+"/__init__" {
			a.may.add(module)
		}
	}
	return a.may.has(module)
}

// imports reports whether file n imports the asked file, or what it defines.
func (r *resolver) imports(n int32, a *asked) bool {
	for _, m := range r.s.importsOf(n) {
		if r.clock.over(1) {
			break
		}
		if m.name == 0 && !a.called(r, m.module, n) {
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
	alone := r.alone(n, a.file)
	refs := refsAmong(r.s.files[n].packed, a.names)
	r.clock.over(len(refs))
	for i := range refs {
		if u := &refs[i]; (u.qual != 0 || alone(u.name)) && r.usedFile(n, u) == a.file {
			l.Uses++
		}
	}
	if !l.Imported && l.Uses == 0 {
		return nil
	}
	return l
}

// alone answers which names may mean, standing alone in file n, what file to defines: in many languages only those
// that an import binds.
func (r *resolver) alone(n, to int32) func(y uint32) bool {
	f, g := r.s.files[n], r.s.files[to]
	switch f.lang {
	case syntax.Go:
		if f.pkg == g.pkg && f.dir() == g.dir() {
			return anyName
		}
	case syntax.Python, syntax.JavaScript, syntax.TypeScript, syntax.Rust:
	default:
		return anyName
	}
	imports := r.s.importsOf(n)
	if slices.ContainsFunc(imports, r.all) {
		return anyName
	}
	return func(y uint32) bool {
		return slices.ContainsFunc(imports, func(m importRow) bool { return m.local == y })
	}
}

func anyName(uint32) bool { return true }

func (s *Snapshot) links(links map[int32]*FileLink, p Page) (FileLinks, error) {
	var list []FileLink
	for _, l := range links {
		if l.Imported || l.Uses > 0 {
			list = append(list, *l)
		}
	}
	slices.SortStableFunc(list, func(a, b FileLink) int { return cmp.Or(b.Uses-a.Uses, strings.Compare(a.Path, b.Path)) })
	part, more, err := cut(list, p)
	return FileLinks{part, more}, err
}

// FileDependents answers the files that use the file at path.
func (s *Snapshot) FileDependents(ctx context.Context, path string, p Page) (FileLinks, error) {
	n := s.number(path)
	if n < 0 {
		return FileLinks{}, s.noFile(path)
	}
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	links := map[int32]*FileLink{}
	r := newResolver(ctx, s)
	list, names := r.mentioningAny(n)
	a := &asked{n, names, s.newNameSet(), s.newNameSet()}
	for _, m := range r.importers(a, list) {
		if r.clock.look() {
			break
		}
		if l := r.linkTo(m, a); l != nil {
			links[m] = l
		}
	}
	if err := canceled(ctx); err != nil {
		return FileLinks{}, err
	}
	out, err := s.links(links, p)
	out.Stopped = r.clock.ended
	return out, err
}

// importedFile is the one file that stands for a module named in file n, or -1.
func (r *resolver) importedFile(module uint32, n int32) int32 {
	if v := r.module(module, n); len(v.files) == 1 {
		return v.files[0]
	}
	return -1
}

// importers adds to list the files that import the asked file itself, whatever it defines: it may only pass on what
// others define.
func (r *resolver) importers(a *asked, list []int32) []int32 {
	n, known := a.file, make([]bool, len(r.s.files))
	known[n] = true
	for _, m := range list {
		known[m] = true
	}
	for k, f := range r.s.files {
		m := int32(k)
		if f == nil || known[m] || family(f.lang) != family(r.s.files[n].lang) || r.clock.over(1) {
			continue
		}
		// The imports of the whole tree are not kept: they would fill the memory that the index saves.
		imports := unpackImports(f.packed)
		r.clock.over(len(imports))
		if slices.ContainsFunc(imports, func(i importRow) bool {
			return a.called(r, i.module, m) && r.importedFile(i.module, m) == n
		}) {
			list = append(list, m)
		}
	}
	return list
}

// mentioningAny are the files that mention one of the names that file n defines, and these names.
func (r *resolver) mentioningAny(n int32) (list []int32, names nameSet) {
	s := r.s
	names = s.newNameSet()
	seen := make([]bool, len(s.files))
	seen[n] = true
	for _, d := range s.defsOf(n) {
		if names.has(d.name) {
			continue
		}
		names.add(d.name)
		r.mentioning(d.name, true, func(m int32) {
			if !seen[m] && family(s.files[m].lang) == family(s.files[n].lang) {
				seen[m] = true
				list = append(list, m)
			}
		})
	}
	slices.Sort(list)
	return list, names
}
