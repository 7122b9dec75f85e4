package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"helve/engine/code/internal/syntax"
)

// Symbol is one definition as answers show it.
type Symbol struct {
	ID        string      // path#Type.method; the second of that name in a file is path#Type.method~2
	Name      string      // as written
	Qualified string      // Type.method
	Kind      syntax.Kind // function, method, class …
	Path      string
	Line      int // from 1
	EndLine   int
	Test      bool // stands in a test file
}

// Symbol describes y.
func (s *Snapshot) Symbol(y DefID) Symbol {
	f := s.Files[y.File]
	d := s.Def(y)
	q := s.Qualified(y)
	id := f.Path + "#" + q
	if n := s.ordinal(y); n > 1 {
		id += "~" + strconv.Itoa(n)
	}
	return Symbol{
		ID:        s.id(id),
		Name:      s.Lex.Text(d.Name),
		Qualified: q,
		Kind:      d.Kind,
		Path:      f.Path,
		Line:      int(d.Line),
		EndLine:   int(d.EndLine),
		Test:      f.Test,
	}
}

// FileSymbol describes a file as the place of references that stand in no definition.
func (s *Snapshot) FileSymbol(n int32) Symbol {
	f := s.Files[n]
	return Symbol{
		ID:      s.id(f.Path),
		Name:    f.Stem(),
		Kind:    syntax.Module,
		Path:    f.Path,
		Line:    1,
		EndLine: int(f.Lines),
		Test:    f.Test,
	}
}

// MaxNesting bounds the names joined to a qualified one.
const MaxNesting = 16

// Qualified is the name of y with those of the types and functions around it.
func (s *Snapshot) Qualified(y DefID) string {
	defs := s.DefsOf(y.File)
	var parts []string
	for p := y.Def; p >= 0 && len(parts) < MaxNesting; p = defs[p].Parent {
		parts = append(parts, s.Lex.Text(defs[p].Name))
		if defs[p].Owner != 0 && !s.Nameless(DefID{y.File, p}) {
			parts = append(parts, s.Lex.Text(defs[p].Owner))
			break
		}
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
		if i > 0 {
			b.WriteByte('.')
		}
	}
	return b.String()
}

// Content is a file as it is on disk now, with its structure.
type Content struct {
	src  []byte
	File syntax.File
}

// Content reads the file at path and what it holds.
func (s *Snapshot) Content(ctx context.Context, path string) (Content, error) {
	src, err := s.Text(ctx, path)
	if err != nil {
		return Content{}, err
	}
	return Content{src, syntax.Extract(path, src)}, nil
}

// Text reads the file at path.
func (s *Snapshot) Text(ctx context.Context, path string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := s.Source.Open(path)
	if err != nil {
		return nil, fmt.Errorf("code: %w", err)
	}
	defer r.Close()
	var size int64
	if n := s.Number(path); n >= 0 {
		size = min(s.Files[n].Size, syntax.MaxFileSize)
	}
	src, err := readAll(r, make([]byte, 0, size+1))
	if err != nil {
		return nil, fmt.Errorf("code: read %s: %w", path, err)
	}
	return src, nil
}

// QualifiedIn is the qualified name of definition i of f.
func QualifiedIn(f *syntax.File, i int) string {
	name := f.Definitions[i].Name
	for n := 0; n < MaxNesting; n++ {
		d := &f.Definitions[i]
		if d.Owner != "" && !f.Nameless(i) {
			return d.Owner + "." + name
		}
		if d.Parent < 0 {
			break
		}
		i = d.Parent
		name = f.Definitions[i].Name + "." + name
	}
	return name
}

// Signature is the head of definition i, on one line.
func (c Content) Signature(i int) string {
	d := &c.File.Definitions[i]
	return SignatureOf(c.src[d.Start:min(d.End, len(c.src))], d.Body-d.Start)
}

// SignatureOf is the head of a definition, its first body bytes or if there are none all of it, on one line.
func SignatureOf(text []byte, body int) string {
	if body > 0 {
		text = text[:min(body, len(text))]
	}
	head := strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "\uFFFD")), " ")
	if len(head) > maxSignature {
		head = strings.ToValidUTF8(head[:maxSignature], "") + "…"
	}
	return strings.TrimRight(head, " {:=")
}

// maxSignature bounds a signature in bytes: what is longer tells no more.
const maxSignature = 300

// Nameless reports whether y is a method of a class without a name. Its owner are the bases of that class then.
func (s *Snapshot) Nameless(y DefID) bool {
	defs := s.DefsOf(y.File)
	d := &defs[y.Def]
	return d.Owner != 0 && syntax.Nameless(s.Files[y.File].Lang, d.Kind, d.Parent >= 0 && !defs[d.Parent].Kind.Type())
}
