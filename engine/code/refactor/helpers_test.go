package refactor

import (
	"context"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"testing"

	"helve/engine/code"
)

// memory is a tree of files in memory.
type memory struct {
	files   map[string]string
	large   map[string]int64 // files whose size is that of generated code, which are never asked for their text
	version uint64
}

func (m *memory) write(path, text string) {
	m.version++
	m.files[path] = text
}

func (m *memory) Files(context.Context) (code.Listing, error) {
	l := code.Listing{Version: m.version}
	for p, text := range m.files {
		size := max(int64(len(text)), m.large[p])
		l.Files = append(l.Files, code.Entry{Path: p, Size: size, ModTime: int64(m.version)})
	}
	slices.SortFunc(l.Files, func(a, b code.Entry) int { return strings.Compare(a.Path, b.Path) })
	return l, nil
}

func (m *memory) Open(path string) (io.ReadCloser, error) {
	text, ok := m.files[path]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

func open1(t *testing.T, files map[string]string) (*code.Snapshot, *memory) {
	t.Helper()
	return withChecker(t, nil, files)
}

func withChecker(t *testing.T, c code.Checker, files map[string]string) (*code.Snapshot, *memory) {
	t.Helper()
	m := &memory{files: map[string]string{}}
	for p, text := range files {
		m.write(p, text)
	}
	return snapshot(t, m, c), m
}

func snapshot(t *testing.T, source code.Source, c code.Checker) *code.Snapshot {
	t.Helper()
	s, err := code.New(source, code.Options{Checker: c}).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// told is a checker that knows what it was told: by path and line of the place.
type told struct {
	by    map[string]code.Meaning
	asked []code.Asked
	few   bool // it answers for fewer places than it was asked about
}

func (c *told) Checks(l code.Language) bool { return l == code.Python || l == code.TypeScript }

func (c *told) Meanings(_ context.Context, _ iter.Seq[code.Entry], places []code.Asked) []code.Meaning {
	c.asked = append(c.asked, places...)
	if c.few {
		return nil
	}
	var out []code.Meaning
	for _, p := range places {
		line := strings.Split(string(p.Text), "\n")[p.Line]
		m := c.by[p.Path+": "+strings.TrimSpace(line)]
		m.By = "told"
		out = append(out, m)
	}
	return out
}

func at(path string, line, column int) code.Meaning {
	return code.Meaning{Known: true, At: []code.Definition{{Path: path, Position: code.Position{Line: line, Column: column}}}}
}

// doors are two classes with a method of one name, and callers with receivers of which nothing is known.
var doors = map[string]string{
	"door.py": "class Door:\n    def unlock(self): pass\n",
	"safe.py": "class Safe:\n    def unlock(self): pass\n",
	"use.py":  "def one(a):\n    a.unlock()\ndef two(b):\n    b.unlock()\ndef three(c):\n    c.unlock()\n",
}
