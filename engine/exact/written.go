package exact

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"helve/engine/code"
	"helve/engine/exact/internal/scip"
)

const (
	// writtenName is where the index of an indexer lies, in the workspace's folder.
	writtenName = "index.scip"
	// lookAgain is how long it is not looked whether there is one.
	lookAgain = time.Second
)

// A written is the index that a compiler's indexer wrote of the workspace, if there is one. It may be of another
// version of the project: a file of it is believed as long as its names stand where the index says, and as long as
// that holds for the files that define what it uses. Safe for concurrent use.
type written struct {
	dir    string
	notice func(program string, err error)

	mu      sync.Mutex
	looked  time.Time // when it was looked for
	there   bool
	stamp   os.FileInfo // of the file that is loaded, or is not to be loaded again
	loading *loading    // nil: nothing is loaded
	closed  bool
	told    bool // of files that are others now
	working sync.WaitGroup
}

// An agreement is whether the index speaks of a file as it is.
type agreement struct {
	file code.Entry
	ok   bool
}

// A loading is an index that is read.
type loading struct {
	done      chan struct{}
	stop      chan struct{} // closed when nobody wants it any more
	index     *scip.Index   // nil until done, and where it could not be read
	languages map[code.Language]bool

	mu     sync.Mutex
	agreed map[string]agreement // by path
}

// checks tells whether an index may know a language.
func (w *written) checks(l code.Language) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); now.Sub(w.looked) > lookAgain {
		info, err := w.stat()
		w.there, w.looked = err == nil, now
		if !w.there || !w.same(info) {
			w.drop()
		}
	}
	if !w.there || w.loading == nil {
		return w.there && l.Code() && !w.closed
	}
	select {
	case <-w.loading.done:
		return w.loading.languages[l]
	default:
		return l.Code()
	}
}

var errNoFile = errors.New("it is no regular file")

// stat looks at the index's file.
func (w *written) stat() (os.FileInfo, error) {
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(writtenName)
	if err == nil && !info.Mode().IsRegular() {
		err = errNoFile
	}
	return info, err
}

// ready is the index as it lies there now; nil: there is none, or it is not read yet when ctx ends. It goes on being
// read then.
func (w *written) ready(ctx context.Context) *loading {
	l := w.current()
	if l == nil {
		return nil
	}
	select {
	case <-l.done:
	case <-ctx.Done():
		return nil
	}
	if l.index == nil {
		return nil
	}
	return l
}

// current is the index that is read or being read.
func (w *written) current() *loading {
	w.mu.Lock()
	defer w.mu.Unlock()
	info, err := w.stat()
	if err != nil || w.closed {
		w.drop()
		return nil
	}
	if w.same(info) {
		return w.loading
	}
	w.drop()
	l := &loading{done: make(chan struct{}), stop: make(chan struct{}), agreed: map[string]agreement{}}
	w.stamp, w.loading, w.told = info, l, false
	w.working.Go(func() { w.load(l) })
	return l
}

// same reports whether a file is the one that is loaded. The lock is held.
func (w *written) same(info os.FileInfo) bool {
	return w.stamp != nil && w.stamp.Size() == info.Size() && w.stamp.ModTime().Equal(info.ModTime())
}

// drop lets go of what is loaded. The lock is held.
func (w *written) drop() {
	if w.loading != nil {
		close(w.loading.stop)
	}
	w.stamp, w.loading = nil, nil
}

// load reads the index.
func (w *written) load(l *loading) {
	defer close(l.done)
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		return
	}
	defer root.Close()
	f, err := openRegular(root, writtenName)
	if err != nil {
		return
	}
	defer f.Close()
	x, err := scip.Read(f, func() error {
		select {
		case <-l.stop:
			return context.Canceled
		default:
			return nil
		}
	})
	switch {
	case errors.Is(err, context.Canceled):
		return
	case err != nil:
		w.tell(err)
		return
	}
	l.languages = map[code.Language]bool{}
	for path := range x.Docs {
		l.languages[code.LanguageOf(path, nil)] = true
	}
	l.index = x
}

func (w *written) tell(err error) {
	if w.notice != nil {
		w.notice(writtenName, err)
	}
}

// openRegular opens a regular file. It does not wait for the other end of what is a pipe.
func openRegular(root *os.Root, path string) (*os.File, error) {
	f, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNoFile
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// close ends what is under way.
func (w *written) close() {
	w.mu.Lock()
	w.closed = true
	w.drop()
	w.mu.Unlock()
	w.working.Wait()
}
