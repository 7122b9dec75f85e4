package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"helve/internal/change"
	"helve/internal/state"
)

// A Recording is a call on its way into the history. It is for one goroutine, and
// holds the store until Close: what two calls say of one path must not mix.
type Recording struct {
	s       *Store
	call    Call
	unlock  func()
	trees   map[int]*change.Tree
	skipped map[change.Place]bool  // directories, whether they are left out
	dirs    map[change.Place]int64 // times of directories before something changed in them
	written bool
	refused []int
	late    func() error // nobody waits any more; nil: somebody always does
}

// Begin takes the store for a call. The caller must Close the recording.
func (s *Store) Begin(c Call) (*Recording, error) {
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	return &Recording{
		s:       s,
		call:    c,
		unlock:  unlock,
		trees:   map[int]*change.Tree{},
		skipped: map[change.Place]bool{},
		dirs:    map[change.Place]int64{},
	}, nil
}

// Content writes what is to stand in a file.
type Content func(io.Writer) error

// Add keeps what stands at a place, and what is to stand there: will, with its
// content if it is a file whose content changes. It returns the change's number.
func (r *Recording) Add(at change.Place, will change.Entry, content Content) (int, error) {
	t, err := r.tree(at.Root)
	if err != nil {
		return 0, err
	}
	was, err := r.keepNow(t, at)
	if err != nil {
		return 0, err
	}
	if err := r.before(at); err != nil {
		return 0, err
	}
	now := State{Entry: bare(will)}
	switch {
	case will.Type == change.File && content == nil: // only its mode or time changes
		now.Object = was.Object
		now.Lost = was.Lost
		now.Size = was.Size
	case will.Type == change.File:
		if now, err = r.keepNew(at, now, content); err != nil {
			return 0, err
		}
	}
	r.call.Changes = append(r.call.Changes, Change{Place: at, Was: was, Now: now})
	return len(r.call.Changes) - 1, nil
}

// AddHeld is Add for a file of which somebody holds another content than stands there: was.
func (r *Recording) AddHeld(at change.Place, was []byte, content Content) (int, error) {
	e, err := r.Look(at)
	if err != nil {
		return 0, err
	}
	e.Time = 0 // that of the file is not that of what is held
	old, now := State{Entry: bare(e)}, State{Entry: bare(e)}
	old.Size = int64(len(was))
	if err := r.keep(&old, at, old.Size, bytes.NewReader(was)); err != nil {
		return 0, err
	}
	if now, err = r.keepNew(at, now, content); err != nil {
		return 0, err
	}
	r.call.Changes = append(r.call.Changes, Change{Place: at, Was: old, Now: now})
	return len(r.call.Changes) - 1, nil
}

// Look tells what stands at a place.
func (r *Recording) Look(at change.Place) (change.Entry, error) {
	t, err := r.tree(at.Root)
	if err != nil {
		return change.Entry{}, err
	}
	return t.Look(at.Path)
}

func (r *Recording) tree(root int) (*change.Tree, error) {
	if t := r.trees[root]; t != nil {
		return t, nil
	}
	t, err := change.OpenTree(r.s.o.Roots[root])
	if err == nil {
		r.trees[root] = t
	}
	return t, err
}

// keepNow keeps what stands at a place.
func (r *Recording) keepNow(t *change.Tree, at change.Place) (State, error) {
	e, err := t.Look(at.Path)
	if err != nil {
		return State{}, err
	}
	return r.keepEntry(t, at, e)
}

// keepEntry keeps what a look saw at a place.
func (r *Recording) keepEntry(t *change.Tree, at change.Place, e change.Entry) (State, error) {
	out := State{Entry: bare(e)}
	if e.Type != change.File {
		return out, nil
	}
	f, err := t.Open(at.Path)
	if errors.Is(err, fs.ErrPermission) {
		out.Lost = "its content is not kept, as it could not be read"
		return out, nil
	}
	if err != nil {
		return State{}, err
	}
	defer f.Close()
	return out, r.keep(&out, at, e.Size, r.bounded(f, e.Size))
}

// bounded reads a file as far as it had a size, since what grows may have no end, and for as long as anybody waits.
func (r *Recording) bounded(f io.Reader, size int64) io.Reader {
	return &awaitedReader{io.LimitReader(f, size), r.late}
}

// An awaitedReader reads until it is late.
type awaitedReader struct {
	io.Reader
	late func() error // nil: never
}

// Read implements io.Reader.
func (r *awaitedReader) Read(p []byte) (int, error) {
	if r.late != nil {
		if err := r.late(); err != nil {
			return 0, err
		}
	}
	return r.Reader.Read(p)
}

// keepNew keeps what is to stand in a file. Its size is known only when all of it
// was written, and decides whether it is kept: so the beginning waits in memory.
func (r *Recording) keepNew(at change.Place, now State, content Content) (State, error) {
	pr, pw := io.Pipe()
	go func() { pw.CloseWithError(content(pw)) }()
	defer pr.Close() // ends the writer where the reader stopped early
	var head bytes.Buffer
	size, err := io.CopyN(&head, pr, r.s.o.MaxFile+1)
	if err != nil && err != io.EOF {
		return now, err
	}
	if size <= r.s.o.MaxFile {
		now.Size = size
	}
	err = r.keep(&now, at, size, io.MultiReader(&head, pr))
	return now, err
}

// keep stores a content, or only its digest where it is too large or secret.
func (r *Recording) keep(st *State, at change.Place, size int64, content io.Reader) (err error) {
	switch {
	case r.s.o.Secret != nil && r.s.o.Secret(at):
		st.Lost = "its content is not kept, as it may hold secrets"
	case size > r.s.o.MaxFile:
		st.Lost = fmt.Sprintf("its content is not kept, as it has more than %d bytes", r.s.o.MaxFile)
	}
	if st.Lost != "" {
		st.Object, err = digestAll(content)
		return err
	}
	st.Object, _, err = r.s.objects.keep(content)
	return err
}

// Commit writes the call into the journal. What it says is made after that, and
// only then: a change that the journal does not know could not be undone.
func (r *Recording) Commit() error {
	if err := os.WriteFile(r.s.pending(), []byte(r.call.ID), 0o600); err != nil {
		return err
	}
	r.written = true
	r.s.written.Store(true)
	lines := []line{{Call: &r.call, Changes: r.call.Changes, Dirs: r.begun()}}
	known, err := rootsKnown(r.s.o, r.s.journal())
	if err != nil {
		return err
	}
	if !known {
		lines = append([]line{{Roots: r.s.o.Roots}}, lines...)
	}
	if err := appendLines(r.s.journal(), lines...); err != nil || known {
		return err
	}
	own := folder{Path: r.s.o.Roots[0], ID: bornAs(r.s.o.Roots[0])}
	if err := r.s.o.note(own); err != nil {
		return err
	}
	return state.Replace(rootsFile(r.s.o), rootsText(r.s.o.Roots), 0o600)
}

func rootsFile(o Options) string { return filepath.Join(o.Dir, "roots") }

// rootsText are the roots as that file has them.
func rootsText(roots []string) []byte {
	var out []byte
	for _, root := range roots {
		out = append(append(out, root...), 0)
	}
	return out
}

// rootsKnown tells whether the journal's numbers of roots are these. A file beside it says so, or each call would read
// the whole journal.
func rootsKnown(o Options, journal string) (bool, error) {
	have, err := os.ReadFile(rootsFile(o))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	_, err = os.Lstat(journal)
	return err == nil && bytes.Equal(have, rootsText(o.Roots)), nil
}

// Done says that the call happened, but for the changes with these numbers. Without
// any change left it counts as one that did not.
func (r *Recording) Done(refused ...int) error {
	if len(refused) == len(r.call.Changes) {
		return r.Drop()
	}
	r.refused = refused
	return r.end(line{Done: r.call.ID, Refused: refused, Dirs: r.dated()})
}

// Changes are those of the call, once it is Done: without what was refused.
func (r *Recording) Changes() []Change { return without(r.call.Changes, r.refused) }

// Drop says that the call did not happen.
func (r *Recording) Drop() error { return r.end(line{Dropped: r.call.ID}) }

func (r *Recording) end(l line) error {
	if r.unlock == nil || !r.written {
		return nil
	}
	err := appendLines(r.s.journal(), l)
	if err == nil {
		err = os.Remove(r.s.pending())
	}
	return err
}

// Close gives the store free. Of a call that was committed, and of which nobody
// said what became of it, the next one to take the store finds out. A second call
// does nothing.
func (r *Recording) Close() {
	if r.unlock == nil {
		return
	}
	for _, t := range r.trees {
		t.Close()
	}
	r.unlock()
	r.unlock = nil
}
