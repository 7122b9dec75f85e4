package code

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"helve/engine/code/internal/store"
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
	ctx, cancel := context.WithTimeout(ctx, store.MaxSearch)
	defer cancel()
	found := newResolver(ctx, s).Ranked(name)
	partial := len(found) == 0
	if partial {
		found = s.partly(ctx, name)
	}
	if len(found) == 0 {
		return Matches{Suggestions: s.tree.Suggest(ctx, name), Unread: s.tree.Unread("")}, nil
	}
	part, more, err := cut(found, p)
	if err != nil {
		return Matches{}, err
	}
	more.Stopped = ctx.Err() != nil
	out := Matches{Partial: partial, More: more}
	for _, y := range part {
		m := Match{Symbol: s.tree.Symbol(y)}
		if t, err := s.tree.Locate(ctx, y); err == nil {
			m.Line, m.EndLine = t.Line, t.EndLine
			m.Signature = store.SignatureOf(t.Text, t.Body)
			m.Preview, _ = lines(t.Text, previewLines)
		}
		out.Matches = append(out.Matches, m)
	}
	return out, nil
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
func (s *Snapshot) Source(
	ctx context.Context, name, path string, maxLines int, keep func(syntax.Kind) bool,
) (Excerpt, error) {
	ctx, cancel := context.WithTimeout(ctx, store.MaxSearch)
	defer cancel()
	var found []store.DefID
	for _, y := range newResolver(ctx, s).Ranked(name) {
		if (path == "" || s.tree.Files[y.File].Path == path) && (keep == nil || keep(s.tree.Def(y).Kind)) {
			found = append(found, y)
		}
	}
	if len(found) == 0 {
		return Excerpt{}, s.tree.Unknown(ctx, name)
	}
	t, err := s.tree.Locate(ctx, found[0])
	if err != nil {
		return Excerpt{}, err
	}
	if maxLines <= 0 {
		maxLines = maxExcerpt
	}
	e := Excerpt{Symbol: s.tree.Symbol(found[0])}
	e.Line, e.EndLine = t.Line, t.EndLine
	e.Text, e.Cut = lines(t.Text, maxLines)
	same := s.tree.Versions(found[0])
	for _, y := range found[1:] {
		if d := s.tree.Def(y); d.Kind.Callable() && d.Body >= d.End && same(y) {
			continue // its declaration
		}
		if e.Others = append(e.Others, s.tree.Symbol(y)); len(e.Others) == MaxOthers {
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
