package code

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"helve/engine/code/internal/syntax"
)

// Page asks for a part of a list.
type Page struct {
	Limit  int    // at most so many items; 0: DefaultLimit
	Cursor string // More.Next of the answer before; empty: from the start

	// Dealt puts the first edges of each group in front, and counts the groups.
	Dealt bool
}

// DefaultLimit is how many items a list has when nobody says.
const DefaultLimit = 50

// maxLimit bounds one page: more than any program takes at once, less than memory can hold.
const maxLimit = 1 << 18

// More tells what a list leaves out.
type More struct {
	Total int    // of all items
	Left  int    // that come after this page
	Next  string // the Page.Cursor of the next page; empty: this was the last one
	// Stopped says that the search ended at a bound of time or size: there may be more than Total.
	Stopped bool
}

// cut answers the part of list that p asks for.
func cut[T any](list []T, p Page) ([]T, More, error) {
	from := 0
	if p.Cursor != "" {
		n, err := strconv.Atoi(p.Cursor)
		if err != nil || n < 0 {
			return nil, More{}, fmt.Errorf("code: cursor %q: not one of this list: leave it out to start anew", p.Cursor)
		}
		from = min(n, len(list))
	}
	limit := p.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	to := min(from+min(limit, maxLimit), len(list))
	m := More{Total: len(list), Left: len(list) - to}
	if m.Left > 0 {
		m.Next = strconv.Itoa(to)
	}
	return list[from:to], m, nil
}

// Match is a definition that a name means.
type Match struct {
	Symbol
	Signature string
	Preview   string // the first lines of its text
}

// Matches are the definitions that a name may mean, the likeliest first.
type Matches struct {
	Matches     []Match
	Suggestions []string // names that come near, when none matches
	Unread      Unread   // where it may be defined, when none matches
	Partial     bool     // a pattern or a part of a name was asked for, or nothing has just that name
	More
}

// previewLines is the number of lines in a preview.
const previewLines = 12

// Find answers the definitions that name means: Name, Type.Method, pkg.Name, pkg.Type.Method or path#Type.method. Of a
// pattern (get*), of humps (gSL) and of words those that match, where nothing has that name.
func (s *Snapshot) Find(ctx context.Context, name string, p Page) (Matches, error) {
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	found := s.resolver(ctx).ranked(name)
	partial := len(found) == 0
	if partial {
		found = s.partly(ctx, name)
	}
	if len(found) == 0 {
		return Matches{Suggestions: s.suggest(ctx, name), Unread: s.Unread("")}, nil
	}
	part, more, err := cut(found, p)
	if err != nil {
		return Matches{}, err
	}
	more.Stopped = ctx.Err() != nil
	out := Matches{Partial: partial, More: more}
	for _, y := range part {
		m := Match{Symbol: s.symbol(y)}
		if t, err := s.locate(ctx, y); err == nil {
			m.Line, m.EndLine = t.line, t.endLine
			m.Signature = signatureOf(t.text, t.body)
			m.Preview, _ = lines(t.text, previewLines)
		}
		out.Matches = append(out.Matches, m)
	}
	return out, nil
}

// UnknownError says that nothing in the tree has a name.
type UnknownError struct {
	Name        string
	Suggestions []string
	Unread      Unread // it may be defined there
}

// Error names what comes near.
func (e *UnknownError) Error() string {
	text := fmt.Sprintf("code: nothing is called %q: ", e.Name)
	if len(e.Suggestions) == 0 {
		text += "search for its text instead"
	} else {
		text += "did you mean " + strings.Join(e.Suggestions, ", ") + "?"
	}
	if e.Unread.Files > 0 {
		text += " (not read: " + e.Unread.String() + ")"
	}
	return text
}

func (s *Snapshot) unknown(ctx context.Context, name string) *UnknownError {
	return &UnknownError{name, s.suggest(ctx, name), s.Unread("")}
}

// only answers the definitions that text means first, as one group, and the other ones.
func (r *resolver) only(text string) (group, others []symbol, err error) {
	s := r.s
	found := r.ranked(text)
	if len(found) == 0 {
		return nil, nil, s.unknown(r.clock.ctx, text)
	}
	if parseName(text).ordinal > 0 { // one of several versions, and no other
		r.chosen = r.overload(found[0])
		return r.signatures(found[0]), nil, nil
	}
	same := s.versions(found[0])
	for _, y := range found {
		if same(y) {
			group = append(group, y)
		} else {
			others = append(others, y)
		}
	}
	return s.declared(group, same), others, nil
}

// name is a name taken apart: path#Qualified or qualifiers and the last name.
type name struct {
	path string
	raw  string // path, where an ID has it as in a URL
	last string
	rest []string // what stands before the last name, the nearest first

	ordinal int // f~2 is the second f; 0: no number is given
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

// identified is how well an ID fits what it names: better than all else that its name may mean.
const identified = 3

// dotted is the name with what stands before it, without the path.
func (n *name) dotted() string {
	if len(n.rest) == 0 {
		return n.last
	}
	return joinReversed(n.rest) + "." + n.last
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

// maxProminence is above what any two prominences differ by.
const maxProminence = 1 << 24

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

// lines are the first n lines of text, and how many more there are.
func lines(text []byte, n int) (string, int) {
	all := strings.Split(strings.ToValidUTF8(string(text), "\uFFFD"), "\n")
	if len(all) <= n {
		return strings.Join(all, "\n"), 0
	}
	return strings.Join(all[:n], "\n"), len(all) - n
}

// Excerpt is the text of one definition.
type Excerpt struct {
	Symbol
	Text   string
	Cut    int      // lines left out at the end
	Others []Symbol // what else the name may mean
}

// maxExcerpt bounds an excerpt in lines when nobody says.
const maxExcerpt = 2000

// Source answers the text of what name means among definitions that keep allows; path, if not empty, narrows it to
// one file. maxLines of 0 is a bound of 2,000.
func (s *Snapshot) Source(ctx context.Context, name, path string, maxLines int, keep func(syntax.Kind) bool) (Excerpt, error) {
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	var found []symbol
	for _, y := range s.resolver(ctx).ranked(name) {
		if (path == "" || s.files[y.file].Path == path) && (keep == nil || keep(s.def(y).kind)) {
			found = append(found, y)
		}
	}
	if len(found) == 0 {
		return Excerpt{}, s.unknown(ctx, name)
	}
	t, err := s.locate(ctx, found[0])
	if err != nil {
		return Excerpt{}, err
	}
	if maxLines <= 0 {
		maxLines = maxExcerpt
	}
	e := Excerpt{Symbol: s.symbol(found[0])}
	e.Line, e.EndLine = t.line, t.endLine
	e.Text, e.Cut = lines(t.text, maxLines)
	same := s.versions(found[0])
	for _, y := range found[1:] {
		if d := s.def(y); d.kind.Callable() && d.body >= d.end && same(y) {
			continue // its declaration
		}
		if e.Others = append(e.Others, s.symbol(y)); len(e.Others) == MaxOthers {
			break
		}
	}
	return e, nil
}

// MaxOthers bounds the further meanings of a name that an answer lists.
const MaxOthers = 10

// FunctionSource is Source for functions and methods.
func (s *Snapshot) FunctionSource(ctx context.Context, name, path string, maxLines int) (Excerpt, error) {
	return s.Source(ctx, name, path, maxLines, syntax.Kind.Callable)
}

// ClassSource is Source for types.
func (s *Snapshot) ClassSource(ctx context.Context, name, path string, maxLines int) (Excerpt, error) {
	return s.Source(ctx, name, path, maxLines, syntax.Kind.Type)
}
