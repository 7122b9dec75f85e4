package source

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"helve/internal/names"
	"helve/tool"
)

// All lists every source and waits until each has answered, or may wait no longer. The error joins an *Error for each
// source that brings nothing; all others stand.
func (l *Loader) All(ctx context.Context) error {
	return l.await(ctx, l.Sources(), never)
}

// never is enough for nobody.
func never() bool { return false }

// await lists sources and waits until all have answered or enough says so.
func (l *Loader) await(ctx context.Context, sources []tool.Source, enough func() bool) error {
	answered := make(chan struct{}, len(sources)) // all find room, also when nobody waits any more
	tell := func() { answered <- struct{}{} }
	waits := make([]*listing, len(sources))
	for i, s := range sources {
		waits[i] = l.begin(s, l.attach)
		l.after(tell, waits[i])
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
	named := l.whose(func(source string) bool {
		return begins(bare, source)
	})
	if len(named) == 0 {
		named = l.whose(func(source string) bool {
			return resembles(bare, source)
		})
	}
	err := l.insist(ctx, named)
	ofServer := len(named) > 0 && strings.HasPrefix(bare, "mcp__")
	if ofServer || l.Registry.View().Has(name) {
		return err
	}
	found := func() bool { return l.bears(name) }
	others := l.await(ctx, l.without(named), found)
	return errors.Join(err, others)
}

// without are the sources but these.
func (l *Loader) without(these []tool.Source) []tool.Source {
	return slices.DeleteFunc(l.Sources(), func(s tool.Source) bool {
		return slices.Contains(these, s)
	})
}

// bears tells that a tool bears this name. It is that tool's, whoever comes later; a mere spelling of it may be
// another's, too.
func (l *Loader) bears(name string) bool {
	v := l.Registry.View()
	t, ok := v.Get(name)
	return ok && v.Name(t.Spec()) == name
}

// Named lists the sources of these names, or those that tools of these names would belong to, and waits. A source that
// did not answer in time shortly before is asked again. The error is that of All.
func (l *Loader) Named(ctx context.Context, list ...string) error {
	return l.insist(ctx, l.whose(func(source string) bool {
		return slices.ContainsFunc(list, func(n string) bool {
			return begins(n, source) || begins(n+"/", source)
		})
	}))
}

// whose are the sources whose name satisfies a condition.
func (l *Loader) whose(name func(string) bool) []tool.Source {
	return slices.DeleteFunc(l.Sources(), func(s tool.Source) bool {
		return !name(s.Name())
	})
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
	return l.await(ctx, sources, never)
}

// retry waits for a listing and, if the source was away, asks it once more.
func (l *Loader) retry(ctx context.Context, w *listing) {
	select {
	case <-w.over:
	case <-ctx.Done():
		return
	}
	err := w.failed()
	if err == nil || !l.isAway(err) {
		return
	}
	name := w.source.Name()
	ctx, stop := l.bounded(ctx, name)
	defer stop()
	w.set(l.Registry.Refresh(ctx, name))
}

// begins tells whether a tool's name, in one of its spellings, begins with the server's, as it is configured or as
// public names have it.
func begins(name, server string) bool {
	public, _, _ := strings.Cut(names.Qualified(server, "x"), "__x")
	prefixes := []string{
		"mcp__" + server,
		"mcp_" + server,
		server,
		public,
	}
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		rest, ok := strings.CutPrefix(name, prefix)
		return ok && rest != "" && strings.IndexByte("_/.", rest[0]) >= 0
	})
}

// resembles is the same for names that differ in case, dashes and underscores.
func resembles(name, server string) bool {
	folded := names.Fold(name)
	of := names.Fold(server)
	if of == "" {
		return false
	}
	return strings.HasPrefix(folded, of) || strings.HasPrefix(folded, "mcp"+of)
}
