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

	"helve/internal/names"
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
	if cause := errors.Unwrap(err); cause != nil && strings.HasPrefix(err.Error(), source+": ") {
		err = cause
	}
	return &Error{source, err}
}

// A listing is the first one of a source.
type listing struct {
	source tool.Source
	over   chan struct{} // closed when the tools have come, or will not

	mu  sync.Mutex
	err error // why they have not; it counts once over is closed
}

func (w *listing) failed() error {
	select {
	case <-w.over:
	default:
		return nil // it may come yet
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

// begin lists a source in the background, unless that was begun before. list is how.
func (l *Loader) begin(s tool.Source, list func(context.Context, tool.Source) error) *listing {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.of[s.Name()]
	if w != nil {
		return w
	}
	if l.of == nil {
		l.of = map[string]*listing{}
	}
	w = &listing{source: s, over: make(chan struct{})}
	started := l.background(func(life context.Context) {
		defer close(w.over)
		ctx, stop := context.WithTimeout(life, l.Patience(s.Name()))
		defer stop()
		w.set(list(ctx, s))
	})
	if !started {
		w.err = errClosed
		close(w.over)
	}
	l.of[s.Name()] = w
	return w
}

func (l *Loader) attach(ctx context.Context, s tool.Source) error { return l.Registry.Attach(ctx, s) }

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

// All lists every source and waits until each has answered, or may wait no longer. The error joins an *Error for each
// source that brings nothing; all others stand.
func (l *Loader) All(ctx context.Context) error {
	return l.await(ctx, l.Sources(), func() bool { return false })
}

// await lists sources and waits until all have answered or enough says so.
func (l *Loader) await(ctx context.Context, sources []tool.Source, enough func() bool) error {
	answered := make(chan struct{}, len(sources))
	waits := make([]*listing, len(sources))
	for i, s := range sources {
		w := l.begin(s, l.attach)
		waits[i] = w
		l.after(func() { answered <- struct{}{} }, w)
	}
	for range waits {
		if enough() {
			break
		}
		select {
		case <-answered:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	var errs []error
	for _, w := range waits {
		errs = append(errs, w.failed())
	}
	return errors.Join(errs...)
}

// For lists the sources that a tool of this name may come from, and waits: for none if the name is registered, since
// nobody waits for servers to read a file; for the servers that the name begins with; for all if it names no server.
// What stands under the name ends the waiting. The error is that of All.
func (l *Loader) For(ctx context.Context, name string) error {
	if l.Registry.View().Has(name) {
		return nil
	}
	bare, _ := names.Strip(name)
	named := l.that(func(source string) bool { return begins(bare, source) })
	if len(named) == 0 {
		named = l.that(func(source string) bool { return resembles(bare, source) })
	}
	err := l.insist(ctx, named)
	if l.Registry.View().Has(name) || len(named) > 0 && strings.HasPrefix(bare, "mcp__") {
		return err
	}
	rest := slices.DeleteFunc(l.Sources(), func(s tool.Source) bool { return slices.Contains(named, s) })
	// A name that a tool bears is that tool's, whoever comes later; a mere spelling of it may be another's, too.
	return errors.Join(err, l.await(ctx, rest, func() bool {
		t, ok := l.Registry.View().Get(name)
		return ok && l.Registry.View().Name(t.Spec()) == name
	}))
}

// Named lists the sources of these names, or those that tools of these names would belong to, and waits. A source that
// did not answer in time shortly before is asked again. The error is that of All.
func (l *Loader) Named(ctx context.Context, list ...string) error {
	return l.insist(ctx, l.that(func(source string) bool {
		return slices.ContainsFunc(list, func(n string) bool { return begins(n, source) || begins(n+"/", source) })
	}))
}

// that are the sources whose name satisfies a condition.
func (l *Loader) that(is func(string) bool) []tool.Source {
	return slices.DeleteFunc(l.Sources(), func(s tool.Source) bool { return !is(s.Name()) })
}

// insist lists sources that somebody asks for by name: that one of them did not answer in time shortly before is no
// answer then.
func (l *Loader) insist(ctx context.Context, sources []tool.Source) error {
	var again sync.WaitGroup
	for _, s := range sources {
		w := l.begin(s, l.attach)
		again.Go(func() { l.retry(ctx, w) })
	}
	again.Wait()
	return l.await(ctx, sources, func() bool { return false })
}

// retry waits for a listing and, if the source was away, asks it once more.
func (l *Loader) retry(ctx context.Context, w *listing) {
	select {
	case <-w.over:
	case <-ctx.Done():
		return
	}
	err := w.failed()
	if err == nil || l.Away == nil || !l.Away(err) {
		return
	}
	name := w.source.Name()
	within, stop := context.WithTimeout(ctx, l.Patience(name))
	defer stop()
	w.set(l.Registry.Refresh(within, name))
}

// Follow attaches all sources and returns at once. Remembered lists stand then; sources that have to be started first
// are registered when they are ready, and Late is told of those that fail. The channel is closed when all have
// answered.
func (l *Loader) Follow() <-chan struct{} {
	return l.FollowOnly(func(tool.Source) bool { return true })
}

// FollowOnly is Follow for the sources that satisfy a condition. Those that are
// followed already are not begun again.
func (l *Loader) FollowOnly(is func(tool.Source) bool) <-chan struct{} {
	over, end := context.WithCancel(context.Background())
	end() // under it a remembered list comes, and any other is an error
	sources := slices.DeleteFunc(l.Sources(), func(s tool.Source) bool { return !is(s) })
	waits := make([]*listing, len(sources))
	for i, s := range sources {
		if l.known(s) || l.Registry.Attach(over, s) == nil {
			waits[i] = l.begin(s, func(context.Context, tool.Source) error { return nil })
			continue
		}
		waits[i] = l.begin(s, l.late)
	}
	all := make(chan struct{})
	l.after(func() { close(all) }, waits...)
	return all
}

func (l *Loader) known(s tool.Source) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of[s.Name()] != nil
}

// late lists a source that is attached already.
func (l *Loader) late(ctx context.Context, s tool.Source) error {
	err := l.Registry.Refresh(ctx, s.Name())
	if err != nil && l.Late != nil && !errors.Is(ctx.Err(), context.Canceled) {
		l.Late(failed(s.Name(), err))
	}
	return err
}

// Again lists a source once more in the background, and tells Late if it fails.
func (l *Loader) Again(name string) {
	l.Go(func(life context.Context) {
		ctx, stop := context.WithTimeout(life, l.Patience(name))
		defer stop()
		err := l.Registry.Refresh(ctx, name)
		if err != nil && l.Late != nil && life.Err() == nil {
			l.Late(failed(name, err))
		}
	})
}

// begins tells whether a tool's name, in one of its spellings, begins with the server's, as it is configured or as
// public names have it.
func begins(name, server string) bool {
	public, _, _ := strings.Cut(names.Qualified(server, "x"), "__x")
	for _, prefix := range []string{"mcp__" + server, "mcp_" + server, server, public} {
		rest, ok := strings.CutPrefix(name, prefix)
		if ok && rest != "" && strings.ContainsRune("_/.", rune(rest[0])) {
			return true
		}
	}
	return false
}

// resembles is the same for names that differ in case, dashes and underscores.
func resembles(name, server string) bool {
	folded, of := names.Fold(name), names.Fold(server)
	return of != "" && (strings.HasPrefix(folded, of) || strings.HasPrefix(folded, "mcp"+of))
}
