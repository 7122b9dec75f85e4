package bash

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"helve/internal/change"
	"helve/internal/change/check"
	"helve/internal/diff"
	"helve/tool"
)

// shownFile bounds a file whose change is shown: configuration, hooks and the like are a few kilobytes. Of a larger one
// the size is told.
const shownFile = 256 << 10

// askedText bounds what one question shows, in bytes: a command may leave gigabytes, and nobody reads as much.
const askedText = 4 << 20

// errTooMuch is why a person is not asked: a yes to what was not shown would be none.
var errTooMuch = errors.New("it is too much to be shown in one question")

// A shower shows changes of a set that was not made yet.
type shower struct {
	w     *Commands
	set   *change.Set
	roots []*change.Tree
	from  *change.Tree // where changes come from
	diff  tool.Diff
	text  strings.Builder
}

// show shows what is held back of a set, each path with the reason. It is all of it, or errTooMuch.
func (t *transaction) show(set *change.Set, found []check.Finding) (tool.Diff, error) {
	s := &shower{w: t.w, set: set}
	defer s.close()
	if err := s.open(t); err != nil {
		return tool.Diff{}, err
	}
	for _, f := range found {
		fmt.Fprintf(&s.text, "# %s: %s\n", t.w.ShownPath(f.Place), f.Why)
		if err := s.whole(&set.Changes[f.Index], f.Place); err != nil {
			return tool.Diff{}, err
		}
	}
	s.diff.Path = t.w.ShownPath(found[0].Place)
	s.diff.Unified = s.text.String()
	return s.diff, nil
}

// open opens the trees.
func (s *shower) open(t *transaction) (err error) {
	for _, dir := range t.where.Roots {
		tree, err := change.OpenTree(dir)
		if err != nil {
			return err
		}
		s.roots = append(s.roots, tree)
	}
	s.from, err = change.OpenTree(t.where.Folder)
	return err
}

// close closes what open opened.
func (s *shower) close() {
	for _, t := range append(s.roots, s.from) {
		if t != nil {
			t.Close()
		}
	}
}

// both are what stands at a place and what would, and where in the transaction's folder that lies: a change's own
// place, or one in a directory that it brings.
func (s *shower) both(c *change.Change, at change.Place) (was, will change.Entry, from change.Name, err error) {
	was, will, from = c.Was, c.Will, c.From
	if at == c.Place() {
		return was, will, from, nil
	}
	rel := strings.TrimPrefix(string(at.Path), string(c.Path)+"/")
	if was, err = s.roots[at.Root].Look(at.Path); err != nil || from == "" {
		return was, change.Entry{}, "", err
	}
	from = change.Place{Path: from}.Child(rel).Path
	will, err = s.from.Look(from)
	return was, will, from, err
}

// whole shows what becomes of a place, with all that is in a directory which comes or goes there.
func (s *shower) whole(c *change.Change, at change.Place) error {
	show := func(at change.Place, _, _ change.Entry) error {
		if s.text.Len() > askedText {
			return errTooMuch
		}
		return s.one(c, at)
	}
	was, will, from, err := s.both(c, at)
	if err == nil {
		err = show(at, was, will)
	}
	if err == nil && c.Whole && was.Type == change.Dir {
		err = s.below(c, at, s.roots[at.Root], at.Path, show)
	}
	if err == nil && from != "" && will.Type == change.Dir {
		err = s.below(c, at, s.from, from, show)
	}
	return err
}

// below shows what is in a directory at a place: of one in a root what is there, of one that comes what is new.
func (s *shower) below(c *change.Change, at change.Place, tree *change.Tree, dir change.Name,
	show func(at change.Place, was, will change.Entry) error) error {
	return tree.Walk(dir, func(path change.Name, _ change.Entry) error {
		in := at.Child(strings.TrimPrefix(string(path), string(dir)+"/"))
		was, will, _, err := s.both(c, in)
		if err != nil || tree == s.from && was.Type != change.None {
			return err
		}
		return show(in, was, will)
	})
}

// one shows what becomes of a place.
func (s *shower) one(c *change.Change, at change.Place) error {
	was, will, from, err := s.both(c, at)
	if err != nil {
		return err
	}
	before, isText, err := s.read(s.roots[at.Root], at.Path, was)
	if err != nil {
		return err
	}
	after, alsoText := before, true
	if from != "" {
		after, alsoText, err = s.read(s.from, from, will)
	}
	if err != nil {
		return err
	}
	name := s.w.ShownPath(at)
	switch {
	case was.Type == will.Type && was.Mode != will.Mode:
		fmt.Fprintf(&s.text, "%s: the mode is %s, and was %s\n", name, will.ModeText(), was.ModeText())
	case was.Type != will.Type && unusual(will):
		fmt.Fprintf(&s.text, "%s: the mode is %s\n", name, will.ModeText())
	}
	switch {
	case will.Type == change.Link:
		fmt.Fprintf(&s.text, "%s: a link to %q\n", name, string(will.Target))
	case will.Type == change.None && was.Type == change.Dir:
		fmt.Fprintf(&s.text, "%s: a directory goes\n", name)
	case will.Type != change.File && will.Type != change.None:
		fmt.Fprintf(&s.text, "%s: %s\n", name, will.Type)
	case !isText || !alsoText:
		const unseen = "%s: %d bytes, and were %d: no text, too many to show, or closed\n"
		fmt.Fprintf(&s.text, unseen, name, will.Size, was.Size)
	default:
		s.lines(name, was, will, before, after)
	}
	return nil
}

// unusual reports what is new with a mode that says something: a file that can be run, or what everybody may write to.
func unusual(e change.Entry) bool {
	switch e.Type {
	case change.None, change.Link:
		return false
	case change.Dir:
		return e.Mode&^0o775 != 0
	}
	return e.Mode&^0o664 != 0
}

// lines shows a text before and after.
func (s *shower) lines(name string, was, will change.Entry, before, after []byte) {
	old, now := "a/"+name, "b/"+name
	if was.Type != change.File {
		old = "/dev/null"
	}
	if will.Type == change.None {
		now, after = "/dev/null", nil
	}
	d := diff.Of(string(before), string(after), diff.Options{})
	text := d.Unified(old, now)
	if text == "" && was.Type != will.Type {
		text = fmt.Sprintf("--- %s\n+++ %s\n(an empty file)\n", old, now)
	}
	s.text.WriteString(text)
	s.diff.Added += d.Added
	s.diff.Removed += d.Removed
}

// read is the text of a file; false for one that is none, is too large or closed. What is no file has no text.
func (s *shower) read(t *change.Tree, path change.Name, e change.Entry) (text []byte, ok bool, err error) {
	switch {
	case e.Type != change.File:
		return nil, true, nil
	case e.Size > shownFile:
		return nil, false, nil
	}
	text, err = t.Read(path, shownFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, true, nil
	case errors.Is(err, fs.ErrPermission): // a command closed it to its owner, which its mode tells
		return nil, false, nil
	}
	return text, err == nil && !bytes.ContainsRune(text, 0), err
}
