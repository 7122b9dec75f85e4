package code

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// Item is a function or class in a list.
type Item struct {
	Symbol
	Signature string
	Params    string   // of a function: what stands between its brackets
	Bases     []string // of a class
	Methods   []string // of a class
}

// Items is a page of functions or classes.
type Items struct {
	Items []Item
	More
}

// Functions lists functions and methods by path and line: of one file, or with path empty of all.
func (s *Snapshot) Functions(ctx context.Context, path string, p Page) (Items, error) {
	return s.items(ctx, path, p, func(k syntax.Kind) bool { return k.Callable() && k != syntax.Macro })
}

// Classes lists types by path and line: of one file, or with path empty of all.
func (s *Snapshot) Classes(ctx context.Context, path string, p Page) (Items, error) {
	return s.items(ctx, path, p, syntax.Kind.Type)
}

func (s *Snapshot) items(ctx context.Context, path string, p Page, keep func(syntax.Kind) bool) (Items, error) {
	files, err := s.chosen(path)
	if err != nil {
		return Items{}, err
	}
	var list []store.DefID
	for _, n := range files {
		if f := s.tree.Files[n]; f.Funcs+f.Types == 0 {
			continue
		}
		// The rows of the whole tree are not kept: they would fill the memory that the index saves.
		for i, d := range store.UnpackDefs(s.tree.Files[n].Packed) {
			if keep(d.Kind) {
				list = append(list, store.At(n, int32(i)))
			}
		}
	}
	part, more, err := cut(list, p)
	if err != nil {
		return Items{}, err
	}
	out := Items{More: more}
	var last store.Content
	at := int32(-1)
	for _, y := range part {
		if y.File != at {
			if last, err = s.tree.Content(ctx, s.tree.Files[y.File].Path); err != nil {
				return Items{}, err
			}
			at = y.File
		}
		out.Items = append(out.Items, s.item(y, last))
	}
	return out, nil
}

// chosen are the numbers of the files at path, or of all of them by path.
func (s *Snapshot) chosen(path string) ([]int32, error) {
	if path != "" {
		n := s.tree.Number(path)
		if n < 0 {
			return nil, s.noFile(path)
		}
		return []int32{n}, nil
	}
	var list []int32
	for n, f := range s.tree.Files {
		if f != nil {
			list = append(list, int32(n))
		}
	}
	if len(s.tree.Later) > 0 {
		slices.SortFunc(list, func(a, b int32) int {
			return strings.Compare(s.tree.Files[a].Path, s.tree.Files[b].Path)
		})
	}
	return list, nil
}

// Missing is the error about a file that is not there. It names one of that name elsewhere.
func (s *Snapshot) Missing(path string) error { return s.noFile(path) }

func (s *Snapshot) noFile(path string) error {
	base := path[strings.LastIndexByte(path, '/')+1:]
	for _, f := range s.tree.Files {
		if f != nil && strings.HasSuffix(f.Path, "/"+base) {
			return fmt.Errorf("code: no such file in the index: %s: did you mean %s?", path, f.Path)
		}
	}
	return fmt.Errorf("code: no such file in the index: %s: list the files to see what is there", path)
}

// item describes y with the text of its file.
func (s *Snapshot) item(y store.DefID, c store.Content) Item {
	it := Item{Symbol: s.tree.Symbol(y)}
	i := int(y.Def)
	if i >= len(c.File.Definitions) || c.File.Definitions[i].Name != it.Name {
		return it // the file has changed since
	}
	it.Signature = c.Signature(i)
	if it.Kind.Callable() {
		it.Params = params(it.Signature, it.Name)
		return it
	}
	for _, u := range c.File.References {
		if u.Use == syntax.Inherit && u.From == i {
			it.Bases = append(it.Bases, strings.TrimPrefix(u.Qualifier+"."+u.Name, "."))
		}
	}
	for k := range c.File.Definitions {
		d := &c.File.Definitions[k]
		if d.Kind.Callable() && (d.Parent == i || d.Owner == it.Name && !c.File.Nameless(k)) {
			it.Methods = append(it.Methods, d.Name)
		}
	}
	return it
}

// params is what stands in the brackets behind name.
func params(signature, name string) string {
	i := strings.Index(signature, name+"(")
	if i < 0 {
		if i = strings.IndexByte(signature, '('); i < 0 {
			return ""
		}
	} else {
		i += len(name)
	}
	depth := 0
	for k := i; k < len(signature); k++ {
		switch signature[k] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return signature[i+1 : k]
			}
		}
	}
	return signature[i+1:]
}

// ImportLine is one import of one file.
type ImportLine struct {
	Path string // of the file that imports
	syntax.Import
}

// Imports is a page of imports.
type Imports struct {
	Imports []ImportLine
	More
}

// Imports lists imports by path and line: of one file, or with path empty of all.
func (s *Snapshot) Imports(_ context.Context, path string, p Page) (Imports, error) {
	files, err := s.chosen(path)
	if err != nil {
		return Imports{}, err
	}
	var list []ImportLine
	for _, n := range files {
		for _, m := range store.UnpackImports(s.tree.Files[n].Packed) {
			imported := syntax.Import{
				Module: s.tree.Lex.Text(m.Module),
				Name:   s.tree.Lex.Text(m.Name),
				Local:  s.tree.Lex.Text(m.Local),
				Line:   int(m.Line),
			}
			list = append(list, ImportLine{s.tree.Files[n].Path, imported})
		}
	}
	part, more, err := cut(list, p)
	return Imports{part, more}, err
}

// Paths is a page of paths.
type Paths struct {
	Paths []string
	More
}

// Files lists the files of the tree whose paths match a glob, in which ** stands for folders; a pattern without a
// slash matches names in every folder. Empty: all.
func (s *Snapshot) Files(ctx context.Context, pattern string, p Page) (Paths, error) {
	listing, err := s.tree.Source.Files(ctx)
	if err != nil {
		return Paths{}, fmt.Errorf("code: list files: %w", err)
	}
	if pattern != "" && !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	if pattern != "" && !doublestar.ValidatePattern(pattern) {
		return Paths{}, fmt.Errorf("code: pattern %q: not a glob: use * ? [a-z] {a,b} and **", pattern)
	}
	var list []string
	for _, e := range listing.Files {
		if ok, _ := doublestar.Match(pattern, e.Path); ok || pattern == "" {
			list = append(list, e.Path)
		}
	}
	part, more, err := cut(list, p)
	return Paths{part, more}, err
}

// Summary is what a tree holds.
type Summary struct {
	Files     int // all of them
	Indexed   int // those that are read for symbols
	Lines     int // of these
	Functions int
	Classes   int
	Packages  int // folders that hold code
	Languages []LanguageCount
	Folders   []FolderCount
	Top       []TopSymbol
	Skipped   []string // "path: reason"
}

// LanguageCount counts the files and lines in one language.
type LanguageCount struct {
	Language     syntax.Language
	Files, Lines int
}

// FolderCount counts what one folder at the top holds.
type FolderCount struct {
	Path                             string
	Files, Lines, Functions, Classes int
}

// TopSymbol is a definition that many files mention.
type TopSymbol struct {
	Symbol
	Files int
}

const (
	// topSymbols is how many of them a summary names.
	topSymbols = 15
	// topCandidates is how many names are looked at for them.
	topCandidates = 400
	// maxSkippedShown bounds the skipped files that a summary names.
	maxSkippedShown = 20
)

// Summary counts what the tree holds.
func (s *Snapshot) Summary(ctx context.Context) (Summary, error) {
	listing, err := s.tree.Source.Files(ctx)
	if err != nil {
		return Summary{}, fmt.Errorf("code: list files: %w", err)
	}
	sum := Summary{Files: len(listing.Files)}
	languages, folders, dirs := map[syntax.Language]*LanguageCount{}, map[string]*FolderCount{}, map[string]bool{}
	for _, f := range s.tree.Sorted() {
		if f.Skipped != "" && len(sum.Skipped) < maxSkippedShown {
			sum.Skipped = append(sum.Skipped, f.Path+": "+f.Skipped)
		}
		if f.Lines == 0 {
			continue
		}
		sum.Indexed++
		sum.Lines += int(f.Lines)
		sum.Functions += int(f.Funcs)
		sum.Classes += int(f.Types)
		dirs[f.Dir()] = true
		l := languages[f.Lang]
		if l == nil {
			l = &LanguageCount{Language: f.Lang}
			languages[f.Lang] = l
		}
		l.Files++
		l.Lines += int(f.Lines)
		top, _, ok := strings.Cut(f.Path, "/")
		if !ok {
			top = "."
		}
		d := folders[top]
		if d == nil {
			d = &FolderCount{Path: top}
			folders[top] = d
		}
		d.Files++
		d.Lines += int(f.Lines)
		d.Functions += int(f.Funcs)
		d.Classes += int(f.Types)
	}
	sum.Packages = len(dirs)
	for _, l := range languages {
		sum.Languages = append(sum.Languages, *l)
	}
	sort.SliceStable(sum.Languages, func(i, j int) bool {
		a, b := &sum.Languages[i], &sum.Languages[j]
		return a.Lines > b.Lines || a.Lines == b.Lines && a.Language < b.Language
	})
	for _, d := range folders {
		sum.Folders = append(sum.Folders, *d)
	}
	sort.SliceStable(sum.Folders, func(i, j int) bool { return sum.Folders[i].Path < sum.Folders[j].Path })
	sum.Top = s.top()
	return sum, nil
}

// top are the types and functions that most files mention. Names with several meanings do not count: nobody can say
// which of them is meant without reading all references.
func (s *Snapshot) top() []TopSymbol {
	type count struct {
		y uint32
		n int
	}
	var list []count
	p := &s.tree.Base.Posts
	for y := 1; y+1 < len(p.Start); y++ {
		if n := int(p.Start[y+1] - p.Start[y]); n > 1 {
			list = append(list, count{uint32(y), n})
		}
	}
	slices.SortStableFunc(list, func(a, b count) int { // the numbers of names come from whichever reader was first
		if a.n != b.n {
			return b.n - a.n
		}
		return bytes.Compare(s.tree.Base.Names.Bytes(a.y), s.tree.Base.Names.Bytes(b.y))
	})
	var out []TopSymbol
	for _, c := range list[:min(len(list), topCandidates)] {
		if y, ok := s.sole(c.y); ok {
			if out = append(out, TopSymbol{s.tree.Symbol(y), c.n}); len(out) == topSymbols {
				break
			}
		}
	}
	return out
}

// sole is the only definition of a name, if it is a type or function outside tests.
func (s *Snapshot) sole(y uint32) (store.DefID, bool) {
	var one store.DefID
	count := 0
	s.tree.Mentioning(y, false, func(n int32) {
		if count++; count > 1 {
			return
		}
		for i := range s.tree.DefsOf(n) {
			if d := &s.tree.DefsOf(n)[i]; d.Name == y {
				one = store.At(n, int32(i))
				stands := d.Kind.Type() || d.Kind == syntax.Function || d.Kind == syntax.Macro
				if f := s.tree.Files[n]; !stands || f.Test || f.Foreign {
					count = 2
				}
				break
			}
		}
	})
	return one, count == 1
}
