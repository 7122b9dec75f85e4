package code

import (
	"context"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// Node is a definition in an outline.
type Node struct {
	Name      string
	Qualified string
	Kind      syntax.Kind
	Signature string
	Line      int
	EndLine   int
	Depth     int // of nesting; 0 at the top
}

// Outline is the structure of one file as it is on disk now.
type Outline struct {
	Path     string
	Language syntax.Language
	Lines    int
	Imports  []syntax.Import
	Nodes    []Node // in the order of the text
	Generic  bool   // guessed from the text's shape
	Skipped  string // why the file was read in part or not at all
	More
}

// Outline answers the structure of the file at path: also of Markdown, JSON and YAML, which have no symbols.
func (s *Snapshot) Outline(ctx context.Context, path string, p Page) (Outline, error) {
	c, err := s.tree.Content(ctx, path)
	if err != nil {
		return Outline{}, err
	}
	f := &c.File
	o := Outline{
		Path:     path,
		Language: f.Language,
		Lines:    f.Lines,
		Imports:  f.Imports,
		Generic:  f.Generic,
		Skipped:  f.Skipped,
	}
	var list []int
	for i := range f.Definitions {
		list = append(list, i)
	}
	part, more, err := cut(list, p)
	if err != nil {
		return Outline{}, err
	}
	o.More = more
	for _, i := range part {
		d := &f.Definitions[i]
		n := Node{
			Name:      d.Name,
			Qualified: store.QualifiedIn(f, i),
			Kind:      d.Kind,
			Line:      d.Line,
			EndLine:   d.EndLine,
			Signature: c.Signature(i),
		}
		for q := d.Parent; q >= 0 && n.Depth < store.MaxNesting; q = f.Definitions[q].Parent {
			n.Depth++
		}
		o.Nodes = append(o.Nodes, n)
	}
	return o, nil
}

// Definitions are those of the file at path, in the order of the text.
func (s *Snapshot) Definitions(path string) []Symbol {
	n := s.tree.Number(path)
	if n < 0 {
		return nil
	}
	var list []Symbol
	for d := range s.tree.DefsOf(n) {
		list = append(list, s.tree.Symbol(store.At(n, int32(d))))
	}
	return list
}
