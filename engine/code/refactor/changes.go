package refactor

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"helve/engine/code"
	"helve/engine/code/internal/store"
)

// Changes are what a refactoring would do to the tree: all of it, or nothing.
type Changes struct {
	Of    store.Symbol
	Files []FileEdits // by path
	Edits int         // of all files
	// Texts counts the words in strings and comments that are that name, too; they stay as they are.
	Texts int
	Notes []string
}

// FileEdits are the edits of one file, in order and apart from one another.
type FileEdits struct {
	Path   string
	Before []byte // what the edits were planned in
	Edits  []TextEdit
	New    bool // the file does not exist yet
}

// TextEdit puts New in the place of the bytes from Start to End.
type TextEdit struct {
	Start, End int
	New        string
}

// After is the file with its edits.
func (f *FileEdits) After() []byte {
	var out []byte
	from := 0
	for _, e := range f.Edits {
		out = append(append(out, f.Before[from:e.Start]...), e.New...)
		from = e.End
	}
	return append(out, f.Before[from:]...)
}

// sorted puts edits in order, what only comes in before what goes at the same place. The same edit twice is one, what
// two take out is taken out once, and what comes in where something goes stands behind it.
func (f *FileEdits) sorted() {
	sort.SliceStable(f.Edits, func(i, j int) bool {
		a, b := &f.Edits[i], &f.Edits[j]
		return a.Start < b.Start || a.Start == b.Start && a.End < b.End
	})
	f.Edits = slices.Compact(f.Edits)
	for i := 1; i < len(f.Edits); i++ {
		if e := &f.Edits[i]; e.New == "" || e.Start == e.End && f.Edits[i-1].New == "" {
			e.Start = max(e.Start, f.Edits[i-1].End)
			e.End = max(e.Start, e.End)
		}
	}
}

// RefusedError says why a refactoring is not done: nothing was changed.
type RefusedError struct {
	Why    string
	Places []code.Place // that speak against it, by path
	Next   string       // what to do instead; may be empty
}

// place is a line of a file, and what is to be said of it.
func place(path string, line int, why string) code.Place {
	return code.Place{Path: path, Line: line, Why: why}
}

// maxPlaces is how many places an error shows.
const maxPlaces = 10

// Error names the reason and the first places.
func (e *RefusedError) Error() string {
	var b strings.Builder
	b.WriteString(e.Why)
	for _, p := range e.Places[:min(len(e.Places), maxPlaces)] {
		b.WriteString("\n" + p.String())
	}
	if n := len(e.Places) - maxPlaces; n > 0 {
		fmt.Fprintf(&b, "\n(%d more)", n)
	}
	return b.String()
}

// refused is a RefusedError without places. It is called all over: inlined, it would be 10 kB of the program.
func refused(next, format string, args ...any) error {
	return &RefusedError{Why: fmt.Sprintf(format, args...), Next: next}
}

// byHand is a refusal of what somebody can do all the same.
func byHand(format string, args ...any) error { return refused("Edit it by hand.", format, args...) }

// anotherFile is a refusal of the file that a definition would move to.
func anotherFile(format string, args ...any) error {
	return refused("Choose another file.", format, args...)
}

const (
	// maxEdits bounds one refactoring: nobody looks through more, and a name of that many uses is a word.
	maxEdits = 20_000
	// maxEditedBytes bounds the files that are held while one is planned.
	maxEditedBytes = 256 << 20
)

// sortPlaces sorts by path and line.
func sortPlaces(list []code.Place) {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return a.Path < b.Path || a.Path == b.Path && a.Line < b.Line
	})
}

// sortFiles sorts the files by path.
func (c *Changes) sortFiles() {
	sort.SliceStable(c.Files, func(i, j int) bool { return c.Files[i].Path < c.Files[j].Path })
}

// ifAny is the error where it has a place.
func (e *RefusedError) ifAny() error {
	if len(e.Places) == 0 {
		return nil
	}
	return e
}
