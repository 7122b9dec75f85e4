package code

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
	add := func(f *file) {
		of := syntax.Of(f.Path, nil)
		if !of.Code() || path != "" && family(of) != family(syntax.Of(path, nil)) {
			return
		}
		if u.Files++; u.Files == 1 || f.Path < u.First {
			u.First, u.Why = f.Path, f.skipped
		}
	}
	for _, n := range s.base.unread {
		if s.files[n] != nil {
			add(s.files[n])
		}
	}
	for _, f := range s.files[len(s.base.files):] {
		if f != nil && f.unread() {
			add(f)
		}
	}
	return u
}

// unread reports whether a file was not read whole. What a program packed or compiled is none: nobody asks for it.
func (f *file) unread() bool {
	return f.skipped != "" && f.skipped != syntax.Minified && f.skipped != syntax.Binary
}

// unreadOf are the numbers of the files that were not read whole.
func unreadOf(files []*file) []int32 {
	var list []int32
	for n, f := range files {
		if f.unread() {
			list = append(list, int32(n))
		}
	}
	return list
}
