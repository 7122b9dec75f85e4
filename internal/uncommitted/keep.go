package uncommitted

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"helve/internal/change"
	"helve/internal/state"
)

const (
	idLength  = 10
	listName  = "draft.json"
	newPrefix = "new-" // of the folder of a draft that is not whole yet
)

// A Content writes what stands in a file.
type Content func(io.Writer) error

// A Writer makes a draft. The caller must close it; what was not kept by then is gone.
type Writer struct {
	s     *Store
	draft Draft
	dir   string
	left  int64 // bytes of contents that may be added
	kept  bool
}

// New begins a draft: its ID, its time and its files are the store's to say.
func (s *Store) New(d Draft) (*Writer, error) {
	left, err := s.room()
	if err != nil {
		return nil, err
	}
	if err := state.MakeDir(s.Dir); err != nil {
		return nil, err
	}
	d.ID, d.Made, d.Files, d.Bytes = newID(), s.now(), nil, 0
	w := &Writer{s: s, draft: d, dir: s.folder(newPrefix + d.ID), left: left}
	if err := os.Mkdir(w.dir, 0o700); err != nil {
		return nil, fmt.Errorf("keep a draft: %w", err)
	}
	return w, nil
}

func newID() string { return strings.ToLower(rand.Text()[:idLength]) }

// room is how many bytes of contents may still be kept. It refuses another draft where nobody could look through them
// any more.
func (s *Store) room() (int64, error) {
	all, lists, _, err := s.list()
	if err != nil {
		return 0, err
	}
	open, left := 0, int64(MaxBytes)
	for _, d := range all {
		if n := d.Count(Open); n > 0 {
			open++
			left -= d.Bytes
		}
	}
	if open >= MaxDrafts || left <= 0 || lists >= maxLists/2 {
		return 0, fmt.Errorf("%w: %d drafts of %d bytes", ErrFull, open, MaxBytes-left)
	}
	return left, nil
}

// What a draft cannot hold.
var (
	errSpecial = errors.New("it is no file, folder or link")
	errLarge   = fmt.Errorf("a draft has at most %d files, and all have %d bytes together", MaxFiles, int64(MaxBytes))
)

// Add adds a file. before and after write what stands in it and what would, where that is a file. Of the one before the
// digest is kept, and the content too if f.KeptOld says so.
func (w *Writer) Add(f File, before, after Content) error {
	if f.Was.Special() || f.Will.Special() {
		return fmt.Errorf("%s: %w", f.Path, errSpecial)
	}
	if len(w.draft.Files) == MaxFiles {
		return errLarge
	}
	f.State, f.Was, f.Will = Open, bare(f.Was), bare(f.Will)
	n := len(w.draft.Files)
	var err error
	switch {
	case f.Was.Type != change.File:
		f.KeptOld = false
	case f.KeptOld:
		f.Old, f.Was.Size, err = w.keep(oldName(n), before)
	default:
		f.Old, f.Was.Size, err = w.write(io.Discard, before)
	}
	if err == nil && f.Will.Type == change.File {
		f.New, f.Will.Size, err = w.keep(newName(n), after)
	}
	if err != nil {
		return err
	}
	w.draft.Files = append(w.draft.Files, f)
	return nil
}

func oldName(n int) string { return strconv.Itoa(n) + ".old" }
func newName(n int) string { return strconv.Itoa(n) + ".new" }

// bare is an entry without what is true of one moment: its number, its times and its owner.
func bare(e change.Entry) change.Entry {
	return change.Entry{Type: e.Type, Mode: e.Mode, Size: e.Size, Target: e.Target}
}

// keep writes a content beside the list, and returns its digest and its size.
func (w *Writer) keep(name string, content Content) (string, int64, error) {
	f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", 0, err
	}
	digest, size, err := w.write(f, content)
	return digest, size, errors.Join(err, f.Close())
}

// write writes a content, and returns its digest and its size.
func (w *Writer) write(to io.Writer, content Content) (string, int64, error) {
	c := &counted{to: to, sum: sha256.New(), left: w.left}
	if err := content(c); err != nil {
		return "", 0, err
	}
	size := w.left - c.left
	w.left = c.left
	w.draft.Bytes += size
	return hex.EncodeToString(c.sum.Sum(nil)), size, nil
}

// counted writes up to a bound, and makes a digest of what it writes.
type counted struct {
	to   io.Writer
	sum  hash.Hash
	left int64
}

// Write writes all of p or nothing.
func (c *counted) Write(p []byte) (int, error) {
	if c.left -= int64(len(p)); c.left < 0 {
		return 0, errLarge
	}
	c.sum.Write(p)
	return c.to.Write(p)
}

// Keep has the draft be there from now on, and returns it.
func (w *Writer) Keep() (*Draft, error) {
	text, err := json.Marshal(&w.draft)
	if err != nil {
		return nil, err
	}
	if len(text) > maxList {
		return nil, errLarge
	}
	if err := state.Replace(filepath.Join(w.dir, listName), text, 0o600); err != nil {
		return nil, err
	}
	if err := os.Rename(w.dir, w.s.folder(w.draft.ID)); err != nil {
		return nil, fmt.Errorf("keep a draft: %w", err)
	}
	w.kept = true
	return &w.draft, nil
}

// Close removes what was not kept.
func (w *Writer) Close() error {
	if w.kept {
		return nil
	}
	return os.RemoveAll(w.dir)
}
