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
	// settleAfter is when a server gives back what starting left behind. Its client has its list by then and is not
	// kept waiting.
	settleAfter = 700 * time.Millisecond
)

// starting lets memory grow until the server has started.
func starting() { debug.SetGCPercent(startGC) }

// started ends that, and gives memory back a moment later: the heap that only starting needed, and the pages of the
// program that only starting and the first requests ran. The returned function ends the waiting.
func started(ctx context.Context) (end func()) {
	debug.SetGCPercent(residentGC)
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
	return func() { stop(); wg.Wait() }
}
