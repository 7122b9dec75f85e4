package review

import (
	"fmt"
	"unicode/utf8"

	"helve/internal/change"
	"helve/internal/diff"
	"helve/internal/uncommitted"
)

// shownFile bounds a file whose difference is shown: settings and hooks are a few kilobytes.
const shownFile = 256 << 10

// shownAll bounds the differences that are shown at once: nobody reads more, and a command may leave gigabytes.
const shownAll = 16 << 20

// Show is what words mean of what waits, each file with its difference.
func (w Waiting) Show(words []string) ([]Set, error) {
	chosen, err := w.choose(words)
	if err != nil {
		return nil, err
	}
	var out []Set
	left := shownAll
	for _, c := range chosen {
		t, err := w.Uncommitted().Take(c.id)
		if err != nil {
			return out, err
		}
		s := w.set(t.Draft)
		files := s.Files
		s.Files = s.Files[:0]
		for i := range files {
			if !c.means(files[i].Path) {
				continue
			}
			if left > 0 {
				files[i].Diff = w.diff(t, &t.Files[i])
				left -= len(files[i].Diff)
			} else {
				files[i].Diff = files[i].Path + ": it is not shown beside so many others, but alone\n"
			}
			s.Files = append(s.Files, files[i])
		}
		t.Close()
		out = append(out, s)
	}
	return out, nil
}

// Page is a part of the set with this ID for who reads it in parts: the files from skip on, each with its difference,
// at most so many, and so many bytes of differences and one more. more tells that others follow.
func (w Waiting) Page(id string, skip, files, size int) (s Set, more bool, err error) {
	store := w.Uncommitted()
	if store == nil {
		return Set{}, false, uncommitted.ErrUnknown
	}
	t, err := store.Take(id)
	if err != nil {
		return Set{}, false, err
	}
	defer t.Close()
	s = w.set(t.Draft)
	all := s.Files
	s.Files = []File{}
	for i := max(skip, 0); i < len(all); i++ {
		if len(s.Files) == files || size <= 0 {
			return s, true, nil
		}
		one := all[i]
		one.Diff = w.diff(t, &t.Files[i])
		size -= len(one.Diff)
		s.Files = append(s.Files, one)
	}
	return s, false, nil
}

// diff is what a file of a draft would become.
func (w Waiting) diff(t *uncommitted.Taken, f *uncommitted.File) string {
	name := w.shown(t.Draft, f.Place)
	text := ""
	said := f.Was.Type == change.File || f.Will.Mode&0o111 != 0
	if f.Will.Type == change.File && f.Will.Mode != f.Was.Mode && said {
		text = fmt.Sprintf("%s: the mode is %s\n", name, f.Will.ModeText())
	}
	switch {
	case f.Will.Type == change.Link:
		return text + fmt.Sprintf("%s: a link to %q\n", name, string(f.Will.Target))
	case f.Will.Type == change.Dir:
		return text + name + "/: a folder\n"
	}
	before, after, whole := t.Texts(f.Place, shownFile)
	if !whole {
		return text + unshown(name, f.Was.Size, f.Will.Size)
	}
	return text + unified(name, before, after, f.Was, f.Will)
}

func unshown(name string, was, will int64) string {
	return fmt.Sprintf("%s: %d bytes, and were %d, that are not shown\n", name, will, was)
}

// unified is a difference of two texts as people read it.
func unified(name string, before, after []byte, was, will change.Entry) string {
	if !utf8.Valid(before) || !utf8.Valid(after) {
		return unshown(name, int64(len(before)), int64(len(after)))
	}
	from, to := "a/"+name, "b/"+name
	if was.Type != change.File {
		from = "/dev/null"
	}
	if will.Type != change.File {
		to = "/dev/null"
	}
	return diff.Of(string(before), string(after), diff.Options{}).Unified(from, to)
}

// both are what a file of a draft would have become, and what somebody made of it since.
func (w Waiting) both(t *uncommitted.Taken, c uncommitted.Conflict) (proposed, since string) {
	proposed = w.diff(t, &c.File)
	name := w.shown(t.Draft, c.Place)
	if c.Err != nil {
		return proposed, fmt.Sprintf("%s: it cannot be looked at: %v\n", name, c.Err)
	}
	if c.Now.Type != change.File {
		return proposed, fmt.Sprintf("%s: by now it is %s\n", name, c.Now.Type)
	}
	before, _, whole := t.Texts(c.Place, shownFile)
	tree, err := change.OpenTree(t.Roots[c.Root])
	if err != nil {
		return proposed, unshown(name, c.Was.Size, c.Now.Size)
	}
	defer tree.Close()
	now, err := tree.Read(c.Path, shownFile)
	if err != nil || !whole {
		return proposed, unshown(name, c.Was.Size, c.Now.Size)
	}
	if text := unified(name, before, now, c.Was, c.Now); text != "" {
		return proposed, text
	}
	return proposed, fmt.Sprintf("%s: the mode is %s\n", name, c.Now.ModeText())
}
