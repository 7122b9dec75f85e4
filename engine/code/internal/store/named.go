package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"helve/engine/code/internal/syntax"
)

// name is a name taken apart: path#Qualified or qualifiers and the last name.
type name struct {
	Path string
	raw  string // path, where an ID has it as in a URL
	Last string
	rest []string // what stands before the last name, the nearest first

	Ordinal int // f~2 is the second f; 0: no number is given
}

// dotted is the name with what stands before it, without the path.
func (n *name) dotted() string {
	if len(n.rest) == 0 {
		return n.Last
	}
	return joinReversed(n.rest) + "." + n.Last
}

func ParseName(text string) name {
	var n name
	text = strings.TrimSpace(text)
	if path, rest, ok := strings.Cut(text, "#"); ok && path != "" && rest != "" {
		n.Path, text = strings.TrimPrefix(path, "./"), rest
		n.raw = RawID(n.Path)
	}
	text = strings.TrimSuffix(strings.TrimSuffix(text, "()"), ".")
	text = strings.NewReplacer("::", ".", "->", ".", "(*", "", ")", "", "\\", ".").Replace(text)
	parts := strings.Split(text, ".")
	for i := range parts {
		parts[i] = RawID(parts[i])
	}
	n.Last, n.Ordinal = numbered(parts[len(parts)-1])
	for i := len(parts) - 2; i >= 0; i-- {
		if parts[i] != "" {
			n.rest = append(n.rest, parts[i])
		}
	}
	return n
}

// numbered takes the number off the end of f~2. A destructor such as ~f has none.
func numbered(last string) (string, int) {
	i := strings.LastIndexByte(last, '~')
	if i <= 0 {
		return last, 0
	}
	n, err := strconv.Atoi(last[i+1:])
	if err != nil || n < 1 {
		return last, 0
	}
	return last[:i], n
}

// Candidate is a definition that a name may mean, and how well the name fits it.
type Candidate struct {
	DefID
	Fit int
}

// Named are the definitions that text means, the likeliest first by what they are and where they stand.
func (s *Snapshot) Named(text string) []DefID {
	return SymbolsIn(s.Candidates(text))
}

func SymbolsIn(list []Candidate) []DefID {
	out := make([]DefID, len(list))
	for i := range list {
		out[i] = list[i].DefID
	}
	return out
}

func (s *Snapshot) Candidates(text string) []Candidate {
	n := ParseName(text)
	y, ok := s.Lex.Find(n.Last)
	if !ok || y == 0 {
		return nil
	}
	return s.Meant(&n, y)
}

// Meant are the definitions of the name y that n may mean.
func (s *Snapshot) Meant(n *name, y uint32) []Candidate {
	var list []Candidate
	s.Mentioning(y, false, func(m int32) {
		if p := s.Files[m].Path; n.Path != "" && p != n.Path && p != n.raw {
			return
		}
		defs := s.DefsOf(m)
		for i := range defs {
			if defs[i].Name != y {
				continue
			}
			d := DefID{m, int32(i)}
			fit := s.qualifies(d, n.rest)
			if fit == 0 || n.Ordinal > 0 && !s.isNumbered(d, n.Ordinal) {
				continue
			}
			if n.Path != "" && s.Qualified(d) == n.dotted() { // an ID as answers give it
				fit = identified
			}
			list = append(list, Candidate{d, fit})
		}
	})
	SortBy(list, func(c Candidate) int { return -s.Prominence(c.DefID) - c.Fit*maxProminence })
	return list
}

// qualifies tells how well the names in rest, the nearest first, are those of what y stands in: types and functions,
// then the package or folders (2), then the name of the file (1). 0: they are not.
func (s *Snapshot) qualifies(y DefID, rest []string) int {
	if len(rest) == 0 {
		return 2
	}
	f := s.Files[y.File]
	q := strings.Split(s.Qualified(y), ".")
	q = q[:len(q)-1]
	for len(rest) > 0 && len(q) > 0 && q[len(q)-1] == rest[0] {
		q, rest = q[:len(q)-1], rest[1:]
	}
	if len(rest) == 0 {
		return 2
	}
	if len(q) > 0 {
		return 0
	}
	dotted := joinReversed(rest)
	if pkg := s.Lex.Text(f.Package); pkg != "" && pkg == dotted {
		return 2
	}
	want := strings.FieldsFunc(dotted, func(c rune) bool { return c == '.' || c == '/' })
	where := strings.Split(strings.TrimSuffix(f.Path, Extension(f.Path)), "/")
	switch {
	case hasSuffix(where[:len(where)-1], want):
		return 2
	case hasSuffix(where, want) && f.Lang.Traits().Folders:
		return 1
	case hasSuffix(where, want):
		return 2
	}
	return 0
}

func Extension(p string) string {
	if i := strings.LastIndexByte(p, '.'); i > strings.LastIndexByte(p, '/') {
		return p[i:]
	}
	return ""
}

func joinReversed(rest []string) string {
	r := slices.Clone(rest)
	slices.Reverse(r)
	return strings.Join(r, ".")
}

func hasSuffix(list, end []string) bool {
	return len(list) >= len(end) && slices.Equal(list[len(list)-len(end):], end)
}

// Prominence orders the definitions of one name: types and functions first, code before tests and copies.
func (s *Snapshot) Prominence(y DefID) int {
	f, d := s.Files[y.File], s.Def(y)
	p := 0
	switch {
	case d.Kind.Type():
		p = 60
	case d.Kind == syntax.Function || d.Kind == syntax.Constructor:
		p = 55
	case d.Kind == syntax.Method:
		p = 50
	case d.Kind == syntax.Macro || d.Kind == syntax.Module:
		p = 40
	case d.Kind == syntax.Variable || d.Kind == syntax.Constant:
		p = 30
	default:
		p = 20
	}
	if d.Kind.Callable() && d.Body >= d.End {
		p -= 8
	}
	if d.Parent >= 0 && s.DefsOf(y.File)[d.Parent].Kind.Callable() {
		p -= 25
	}
	if f.Test {
		p -= 100
	}
	if f.Foreign {
		p -= 200
	}
	return p*100 - strings.Count(f.Path, "/")
}

// located is the text of one definition: its first body bytes are the signature.
type located struct {
	Text          []byte
	Body          int
	Line, EndLine int
}

// Locate reads the file of y as it is now and cuts y out: where the index says if the file is what was indexed, else
// where it stands now.
func (s *Snapshot) Locate(ctx context.Context, y DefID) (located, error) {
	f, d := s.Files[y.File], s.Def(y)
	src, err := s.Text(ctx, f.Path)
	if err != nil {
		return located{}, err
	}
	if Digest(src) == f.Digest && d.Start >= 0 && d.Start <= d.Body && d.Body <= d.End && int(d.End) <= len(src) {
		if e, ok := s.shapeBefore(y, src); ok {
			return located{src[e.Start:d.End], int(e.Body - e.Start), int(d.Line), int(d.EndLine)}, nil
		}
		return located{src[d.Start:d.End], int(d.Body - d.Start), int(d.Line), int(d.EndLine)}, nil
	}
	now := syntax.Extract(f.Path, src)
	want := s.Qualified(y)
	for i := range now.Definitions {
		if d := &now.Definitions[i]; QualifiedIn(&now, i) == want {
			return located{src[d.Start:d.End], d.Body - d.Start, d.Line, d.EndLine}, nil
		}
	}
	return located{}, fmt.Errorf("code: %s#%s: the file has changed and no longer defines it: ask again", f.Path, want)
}

// identified is how well an ID fits what it names: better than all else that its name may mean.
const identified = 3

// maxProminence is above what any two prominences differ by.
const maxProminence = 1 << 24
