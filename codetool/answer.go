package codetool

import (
	"cmp"
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

// A sheet is an answer as it grows. Its budget is soft: notes behind a list (how many more there are, the cursor) come
// whether they fit or not, and reservedTokens are kept for them.
type sheet struct {
	text   strings.Builder
	spent  int             // tokens so far
	budget int             // text may grow up to so many
	files  map[string]bool // that the answer speaks of
	name   string          // what a cursor goes with; "" for the name that was asked for
	state  func() string   // names the state of the tree that the answer was made from
}

// printf adds to the answer, whether it fits or not: who writes a list asks fits before.
func (s *sheet) printf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.spent += cost(text)
	s.text.WriteString(text)
}

// fits tells whether a further line is within the budget.
func (s *sheet) fits(line string) bool { return s.spent+cost(line)+1 <= s.budget }

// about notes that the answer speaks of a file.
func (s *sheet) about(path string) {
	if s.files == nil {
		s.files = map[string]bool{}
	}
	s.files[path] = true
}

// list writes a page of items, one a line, and says what it leaves out. One item always comes, or a cursor could stay
// where it is for ever.
func list[T any](s *sheet, items []T, m code.More, cursor string, line func(T) (path, text string)) {
	if len(items) == 0 && cursor == "" {
		s.printf("none\n")
	}
	s.moved(cursor)
	shown := 0
	for _, it := range items {
		path, text := line(it)
		text = cut(text)
		if shown > 0 && !s.fits(text) {
			break
		}
		s.about(path)
		s.printf("%s\n", text)
		shown++
	}
	left := m.Left + len(items) - shown
	if left > 0 {
		with := ""
		if s.name != "" {
			with = "name " + s.name + ", "
		}
		s.printf("[truncated: %d more; %scursor %s]\n", left, with, s.cursor(offset(cursor), shown))
	}
	if m.Stopped {
		s.printf("[ended at a bound of time or size: there may be more]\n")
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

// others says what else a name may mean.
func (s *sheet) others(list []code.Symbol) {
	if len(list) == 0 {
		return
	}
	atLeast := ""
	if len(list) == code.MaxOthers {
		atLeast = "at least "
	}
	s.printf("[ambiguous: %s%d others of this name, the most used first; ask for one by its id]\n", atLeast, len(list))
	for i, o := range list {
		if i == maxOthers {
			s.printf("  … %d more: find_symbol lists them\n", len(list)-i)
			break
		}
		s.printf("  %s:%d %s\n", o.ID, o.Line, o.Kind)
	}
}

// maxShared is how many definitions of one name share an answer. Of more, the most used one is answered for, and the
// others are named.
const maxShared = 4

// shared are the IDs of the other definitions of a name if they are few enough to share the answer with the first.
func shared(others []code.Symbol) []string {
	var ids []string
	for _, o := range others {
		if !slices.Contains(ids, o.ID) {
			ids = append(ids, o.ID)
		}
	}
	if len(ids) >= maxShared {
		return nil
	}
	return ids
}

// share writes the answer for the first definition of a name, then those for the others, each within an equal share of
// the budget; what one leaves over goes to the next.
func (s *sheet) share(others []string, first func(), other func(id string) error) error {
	start, all := s.spent, s.budget
	n := len(others) + 1
	s.printf("[%d definitions have this name: each is answered, the most used first]\n", n)
	defer func() { s.budget, s.name = all, "" }()
	s.budget = start + (all-start)/n
	first()
	for i, id := range others {
		s.budget, s.name = start+(all-start)*(i+2)/n, id
		if err := other(id); err != nil {
			return err
		}
	}
	return nil
}

// place is a definition in one line.
func place(o code.Symbol) string {
	test := ""
	if o.Test {
		test = " [test]"
	}
	return fmt.Sprintf("%s:%d-%d %s%s", o.ID, o.Line, o.EndLine, o.Kind, test)
}

// page is what to ask of the index: 0 items are as many as usual.
func page(limit int, cursor string) code.Page {
	limit = min(cmp.Or(limit, pageItems), maxItems)
	return code.Page{Limit: limit, Cursor: offset(cursor)}
}

// offset is the number in a cursor. A cursor is how many items came before it, an @, and the state of the tree in
// which they were counted.
func offset(cursor string) string {
	n, _, _ := strings.Cut(cursor, "@")
	return n
}

// cursor is where a list goes on that began at the offset start and showed so many items.
func (s *sheet) cursor(start string, shown int) string {
	n, _ := strconv.Atoi(start)
	return strconv.Itoa(n+shown) + "@" + s.state()
}

// moved says that files have changed since a cursor was given: what comes may repeat items or leave some out.
func (s *sheet) moved(cursor string) {
	_, state, ok := strings.Cut(cursor, "@")
	if ok && state != s.state() {
		s.printf("[files changed since that cursor: " +
			"items may come twice or be missing; leave the cursor out to start anew]\n")
	}
}

// named is one name, and further ones with equal shares of the answer: a model that follows a call through several
// functions needs one question in place of several. A cursor goes with one name.
type named struct {
	Name   string   `json:"name" jsonschema:"description=Name; Type.method or path#Type.method,minLength=1"`
	Names  []string `json:"names,omitempty" jsonschema:"description=More names"`
	Cursor string   `json:"cursor,omitempty" jsonschema:"description=From before"`
}

// each answers for every name. Each has an equal share of the budget, and what one leaves over goes to the next. That
// one of several is unknown is part of the answer; that all are is an error.
func each(s *sheet, name string, more []string, cursor string, answer func(name, cursor string) error) error {
	all := more
	if name != "" {
		all = append([]string{name}, more...)
	}
	switch {
	case len(all) == 1:
		return answer(all[0], cursor)
	case len(all) > maxNames:
		return tool.Errorf(tool.Validation, "%d names: want at most %d", len(all), maxNames)
	case cursor != "":
		return tool.Errorf(tool.Validation, "cursor goes with one name only")
	}
	var last error
	failed, total := 0, s.budget
	for i, n := range all {
		s.budget = total * (i + 1) / len(all)
		s.printf("## %s\n", n)
		err := answer(n, "")
		if err != nil {
			failed++
			last = err
			s.printf("%v\n", err)
		}
	}
	if failed == len(all) {
		return last
	}
	return nil
}
