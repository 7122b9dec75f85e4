package command

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// Interrupted is a context that the first Ctrl-C or SIGTERM ends: whatever runs stops and clears up. A second one,
// whichever of them, ends the program at once, also where it was started with Ctrl-C ignored, as shells start what runs
// in the background. Call stop when all is done.
func Interrupted() (ctx context.Context, stop func()) {
	t := &taker{}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), takerKey{}, t))
	over := make(chan struct{})
	heard := make(chan os.Signal, 2) // the second may follow at once
	signal.Notify(heard, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(heard)
		for first := true; ; {
			select {
			case sig := <-heard:
				switch {
				case t.taken.Load(): // whoever takes them hears them, too
				case first:
					first = false
					cancel()
				default:
					dieOf(sig)
				}
			case <-over:
				return
			}
		}
	}()
	return ctx, func() {
		cancel()
		close(over)
	}
}

// A taker says whether signals are somebody else's.
type taker struct{ taken atomic.Bool }

type takerKey struct{}

// TakeSignals has the signals of a run under Interrupted be the caller's from now on, who hears them by a channel of
// their own and passes them on: the run ends when they say so.
func TakeSignals(ctx context.Context) {
	if t, _ := ctx.Value(takerKey{}).(*taker); t != nil {
		t.taken.Store(true)
	}
}

// dieTime is how long a signal of our own may take to end us.
const dieTime = 100 * time.Millisecond

// dieOf ends the program by a signal, as whoever sent it expects; where that cannot be, with the status that shells
// have for it.
func dieOf(sig os.Signal) {
	signal.Reset(sig)
	self, err := os.FindProcess(os.Getpid())
	if err == nil && self.Signal(sig) == nil {
		time.Sleep(dieTime) // not where it is ignored
	}
	number, _ := sig.(syscall.Signal)
	os.Exit(ExitInterrupted - int(syscall.SIGINT) + int(number))
}
