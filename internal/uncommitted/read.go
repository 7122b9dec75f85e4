package uncommitted

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"helve/internal/change"
	"helve/internal/state"
)

// Why a draft cannot be read.
var (
	errOther   = errors.New("it names another draft")
	errNoFiles = errors.New("it has no list of files")
	errDamaged = errors.New("what was to stand there was damaged")
)

// open opens the folder, through which everything in it is read: no link is followed, no pipe waited for. Nil: it is
// not there.
func (s *Store) open() (*change.Tree, error) {
	in, err := change.OpenTree(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("what waits cannot be read: %w", err)
	}
	if err := private(in, "."); err != nil {
		in.Close()
		return nil, fmt.Errorf("what waits is not believed: %s: %w", s.Dir, err)
	}
	return in, nil
}

// private refuses what somebody else may have written.
func private(in *change.Tree, path change.Name) error {
	e, err := in.Look(path)
	switch {
	case err != nil || !e.Owner.Known: // a system without owners
		return err
	case !state.Owns(int(e.Owner.User)):
		return fmt.Errorf("it belongs to user %d", e.Owner.User)
	case e.Mode&0o022 != 0:
		return fmt.Errorf("others may write to it (%v)", e.Mode.Perm())
	}
	return nil
}

// read reads a draft. One whose week has passed is unknown.
func (s *Store) read(id string) (*Draft, error) {
	in, err := s.open()
	if err != nil {
		return nil, err
	}
	if in == nil {
		return nil, fmt.Errorf("%w: %s", ErrUnknown, id)
	}
	defer in.Close()
	d, _, err := s.readIn(in, id, maxList)
	return d, err
}

// readIn is read in the open folder. size is that of the list, which has at most limit bytes.
func (s *Store) readIn(in *change.Tree, id string, limit int64) (d *Draft, size int64, err error) {
	at := change.Place{Path: change.Name(id)}
	list := at.Child(listName)
	stands, err := in.Look(list.Path)
	if err == nil && stands.Type == change.None {
		return nil, 0, fmt.Errorf("%w: %s", ErrUnknown, id)
	}
	if stands.Size > limit {
		err = errLarge
	}
	var text []byte
	if err = cmp.Or(err, private(in, at.Path), private(in, list.Path)); err == nil {
		text, err = in.Read(list.Path, limit)
	}
	if err == nil {
		d, err = parse(text, id)
	}
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("draft %s: it cannot be read: %w", id, err)
	case s.old(d):
		return nil, 0, fmt.Errorf("%w: %s", ErrUnknown, id)
	}
	return d, int64(len(text)), nil
}

// parse reads a list, and refuses what no draft holds: whoever shows it and whoever makes it relies on that.
func parse(text []byte, id string) (*Draft, error) {
	d := &Draft{}
	all := struct {
		*Draft
		Files files `json:"files"`
	}{Draft: d}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	d.Files = all.Files
	if d.ID != id {
		return nil, errOther
	}
	for _, root := range d.Roots {
		if !filepath.IsAbs(root) {
			return nil, fmt.Errorf("%q is no folder", root)
		}
	}
	for i := range d.Files {
		if err := d.Files[i].check(len(d.Roots)); err != nil {
			return nil, fmt.Errorf("file %d: %w", i, err)
		}
	}
	return d, nil
}

func (f *File) check(roots int) error {
	switch {
	case !slices.Contains([]State{Open, Committing, Committed, Dropped}, f.State):
		return fmt.Errorf("its state is %q", string(f.State))
	case f.Was.Type > change.Link || f.Will.Type > change.Link:
		return errSpecial
	}
	return f.Place.Check(roots)
}

// files are read one by one, at most as many as a draft has: a short text can hold millions.
type files []File

// UnmarshalJSON implements json.Unmarshaler.
func (fs *files) UnmarshalJSON(text []byte) error {
	*fs = nil
	from := json.NewDecoder(bytes.NewReader(text))
	if first, err := from.Token(); err != nil || first == nil {
		return err
	} else if first != json.Delim('[') {
		return errNoFiles
	}
	for from.More() {
		if len(*fs) == MaxFiles {
			return errLarge
		}
		var one File
		if err := from.Decode(&one); err != nil {
			return err
		}
		*fs = append(*fs, one)
	}
	return nil
}

// content copies what is kept under a name of a draft, which must have a digest. Beyond limit nothing is read.
func (s *Store) content(to io.Writer, id, name, digest string, limit int64) error {
	in, err := s.open()
	if err != nil {
		return err
	}
	if in == nil {
		return ErrUnknown
	}
	defer in.Close()
	f, err := in.Open(change.Place{Path: change.Name(id)}.Child(name).Path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("what was to stand there is not kept any more: %w", err)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(f, limit+1))
	switch {
	case err != nil:
		return err
	case n > limit:
		return errLarge
	case hex.EncodeToString(sum.Sum(nil)) != digest:
		return errDamaged
	}
	return nil
}
