package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interrupted is a context that the first Ctrl-C or SIGTERM ends: whatever runs stops and clears up. From then on
// signals have their usual effect, so that a second one ends a program that hangs. Call stop when all is done.
func Interrupted() (ctx context.Context, stop func()) {
	ctx, stop = context.WithCancel(context.Background())
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-heard:
		case <-ctx.Done():
		}
		signal.Stop(heard) // before anybody hears of the first: the second may follow at once
		stop()
	}()
	return ctx, stop
}
