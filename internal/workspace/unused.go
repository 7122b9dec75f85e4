package workspace

import (
	"context"
	"strings"
	"sync"
	"time"

	"helve/wrap"
)

// sweepsPerAge is how often a server looks for unused tools in the time after which they count as unused.
const sweepsPerAge = 4

// unused are the tools of others that nobody calls. The zero value is ready.
type unused struct {
	idle wrap.Idle
	mu   sync.Mutex
	from map[string]bool // the sources of what was put away
}

// watchUnused puts tools away, if the configuration says after how long, until the workspace is closed.
func (s *sources) watchUnused() {
	age := s.dropUnused
	if age <= 0 || !s.resident {
		return
	}
	s.loader.Go(func(life context.Context) {
		t := time.NewTicker(max(age/sweepsPerAge, time.Second))
		defer t.Stop()
		for {
			select {
			case <-life.Done():
				return
			case now := <-t.C:
				s.putAway(now)
			}
		}
	})
}

// putAway drops what nobody called for as long as the configuration says before now.
func (s *sources) putAway(now time.Time) {
	age := s.dropUnused
	before := s.registry.View() // knows where the tools come from
	gone := s.unused.idle.Sweep(s.registry, age, now)
	if len(gone) == 0 {
		return
	}
	s.unused.mu.Lock()
	defer s.unused.mu.Unlock()
	if s.unused.from == nil {
		s.unused.from = map[string]bool{}
	}
	for _, name := range gone {
		if t, ok := before.Get(name); ok {
			s.unused.from[t.Spec().Origin.Source()] = true
		}
	}
	s.say.notice("dropped, unused for %v: %s", age, strings.Join(gone, ", "))
}

// fetchBack lists the sources again whose tools were put away, without waiting: a new client starts with all of them.
func (s *sources) fetchBack() {
	s.unused.mu.Lock()
	from := s.unused.from
	s.unused.from = nil
	s.unused.mu.Unlock()
	for name := range from {
		s.loader.Again(name)
	}
}
