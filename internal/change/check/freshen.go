package check

import (
	"bytes"
	"crypto/sha1" // the digest that ends an index of git
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"strings"

	"helve/internal/change"
)

// Freshen has a set make the indexes that it brings know its files as they are then. Git knows an unchanged file by its
// number and its times, and the rename that puts a file in place gives it a new time of change; commands such as git
// diff-index would take it for changed. Entries that differ in anything else are left to git.
//
// The indexes get their new content while the set still holds their locks: no git writes one meanwhile, and a kill
// leaves no lock.
func Freshen(o Options, set *change.Set) {
	set.Settle = func(t *change.Transaction, r *change.Report) error {
		return freshen(o, t, set, r)
	}
}

func freshen(o Options, t *change.Transaction, set *change.Set, r *change.Report) error {
	v, err := newView(Options{Roots: o.Roots, Folder: t.Folder()}, &change.Set{})
	if err != nil {
		return err
	}
	defer v.close()
	indexes := v.indexesOf(r)
	if len(indexes) == 0 {
		return nil
	}
	moved, err := v.movesOf(t, set, r)
	if err != nil {
		return err
	}
	var errs []error
	for _, at := range indexes {
		errs = append(errs, v.freshen(t, at, moved))
	}
	return errors.Join(errs...)
}

// indexesOf lists the indexes that were made.
func (v *view) indexesOf(r *change.Report) []place {
	var out []place
	for _, m := range r.Made {
		ours := m.Index >= 0 && m.Now.Type == change.File && m.Base() == "index"
		if ours && v.state(m.Parent()).after == gitDir {
			out = append(out, m.Place)
		}
	}
	return out
}

// movesOf are the files that were made, those in whole directories too: a rename of the directory leaves them their
// times, but an overlay may have shown other numbers of them, and a copy has times of its own.
func (v *view) movesOf(t *change.Transaction, set *change.Set, r *change.Report) (map[place]move, error) {
	moved := map[place]move{}
	for _, m := range r.Made {
		if m.Index < 0 {
			continue
		}
		c := &set.Changes[m.Index]
		switch {
		case m.Now.Type == change.File:
			moved[m.Place] = move{c.Will, m.Now}
		case m.Now.Type == change.Dir && m.Whole:
			err := v.roots[m.Root].Walk(m.Path, func(at change.Name, e entry) error {
				here := place{Root: m.Root, Path: at}
				moved[here] = move{v.staged(t, c, here, e), e}
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return moved, nil
}

// staged is a file in a directory that came as a whole, as the command left it: now but for the time of its change.
func (v *view) staged(t *change.Transaction, c *change.Change, at place, now entry) entry {
	if now.Type != change.File {
		return now
	}
	if !t.Moves(c.Root) { // it is a copy, and what was copied is still there
		rel, _ := below(at, c.Place())
		if e, err := v.folder.Look(join(c.From, rel)); err == nil && e.Type == change.File {
			now.Changed = e.Changed
		}
	}
	if changed, known := t.Touched(at); known {
		now.Changed = changed
	}
	return now
}

// A move is a file as the index may know it, and as it is now.
type move struct {
	staged, now entry
}

// freshen rewrites one index, if there is anything in it to rewrite.
func (v *view) freshen(t *change.Transaction, at place, moved map[place]move) error {
	d := at.Parent()
	top, known := v.worktree(d)
	if !known {
		return nil
	}
	text, err := v.roots[at.Root].Read(at.Path, maxIndex)
	if err != nil {
		return err
	}
	old := bytes.Clone(text)
	size := v.hashSize(d)
	if err := restamp(text, size, func(name string) (move, bool) {
		m, found := moved[top.Child(name)]
		return m, found
	}); err != nil || bytes.Equal(text, old) {
		return err
	}
	sign(text, size)
	if err := t.Replace(at, text); err != nil {
		return fmt.Errorf("refresh git's index: %w", err)
	}
	return nil
}

// The places of what an entry of the index says of a file, behind its start.
const (
	indexCtime = 0
	indexMtime = 8
	indexInode = 20
	indexSize  = 36
)

// restamp sets the time of change and the number of every entry whose file was moved and is otherwise as the index has
// it. The text is changed in place: no entry grows.
func restamp(text []byte, hash int, moved func(name string) (move, bool)) error {
	if len(text) < indexHeader {
		return errIndexEnd
	}
	r := &indexReader{text: text[indexHeader:], hash: hash, version: binary.BigEndian.Uint32(text[4:])}
	for range binary.BigEndian.Uint32(text[8:]) {
		this := r.text
		if _, err := r.entry(); err != nil {
			return err
		}
		m, found := moved(string(r.name))
		if found && indexedAs(m.staged, this) {
			putTime(this[indexCtime:], m.now.Changed)
			binary.BigEndian.PutUint32(this[indexInode:], uint32(m.now.ID.Inode))
		}
	}
	return nil
}

// indexedAs reports that an entry of the index speaks of this very file, unchanged since: its times tell that. Of the
// time of change git itself compares whole seconds only, unless it is built otherwise. The number tells nothing: an
// overlay shows a file that it copied under the number of the old one.
func indexedAs(e entry, raw []byte) bool {
	changed := binary.BigEndian.Uint32(raw[indexCtime:])
	size := binary.BigEndian.Uint32(raw[indexSize:])
	switch {
	case timeOf(raw[indexMtime:]) != e.Time:
		return false
	case e.Changed != 0 && changed != uint32(e.Changed/second):
		return false // a file that only gets another time has none: its content was compared
	}
	return size == uint32(e.Size)
}

const second = 1_000_000_000

func timeOf(raw []byte) int64 {
	sec, nano := binary.BigEndian.Uint32(raw), binary.BigEndian.Uint32(raw[4:])
	return int64(sec)*second + int64(nano)
}

func putTime(raw []byte, t int64) {
	binary.BigEndian.PutUint32(raw, uint32(t/second))
	binary.BigEndian.PutUint32(raw[4:], uint32(t%second))
}

// sign writes the digest that ends an index. One that git left out stays out.
func sign(text []byte, size int) {
	body, end := text[:len(text)-size], text[len(text)-size:]
	if strings.Trim(string(end), "\x00") == "" {
		return
	}
	var h hash.Hash = sha1.New()
	if size == sha256Size {
		h = sha256.New()
	}
	h.Write(body)
	copy(end, h.Sum(nil))
}
