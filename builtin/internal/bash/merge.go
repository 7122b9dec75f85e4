package bash

import (
	"bytes"
	"os"
	"path/filepath"
	"unicode/utf8"

	"helve/internal/change"
	"helve/internal/diff"
)

// MaxMerged is the largest file that is merged, in bytes.
const MaxMerged = 4 << 20

// Before notes what stands at a place that a tool for files is about to change: what it relies on. text reads it.
func (d *Draft) Before(at change.Place, text func() ([]byte, error)) {
	d.changes.Add(1)
	d.noteOne(at)
	if _, known := d.base.Load(at); known {
		return
	}
	old, err := text()
	if err != nil || len(old) > MaxMerged {
		old = nil // it is not merged then
	}
	d.base.LoadOrStore(at, old)
}

// merge has texts that somebody else changed meanwhile be changed by both, where the lines do not touch. What cannot be
// merged stays stale, and is told. It names the files that it merged.
func (d *Draft) merge(set *change.Set) (merged []string, err error) {
	from, err := change.OpenTree(d.t.where.Folder)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	for i := range set.Changes {
		c := &set.Changes[i]
		old, known := d.base.Load(c.Place())
		if !known || old.([]byte) == nil || c.Was.Type != change.File || c.Will.Type != change.File {
			continue
		}
		// Another file may have come to its place with a directory that somebody moved: it is as old as ever.
		if !c.Stale && d.stands(c, old.([]byte)) {
			continue
		}
		c.Stale = true
		ok, err := d.mergeOne(c, from, old.([]byte))
		if err != nil {
			return nil, err
		}
		if ok {
			merged = append(merged, d.w.ShownPath(c.Place()))
		}
	}
	return merged, nil
}

// mergeOne merges one text.
func (d *Draft) mergeOne(c *change.Change, from *change.Tree, old []byte) (ok bool, err error) {
	root, err := change.OpenTree(d.t.where.Roots[c.Root])
	if err != nil {
		return false, err
	}
	defer root.Close()
	now, err := root.Look(c.Path)
	if err != nil || now.Type != change.File {
		return false, err
	}
	theirs, err := root.Read(c.Path, MaxMerged)
	if err != nil {
		return false, nil //nolint:nilerr // it is gone, or too large: it cannot be merged
	}
	mine, err := from.Read(c.From, MaxMerged)
	if err != nil {
		return false, nil //nolint:nilerr // it is too large
	}
	for _, text := range [][]byte{old, theirs, mine} {
		if !isText(text) {
			return false, nil
		}
	}
	text, ok := diff.Merge(string(old), string(mine), string(theirs))
	if !ok {
		return false, nil
	}
	if err := overwrite(filepath.Join(d.t.where.Folder, filepath.FromSlash(string(c.From))), text); err != nil {
		return false, err
	}
	d.own.Delete(c.Place()) // nobody judged what it is now
	d.base.Store(c.Place(), theirs)
	d.stood.Store(c.Place(), stoodOf(now))
	if d.mergedAt == nil {
		d.mergedAt = map[change.Place]int64{}
	}
	d.mergedAt[c.Place()] = now.Changed
	c.Was, c.Stale = now, false
	will, err := from.Look(c.From)
	c.Will = will
	return err == nil, err
}

// stands tells whether a text is what stands at the place of a change.
func (d *Draft) stands(c *change.Change, old []byte) bool {
	root, err := change.OpenTree(d.t.where.Roots[c.Root])
	if err != nil {
		return false
	}
	defer root.Close()
	now, err := root.Read(c.Path, MaxMerged)
	return err == nil && bytes.Equal(now, old)
}

// isText tells what is shown and merged by its lines.
func isText(b []byte) bool { return bytes.IndexByte(b, 0) < 0 && utf8.Valid(b) }

// overwrite gives a file of the transaction's folder, which is ours alone, another text.
func overwrite(path, text string) error {
	st, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if st.Mode().Perm()&0o200 == 0 {
		if err := os.Chmod(path, st.Mode().Perm()|0o200); err != nil {
			return err
		}
		defer os.Chmod(path, st.Mode().Perm())
	}
	return os.WriteFile(path, []byte(text), st.Mode().Perm())
}
