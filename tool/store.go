package tool

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"helve/internal/tempdir"
)

// A Store keeps a session's blobs by name: spilled output, lists, what was read. Names are made of
// letters, digits, dot, dash and underscore. Put replaces as a whole or not at all; Get of an
// unknown name is an fs.ErrNotExist.
type Store interface {
	Put(name string, r io.Reader) (size int64, err error)
	Get(name string) (Blob, error)
	Delete(name string) error
}

// A Blob is stored content, open for reading at any place.
type Blob interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// DirStore keeps blobs as private files of one folder, which it makes when it is first needed.
type DirStore string

var _ Store = DirStore("")

// Put writes to a temporary file and renames it.
func (d DirStore) Put(name string, r io.Reader) (int64, error) {
	if err := checkBlobName(name); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return 0, fmt.Errorf("store: %w", err)
	}
	f, err := os.CreateTemp(string(d), ".put-*")
	if err != nil {
		return 0, fmt.Errorf("store: %w", err)
	}
	n, err := io.Copy(f, r)
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(string(d), name))
	}
	if err != nil {
		os.Remove(f.Name())
		return n, fmt.Errorf("store: %s: %w", name, err)
	}
	return n, nil
}

// Get opens a blob.
func (d DirStore) Get(name string) (Blob, error) {
	if err := checkBlobName(name); err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(string(d), name))
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("store: %s: %w", name, fs.ErrNotExist)
	}
	return fileBlob{f, st.Size()}, nil
}

// Delete removes a blob; one that is not there is no error.
func (d DirStore) Delete(name string) error {
	if err := checkBlobName(name); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(string(d), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

type fileBlob struct {
	*os.File
	size int64
}

func (b fileBlob) Size() int64 { return b.size }

func checkBlobName(name string) error {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	ok := name != "" && len(name) <= 128 && name[0] != '.'
	ok = ok && strings.Trim(name, letters+"0123456789.-_") == "" // every file system takes these
	if !ok {
		return fmt.Errorf("store: bad name %q", name)
	}
	return nil
}

type tempStore struct {
	DirStore
	dir *tempdir.Dir
}

func newTempStore() (*tempStore, error) {
	dir, err := tempdir.Make("", "helve-store-")
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	return &tempStore{DirStore(dir.Path), dir}, nil
}

func (t *tempStore) remove() error { return t.dir.Remove() }

// SpillScheme starts the name under which a session's tools find what was too long to show:
// spill:ID.
const SpillScheme = "spill:"

// maxSpill bounds one kept output: what bash keeps of a background process at most, some hours of a
// chatty build.
const maxSpill = 100 << 20

// A Ref names something that a session keeps.
type Ref struct {
	ID   string // as the model writes it: spill:ab12…
	Size int64  // bytes kept
	Cut  bool   // there was more than may be kept
}

// Keep stores what r brings, up to 100 MiB, for this session's tools and nobody else.
func (s *Session) Keep(r io.Reader) (Ref, error) {
	st, err := s.Blobs()
	if err != nil {
		return Ref{}, err
	}
	var id [8]byte
	rand.Read(id[:]) // never fails
	name := hex.EncodeToString(id[:])
	limited := &io.LimitedReader{R: r, N: maxSpill}
	n, err := st.Put("spill-"+name, limited)
	if err != nil {
		return Ref{}, err
	}
	var more [1]byte
	cut, _ := r.Read(more[:])
	return Ref{ID: SpillScheme + name, Size: n, Cut: cut > 0}, nil
}

// Kept opens what Keep stored. An id of another session, or one made up, is an fs.ErrNotExist.
func (s *Session) Kept(id string) (Blob, error) {
	name, ok := strings.CutPrefix(id, SpillScheme)
	if !ok || s == nil {
		return nil, fmt.Errorf("%s: %w", id, fs.ErrNotExist)
	}
	st, err := s.Blobs()
	if err != nil {
		return nil, err
	}
	return st.Get("spill-" + name)
}
