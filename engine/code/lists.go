package code

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

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
	var list []symbol
	for _, n := range files {
		if f := s.files[n]; f.funcs+f.types == 0 {
			continue
		}
		// The rows of the whole tree are not kept: they would fill the memory that the index saves.
		for i, d := range unpackDefs(s.files[n].packed) {
			if keep(d.kind) {
				list = append(list, symbol{n, int32(i)})
			}
		}
	}
	part, more, err := cut(list, p)
	if err != nil {
		return Items{}, err
	}
	out := Items{More: more}
	var last content
	at := int32(-1)
	for _, y := range part {
		if y.file != at {
			if last, err = s.content(ctx, s.files[y.file].Path); err != nil {
				return Items{}, err
			}
			at = y.file
		}
		out.Items = append(out.Items, s.item(y, last))
	}
	return out, nil
}

// chosen are the numbers of the files at path, or of all of them by path.
func (s *Snapshot) chosen(path string) ([]int32, error) {
	if path != "" {
		n := s.number(path)
		if n < 0 {
			return nil, s.noFile(path)
		}
		return []int32{n}, nil
	}
	var list []int32
	for n, f := range s.files {
		if f != nil {
			list = append(list, int32(n))
		}
	}
	if len(s.later) > 0 {
		slices.SortFunc(list, func(a, b int32) int { return strings.Compare(s.files[a].Path, s.files[b].Path) })
	}
	return list, nil
}

// Missing is the error about a file that is not there. It names one of that name elsewhere.
func (s *Snapshot) Missing(path string) error { return s.noFile(path) }

func (s *Snapshot) noFile(path string) error {
	base := path[strings.LastIndexByte(path, '/')+1:]
	for _, f := range s.files {
		if f != nil && strings.HasSuffix(f.Path, "/"+base) {
			return fmt.Errorf("code: no such file in the index: %s: did you mean %s?", path, f.Path)
		}
	}
	return fmt.Errorf("code: no such file in the index: %s: list the files to see what is there", path)
}

// item describes y with the text of its file.
func (s *Snapshot) item(y symbol, c content) Item {
	it := Item{Symbol: s.symbol(y)}
	i := int(y.def)
	if i >= len(c.file.Definitions) || c.file.Definitions[i].Name != it.Name {
		return it // the file has changed since
	}
	it.Signature = c.signature(i)
	if it.Kind.Callable() {
		it.Params = params(it.Signature, it.Name)
		return it
	}
	for _, u := range c.file.References {
		if u.Use == syntax.Inherit && u.From == i {
			it.Bases = append(it.Bases, strings.TrimPrefix(u.Qualifier+"."+u.Name, "."))
		}
	}
	for k := range c.file.Definitions {
		if d := &c.file.Definitions[k]; d.Kind.Callable() && (d.Parent == i || d.Owner == it.Name && !c.file.Nameless(k)) {
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
		for _, m := range unpackImports(s.files[n].packed) {
			imported := syntax.Import{
				Module: s.lex.text(m.module),
				Name:   s.lex.text(m.name),
				Local:  s.lex.text(m.local),
				Line:   int(m.line),
			}
			list = append(list, ImportLine{s.files[n].Path, imported})
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
	listing, err := s.source.Files(ctx)
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
	listing, err := s.source.Files(ctx)
	if err != nil {
		return Summary{}, fmt.Errorf("code: list files: %w", err)
	}
	sum := Summary{Files: len(listing.Files)}
	languages, folders, dirs := map[syntax.Language]*LanguageCount{}, map[string]*FolderCount{}, map[string]bool{}
	for _, f := range s.sorted() {
		if f.skipped != "" && len(sum.Skipped) < maxSkippedShown {
			sum.Skipped = append(sum.Skipped, f.Path+": "+f.skipped)
		}
		if f.lines == 0 {
			continue
		}
		sum.Indexed++
		sum.Lines += int(f.lines)
		sum.Functions += int(f.funcs)
		sum.Classes += int(f.types)
		dirs[f.dir()] = true
		l := languages[f.lang]
		if l == nil {
			l = &LanguageCount{Language: f.lang}
			languages[f.lang] = l
		}
		l.Files++
		l.Lines += int(f.lines)
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
		d.Lines += int(f.lines)
		d.Functions += int(f.funcs)
		d.Classes += int(f.types)
	}
	sum.Packages = len(dirs)
	for _, l := range languages {
		sum.Languages = append(sum.Languages, *l)
	}
	slices.SortStableFunc(sum.Languages, func(a, b LanguageCount) int {
		return cmp.Or(b.Lines-a.Lines, int(a.Language)-int(b.Language))
	})
	for _, d := range folders {
		sum.Folders = append(sum.Folders, *d)
	}
	slices.SortStableFunc(sum.Folders, func(a, b FolderCount) int { return strings.Compare(a.Path, b.Path) })
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
	p := &s.base.posts
	for y := 1; y+1 < len(p.start); y++ {
		if n := int(p.start[y+1] - p.start[y]); n > 1 {
			list = append(list, count{uint32(y), n})
		}
	}
	slices.SortStableFunc(list, func(a, b count) int { // the numbers of names come from whichever reader was first
		if a.n != b.n {
			return b.n - a.n
		}
		return bytes.Compare(s.base.names.bytes(a.y), s.base.names.bytes(b.y))
	})
	var out []TopSymbol
	for _, c := range list[:min(len(list), topCandidates)] {
		if y, ok := s.sole(c.y); ok {
			if out = append(out, TopSymbol{s.symbol(y), c.n}); len(out) == topSymbols {
				break
			}
		}
	}
	return out
}

// sole is the only definition of a name, if it is a type or function outside tests.
func (s *Snapshot) sole(y uint32) (symbol, bool) {
	var one symbol
	count := 0
	s.mentioning(y, false, func(n int32) {
		if count++; count > 1 {
			return
		}
		for i := range s.defsOf(n) {
			if d := &s.defsOf(n)[i]; d.name == y {
				one = symbol{n, int32(i)}
				if !(d.kind.Type() || d.kind == syntax.Function || d.kind == syntax.Macro) || s.files[n].test || s.files[n].foreign {
					count = 2
				}
				break
			}
		}
	})
	return one, count == 1
}
