package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"helve/internal/change"
	"helve/internal/state"
)

// DefaultFile is up to how many bytes the content of a file is kept where nobody says otherwise: sources are far
// smaller.
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
	// Own tells of what a scan leaves out, of directories with all that is in them: what this program keeps or puts
	// there is no work of a call. Nil: nothing lies in the roots.
	Own func(change.Place, change.Entry) bool
	// MaxFile is up to how many bytes the content of a file is kept; 0: DefaultFile. Of larger ones the digest is.
	MaxFile int64
	// Guard is as in change.Options.
	Guard func(change.Place) (release func(), err error)
	// Finished is told of each set of another process that is finished here, as change.Repair does. Nil: nobody.
	Finished func(*change.Transaction, *change.Report) error
}

// changes are the options of sets that are made here.
func (o Options) changes() change.Options {
	return change.Options{Roots: o.Roots, State: o.Work, Guard: o.Guard}
}

// A Store is the history of a workspace. Several processes may use the same one.
type Store struct {
	o       Options
	objects *objects
	moved   map[string]string // roots of older entries, and where they are now
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
	for _, path := range []string{s.journal(), rootsFile(s.o), s.pending(), s.objects.dir, s.o.looks()} {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

// Open opens a store. Nothing is written before a call is, but that a workspace which was moved takes its history
// along, and one that is another folder at the same path gets a history of its own.
func Open(o Options) (*Store, error) {
	if !filepath.IsAbs(o.Dir) || len(o.Roots) == 0 {
		const want = "want an absolute folder, and at least one root"
		return nil, fmt.Errorf("history: %q with %d roots: %s", o.Dir, len(o.Roots), want)
	}
	if o.MaxFile <= 0 {
		o.MaxFile = DefaultFile
	}
	if err := o.settleHome(); err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	moved, err := readMoved(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	return &Store{
		o:       o,
		objects: &objects{dir: filepath.Join(o.Dir, "objects")},
		moved:   moved,
	}, nil
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
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	if err != nil || !ok {
		return nil, fmt.Errorf("history: another call has been recorded for %v: try again", lockWait)
	}
	return func() { l.Unlock() }, nil
}

// settle finds out what became of calls that nobody finished: what stands as they
// wanted it happened. A set that was begun is made first.
func (s *Store) settle() error {
	if err := change.Repair(context.Background(), s.o.changes(), s.o.Finished); err != nil {
		return err
	}
	g, err := readLog(s.journal(), s.o.Roots, s.moved)
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
		l := line{Done: c.ID, Refused: refused, Dirs: s.finished(c.Dirs)}
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
	if !s.known(p) {
		return State{}, change.Entry{}, errForeign
	}
	t, err := change.OpenTree(s.o.Roots[p.Root])
	if err != nil {
		return State{}, change.Entry{}, err
	}
	defer t.Close()
	return lookIn(t, p.Path)
}

// lookIn is look in a tree that is open.
func lookIn(t *change.Tree, path change.Name) (State, change.Entry, error) {
	e, err := t.Look(path)
	st := State{Entry: bare(e)}
	if err != nil || e.Type != change.File {
		return st, e, err
	}
	f, err := t.Open(path)
	if err != nil {
		return st, e, err
	}
	defer f.Close()
	st.Object, err = digestAll(f)
	return st, e, err
}

// read is the log, with each call marked.
func (s *Store) read() (*log, error) {
	g, err := readLog(s.journal(), s.o.Roots, s.moved)
	if err != nil {
		return nil, err
	}
	g.mark()
	return g, nil
}

// open takes the store, and reads what is in it.
func (s *Store) open() (g *log, unlock func(), err error) {
	if unlock, err = s.lock(); err != nil {
		return nil, nil, err
	}
	if g, err = s.read(); err != nil {
		unlock()
		return nil, nil, err
	}
	return g, unlock, nil
}

// A List is the history, as far as it can be read.
type List struct {
	Calls  []Call // the newest first
	Broken int    // entries of the journal that are damaged: what they said is lost
}

// List is the calls that changed files, the newest first; limit 0 is all.
func (s *Store) List(limit int) (List, error) {
	g, unlock, err := s.open()
	if err != nil {
		return List{}, err
	}
	defer unlock()
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
