package codetool

import (
	"fmt"
	"strings"

	"helve/engine/code"
)

// extent says whether all that was asked for is here.
type extent struct {
	Complete bool   `json:"complete" jsonschema:"description=All that was asked for is here"`
	Why      string `json:"why,omitempty" jsonschema:"description=Why it is not"`
	Unread   string `json:"unread,omitempty" jsonschema:"description=Files that were not read\\, with the reason"`
}

// note names the files that were not read, below an answer; "" where there are none.
func (e extent) note() string {
	if e.Unread == "" {
		return ""
	}
	return "\n[not read: " + cut(e.Unread) + ": search there by text]"
}

// symbolRow is a definition.
type symbolRow struct {
	ID      string `json:"id" jsonschema:"description=path#Type.method\\, which every tool takes as a name"`
	Name    string `json:"name" jsonschema:"description=As written"`
	Kind    string `json:"kind" jsonschema:"description=function\\, method\\, class …"`
	Path    string `json:"path" jsonschema:"description=Relative to the workspace"`
	Line    int    `json:"line" jsonschema:"description=From 1"`
	EndLine int    `json:"end_line"`
	Test    bool   `json:"test,omitempty" jsonschema:"description=Stands in a test file"`
}

// rowOf is a definition for programs.
func rowOf(o *code.Symbol) symbolRow {
	return symbolRow{
		ID:      clean(o.ID),
		Name:    clean(o.Name),
		Kind:    o.Kind.String(),
		Path:    clean(o.Path),
		Line:    o.Line,
		EndLine: o.EndLine,
		Test:    o.Test,
	}
}

func rowsOf(list []code.Symbol) []*symbolRow {
	return rows(len(list), func(i int) *symbolRow {
		r := rowOf(&list[i])
		return &r
	})
}

// rows is a list of n rows; never nil, which would be null in JSON. Rows are pointers, so that one copy of the code
// serves all kinds.
func rows[T any](n int, row func(i int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = row(i)
	}
	return out
}

// cleaned are texts as JSON can hold them.
func cleaned(texts []string) []string {
	return rows(len(texts), func(i int) string { return clean(texts[i]) })
}

// clean is a text as JSON can hold it: names and paths come from files.
func clean(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// place is a definition in one line.
func (o symbolRow) place() string {
	test := ""
	if o.Test {
		test = " [test]"
	}
	return fmt.Sprintf("%s:%d-%d %s%s", o.ID, o.Line, o.EndLine, o.Kind, test)
}

func (o symbolRow) String() string { return o.place() }
func (o symbolRow) path() string   { return o.Path }

// sureness says how sure a connection is.
type sureness struct {
	Sure string `json:"sure" jsonschema:"description=exact\\, checked\\, import-resolved\\, same package\\, unique name or ambiguous"`
	Fits int    `json:"fits,omitempty" jsonschema:"description=How many definitions fit\\, of ambiguous ones"`
}

func surenessOf(c code.Confidence) sureness {
	level, _, _ := strings.Cut(c.String(), "(")
	return sureness{level, c.Of}
}

// String is the sureness in words.
func (s sureness) String() string {
	if s.Fits > 0 {
		return fmt.Sprintf("%s(%d)", s.Sure, s.Fits)
	}
	return s.Sure
}

// pageData says which part of a list is here.
type pageData struct {
	Offset   int    `json:"offset,omitempty" jsonschema:"description=Items before these\\, which the cursor left out"`
	More     int    `json:"more,omitempty" jsonschema:"description=Items after these"`
	Cursor   string `json:"cursor,omitempty" jsonschema:"description=With it the same call goes on"`
	CursorOf string `json:"cursor_of,omitempty" jsonschema:"description=The name for the cursor\\, if it is another"`
	Moved    bool   `json:"moved,omitempty" jsonschema:"description=Files changed since the cursor was given"`
	Stopped  bool   `json:"stopped,omitempty" jsonschema:"description=A bound of time or size ended the search"`
}

const (
	movedNote = "[files changed since that cursor: " +
		"items may come twice or be missing; leave the cursor out to start anew]\n"
	stoppedNote = "[ended at a bound of time or size: there may be more]\n"
)

// writePage writes a list, one item a line, and what it leaves out.
func writePage[T fmt.Stringer](b *strings.Builder, items []T, p pageData) {
	if len(items) == 0 && p.Offset == 0 {
		b.WriteString("none\n")
	}
	if p.Moved {
		b.WriteString(movedNote)
	}
	for _, it := range items {
		b.WriteString(cut(it.String()) + "\n")
	}
	writeMore(b, p)
	if p.Stopped {
		b.WriteString(stoppedNote)
	}
}

// writeMore says what a page leaves out.
func writeMore(b *strings.Builder, p pageData) {
	if p.More == 0 {
		return
	}
	with := ""
	if p.CursorOf != "" {
		with = "name " + p.CursorOf + ", "
	}
	fmt.Fprintf(b, "[truncated: %d more; %scursor %s]\n", p.More, with, p.Cursor)
}

// othersData are further meanings of a name.
type othersData struct {
	Others  []*symbolRow `json:"others,omitempty" jsonschema:"description=Further meanings\\, the most used first"`
	AtLeast bool         `json:"at_least,omitempty" jsonschema:"description=The name may have more meanings than these"`
}

func othersOf(list []code.Symbol) othersData {
	if len(list) == 0 {
		return othersData{}
	}
	return othersData{rowsOf(list), len(list) == code.MaxOthers}
}

const othersNote = "[ambiguous: %s%d others of this name, the most used first; ask for one by its id]\n"

// String says what else a name may mean; "" where there is nothing.
func (d othersData) String() string {
	if len(d.Others) == 0 {
		return ""
	}
	atLeast := ""
	if d.AtLeast {
		atLeast = "at least "
	}
	var b strings.Builder
	fmt.Fprintf(&b, othersNote, atLeast, len(d.Others))
	for i, o := range d.Others {
		if i == maxOthers {
			fmt.Fprintf(&b, "  … %d more: find_symbol lists them\n", len(d.Others)-i)
			break
		}
		fmt.Fprintf(&b, "  %s:%d %s\n", o.ID, o.Line, o.Kind)
	}
	return b.String()
}

// An answered is what is told of one definition.
type answered interface{ write(*strings.Builder) }

// askedFor is the answer for one name.
type askedFor[T answered] struct {
	Name  string `json:"name" jsonschema:"description=As it was asked for"`
	Error string `json:"error,omitempty" jsonschema:"description=Why there is no answer for it"`
	Found []T    `json:"found" jsonschema:"description=By definition of that name\\, the most used first"`
}

// namesData is the answer for names.
type namesData[T answered] struct {
	Names []askedFor[T] `json:"names" jsonschema:"description=By name that was asked for"`
	extent
}

// Text is what a model reads: a heading for each of several names, and a line where several definitions share one.
func (d namesData[T]) Text() string {
	var b strings.Builder
	writeNames(&b, d.Names)
	return strings.TrimSuffix(b.String(), "\n") + d.note()
}

func writeNames[T answered](b *strings.Builder, names []askedFor[T]) {
	for _, n := range names {
		if len(names) > 1 {
			b.WriteString(nameHead(n.Name))
		}
		if n.Error != "" {
			b.WriteString(n.Error + "\n")
		}
		if len(n.Found) > 1 {
			b.WriteString(shareHead(len(n.Found)))
		}
		for _, f := range n.Found {
			f.write(b)
		}
	}
}

func nameHead(name string) string { return "## " + name + "\n" }

func shareHead(n int) string {
	return fmt.Sprintf("[%d definitions have this name: each is answered, the most used first]\n", n)
}
