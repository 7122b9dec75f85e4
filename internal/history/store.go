package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"helve/internal/change"
	"helve/internal/state"
)

// DefaultFile is up to how many bytes the content of a file is kept where nobody says otherwise: sources are far smaller.
const DefaultFile = 64 << 20

// Options say what a history is of.
type Options struct {
	// Dir is the private folder of the store, made if it is missing. A workspace has one of its own.
	Dir string
	// Roots are the absolute paths of the workspace's directories. A Place's Root is an index of them.
	Roots []string
	// Work is the folder of transactions, as State in change.Options.
	Work string
	// Secret tells whose content must not be kept: only its digest is. Nil: there are none.
	Secret func(change.Place) bool
	// Denied tells of what must be neither read nor changed: an undo leaves it alone. Nil: there is nothing.
	Denied func(change.Place) bool
	// Skip tells of directories that are not recorded, with all that is in them: those that a build makes again. A call
	// that changes one has it among its gaps. Nil: there are none.
	Skip func(change.Place) bool
	// MaxFile is up to how many bytes the content of a file is kept; 0: DefaultFile. Of larger ones the digest is.
	MaxFile int64
	// Guard is as in change.Options.
	Guard func(change.Place) (release func(), err error)
}

// changes are the options of sets that are made here.
func (o Options) changes() change.Options {
	return change.Options{Roots: o.Roots, State: o.Work, Guard: o.Guard}
}

// A Store is the history of a workspace. Several processes may use the same one.
type Store struct {
	o       Options
	objects *objects
	written atomic.Bool
}

// Written tells whether a call was recorded through this store.
func (s *Store) Written() bool { return s.written.Load() }

// Added is how many bytes of contents were stored through this store.
func (s *Store) Added() int64 { return s.objects.added.Load() }

// Forget removes all that is remembered, also what cannot be read.
func (s *Store) Forget() error {
	if err := state.MakeDir(s.o.Dir); err != nil {
		return err
	}
	unlock, err := s.take()
	if err != nil {
		return err
	}
	defer unlock()
	for _, path := range []string{s.journal(), s.rootsFile(), s.pending(), s.objects.dir} {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

// Open opens a store. Nothing is written before a call is.
func Open(o Options) (*Store, error) {
	if !filepath.IsAbs(o.Dir) || len(o.Roots) == 0 {
		const want = "want an absolute folder, and at least one root"
		return nil, fmt.Errorf("history: %q with %d roots: %s", o.Dir, len(o.Roots), want)
	}
	if o.MaxFile <= 0 {
		o.MaxFile = DefaultFile
	}
	return &Store{o: o, objects: &objects{dir: filepath.Join(o.Dir, "objects")}}, nil
}

func (s *Store) journal() string { return filepath.Join(s.o.Dir, "journal") }

// pending is there while a call is in the journal that is not finished.
func (s *Store) pending() string { return filepath.Join(s.o.Dir, "pending") }

// lock takes the store, and finishes what a process left that is gone.
func (s *Store) lock() (unlock func(), err error) {
	if err := state.MakeDir(s.o.Dir); err != nil {
		return nil, err
	}
	if unlock, err = s.take(); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(s.pending()); err == nil {
		if err := s.settle(); err != nil {
			unlock()
			return nil, err
		}
	}
	return unlock, nil
}

const (
	// lockWait is how long a call waits for another one: a command that changed 100,000 files takes seconds to be
	// recorded and made.
	lockWait = time.Minute
	lockPoll = 2 * time.Millisecond
)

// take waits until nobody else has the store, in any process.
func (s *Store) take() (unlock func(), err error) {
	l := flock.New(filepath.Join(s.o.Dir, "lock"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	ok, err := l.TryLockContext(ctx, lockPoll)
	if err != nil || !ok {
		return nil, fmt.Errorf("history: another call has been recorded for %v: try again", lockWait)
	}
	return func() { l.Unlock() }, nil
}

// settle finds out what became of calls that nobody finished: what stands as they
// wanted it happened. A set that was begun is made first.
func (s *Store) settle() error {
	if err := change.Repair(context.Background(), s.o.changes(), nil); err != nil {
		return err
	}
	g, err := readLog(s.journal(), s.o.Roots)
	if err != nil {
		return err
	}
	for _, c := range g.open {
		var refused []int
		for i, ch := range c.Changes {
			now, _, err := s.look(ch.Place)
			if err != nil || !now.same(ch.Now) && !s.sameIndex(ch, now) {
				refused = append(refused, i)
			}
		}
		l := line{Done: c.ID, Refused: refused}
		if len(refused) == len(c.Changes) {
			l = line{Dropped: c.ID}
		}
		if err := appendLines(s.journal(), l); err != nil {
			return err
		}
	}
	return os.Remove(s.pending())
}

// look is what stands at a place now, as a state and as the system told it. A
// file's content is read, but not kept.
func (s *Store) look(p change.Place) (State, change.Entry, error) {
	if p.Root < 0 || p.Root >= len(s.o.Roots) {
		return State{}, change.Entry{}, errors.New("it was in a folder that the workspace does not have now")
	}
	t, err := change.OpenTree(s.o.Roots[p.Root])
	if err != nil {
		return State{}, change.Entry{}, err
	}
	defer t.Close()
	e, err := t.Look(p.Path)
	st := State{Entry: bare(e)}
	if err != nil || e.Type != change.File {
		return st, e, err
	}
	f, err := t.Open(p.Path)
	if err != nil {
		return st, e, err
	}
	defer f.Close()
	st.Object, err = digestAll(f)
	return st, e, err
}

// read is the log, with each call marked.
func (s *Store) read() (*log, error) {
	g, err := readLog(s.journal(), s.o.Roots)
	if err != nil {
		return nil, err
	}
	g.mark()
	return g, nil
}

// A List is the history, as far as it can be read.
type List struct {
	Calls  []Call // the newest first
	Broken int    // entries of the journal that are damaged: what they said is lost
}

// List is the calls that changed files, the newest first; limit 0 is all.
func (s *Store) List(limit int) (List, error) {
	unlock, err := s.lock()
	if err != nil {
		return List{}, err
	}
	defer unlock()
	g, err := s.read()
	if err != nil {
		return List{}, err
	}
	out := List{Broken: g.broken}
	for _, c := range slices.Backward(g.calls) {
		if limit > 0 && len(out.Calls) == limit {
			break
		}
		out.Calls = append(out.Calls, *c)
	}
	return out, nil
}

// Content is what a state's file held, of at most limit bytes.
func (s *Store) Content(st State, limit int64) ([]byte, error) {
	if st.Lost != "" {
		return nil, errors.New(st.Lost)
	}
	r, err := s.objects.open(st.Object)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("it has more than %d bytes", limit)
	}
	return b, err
}

// A Recording is a call on its way into the history. It is for one goroutine, and
// holds the store until Close: what two calls say of one path must not mix.
type Recording struct {
	s       *Store
	call    Call
	unlock  func()
	trees   map[int]*change.Tree
	skipped map[change.Place]bool // directories, whether they are left out
	written bool
	refused []int
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
	if err != nil || e.Type != change.File {
		return State{Entry: bare(e)}, err
	}
	out := State{Entry: bare(e)}
	f, err := t.Open(at.Path)
	if errors.Is(err, fs.ErrPermission) {
		out.Lost = "its content is not kept, as it could not be read"
		return out, nil
	}
	if err != nil {
		return State{}, err
	}
	defer f.Close()
	return out, r.keep(&out, at, e.Size, f)
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
	lines := []line{{Call: &r.call, Changes: r.call.Changes}}
	known, err := r.s.rootsKnown()
	if err != nil {
		return err
	}
	if !known {
		lines = slices.Insert(lines, 0, line{Roots: r.s.o.Roots})
	}
	if err := appendLines(r.s.journal(), lines...); err != nil || known {
		return err
	}
	return state.Replace(r.s.rootsFile(), r.s.rootsText(), 0o600)
}

func (s *Store) rootsFile() string { return filepath.Join(s.o.Dir, "roots") }

// rootsText are the roots as that file has them.
func (s *Store) rootsText() []byte {
	var out []byte
	for _, root := range s.o.Roots {
		out = append(append(out, root...), 0)
	}
	return out
}

// rootsKnown tells whether the journal's numbers of roots are these. A file beside
// it says so, or each call would read the whole journal.
func (s *Store) rootsKnown() (bool, error) {
	have, err := os.ReadFile(s.rootsFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	_, err = os.Lstat(s.journal())
	return err == nil && bytes.Equal(have, s.rootsText()), nil
}

// Done says that the call happened, but for the changes with these numbers. Without
// any change left it counts as one that did not.
func (r *Recording) Done(refused ...int) error {
	if len(refused) == len(r.call.Changes) {
		return r.Drop()
	}
	r.refused = refused
	return r.end(line{Done: r.call.ID, Refused: refused})
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
