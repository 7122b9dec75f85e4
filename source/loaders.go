package source

import (
	"context"
	"slices"
	"sort"
	"time"

	"helve/internal/names"
)

// Loaders list the sources of one session: the session's own loader first. Its
// sources hide those of the same names in the others, and its registry has what
// all of them bring.
type Loaders []*Loader

// A begun is a listing that has begun, and who lists.
type begun struct {
	*listing
	by *Loader
}

// begun are the listings that have begun, by the names of their sources.
func (ls Loaders) begun() []begun {
	var out []begun
	hidden := map[string]bool{}
	for _, l := range ls {
		l.mu.Lock()
		for name, w := range l.of {
			if !hidden[name] {
				out = append(out, begun{w, l})
			}
		}
		l.mu.Unlock()
		for _, s := range l.Sources() {
			hidden[s.Name()] = true
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].source.Name() < out[j].source.Name() })
	return out
}

// meant are the listings of the sources that a tool of this name says it is of.
// Where it names none, or is "", they are all, and named is false.
func (ls Loaders) meant(name string) (waits []begun, named bool) {
	all := ls.begun()
	bare, _ := names.Strip(name)
	own := slices.DeleteFunc(slices.Clone(all), func(w begun) bool {
		return name == "" || !begins(bare, w.source.Name())
	})
	if len(own) > 0 {
		return own, true
	}
	return all, false
}

// Missing are the names of the sources that have brought nothing yet, of those
// that a tool of this name may come from ("" for all), sorted: starting are those
// whose first listing has begun and is not over, absent those that did not come.
func (ls Loaders) Missing(name string) (starting, absent []string) {
	waits, _ := ls.meant(name)
	for _, w := range waits {
		select {
		case <-w.over:
			if w.absent() {
				absent = append(absent, w.source.Name())
			}
		default:
			starting = append(starting, w.source.Name())
		}
	}
	return starting, absent
}

// absent tells that the source's last listing failed, and that nothing stands of
// an earlier one.
func (w begun) absent() bool {
	for _, st := range w.by.Registry.Sources() {
		if st.Name == w.source.Name() {
			return st.Missing && st.Tools == 0
		}
	}
	return w.failed() != nil
}

// Wait waits for listings that have begun: those of the sources that a tool of
// this name says it is of, or all if it names none, or is "". A source that is
// named and did not come is asked once more. What is there under the name ends
// the waiting, and so does ctx.
func (ls Loaders) Wait(ctx context.Context, name string) {
	waits, named := ls.meant(name)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	answered := make(chan struct{}, len(waits))
	for _, w := range waits {
		w.by.after(func() {
			if named && w.absent() {
				w.by.Registry.Refresh(ctx, w.source.Name()) // whether it came is seen in the registry
			}
			answered <- struct{}{}
		}, w.listing)
	}
	for range waits {
		if name != "" && ls[0].Registry.View().Has(name) {
			return
		}
		select {
		case <-answered:
		case <-ctx.Done():
			return
		}
	}
}

// WaitFirst waits for listings that have begun, for each until it has gone on for so long.
func (ls Loaders) WaitFirst(ctx context.Context, most time.Duration) {
	for _, w := range ls.begun() {
		rest := time.NewTimer(most - time.Since(w.since))
		select {
		case <-w.over:
		case <-rest.C:
		case <-ctx.Done():
		}
		rest.Stop()
	}
}
