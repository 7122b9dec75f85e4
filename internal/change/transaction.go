package change

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Options say where changes are made.
type Options struct {
	// Roots are the absolute paths of the directories that changes are made in. A Place's Root is an index of them.
	Roots []string
	// State is a private directory in which each transaction has a folder until it is closed. It is made if it is
	// missing. Where it lies on the mount of a root, changes of that root are renames; elsewhere they are copied.
	State string
	// Keep has what was replaced stay in the folder until Close, also where it must be copied there.
	Keep bool
	// Sync has changes survive a power cut. Without it they survive the end of the process.
	Sync bool
	// Guard keeps other writers of this program from a directory while something in it is replaced. Nil: there are
	// none.
	Guard func(dir Place) (release func(), err error)

	plain plain        // for tests: no help of Linux
	near  bool         // for tests: as if the state lay on another mount
	point func(string) // for tests: called between any two steps of the work
	fail  func() error // for tests: an error of the system at a step
}

// The names in a transaction's folder. Its owner may put other things beside them.
const (
	journalName = "plan"  // the journal: from here on the set will be made
	doneName    = "done"  // the journal, when the set was made
	notesName   = "notes" // what lies in the roots for a moment only
	slotsName   = "slots" // new content before, old content after
	keptName    = "kept"  // what could not be put in place
	locksName   = "locks" // in State: who lives has the lock of its folder
)

const (
	// commitWait is how long a set waits for another one that is being made in the same roots.
	commitWait = time.Minute
	lockPoll   = 2 * time.Millisecond
	resumePoll = 20 * time.Millisecond // a person's next call waits for the one before
)

// A Transaction is one set on its way. It is for one goroutine.
type Transaction struct {
	*workplace
	*notebook
	*journal
	*keeper
	*staging
	*stepper

	lock    *flock.Flock
	touched map[Place]int64 // see Touched
	marks   *marks          // see NoteMarks
	stuck   bool            // its journal is still to be followed
}

// transaction is one at a workplace whose folder is locked.
func (w *workplace) transaction(lock *flock.Flock) *Transaction {
	notes := &notebook{w}
	return &Transaction{
		workplace: w,
		notebook:  notes,
		journal:   &journal{w},
		keeper:    &keeper{workplace: w},
		staging:   &staging{workplace: w, notebook: notes},
		stepper:   &stepper{w},
		lock:      lock,
	}
}

// Begin makes a transaction's folder. The caller must Close the transaction.
func Begin(o Options) (*Transaction, error) {
	id := strings.ToLower(rand.Text()[:16])
	t, err := o.take(id)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, fmt.Errorf("change: begin: the folder %s is taken", id)
	}
	if err := os.Mkdir(t.folder, 0o700); err != nil {
		t.unlock()
		return nil, fmt.Errorf("change: begin: %w", err)
	}
	if err := t.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("change: begin: %w", err), t.Close())
	}
	return t, nil
}

// What Resume cannot do.
var (
	ErrNoFolder = errors.New("change: there is no such transaction")
	ErrBusy     = errors.New("change: another process has it open")
)

// Resume opens a transaction that Leave left in its folder, and waits for another process that has it until ctx is done.
func Resume(ctx context.Context, o Options, id string) (*Transaction, error) {
	if !isID(id) {
		return nil, ErrNoFolder
	}
	if _, err := os.Lstat(filepath.Join(o.State, id)); errors.Is(err, os.ErrNotExist) {
		return nil, ErrNoFolder
	}
	t, err := o.take(id)
	for t == nil && err == nil {
		select {
		case <-ctx.Done():
			return nil, ErrBusy
		case <-time.After(resumePoll):
			t, err = o.take(id)
		}
	}
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(t.folder); err != nil { // who had it removed it
		t.unlock()
		return nil, ErrNoFolder
	}
	if err := t.open(); err != nil {
		t.leave()
		return nil, fmt.Errorf("change: resume: %w", err)
	}
	return t, nil
}

// Leave gives the transaction free as it stands, for Resume. Nobody may call Repair for its State, which would remove
// it. A second call does nothing.
func (t *Transaction) Leave() {
	if t.lock != nil {
		t.leave()
	}
}

// leave lets the lock's file be: who waits for it has it open.
func (t *Transaction) leave() {
	t.closeDirs()
	t.lock.Unlock()
	t.lock = nil
}

// ID names the transaction below its State.
func (t *Transaction) ID() string { return t.id }

// Remove removes what its owner put in the folder.
func (t *Transaction) Remove(name Name) error { return t.home.removeAll(string(name)) }

// take locks a transaction's folder, which need not exist. Nil: another process has it.
func (o Options) take(id string) (*Transaction, error) {
	locks := filepath.Join(o.State, locksName)
	if err := os.MkdirAll(locks, 0o700); err != nil {
		return nil, fmt.Errorf("change: %w", err)
	}
	lock := flock.New(filepath.Join(locks, id), flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("change: lock %s: %w", id, err)
	}
	if !ok {
		return nil, nil
	}
	w := &workplace{o: o, id: id, folder: filepath.Join(o.State, id)}
	return w.transaction(lock), nil
}

// Folder is the transaction's private directory, absolute. Its owner may put there what changes come from.
func (t *Transaction) Folder() string { return t.folder }

// Roots are the absolute paths of the directories that changes are made in.
func (t *Transaction) Roots() []string { return slices.Clone(t.o.Roots) }

// Moves reports that what lies in the folder gets to a root by a rename, not by a copy.
func (t *Transaction) Moves(root int) bool { return !t.near[root] }

// maxTouched bounds the times that are remembered: beyond it git looks at a file once more.
const maxTouched = 1_000_000

// Touched is when a file in a directory that a layer brings as a whole was last changed (ctime, in nanoseconds since 1970),
// where its own entry has a later time, because the layer was read or copied. False: its entry is right.
func (t *Transaction) Touched(p Place) (int64, bool) {
	changed, known := t.touched[p]
	return changed, known
}

// touch remembers when a file was last changed.
func (t *Transaction) touch(p Place, changed int64) {
	if t.touched == nil {
		t.touched = map[Place]int64{}
	}
	if len(t.touched) < maxTouched {
		t.touched[p] = changed
	}
}

// NoteMarks has [Transaction.ReadLayer] remember what it takes out of the layer, for [Transaction.PutMarksBack].
func (t *Transaction) NoteMarks() { t.marks = &marks{} }

// Close ends the transaction and removes its folder, with what was replaced. What was refused stays in it, and so does
// a set that could be neither made nor taken back: [Repair] tries again. A second call does nothing.
func (t *Transaction) Close() error {
	if t.lock == nil {
		return nil
	}
	var err error
	switch {
	case t.stuck:
	case t.keep:
		err = t.removeRest()
	default:
		err = t.removeFolder()
	}
	t.closeDirs()
	t.unlock()
	return err
}

// removeFolder removes the folder by its name in the state, never by a path that somebody could lead elsewhere.
func (t *Transaction) removeFolder() error {
	state, err := openDir(t.o.State)
	if err != nil {
		return err
	}
	defer state.close()
	if err := state.removeAll(t.id); err != nil {
		return fmt.Errorf("change: remove %s: %w", t.folder, err)
	}
	return nil
}

// removeRest removes all but what was refused.
func (t *Transaction) removeRest() error {
	names, _, err := t.home.names(MaxEntries)
	if err != nil {
		return fmt.Errorf("change: tidy %s: %w", t.folder, err)
	}
	for _, name := range names {
		if name == keptName {
			continue
		}
		if err := t.home.removeAll(name); err != nil {
			return fmt.Errorf("change: tidy %s: %w", t.folder, err)
		}
	}
	return nil
}

// unlock gives the folder free. Its lock file goes with it, or nobody would ever remove it.
func (t *Transaction) unlock() {
	os.Remove(t.lock.Path()) // who gets hold of it all the same looks for the folder next
	t.lock.Unlock()
	t.lock = nil
}

// alone waits until no other set is being made below the same state.
func (o Options) alone(ctx context.Context) (release func(), err error) {
	l := flock.New(filepath.Join(o.State, locksName, "commit"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, commitWait)
	defer cancel()
	if ok, err := l.TryLockContext(ctx, lockPoll); err != nil || !ok {
		return nil, fmt.Errorf("change: another process is changing files here: try again (waited %v): %w", commitWait, err)
	}
	return func() { l.Unlock() }, nil
}
