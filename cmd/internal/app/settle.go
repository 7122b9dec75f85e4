package app

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
)

// starting lets memory grow until the server has started.
func starting() { debug.SetGCPercent(startGC) }

// started ends that, and gives memory back a moment later: the heap that only starting needed, and the pages of the
// program that only starting and the first requests ran. The returned function ends the waiting.
func started(ctx context.Context) (end func()) {
	debug.SetGCPercent(residentGC)
	room := make([]byte, roomBytes)
	dropProgram() // cheap, and most of what a server holds that has just started
	ctx, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTimer(settleAfter)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		debug.FreeOSMemory()
		dropProgram()
	})
	return func() {
		stop()
		wg.Wait()
		runtime.KeepAlive(room)
	}
}
