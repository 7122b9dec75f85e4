package code

import (
	"context"
	"fmt"
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// FolderEntry is a file or folder in a folder.
type FolderEntry struct {
	Path  string // a folder's ends in /
	Files int    // below a folder
	Lines int
	// Names are what a file defines at its top, as far as others may mean it, the first ones; More counts the rest.
	Names []string
	More  int
}

// FolderEntries is a page of them: folders and files by path.
type FolderEntries struct {
	Entries []FolderEntry
	More
}

// maxFolderNames is how many names of a file an overview of its folder has.
const maxFolderNames = 12

// Folder answers what is in a folder. It has no entries where there is no such folder.
func (s *Snapshot) Folder(ctx context.Context, dir string, p Page) (FolderEntries, error) {
	listing, err := s.tree.Source.Files(ctx)
	if err != nil {
		return FolderEntries{}, fmt.Errorf("code: list files: %w", err)
	}
	var list []FolderEntry
	prefix := strings.TrimSuffix(dir, "/") + "/"
	for _, f := range listing.Files {
		rest, in := strings.CutPrefix(f.Path, prefix)
		if !in {
			continue
		}
		e := FolderEntry{Path: f.Path, Files: 1, Lines: s.linesOf(f.Path)}
		if sub, _, deeper := strings.Cut(rest, "/"); deeper {
			e.Path = prefix + sub + "/"
		}
		last := len(list) - 1
		if last < 0 || list[last].Path != e.Path { // files of one folder stand together
			list = append(list, e)
			continue
		}
		list[last].Files++
		list[last].Lines += e.Lines
	}
	part, more, err := cut(list, p)
	if err != nil {
		return FolderEntries{}, err
	}
	for i := range part {
		s.nameTop(&part[i])
	}
	return FolderEntries{part, more}, nil
}

// Module answers the files of the module of this name, as imports name it: net/http, os.path, @scope/package. It has no
// entries where there is no such module.
func (s *Snapshot) Module(ctx context.Context, name string, p Page) (FolderEntries, error) {
	ctx, cancel := context.WithTimeout(ctx, store.MaxSearch)
	defer cancel()
	r := newResolver(ctx, s)
	part, more, err := cut(r.ModuleNamed(name), p)
	if err != nil {
		return FolderEntries{}, err
	}
	out := FolderEntries{More: more}
	for _, n := range part {
		e := FolderEntry{Path: s.tree.Files[n].Path, Files: 1, Lines: int(s.tree.Files[n].Lines)}
		s.nameTop(&e)
		out.Entries = append(out.Entries, e)
	}
	return out, store.Canceled(ctx)
}

func (s *Snapshot) linesOf(path string) int {
	if n := s.tree.Number(path); n >= 0 {
		return int(s.tree.Files[n].Lines)
	}
	return 0
}

// nameTop adds what a file defines at its top.
func (s *Snapshot) nameTop(e *FolderEntry) {
	n := s.tree.Number(e.Path)
	if n < 0 {
		return
	}
	defs := s.tree.DefsOf(n)
	for i := range defs {
		d := &defs[i]
		name := s.tree.Lex.Text(d.Name)
		shown := d.Kind.Type() || d.Kind.Callable() || d.Kind == syntax.Variable || d.Kind == syntax.Constant
		if d.Parent >= 0 || d.Owner != 0 || !shown || strings.HasPrefix(name, "_") {
			continue
		}
		if len(e.Names) == maxFolderNames {
			e.More++
			continue
		}
		e.Names = append(e.Names, name)
	}
}
