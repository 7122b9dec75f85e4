package refactor

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"helve/engine/code"
	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// move is the plan of one while it is made.
type move struct {
	*subject
	plan *judge
	to   string // the file that it moves to
	from int32  // the file that it is in, and the other, -1 for one that there is not yet
	dest int32
	src  []byte // of the file that it is in
	t    *tokens
	text string // that moves
}

// Move plans to put the definition called name into another file, with the comment before it and the imports that it
// needs: in Go with the methods of a type, into a file of its package or another one of its module, in JavaScript and
// TypeScript into any file of the project, in Python into one of the same folder. Imports follow on both sides. What
// it cannot be sure of, it refuses with a *RefusedError.
func Move(ctx context.Context, in *code.Snapshot, name, to string) (*Changes, error) {
	return planned(ctx, in, name, (*subject).standIn, func(j *judge) []func() error {
		return j.lang.moves(&move{subject: j.subject, plan: j, to: path.Clean(to), from: j.group[0].File})
	})
}

// leadsTo reports whether an import of file n may name the file to.
func (m *move) leadsTo(row store.ImportRow, n, to int32) bool {
	v := m.r.Module(row.Module, n)
	return v.Kind == meaning.ModuleValue && slices.Contains(v.Files, to)
}

// used reports whether a file uses the definition outside of its own text.
func (m *move) used(n int32) bool {
	for _, f := range m.plan.found {
		if f.file == n {
			outside := func(s *syntax.Site) bool { return n != m.from || !m.inside(n, s.Start) }
			return slices.ContainsFunc(f.uses, outside)
		}
	}
	return false
}

// reaches reports whether a file imports another one, or others for it.
func (m *move) reaches(from, to int32) bool {
	seen := map[int32]bool{}
	for list := []int32{from}; len(list) > 0; {
		n := list[0]
		list = list[1:]
		if n == to {
			return true
		}
		if seen[n] {
			continue
		}
		seen[n] = true
		list = append(list, m.lang.loads(m.project, n, m.file(m.from).Dir())...)
	}
	return false
}

// importsFile reports whether a file imports another one itself.
func (m *move) importsFile(n, to int32) bool {
	return slices.ContainsFunc(m.r.Tree.ImportsOf(n), func(row store.ImportRow) bool { return m.leadsTo(row, n, to) })
}

// declares reports whether the file that the definition moves to has a name at its top.
func (m *move) declares(name string) bool {
	if m.dest < 0 {
		return false
	}
	number, ok := m.r.Tree.Lex.Find(name)
	if !ok {
		return false
	}
	top := func(d store.Def) bool { return d.Name == number && d.Parent < 0 && d.Owner == 0 }
	return slices.ContainsFunc(m.r.DefsOf(m.dest), top) ||
		m.importsAs(m.dest, number) ||
		m.bindsAtTop(name)
}

// bindsAtTop reports whether the file that the definition moves to binds a name outside of its definitions.
func (m *move) bindsAtTop(name string) bool {
	src, err := m.unchanged(m.dest)
	return err != nil || boundOutside(m.binds(m.dest, src, name), name)
}

// breaks gives the new text of a file the line breaks that the file has.
func (m *move) breaks() {
	crlf := bytes.Contains(m.src, []byte("\r\n"))
	for i := range m.changes.Files {
		f := &m.changes.Files[i]
		file := bytes.Contains(f.Before, []byte("\r\n")) || f.New && crlf
		for k := range f.Edits {
			e := &f.Edits[k]
			e.New = strings.ReplaceAll(e.New, "\r\n", "\n")
			if file {
				e.New = strings.ReplaceAll(e.New, "\n", "\r\n")
			}
		}
	}
}

// finished makes the changes of the edits, files in order.
func (m *move) finished() error {
	m.plan.finish()
	m.breaks()
	m.changes.sortFiles()
	return nil
}

// outOfTree reports whether a path leads out of the tree.
func outOfTree(name string) bool { return path.IsAbs(name) || strings.HasPrefix(name, "../") }

// standing is what a name of the text that moves means in its file.
type standing struct {
	imported bool          // an import gives it
	own      []store.DefID // definitions of which one is the file's, nil where none is
}

func (m *move) standing(name string) (s standing) {
	number, known := m.r.Tree.Lex.Find(name)
	if !known {
		return s
	}
	s.imported = m.importsAs(m.from, number)
	found := m.r.Lookup(number, m.from, -1).Value
	here := func(z store.DefID) bool { return z.File == m.from }
	if found.Kind == meaning.SymbolValue && slices.ContainsFunc(found.Symbols, here) {
		s.own = found.Symbols
	}
	return s
}

// circles reports whether a file would have to import the other one, which imports it.
func (m *move) circles(n int32) bool {
	return m.dest >= 0 && !m.importsFile(n, m.dest) && m.reaches(m.dest, n)
}

// there reads the file that the definition moves to, nil where there is none yet.
func (m *move) there() (*tokens, error) {
	if m.dest < 0 {
		return nil, nil
	}
	src, err := m.unchanged(m.dest)
	if err != nil {
		return nil, err
	}
	return tokensOf(m.x, m.to, src), nil
}

// destination is the file that the text goes to, which has its text then.
func (m *move) destination() (f *scan, err error) {
	if f = m.plan.at(m.dest); f.src == nil { // it has a name that only begins like it, or none
		f.src, err = m.unchanged(m.dest)
	}
	return f, err
}

// newFile notes that the text stands in a file that there is not yet.
func (m *move) newFile(text string) {
	m.changes.Files = append(m.changes.Files, FileEdits{Path: m.to, New: true, Edits: []TextEdit{{0, 0, text}}})
	m.changes.Edits++
}

// atEnd puts a text at the end of another.
func atEnd(src []byte, text string) TextEdit {
	return TextEdit{len(bytes.TrimRight(src, "\r\n\t ")), len(src), text}
}

// loadsMore refuses a file that does something when it is loaded.
func (m *move) loadsMore(line int) error {
	return byHand("%s does something when it is loaded, in line %d: who imports the definition from elsewhere "+
		"might not load it", m.changes.Of.Path, line)
}
