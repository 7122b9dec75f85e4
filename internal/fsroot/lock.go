package fsroot

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A writer holds the lock of its file's directory, so that it may also clear away what a killed
// writer left there. The lock has two parts: a channel between the goroutines of this process and a
// file in LockDir between processes. There are stripes locks, not one per directory: their files
// stay few for ever, and who holds one never waits for another.
const stripes = 1024

// How long and how often a lock that another process holds is asked for. A write takes
// milliseconds; longer than lockWait something is stuck, and a model is better served by an error.
const (
	lockWait = 10 * time.Second
	lockPoll = 2 * time.Millisecond
)

// maxNote bounds the note in a lock file: the path of one temporary file.
const maxNote = 2 * maxPath

type locks struct {
	dir *os.Root // nil: this process only
	bad error    // why nobody can write: between processes there is no lock

	mu   sync.Mutex
	held map[int]chan struct{} // made when they are first wanted: a Set has few directories
}

// openLocks opens the locks of a directory. Where that cannot be had, whoever reads does, and writers hear why they
// cannot.
func openLocks(dir string) *locks {
	l := newLocks()
	if dir == "" {
		return l
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err == nil {
		l.dir, err = os.OpenRoot(dir)
	}
	if err != nil {
		l.bad = fmt.Errorf("nothing can be written without a folder for locks (%v)", err)
	}
	return l
}

func (l *locks) close() error {
	if l.dir == nil {
		return nil
	}
	return l.dir.Close()
}

func newLocks() *locks { return &locks{held: map[int]chan struct{}{}} }

// door is what the goroutines of this process take turns at.
func (l *locks) door(n int) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[n] == nil {
		l.held[n] = make(chan struct{}, 1)
	}
	return l.held[n]
}

// A stripe is one lock that is held.
type stripe struct {
	from *locks
	n    int
	file *os.File // nil: this process only
}

// take waits for the lock of a directory, at most lockWait and no longer than ctx.
func (l *locks) take(ctx context.Context, dir Path) (*stripe, error) {
	if l.bad != nil {
		return nil, l.bad
	}
	h := fnv.New32a()
	io.WriteString(h, Fold(filepath.ToSlash(dir.Abs())))
	n := int(h.Sum32() % stripes)
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	select {
	case l.door(n) <- struct{}{}:
	case <-ctx.Done():
		return nil, ErrLocked
	}
	st := &stripe{from: l, n: n}
	if l.dir == nil {
		return st, nil
	}
	if err := st.open(ctx); err != nil {
		<-l.door(n)
		return nil, err
	}
	return st, nil
}

func lockName(n int) string { return fmt.Sprintf("%03x.lock", n) }

// stripeOf is the way back from lockName.
func stripeOf(name string) (n int, ok bool) {
	v, err := strconv.ParseUint(strings.TrimSuffix(name, ".lock"), 16, 16)
	return int(v), err == nil && v < stripes && name == lockName(int(v))
}

func (st *stripe) open(ctx context.Context) error {
	f, err := st.from.dir.OpenFile(lockName(st.n), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	for {
		ok, err := lockFile(f)
		switch {
		case ok:
			st.file = f
			return nil
		case err != nil:
			f.Close()
			return err
		}
		select {
		case <-time.After(lockPoll):
		case <-ctx.Done():
			f.Close()
			return ErrLocked
		}
	}
}

func (st *stripe) release() {
	if st.file != nil {
		unlockFile(st.file)
		st.file.Close()
	}
	<-st.from.door(st.n)
}

// note writes down which temporary file is about to be made, so that whoever holds the lock next
// can remove it; "" says that there is none.
func (st *stripe) note(temp string) error {
	if st.file == nil {
		return nil
	}
	if temp == "" {
		return st.file.Truncate(0)
	}
	_, err := st.file.WriteAt([]byte(temp+"\x00"), 0)
	return err
}

// left reads the note of a writer that did not end well.
func (st *stripe) left() string {
	if st.file == nil {
		return ""
	}
	b := make([]byte, maxNote)
	n, _ := st.file.ReadAt(b, 0)
	line, _, ok := strings.Cut(string(b[:n]), "\x00")
	if !ok {
		return ""
	}
	return line
}

// clear removes what a killed writer left, and its note. The note is ours: LockDir is private and
// outside every root.
func (st *stripe) clear() {
	temp := st.left()
	if temp == "" {
		return
	}
	if filepath.IsAbs(temp) && IsTemp(filepath.Base(temp)) {
		os.Remove(temp)
	}
	st.note("")
}

// recover clears what killed writers left since the last time, where no living one holds the lock.
func (l *locks) recover() {
	if l.dir == nil {
		return
	}
	dir, err := l.dir.Open(".")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // at most one a stripe, and those of other locks
	for _, name := range names {
		n, ok := stripeOf(name)
		if fi, err := l.dir.Lstat(name); ok && err == nil && fi.Size() > 0 {
			l.recoverStripe(n)
		}
	}
}

func (l *locks) recoverStripe(n int) {
	select {
	case l.door(n) <- struct{}{}:
	default:
		return
	}
	st := &stripe{from: l, n: n}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if st.open(done) == nil {
		st.clear()
	}
	st.release()
}

func isErrno(err error, want syscall.Errno) bool { return errors.Is(err, want) }
