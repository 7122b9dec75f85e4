package app

import (
	"context"
	"strings"
	"sync"
	"time"

	"helve/wrap"
)

// sweepsPerAge is how often a server looks for unused tools in the time after which they count as unused.
const sweepsPerAge = 4

// An attic is where a server puts the tools of others that nobody calls (R1.22). The zero value is ready.
type attic struct {
	idle wrap.Idle
	mu   sync.Mutex
	from map[string]bool // sources of what was put away
}

// watchUnused puts tools away while the house is served, if the configuration says after how long. It ends with the house.
func (a *app) watchUnused(h *house) {
	age := time.Duration(h.set.DropUnused)
	if age <= 0 {
		return
	}
	h.beside(func(life context.Context) {
		t := time.NewTicker(max(age/sweepsPerAge, time.Second))
		defer t.Stop()
		for {
			select {
			case <-life.Done():
				return
			case now := <-t.C:
				a.putAway(h, now)
			}
		}
	})
}

// putAway drops what nobody called for as long as the configuration says before now.
func (a *app) putAway(h *house, now time.Time) {
	before := h.reg.View()
	gone := h.attic.idle.Sweep(h.reg, time.Duration(h.set.DropUnused), now)
	if len(gone) == 0 {
		return
	}
	h.attic.mu.Lock()
	defer h.attic.mu.Unlock()
	if h.attic.from == nil {
		h.attic.from = map[string]bool{}
	}
	for _, name := range gone {
		if t, ok := before.Get(name); ok {
			h.attic.from[t.Spec().Origin.Source()] = true
		}
	}
	a.note("dropped, unused for %v: %s", time.Duration(h.set.DropUnused), printable(strings.Join(gone, ", ")))
}

// fetchBack lists the sources again whose tools were put away, without waiting: a new client starts with all of them.
func (a *app) fetchBack(h *house) {
	h.attic.mu.Lock()
	from := h.attic.from
	h.attic.from = nil
	h.attic.mu.Unlock()
	for name := range from {
		h.beside(func(life context.Context) { a.late(life, h, name) })
	}
}
