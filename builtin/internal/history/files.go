package history

import (
	"path"
	"slices"
	"sort"
	"strings"

	"helve/internal/change"
	"helve/internal/diff"
)

// maxCounted is up to how many bytes of a text the lines that changed are counted: longer ones take too long for a
// list.
const maxCounted = 1 << 20

// A File is what a call did to one file, for people.
type File struct {
	change.Place
	From   change.Name // of a Renamed one
	Change FileChange
	Dir    bool // it is a directory: an empty one, or git's own with whatever changed in it

	Added, Removed int // lines of text; both 0 where they are not counted
}

// A FileChange is a word for what became of a file.
type FileChange string

// What may become of a file.
const (
	Created  FileChange = "created"
	Modified FileChange = "modified"
	Deleted  FileChange = "deleted"
	Renamed  FileChange = "renamed" // another one went that had the same content
	Mode     FileChange = "mode"    // only its mode changed
)

// Files are what changes did, by root and path. A directory is among them where nothing in it is; git's own files are
// one, their directory. most bounds those whose lines are counted.
func (s *Store) Files(changes []Change, most int) []File {
	renamed := renames(changes)
	gone := map[change.Place]bool{}
	for _, from := range renamed {
		gone[from] = true
	}
	filled := parents(changes)
	var out []File
	seen := map[change.Place]bool{}
	for _, c := range changes {
		if dir, ok := gitDir(c.Place); ok {
			if !seen[dir] {
				seen[dir] = true
				out = append(out, File{Place: dir, Change: Modified, Dir: true})
			}
			continue
		}
		isDir := c.Was.Type == change.Dir || c.Now.Type == change.Dir
		from, moved := renamed[c.Place]
		switch {
		case gone[c.Place], isDir && filled[c.Place]:
			continue
		case moved:
			out = append(out, File{Place: c.Place, From: from.Path, Change: Renamed})
			continue
		}
		f := File{Place: c.Place, Change: wordFor(c), Dir: isDir && c.Now.Type != change.File && c.Now.Type != change.Link}
		if len(out) < most && !isDir {
			f.Added, f.Removed = s.count(c)
		}
		out = append(out, f)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Place.Compare(out[j].Place) < 0 })
	return out
}

// gitDir is the git directory that a place is or lies in.
func gitDir(p change.Place) (change.Place, bool) {
	at := 0
	for name := range strings.SplitSeq(string(p.Path), "/") {
		at += len(name)
		if name == ".git" {
			return change.Place{Root: p.Root, Path: p.Path[:at]}, true
		}
		at++
	}
	return p, false
}

// parents are the directories in which something changed.
func parents(changes []Change) map[change.Place]bool {
	out := map[change.Place]bool{}
	for _, c := range changes {
		for up := c.Parent(); up.Path != "." && !out[up]; up = up.Parent() {
			out[up] = true
		}
	}
	return out
}

// renames finds, of files that came, those that went elsewhere with the same content: each of these for one.
func renames(changes []Change) map[change.Place]change.Place {
	went := map[Digest][]change.Place{}
	for _, c := range changes {
		if c.Was.Type == change.File && c.Now.Type == change.None && c.Was.Size > 0 {
			went[c.Was.Object] = append(went[c.Was.Object], c.Place)
		}
	}
	out := map[change.Place]change.Place{}
	for _, c := range changes {
		if c.Was.Type != change.None || c.Now.Type != change.File {
			continue
		}
		from := went[c.Now.Object]
		if len(from) == 0 {
			continue
		}
		i := max(0, slices.IndexFunc(from, func(p change.Place) bool { // the one of the same name, if there is one
			return path.Base(string(p.Path)) == path.Base(string(c.Path))
		}))
		out[c.Place] = from[i]
		went[c.Now.Object] = slices.Delete(from, i, i+1)
	}
	return out
}

func wordFor(c Change) FileChange {
	switch {
	case c.Was.Type == change.None:
		return Created
	case c.Now.Type == change.None:
		return Deleted
	case c.Was.same(c.Now):
		return Mode
	}
	return Modified
}

// count is how many lines of text came and went.
func (s *Store) count(c Change) (added, removed int) {
	if c.Was.same(c.Now) {
		return 0, 0
	}
	was, ok := s.countable(c.Was)
	now, also := s.countable(c.Now)
	if !ok || !also {
		return 0, 0
	}
	d := diff.Of(was, now, diff.Options{MaxLines: 1})
	return d.Added, d.Removed
}

// countable is the text of a state; false where it is none, or too long.
func (s *Store) countable(st State) (string, bool) {
	if st.Type != change.File {
		return "", true
	}
	if st.Size > maxCounted {
		return "", false
	}
	b, err := s.Content(st, maxCounted)
	return string(b), err == nil && isText(b)
}
