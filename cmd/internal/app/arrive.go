package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/internal/names"
	"helve/source/command"
	"helve/source/upstream"
	"helve/tool"
)

// waitExtra is what the listing of a source may take beyond its own start time-out before a command goes on without it. The source ends it
// itself, says why and remembers it; on a machine that is busy ending its server may take seconds.
const waitExtra = 20 * time.Second

// arrivals are the sources of a house on their way: each is listed beside the others, once, and whoever needs one waits for that one.
type arrivals struct {
	of   map[string]*arrival
	life context.Context // nil: nothing was begun
	wg   sync.WaitGroup  // what goes on until the house is closed
}

// beside runs f beside everything else; its context ends with the house, which waits for it.
func (h *house) beside(f func(context.Context)) {
	if h.coming.life == nil {
		var stop func()
		h.coming.life, stop = context.WithCancel(context.Background())
		h.close = append(h.close, func() error { stop(); h.coming.wg.Wait(); return nil })
	}
	h.coming.wg.Go(func() { f(h.coming.life) })
}

// An arrival is the first listing of a source.
type arrival struct {
	source string
	over   chan struct{} // closed when it has come, or will not
	err    error         // why not; read it after over
	told   bool
}

// begin lists a source beside everything else, unless that was begun before.
func (a *app) begin(h *house, s tool.Source) *arrival {
	if w := h.coming.of[s.Name()]; w != nil {
		return w
	}
	if h.coming.of == nil {
		h.coming.of = map[string]*arrival{}
	}
	w := &arrival{source: s.Name(), over: make(chan struct{})}
	h.coming.of[s.Name()] = w
	h.beside(func(life context.Context) {
		defer close(w.over)
		ctx, stop := context.WithTimeout(life, h.patience(s.Name()))
		defer stop()
		w.err = h.reg.Attach(ctx, s)
	})
	return w
}

// connect attaches all sources, side by side, and waits for each as long as it may take to start. One that is bad costs one line.
func (a *app) connect(ctx context.Context, h *house) {
	a.await(ctx, h, h.sources, func() bool { return false })
}

// await attaches sources and waits until all have come or enough says so.
func (a *app) await(ctx context.Context, h *house, sources []tool.Source, enough func() bool) {
	came := make(chan struct{}, len(sources))
	waits := make([]*arrival, len(sources))
	for i, s := range sources {
		w := a.begin(h, s)
		waits[i] = w
		h.beside(func(context.Context) { <-w.over; came <- struct{}{} })
	}
	for range waits {
		if enough() {
			break
		}
		select {
		case <-came:
		case <-ctx.Done():
			return
		}
	}
	for _, w := range waits {
		a.tell(w)
	}
}

// tell says, once, why a source has not come, as far as that is known.
func (a *app) tell(w *arrival) {
	select {
	case <-w.over:
	default:
		return
	}
	if w.err != nil && !w.told {
		w.told = true
		a.say("%s", oneLine(strings.TrimPrefix(w.err.Error(), w.source+": ")))
	}
}

// connectFor attaches the sources that a tool of this name may come from: none if it is one of our own, for nobody waits for servers to
// read a file; the servers that the name begins with; all, if it names no server. What stands under the name ends the waiting.
func (a *app) connectFor(ctx context.Context, h *house, name string) {
	if h.reg.View().Has(name) {
		return
	}
	bare, _ := names.Strip(name)
	named := h.named(bare, begins)
	if len(named) == 0 {
		named = h.named(bare, resembles)
	}
	a.insist(ctx, h, named)
	if h.reg.View().Has(name) || len(named) > 0 && strings.HasPrefix(bare, "mcp__") {
		return
	}
	// A name that a tool bears is that tool's, whoever comes later; a mere spelling of it may be another's, too.
	a.await(ctx, h, h.sources, func() bool {
		t, ok := h.reg.View().Get(name)
		return ok && h.reg.View().Name(t.Spec()) == name
	})
}

// named are the servers that a tool's name says it is of.
func (h *house) named(name string, is func(name, server string) bool) []tool.Source {
	return slices.DeleteFunc(slices.Clone(h.sources), func(s tool.Source) bool { return !is(name, s.Name()) })
}

// insist attaches sources that somebody asks for by name: that one of them did not answer in time shortly before is no answer then.
func (a *app) insist(ctx context.Context, h *house, sources []tool.Source) {
	var again sync.WaitGroup
	for _, s := range sources {
		w := a.begin(h, s)
		again.Go(func() {
			select {
			case <-w.over:
			case <-ctx.Done():
				return
			}
			if !errors.Is(w.err, upstream.ErrAway) {
				return
			}
			within, stop := context.WithTimeout(ctx, h.patience(s.Name()))
			defer stop()
			w.err = h.reg.Refresh(within, s.Name())
		})
	}
	again.Wait()
	a.await(ctx, h, sources, func() bool { return false })
}

// begins tells whether a tool's name, in one of its spellings, begins with the server's, as it is configured or as public names have it.
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

// patience is how long a listing of this source is waited for.
func (h *house) patience(source string) time.Duration {
	if source == string(tool.Command) {
		return max(time.Duration(h.set.Discovery.Timeout), command.DefaultTimeout) + waitExtra
	}
	start := time.Duration(h.set.MCPServers[source].StartTimeout)
	if start <= 0 {
		start = upstream.DefaultStartTimeout
	}
	return start + waitExtra
}

// attend attaches the sources of a house that lives on. Lists that are remembered stand at once; what has to be started first is
// announced when it is ready. It ends with the house; the channel is closed when all have come, or failed to.
func (a *app) attend(h *house) <-chan struct{} {
	over, end := context.WithCancel(context.Background())
	end() // under it a remembered list comes, and any other is an error
	var wg sync.WaitGroup
	for _, s := range h.sources {
		if h.reg.Attach(over, s) != nil {
			wg.Add(1)
			h.beside(func(life context.Context) { defer wg.Done(); a.late(life, h, s.Name()) })
		}
	}
	all := make(chan struct{})
	h.beside(func(context.Context) { wg.Wait(); close(all) })
	return all
}

// firstTurn is how long an agent's first turn waits for servers whose lists are not remembered. What comes later is offered from the
// next turn on.
const firstTurn = 3 * time.Second

// accompany attends the sources of an agent's run.
func (a *app) accompany(ctx context.Context, h *house) {
	select {
	case <-a.attend(h):
	case <-time.After(firstTurn):
	case <-ctx.Done():
	}
}

// late lists a source that has to be started first.
func (a *app) late(ctx context.Context, h *house, source string) {
	within, stop := context.WithTimeout(ctx, h.patience(source))
	defer stop()
	if err := h.reg.Refresh(within, source); err != nil && ctx.Err() == nil {
		a.say("%s", oneLine(strings.TrimPrefix(err.Error(), source+": ")))
	}
}

// oneLine is text of others fit for a message.
func oneLine(s string) string { return printable(strings.Join(strings.Fields(s), " ")) }
