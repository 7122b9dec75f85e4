package workspace

import (
	"context"
	"strings"
	"time"
)

// sweepsPerAge is how often a server looks for unused tools in the time after which they count as unused.
const sweepsPerAge = 4

// watchUnused puts tools away, if the configuration says after how long, until the workspace is closed.
func (w *Assembly) watchUnused() {
	age := time.Duration(w.settings.DropUnused)
	if age <= 0 {
		return
	}
	w.loader.Go(func(life context.Context) {
		t := time.NewTicker(max(age/sweepsPerAge, time.Second))
		defer t.Stop()
		for {
			select {
			case <-life.Done():
				return
			case now := <-t.C:
				w.putAway(now)
			}
		}
	})
}

// putAway drops what nobody called for as long as the configuration says before now.
func (w *Assembly) putAway(now time.Time) {
	age := time.Duration(w.settings.DropUnused)
	before := w.registry.View() // knows where the tools come from
	gone := w.unused.idle.Sweep(w.registry, age, now)
	if len(gone) == 0 {
		return
	}
	w.unused.mu.Lock()
	defer w.unused.mu.Unlock()
	if w.unused.from == nil {
		w.unused.from = map[string]bool{}
	}
	for _, name := range gone {
		if t, ok := before.Get(name); ok {
			w.unused.from[t.Spec().Origin.Source()] = true
		}
	}
	w.notice("dropped, unused for %v: %s", age, strings.Join(gone, ", "))
}

// fetchBack lists the sources again whose tools were put away, without waiting: a new client starts with all of them.
func (w *Assembly) fetchBack() {
	w.unused.mu.Lock()
	from := w.unused.from
	w.unused.from = nil
	w.unused.mu.Unlock()
	for name := range from {
		w.loader.Again(name)
	}
}
