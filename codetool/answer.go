package codetool

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"helve/engine/code"
	"helve/tool"
)

const (
	// pageItems is how many items a list asks for when nobody says; the budget usually ends it earlier.
	pageItems = 200
	// maxItems bounds what one call may ask for.
	maxItems = 10_000
	// maxNames bounds the names of one call: each has its share of the answer.
	maxNames = 20
	// maxOthers is how many other meanings of a name are shown.
	maxOthers = 5
	// lineBytes is where one line of a list is cut: longer ones come from generated code.
	lineBytes = 300
)

// A sheet keeps account of an answer as it grows. Its budget is soft: notes behind a list (how many more there are, the
// cursor) come whether they fit or not, and reservedTokens are kept for them. For a program there is no budget.
type sheet struct {
	x      *Index
	call   *tool.Call
	spent  int             // tokens so far
	budget int             // text may grow up to so many
	files  map[string]bool // that the answer speaks of
	name   string          // what a cursor goes with; "" for the name that was asked for
	state  func() string   // names the state of the tree that the answer was made from
	why    []string        // the answer is not complete
	brief  bool            // one of the eight questions, whose words are its own
	unread string          // the files that were not read, and may have to do with the answer
}

// whole tells that the caller is a program, which wants everything.
func (s *sheet) whole() bool { return s.call.Whole > 0 }

// spend notes a text that comes, whether it fits or not: who makes a list asks fits before.
func (s *sheet) spend(text string) { s.spent += cost(text) }

// fits tells whether a further line is within the budget.
func (s *sheet) fits(line string) bool { return s.whole() || s.spent+cost(line)+1 <= s.budget }

// about notes that the answer speaks of a file; "" is none.
func (s *sheet) about(path string) {
	if path == "" {
		return
	}
	if s.files == nil {
		s.files = map[string]bool{}
	}
	s.files[path] = true
}

// lacks notes why the answer is not all that was asked for.
func (s *sheet) lacks(format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	if !slices.Contains(s.why, why) {
		s.why = append(s.why, why)
	}
}

// misses notes which files, of the language of path, are not known to the index.
func (s *sheet) misses(snap *code.Snapshot, path string) {
	u := snap.Unread(path)
	if u.Files == 0 {
		return
	}
	s.unread = clean(u.String())
	s.lacks("files were not read")
}

// extent says whether the answer is complete.
func (s *sheet) extent() extent { return extent{len(s.why) == 0, strings.Join(s.why, "; "), s.unread} }

// A row is a line of a list, which speaks of a file.
type row interface {
	fmt.Stringer
	path() string
}

// list is the part of a page of items that fits, each a line, and what that leaves out. One item always comes, or a
// cursor could stay where it is for ever.
func list[T row](s *sheet, items []T, m code.More, cursor string) ([]T, pageData) {
	p := pageData{Offset: number(offset(cursor)), Moved: s.moved(cursor), Stopped: m.Stopped}
	if p.Moved {
		s.spend(movedNote)
		s.lacks("files changed since the cursor was given")
	}
	shown := 0
	for _, it := range items {
		text := cut(it.String())
		if shown > 0 && !s.fits(text) {
			break
		}
		s.about(it.path())
		s.spend(text + "\n")
		shown++
	}
	p.More = m.Left + len(items) - shown
	if p.More > 0 {
		p.Cursor, p.CursorOf = s.cursor(p.Offset+shown), s.name
		s.lacks("there are more items")
	}
	s.stopped(m.Stopped)
	return items[:shown], p
}

// stopped notes that a search did not come to its end.
func (s *sheet) stopped(is bool) {
	if is {
		s.lacks("the search ended at a bound of time or size")
	}
}

// cut keeps a line short, and one line. It does not end within a character.
func cut(line string) string {
	line = strings.ReplaceAll(line, "\n", " ")
	if len(line) <= lineBytes {
		return line
	}
	end := lineBytes
	for end > 0 && !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end] + "…"
}

// others are further meanings of a name, as a part of the answer.
func (s *sheet) others(list []code.Symbol) othersData {
	few := s.brief && !s.whole() && len(list) > maxOthers
	if few {
		list = list[:maxOthers]
	}
	d := othersOf(list)
	d.AtLeast = d.AtLeast || few
	s.spend(d.String())
	return d
}

// maxShared is how many definitions of one name share an answer. Of more, the most used one is answered for, and the
// others are named. A program gets the answers for all that are named.
const maxShared = 4

// shared are the IDs of the other definitions of a name if they are few enough to share the answer with the first.
func (s *sheet) shared(others []code.Symbol) []string {
	var ids []string
	for _, o := range others {
		if !slices.Contains(ids, o.ID) {
			ids = append(ids, o.ID)
		}
	}
	if s.whole() {
		if len(others) == code.MaxOthers {
			s.lacks("further definitions may have this name: ask for each by its id")
		}
		return ids
	}
	if len(ids) >= maxShared {
		s.lacks("other definitions of this name are not answered for: ask for each by its id")
		return nil
	}
	return ids
}

// share makes the answer for the first definition of a name, then those for the others, each within an equal share of
// the budget; what one leaves over goes to the next.
func share[T any](s *sheet, others []string, first func() T, other func(id string) (T, error)) ([]T, error) {
	start, all := s.spent, s.budget
	n := len(others) + 1
	s.spend(shareHead(n))
	defer func() { s.budget, s.name = all, "" }()
	s.budget = start + (all-start)/n
	found := []T{first()}
	for i, id := range others {
		s.budget, s.name = start+(all-start)*(i+2)/n, id
		f, err := other(id)
		if err != nil {
			return nil, err
		}
		found = append(found, f)
	}
	return found, nil
}

// wholeItems bounds a list for a program: more do not fit into what it takes, 64 bytes each.
const wholeItems = tool.MaxWhole / 64

// page is what to ask of the index: 0 items are as many as usual, or for a program all.
func (s *sheet) page(limit int, cursor string) code.Page {
	if s.whole() && limit == 0 {
		return code.Page{Limit: wholeItems, Cursor: offset(cursor)}
	}
	limit = min(cmp.Or(limit, pageItems), maxItems)
	return code.Page{Limit: limit, Cursor: offset(cursor)}
}

// offset is the number in a cursor. A cursor is how many items came before it, an @, and the state of the tree in
// which they were counted.
func offset(cursor string) string {
	n, _, _ := strings.Cut(cursor, "@")
	return n
}

// number is an offset that the index has taken for a good one.
func number(offset string) int {
	n, _ := strconv.Atoi(offset)
	return n
}

// cursor is where a list goes on of which so many items were shown.
func (s *sheet) cursor(shown int) string { return strconv.Itoa(shown) + "@" + s.state() }

// moved tells that files have changed since a cursor was given: what comes may repeat items or leave some out.
func (s *sheet) moved(cursor string) bool {
	_, state, ok := strings.Cut(cursor, "@")
	return ok && state != s.state()
}

// named is one name, and further ones with equal shares of the answer: a model that follows a call through several
// functions needs one question in place of several. A cursor goes with one name.
type named struct {
	Name   string   `json:"name" jsonschema:"description=Name; Type.method or path#Type.method,minLength=1"`
	Names  []string `json:"names,omitempty" jsonschema:"description=More names"`
	Cursor string   `json:"cursor,omitempty" jsonschema:"description=From before"`
}

// answerer answers for one name: with one answer by definition.
type answerer[T answered] func(name, cursor string) ([]T, error)

// each answers for every name. Each has an equal share of the budget, and what one leaves over goes to the next. That
// one of several is unknown is part of the answer; that all are is an error.
func each[T answered](s *sheet, of named, answer answerer[T]) (*namesData[T], error) {
	all := of.Names
	if of.Name != "" {
		all = append([]string{of.Name}, of.Names...)
	}
	switch {
	case len(all) > maxNames:
		return nil, tool.Errorf(tool.Validation, "%d names: want at most %d", len(all), maxNames)
	case len(all) > 1 && of.Cursor != "":
		return nil, tool.Errorf(tool.Validation, "cursor goes with one name only")
	}
	d := &namesData[T]{}
	var last error
	failed, total := 0, s.budget
	for i, n := range all {
		s.budget = total * (i + 1) / len(all)
		if len(all) > 1 {
			s.spend(nameHead(n))
		}
		one := askedFor[T]{Name: n, Found: []T{}}
		found, err := answer(n, of.Cursor)
		if err != nil {
			failed++
			last = err
			one.Error = clean(failure(err).Error())
			s.spend(one.Error + "\n")
			if _, unknown := errors.AsType[*code.UnknownError](err); !unknown { // of that one there is no more to tell
				s.lacks("a name has no answer")
			}
		} else {
			one.Found = found
		}
		d.Names = append(d.Names, one)
	}
	if failed == len(all) {
		return nil, last
	}
	d.extent = s.extent()
	return d, nil
}
