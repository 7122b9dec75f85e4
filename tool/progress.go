package tool

import (
	"sync"
	"time"
)

// progressEvery is the shortest time between two reports: ten a second is what a person can follow.
const progressEvery = 100 * time.Millisecond

// reporter makes a caller's Progress safe: the tool never waits for it, the newest report replaces those not yet delivered, and
// nothing is delivered after stop.
type reporter struct {
	to   func(Progress)
	mu   sync.Mutex
	next *Progress
	busy bool // a goroutine is delivering
	done bool
	end  chan struct{}
	wg   sync.WaitGroup
}

func newReporter(to func(Progress)) *reporter { return &reporter{to: to, end: make(chan struct{})} }

func (r *reporter) report(p Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return
	}
	r.next = &p
	if !r.busy {
		r.busy = true
		r.wg.Add(1)
		go r.deliver()
	}
}

func (r *reporter) deliver() {
	defer r.wg.Done()
	for {
		r.mu.Lock()
		p := r.next
		r.next = nil
		if p == nil || r.done {
			r.busy = false
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
		r.to(*p)
		select {
		case <-time.After(progressEvery):
		case <-r.end:
		}
	}
}

// stop ends the deliveries. It waits for one under way, so that none comes after it; a listener that never returns is
// left behind after progressEvery.
func (r *reporter) stop() {
	r.mu.Lock()
	r.done = true
	r.mu.Unlock()
	close(r.end)
	gone := make(chan struct{})
	go func() { r.wg.Wait(); close(gone) }()
	select {
	case <-gone:
	case <-time.After(progressEvery):
	}
}

func noProgress(Progress) {}
