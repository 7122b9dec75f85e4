package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"helve/engine/tree"
	"helve/internal/fsroot"
	"helve/internal/git"
	"helve/internal/secrets"
	"helve/internal/visible"
)

// Options say what is read. Dir is required.
type Options struct {
	Dir      string        // the workspace's folder, absolute, links resolved
	Own      string        // the person's folder of configuration, whose AGENTS.md counts everywhere; "": none
	MaxBytes int           // of all texts together; 0: DefaultBytes
	Secrets  *secrets.List // files that no text imports; nil: the usual ones
}

const (
	// first is the name that counts before the others.
	first = "AGENTS.md"

	// maxImports bounds how deep texts import others: more is a web that nobody reads.
	maxImports = 5
	// maxFiles bounds the texts: a question about more has no answer.
	maxFiles = 100
	// minRoom is the room below which no beginning of a text says anything, in bytes.
	minRoom = 200
	// nested is how many levels of folders below the workspace are looked through, and maxFolders how many in all: a
	// run must not wait for the walk of a whole disk.
	nested     = 6
	maxFolders = 20_000
	// maxAbove bounds the folders above the workspace that are looked at.
	maxAbove = 32
)

// others are the names that count where there is no first.
func others() []string { return []string{"CLAUDE.md", "GEMINI.md"} }

// Read finds the texts and reads them. What cannot be read, leads out of the workspace, is no text or has no room is
// left out, and told in Left; the nearer one has the room.
func Read(ctx context.Context, o Options) (Memory, error) {
	r := &reader{o: o, room: o.MaxBytes, seen: map[string]bool{}}
	if r.room == 0 {
		r.room = DefaultBytes
	}
	inside, err := fsroot.Open(fsroot.Options{}, o.Dir)
	if err != nil {
		return Memory{}, fmt.Errorf("memory: %w", err)
	}
	defer inside.Close()
	above := r.above()
	here := len(above) + 1 // above the person's own, and the folders around
	r.folder(place{set: inside, dir: ".", rank: here})
	r.own()
	for i, dir := range above {
		r.around(dir, i+1, here-1-i)
	}
	for i, dir := range r.below(ctx) {
		r.folder(place{set: inside, dir: dir, rank: here + 1 + i})
	}
	slices.SortStableFunc(r.out.Files, func(a, b File) int { return a.rank - b.rank })
	return r.out, ctx.Err()
}

// A place is a folder whose texts are read.
type place struct {
	set  *fsroot.Set
	dir  string // below the set's root
	name string // what its files are called by, before their place below the root
	rank int
	own  bool // the person's
}

// A reader reads texts, the most important ones first.
type reader struct {
	o    Options
	room int
	seen map[string]bool // absolute paths
	out  Memory
}

func (r *reader) leave(name, format string, args ...any) {
	r.out.Left = append(r.out.Left, visible.Line(name)+" "+fmt.Sprintf(format, args...))
}

// above are the folders around the workspace up to the top of its repository, the nearest first.
func (r *reader) above() []string {
	top := git.Top(r.o.Dir)
	var out []string
	for dir := r.o.Dir; top != "" && dir != top && len(out) < maxAbove; {
		dir = filepath.Dir(dir)
		out = append(out, dir)
	}
	return out
}

// around reads the texts of a folder above the workspace, so many levels up. Nothing they name leads out of it.
func (r *reader) around(dir string, levels, rank int) {
	set, err := fsroot.Open(fsroot.Options{}, dir)
	if err != nil {
		return // a folder that only the way leads through
	}
	defer set.Close()
	r.folder(place{set: set, dir: ".", name: strings.Repeat("../", levels), rank: rank})
}

// own reads the person's. It may be a link to wherever they keep such files.
func (r *reader) own() {
	if r.o.Own == "" {
		return
	}
	name := filepath.Join(r.o.Own, first)
	st, err := os.Stat(name)
	if err != nil {
		return
	}
	if !st.Mode().IsRegular() {
		r.leave(name, "is no file")
		return
	}
	set, err := fsroot.Open(fsroot.Options{}, r.o.Own)
	if err != nil {
		r.leave(name, "cannot be read: %v", err)
		return
	}
	defer set.Close()
	f, err := os.Open(name)
	if err != nil {
		r.leave(name, "cannot be read: %v", err)
		return
	}
	defer f.Close()
	r.seen[name] = true
	at := place{set: set, dir: ".", name: r.o.Own + string(filepath.Separator), own: true}
	r.take(at, name, f, st.Size(), 0)
}

// below are the folders in the workspace that have texts of their own, those near its top first.
func (r *reader) below(ctx context.Context) []string {
	var mu sync.Mutex
	var found []string
	folders, tooMany := 0, errors.New("too many folders")
	o := tree.Options{Skip: []string{".git", "node_modules"}, Depth: nested + 1}
	_, err := tree.Walk(ctx, r.o.Dir, o, func(_ int, d *tree.Dir) error {
		mu.Lock()
		defer mu.Unlock()
		if folders++; folders > maxFolders {
			return tooMany
		}
		has := func(f tree.File) bool { return f.Name == first || slices.Contains(others(), f.Name) }
		if d.Path != "" && slices.ContainsFunc(d.Files, has) {
			found = append(found, strings.TrimSuffix(d.Path, "/"))
		}
		return nil
	})
	if errors.Is(err, tooMany) {
		r.leave(".", "has more than %d folders: not all were looked through for AGENTS.md", maxFolders)
	}
	slices.SortFunc(found, func(a, b string) int {
		if d := strings.Count(a, "/") - strings.Count(b, "/"); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(found)
}

// folder reads the texts of one.
func (r *reader) folder(at place) {
	if r.file(at, first, 0) {
		return
	}
	for _, name := range others() {
		r.file(at, name, 0)
	}
}

// file reads a text; false: there is none of that name. depth is how many imports led to it.
func (r *reader) file(at place, asked string, depth int) bool {
	shown := at.name + path.Join(at.dir, asked)
	p, err := at.set.Resolve(filepath.Join(at.set.Roots()[0].Dir(), filepath.FromSlash(at.dir)), asked)
	if err == nil && r.seen[p.Abs()] {
		return true
	}
	if err != nil {
		return r.failed(shown, err)
	}
	if depth > 0 {
		shown = at.name + p.Rel()
		if r.o.Secrets.Has(p.Rel()) {
			r.leave(shown, "may hold secrets, and is not imported")
			return true
		}
	}
	f, st, err := at.set.Open(p)
	if err != nil {
		return r.failed(shown, err)
	}
	defer f.Close()
	r.seen[p.Abs()] = true
	at.dir = path.Dir(p.Rel())
	r.take(at, shown, f, st.Size(), depth)
	return true
}

// failed tells why a text cannot be read; false: there is none.
func (r *reader) failed(shown string, err error) bool {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false
	case errors.Is(err, fsroot.ErrOutside):
		r.leave(shown, "leads out of the workspace")
	default:
		r.leave(shown, "cannot be read: %v", err)
	}
	return true
}

// take takes a text, as much of it as there is room for, and what it imports.
func (r *reader) take(at place, shown string, from io.Reader, size int64, depth int) {
	switch {
	case len(r.out.Files) >= maxFiles:
		r.leave(shown, "is left out: there are more than %d such files", maxFiles)
		return
	case r.room < minRoom && size > int64(r.room):
		r.leave(shown, "is left out: there is no room for its %d bytes", size)
		return
	}
	b, err := io.ReadAll(io.LimitReader(from, int64(r.room)+1))
	if err != nil {
		r.leave(shown, "cannot be read: %v", err)
		return
	}
	text, whole := cut(b, r.room)
	if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		r.leave(shown, "is no text in UTF-8")
		return
	}
	text = visible.Text(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"))
	if len(text) > r.room { // what was hidden takes more room now
		text, whole = cut([]byte(text), r.room)
	}
	if !whole {
		r.leave(shown, "is cut: there is room for %d of its %d bytes", len(text), max(size, int64(len(b))))
	}
	r.room -= len(text)
	if strings.TrimSpace(text) != "" {
		r.out.Files = append(r.out.Files, File{Path: shown, Text: text, Own: at.own, rank: at.rank})
	}
	for _, name := range imports(text) {
		r.imported(at, shown, name, depth+1)
	}
}

// imported reads what a text imports.
func (r *reader) imported(at place, by, name string, depth int) {
	if depth > maxImports {
		r.leave(by, "imports @%s, which is left out: texts import others %d deep at most", name, maxImports)
		return
	}
	if !r.file(at, name, depth) && strings.HasSuffix(name, ".md") {
		r.leave(by, "imports @%s, which is not there", name) // with another ending it may be a name of something else
	}
}

// cut is the beginning of a text that has room; whole lines, where that leaves anything.
func cut(b []byte, room int) (text string, whole bool) {
	if len(b) <= room {
		return string(b), true
	}
	b = b[:room]
	if end := strings.LastIndexByte(string(b), '\n'); end > 0 {
		return string(b[:end+1]), false
	}
	for len(b) > 0 && !utf8.RuneStart(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return string(b[:max(len(b)-1, 0)]), false // the rune that begins there may not be whole
}
