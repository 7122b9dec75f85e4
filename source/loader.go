// Package source brings tools from elsewhere into a registry: package command those of a discovery command, package
// upstream those of MCP servers. A Loader lists many sources at the same time, and whoever needs one waits for that
// one.
package source

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/tool"
)

// A Loader lists sources, each once and all at the same time, and registers what they bring. Its methods are safe for
// concurrent use. Close it before the registry.
type Loader struct {
	Registry *tool.Registry

	// Patience is how long a listing of the source may take; it is ended then.
	Patience func(source string) time.Duration

	// Away tells of an error that means: the source did not answer in time shortly before, and was not asked again. Who
	// asks for that source by name has it asked again. nil: no error means that.
	Away func(error) bool

	// Late is told of a source that Follow listed in the background and that brings nothing. nil: nobody is told.
	Late func(*Error)

	mu      sync.Mutex
	sources []tool.Source
	of      map[string]*listing
	life    context.Context // nil: nothing was begun
	stop    context.CancelFunc
	work    sync.WaitGroup // what goes on until the loader is closed
	closed  bool
}

// An Error says why a source brings no tools.
type Error struct {
	Source string
	Err    error
}

func (e *Error) Error() string { return e.Source + ": " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// failed is the error of a source. A registry puts its name before what the source says; here it stands in a field of
// its own.
func failed(source string, err error) *Error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && len(joined.Unwrap()) == 1 { // it was listed alone
		err = joined.Unwrap()[0]
	}
	cause := errors.Unwrap(err)
	if cause != nil && strings.HasPrefix(err.Error(), source+": ") {
		err = cause
	}
	return &Error{Source: source, Err: err}
}

// A listing is the first one of a source.
type listing struct {
	source tool.Source
	since  time.Time     // when it began
	over   chan struct{} // closed when the tools have come, or will not

	mu  sync.Mutex
	err error // why they have not; it counts once over is closed
}

// isOver tells that the source has answered, or will not.
func (w *listing) isOver() bool {
	select {
	case <-w.over:
		return true
	default:
		return false
	}
}

// failed is why the source brings nothing; nil if it brings something, or may yet.
func (w *listing) failed() error {
	if !w.isOver() {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		return nil
	}
	return failed(w.source.Name(), w.err)
}

func (w *listing) set(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
}

// Add makes sources known to the loader. Nothing is started.
func (l *Loader) Add(sources ...tool.Source) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sources = append(l.sources, sources...)
}

// Sources are those that were added.
func (l *Loader) Sources() []tool.Source {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.sources)
}

// Go runs f in the background. Its context is done when the loader is closed, and Close waits for f. After Close it
// does nothing.
func (l *Loader) Go(f func(context.Context)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.background(f)
}

// background is Go, and tells whether f was started. l.mu is held.
func (l *Loader) background(f func(context.Context)) bool {
	if l.closed {
		return false
	}
	if l.life == nil {
		l.life, l.stop = context.WithCancel(context.Background())
	}
	life := l.life
	l.work.Go(func() { f(life) })
	return true
}

// Close ends what runs in the background and returns when nothing of it is left. The sources are the registry's to
// close.
func (l *Loader) Close() error {
	l.mu.Lock()
	l.closed = true
	if l.stop != nil {
		l.stop()
	}
	l.mu.Unlock()
	l.work.Wait()
	return nil
}

// errClosed is why a source brings nothing to those who ask for it too late.
var errClosed = errors.New("it is not listed any more: the workspace is closed")

// A lister makes the first listing of a source.
type lister func(context.Context, tool.Source) error

// begin lists a source in the background, unless that was begun before.
func (l *Loader) begin(s tool.Source, list lister) *listing {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.of[s.Name()]
	if w != nil {
		return w
	}
	if l.of == nil {
		l.of = map[string]*listing{}
	}
	w = &listing{source: s, since: time.Now(), over: make(chan struct{})}
	l.of[s.Name()] = w
	started := l.background(func(life context.Context) {
		defer close(w.over)
		ctx, stop := l.bounded(life, s.Name())
		defer stop()
		w.set(list(ctx, s))
	})
	if !started {
		w.err = errClosed
		close(w.over)
	}
	return w
}

// bounded is a context that ends with the source's patience.
func (l *Loader) bounded(ctx context.Context, source string) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, l.Patience(source))
}

// attach is the lister of those who wait.
func (l *Loader) attach(ctx context.Context, s tool.Source) error {
	return l.Registry.Attach(ctx, s)
}

// after runs f when all these listings are over, or at once when the loader is closed.
func (l *Loader) after(f func(), waits ...*listing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	started := l.background(func(context.Context) {
		for _, w := range waits {
			<-w.over // each has a bound
		}
		f()
	})
	if !started {
		f()
	}
}
