package app

import (
	"context"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// startGC lets a server start without collecting: all that it makes then it keeps.
	startGC = 800
	// residentGC keeps the heap of a server small: it lives long, stands beside others, and is asked seldom.
	residentGC = 75
	// settleAfter is when a server gives back what starting left behind. Its client has its list by then and is not kept waiting.
	settleAfter = 700 * time.Millisecond
)

// settled gives memory back once the server has started: the heap that only starting needed, and the pages of the program that only
// the first requests ran. The returned function ends it.
func settled(ctx context.Context) (end func()) {
	debug.SetGCPercent(startGC)
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
		debug.SetGCPercent(residentGC)
		debug.FreeOSMemory()
		dropProgram()
	})
	return func() { stop(); wg.Wait() }
}
