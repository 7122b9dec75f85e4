package code

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

// symbol describes y.
func (s *Snapshot) symbol(y symbol) Symbol {
	f := s.files[y.file]
	d := s.def(y)
	q := s.qualified(y)
	id := f.Path + "#" + q
	if n := s.ordinal(y); n > 1 {
		id += "~" + strconv.Itoa(n)
	}
	return Symbol{
		ID:        s.id(id),
		Name:      s.lex.text(d.name),
		Qualified: q,
		Kind:      d.kind,
		Path:      f.Path,
		Line:      int(d.line),
		EndLine:   int(d.endLine),
		Test:      f.test,
	}
}

// fileSymbol describes a file as the place of references that stand in no definition.
func (s *Snapshot) fileSymbol(n int32) Symbol {
	f := s.files[n]
	return Symbol{ID: s.id(f.Path), Name: f.stem(), Kind: syntax.Module, Path: f.Path, Line: 1, EndLine: int(f.lines), Test: f.test}
}

// maxNesting bounds the names joined to a qualified one.
const maxNesting = 16

// qualified is the name of y with those of the types and functions around it.
func (s *Snapshot) qualified(y symbol) string {
	defs := s.defsOf(y.file)
	var parts []string
	for p := y.def; p >= 0 && len(parts) < maxNesting; p = defs[p].parent {
		parts = append(parts, s.lex.text(defs[p].name))
		if defs[p].owner != 0 && !s.nameless(symbol{y.file, p}) {
			parts = append(parts, s.lex.text(defs[p].owner))
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

// content is a file as it is on disk now, with its structure.
type content struct {
	src  []byte
	file syntax.File
}

// content reads the file at path and what it holds.
func (s *Snapshot) content(ctx context.Context, path string) (content, error) {
	src, err := s.text(ctx, path)
	if err != nil {
		return content{}, err
	}
	return content{src, syntax.Extract(path, src)}, nil
}

// text reads the file at path.
func (s *Snapshot) text(ctx context.Context, path string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := s.source.Open(path)
	if err != nil {
		return nil, fmt.Errorf("code: %w", err)
	}
	defer r.Close()
	var size int64
	if n := s.number(path); n >= 0 {
		size = min(s.files[n].Size, syntax.MaxFileSize)
	}
	src, err := readAll(r, make([]byte, 0, size+1))
	if err != nil {
		return nil, fmt.Errorf("code: read %s: %w", path, err)
	}
	return src, nil
}

// qualifiedIn is the qualified name of definition i of f.
func qualifiedIn(f *syntax.File, i int) string {
	name := f.Definitions[i].Name
	for n := 0; n < maxNesting; n++ {
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

// signature is the head of definition i, on one line.
func (c content) signature(i int) string {
	d := &c.file.Definitions[i]
	return signatureOf(c.src[d.Start:min(d.End, len(c.src))], d.Body-d.Start)
}

// signatureOf is the head of a definition, its first body bytes or if there are none all of it, on one line.
func signatureOf(text []byte, body int) string {
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

// nameless reports whether y is a method of a class without a name. Its owner are the bases of that class then.
func (s *Snapshot) nameless(y symbol) bool {
	defs := s.defsOf(y.file)
	d := &defs[y.def]
	return d.owner != 0 && syntax.Nameless(s.files[y.file].lang, d.kind, d.parent >= 0 && !defs[d.parent].kind.Type())
}
