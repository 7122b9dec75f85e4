package tool

import (
	"sync"
	"time"
)

// progressEvery is the shortest time between two reports: ten a second is what a person can follow.
const progressEvery = 100 * time.Millisecond

// progressBurst is how many reports may come at once: a call that takes no time and says its start,
// middle and end is heard.
const progressBurst = 3

// reporter makes a caller's Progress safe: the tool never waits for it, beyond the burst the newest
// report replaces those not yet delivered. The last one is delivered before stop returns, and none after it.
type reporter struct {
	to    func(Progress)
	mu    sync.Mutex
	next  []Progress // at most progressBurst
	first time.Time  // of the reports that count against the burst
	sent  int        // since then
	busy  bool       // a goroutine is delivering
	done  bool
	end   chan struct{}
	wg    sync.WaitGroup
}

func newReporter(to func(Progress)) *reporter { return &reporter{to: to, end: make(chan struct{})} }

func (r *reporter) report(p Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return
	}
	if len(r.next) < progressBurst {
		r.next = append(r.next, p)
	} else {
		r.next[len(r.next)-1] = p
	}
	if !r.busy {
		r.busy = true
		r.wg.Add(1)
		go r.deliver()
	}
}

func (r *reporter) deliver() {
	defer r.wg.Done()
	for {
		p, wait, ok := r.take()
		if !ok {
			return
		}
		if wait > 0 {
			select {
			case <-time.After(wait):
			case <-r.end:
			}
			continue
		}
		r.to(p)
	}
}

// take is the next report to deliver, or how long to wait for its turn; not ok ends the deliverer.
func (r *reporter) take() (p Progress, wait time.Duration, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.next) == 0 {
		r.busy = false
		return p, 0, false
	}
	if r.done && r.sent >= progressBurst { // no turn is waited for any more: how far it came is the last word
		p, r.next = r.next[len(r.next)-1], nil
		return p, 0, true
	}
	now := time.Now()
	if earned := int(now.Sub(r.first) / progressEvery); earned > 0 {
		r.sent, r.first = max(0, r.sent-earned), now
	}
	if r.sent >= progressBurst {
		return p, r.first.Add(progressEvery).Sub(now), true
	}
	r.sent++
	p, r.next = r.next[0], r.next[1:]
	return p, 0, true
}

// stop ends the deliveries: of those that wait for their turn the last one goes out. It waits for that, so that none
// comes after it; a listener that never returns is left behind after progressEvery.
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
