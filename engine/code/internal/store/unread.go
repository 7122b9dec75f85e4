package store

import (
	"fmt"

	"helve/engine/code/internal/syntax"
)

// Unread are the files of code that were not read whole, although somebody wrote them: they are too large, or could
// not be opened. What they use and define is not known.
type Unread struct {
	Files int
	First string // the path of one of them
	Why   string // of that one
}

// String names one of them and counts the others.
func (u Unread) String() string {
	text := u.First + ", " + u.Why
	if u.Files > 1 {
		text += fmt.Sprintf(", and %d more", u.Files-1)
	}
	return text
}

// Unread are those files whose language can refer to that of path, or all where that is "".
func (s *Snapshot) Unread(path string) Unread {
	var u Unread
	add := func(f *File) {
		of := syntax.Of(f.Path, nil)
		if !of.Code() || path != "" && Family(of) != Family(syntax.Of(path, nil)) {
			return
		}
		if u.Files++; u.Files == 1 || f.Path < u.First {
			u.First, u.Why = f.Path, f.Skipped
		}
	}
	for _, n := range s.Base.unread {
		if s.Files[n] != nil {
			add(s.Files[n])
		}
	}
	for _, f := range s.Files[len(s.Base.Files):] {
		if f != nil && f.unread() {
			add(f)
		}
	}
	return u
}

// unread reports whether a file was not read whole. What a program packed or compiled is none: nobody asks for it.
func (f *File) unread() bool {
	return f.Skipped != "" && f.Skipped != syntax.Minified && f.Skipped != syntax.Binary
}

// unreadOf are the numbers of the files that were not read whole.
func unreadOf(files []*File) []int32 {
	var list []int32
	for n, f := range files {
		if f.unread() {
			list = append(list, int32(n))
		}
	}
	return list
}
