package serve

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// startGC lets a server start without collecting: all that it makes then it keeps.
	startGC = 800
	// residentGC keeps the heap of a server small: it lives long, stands beside others, and is asked seldom.
	residentGC = 75
	// settleAfter is when a server gives back what starting left behind. Its client has its list by then and is not
	// kept waiting.
	settleAfter = 700 * time.Millisecond
	// roomBytes has the collector wait for three megabytes of garbage more (residentGC of it), whatever is alive. A
	// server that forwards calls has one megabyte alive: it collected after every hundred calls, for a quarter of its
	// processor time. The room itself is never touched, and so takes no memory.
	roomBytes = 4 << 20
	// restEvery is how often a server looks whether it rests: whether it took less than restUsed of processor time
	// since.
	restEvery = 10 * time.Second
	restUsed  = 10 * time.Millisecond
	// restWorth is what it must have taken since it gave memory back last: some calls.
	restWorth = 5 * time.Millisecond
)

// giveBack gives back the heap that nobody uses, and the pages of the program.
func giveBack() {
	debug.FreeOSMemory()
	dropProgram()
}

// rest gives memory back whenever the server rests after work, until ctx is done. Agents call tools in rows, and think
// or wait for a person for much longer.
func rest(ctx context.Context) {
	t := time.NewTicker(restEvery)
	defer t.Stop()
	last := processorTime()
	given := last
	for {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		now := processorTime()
		if now-last < restUsed && now-given > restWorth {
			giveBack()
			now = processorTime()
			given = now
		}
		last = now
	}
}

// starting lets memory grow until the server has started.
func starting() { debug.SetGCPercent(startGC) }

// started ends that a moment later, and gives memory back: the heap that only starting needed, and the pages of the
// program that only starting and the first requests ran. The list is answered by then, and a server that ended before
// has collected nothing. The returned function ends the waiting.
func started(ctx context.Context) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	var room []byte
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTimer(settleAfter)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		debug.SetGCPercent(residentGC)
		room = make([]byte, roomBytes)
		giveBack()
		rest(ctx)
	})
	return func() {
		stop()
		wg.Wait()
		runtime.KeepAlive(room)
	}
}
