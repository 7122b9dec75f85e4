package natsbus

import (
	"slices"
	"time"

	"helve/internal/wire"
)

// queueTime is how long a run waits here for a slot, at most: by then another worker may have one.
const queueTime = 20 * time.Millisecond

// start gives a run a slot. Worker.mu is held.
func (w *Worker) start(r *run) {
	r.slot = true
	w.running++
	w.work.Go(r.do)
}

// enqueue has a run wait for a slot. Worker.mu is held.
func (w *Worker) enqueue(r *run) {
	w.queue = append(w.queue, r)
	r.patience = time.AfterFunc(queueTime, func() { w.sendBack(r) })
}

// startNext starts the run that waits longest. Worker.mu is held.
func (w *Worker) startNext() {
	if len(w.queue) == 0 || w.running >= w.o.Slots {
		return
	}
	r := w.queue[0]
	w.queue = slices.Delete(w.queue, 0, 1)
	r.patience.Stop()
	w.start(r)
}

// sendBack tells the gateway of a run that still waits that there is no slot.
func (w *Worker) sendBack(r *run) {
	w.mu.Lock()
	i := slices.Index(w.queue, r)
	if i >= 0 {
		w.queue = slices.Delete(w.queue, i, i+1)
	}
	w.mu.Unlock()
	if i < 0 {
		return // it has one now
	}
	r.patience.Stop()
	r.end()
	r.settle(wire.Refused, ending{kind: wire.FrameFull})
}

// emptyQueue tells so of all that wait.
func (w *Worker) emptyQueue() {
	w.mu.Lock()
	left := slices.Clone(w.queue)
	w.mu.Unlock()
	for _, r := range left {
		w.sendBack(r)
	}
}
