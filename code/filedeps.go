package code

import (
	"cmp"
	"context"
	"slices"
	"strings"
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
	return s.links(s.resolver().filesOf(n, nil, nil), p)
}

// filesOf are the files that file n uses; only and names, if not nil, narrow the files and the references looked at.
func (r *resolver) filesOf(n int32, only map[int32]bool, names map[uint32]bool) map[int32]*FileLink {
	links := map[int32]*FileLink{}
	link := func(m int32) *FileLink {
		if m == n || only != nil && !only[m] {
			return &FileLink{}
		}
		if links[m] == nil {
			links[m] = &FileLink{Path: r.s.files[m].Path, Test: r.s.files[m].test}
		}
		return links[m]
	}
	for _, m := range r.s.importsOf(n) {
		if to := r.importedFile(m.module, n); to >= 0 {
			link(to).Imported = true
		}
		v := r.importValue(m, n)
		for _, y := range v.syms {
			link(y.file).Imported = true
		}
		if len(v.files) == 1 { // a module of the package that is imported
			link(v.files[0]).Imported = true
		}
	}
	refs := r.s.refsOf(n)
	for i := range refs {
		if names != nil && !names[refs[i].name] {
			continue
		}
		for _, t := range r.resolve(n, &refs[i]) {
			if t.sure.Of <= maxImpactAlike {
				link(t.file).Uses++
			}
			break
		}
	}
	return links
}

func (s *Snapshot) links(links map[int32]*FileLink, p Page) (FileLinks, error) {
	var list []FileLink
	for _, l := range links {
		if l.Imported || l.Uses > 0 {
			list = append(list, *l)
		}
	}
	slices.SortFunc(list, func(a, b FileLink) int { return cmp.Or(b.Uses-a.Uses, strings.Compare(a.Path, b.Path)) })
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
	links, whole := map[int32]*FileLink{}, true
	r := s.resolver()
	names := map[uint32]bool{}
	for _, d := range s.defsOf(n) {
		names[d.name] = true
	}
	for _, m := range r.importers(ctx, n, s.mentioningAny(n, names)) {
		if ctx.Err() != nil {
			whole = false
			break
		}
		if l := r.filesOf(m, map[int32]bool{n: true}, names)[n]; l != nil {
			links[m] = &FileLink{Path: s.files[m].Path, Test: s.files[m].test, Imported: l.Imported, Uses: l.Uses}
		}
	}
	out, err := s.links(links, p)
	out.Stopped = !whole
	return out, err
}

// importedFile is the one file that stands for a module named in file n, or -1.
func (r *resolver) importedFile(module uint32, n int32) int32 {
	if v := r.module(module, n); len(v.files) == 1 {
		return v.files[0]
	}
	return -1
}

// importers adds to list the files that import file n itself, whatever it defines: it may only pass on what others define.
func (r *resolver) importers(ctx context.Context, n int32, list []int32) []int32 {
	known := map[int32]bool{n: true}
	for _, m := range list {
		known[m] = true
	}
	for k, f := range r.s.files {
		m := int32(k)
		if f == nil || known[m] || family(f.lang) != family(r.s.files[n].lang) || ctx.Err() != nil {
			continue
		}
		// The imports of the whole tree are not kept: they would fill the memory that the index saves.
		if slices.ContainsFunc(unpackImports(f.packed), func(i importRow) bool { return r.importedFile(i.module, m) == n }) {
			list = append(list, m)
		}
	}
	return list
}

// mentioningAny are the files that mention one of the names that file n defines.
func (s *Snapshot) mentioningAny(n int32, names map[uint32]bool) []int32 {
	seen := map[int32]bool{n: true}
	var list []int32
	for y := range names {
		s.mentioning(y, true, func(m int32) {
			if !seen[m] && family(s.files[m].lang) == family(s.files[n].lang) {
				seen[m] = true
				list = append(list, m)
			}
		})
	}
	slices.Sort(list)
	return list
}
