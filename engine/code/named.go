package code

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
	path string
	raw  string // path, where an ID has it as in a URL
	last string
	rest []string // what stands before the last name, the nearest first

	ordinal int // f~2 is the second f; 0: no number is given
}

// dotted is the name with what stands before it, without the path.
func (n *name) dotted() string {
	if len(n.rest) == 0 {
		return n.last
	}
	return joinReversed(n.rest) + "." + n.last
}

func parseName(text string) name {
	var n name
	text = strings.TrimSpace(text)
	if path, rest, ok := strings.Cut(text, "#"); ok && path != "" && rest != "" {
		n.path, text = strings.TrimPrefix(path, "./"), rest
		n.raw = rawID(n.path)
	}
	text = strings.TrimSuffix(strings.TrimSuffix(text, "()"), ".")
	text = strings.NewReplacer("::", ".", "->", ".", "(*", "", ")", "", "\\", ".").Replace(text)
	parts := strings.Split(text, ".")
	for i := range parts {
		parts[i] = rawID(parts[i])
	}
	n.last, n.ordinal = numbered(parts[len(parts)-1])
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

// candidate is a definition that a name may mean, and how well the name fits it.
type candidate struct {
	symbol
	fit int
}

// named are the definitions that text means, the likeliest first by what they are and where they stand.
func (s *Snapshot) named(text string) []symbol {
	return symbolsIn(s.candidates(text))
}

func symbolsIn(list []candidate) []symbol {
	out := make([]symbol, len(list))
	for i := range list {
		out[i] = list[i].symbol
	}
	return out
}

func (s *Snapshot) candidates(text string) []candidate {
	n := parseName(text)
	y, ok := s.lex.find(n.last)
	if !ok || y == 0 {
		return nil
	}
	return s.meant(&n, y)
}

// meant are the definitions of the name y that n may mean.
func (s *Snapshot) meant(n *name, y uint32) []candidate {
	var list []candidate
	s.mentioning(y, false, func(m int32) {
		if p := s.files[m].Path; n.path != "" && p != n.path && p != n.raw {
			return
		}
		defs := s.defsOf(m)
		for i := range defs {
			if defs[i].name != y {
				continue
			}
			d := symbol{m, int32(i)}
			fit := s.qualifies(d, n.rest)
			if fit == 0 || n.ordinal > 0 && !s.isNumbered(d, n.ordinal) {
				continue
			}
			if n.path != "" && s.qualified(d) == n.dotted() { // an ID as answers give it
				fit = identified
			}
			list = append(list, candidate{d, fit})
		}
	})
	sortBy(list, func(c candidate) int { return -s.prominence(c.symbol) - c.fit*maxProminence })
	return list
}

// qualifies tells how well the names in rest, the nearest first, are those of what y stands in: types and functions,
// then the package or folders (2), then the name of the file (1). 0: they are not.
func (s *Snapshot) qualifies(y symbol, rest []string) int {
	if len(rest) == 0 {
		return 2
	}
	f := s.files[y.file]
	q := strings.Split(s.qualified(y), ".")
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
	if pkg := s.lex.text(f.pkg); pkg != "" && pkg == dotted {
		return 2
	}
	want := strings.FieldsFunc(dotted, func(c rune) bool { return c == '.' || c == '/' })
	where := strings.Split(strings.TrimSuffix(f.Path, extension(f.Path)), "/")
	switch {
	case hasSuffix(where[:len(where)-1], want):
		return 2
	case hasSuffix(where, want) && f.lang == syntax.Go:
		return 1 // a Go file is no unit of its own
	case hasSuffix(where, want):
		return 2
	}
	return 0
}

func extension(p string) string {
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

// prominence orders the definitions of one name: types and functions first, code before tests and copies.
func (s *Snapshot) prominence(y symbol) int {
	f, d := s.files[y.file], s.def(y)
	p := 0
	switch {
	case d.kind.Type():
		p = 60
	case d.kind == syntax.Function || d.kind == syntax.Constructor:
		p = 55
	case d.kind == syntax.Method:
		p = 50
	case d.kind == syntax.Macro || d.kind == syntax.Module:
		p = 40
	case d.kind == syntax.Variable || d.kind == syntax.Constant:
		p = 30
	default:
		p = 20
	}
	if d.kind.Callable() && d.body >= d.end {
		p -= 8
	}
	if d.parent >= 0 && s.defsOf(y.file)[d.parent].kind.Callable() {
		p -= 25
	}
	if f.test {
		p -= 100
	}
	if f.foreign {
		p -= 200
	}
	return p*100 - strings.Count(f.Path, "/")
}

// located is the text of one definition: its first body bytes are the signature.
type located struct {
	text          []byte
	body          int
	line, endLine int
}

// locate reads the file of y as it is now and cuts y out: where the index says if the file is what was indexed, else
// where it stands now.
func (s *Snapshot) locate(ctx context.Context, y symbol) (located, error) {
	f, d := s.files[y.file], s.def(y)
	src, err := s.text(ctx, f.Path)
	if err != nil {
		return located{}, err
	}
	if digest(src) == f.digest && d.start >= 0 && d.start <= d.body && d.body <= d.end && int(d.end) <= len(src) {
		if e, ok := s.shapeBefore(y, src); ok {
			return located{src[e.start:d.end], int(e.body - e.start), int(d.line), int(d.endLine)}, nil
		}
		return located{src[d.start:d.end], int(d.body - d.start), int(d.line), int(d.endLine)}, nil
	}
	now := syntax.Extract(f.Path, src)
	want := s.qualified(y)
	for i := range now.Definitions {
		if d := &now.Definitions[i]; qualifiedIn(&now, i) == want {
			return located{src[d.Start:d.End], d.Body - d.Start, d.Line, d.EndLine}, nil
		}
	}
	return located{}, fmt.Errorf("code: %s#%s: the file has changed and no longer defines it: ask again", f.Path, want)
}

// identified is how well an ID fits what it names: better than all else that its name may mean.
const identified = 3

// maxProminence is above what any two prominences differ by.
const maxProminence = 1 << 24
