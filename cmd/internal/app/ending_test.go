package app

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"helve/cmd/internal/command"
	"helve/cmd/internal/serve"
)

// A command that is asked to end has its time, and what it did not close then is known.
func TestACommandEndsInItsTime(t *testing.T) {
	for name, c := range map[string]struct {
		command func(ctx context.Context) // until it returns
		want    time.Duration             // from when it was asked to end
		open    string                    // what is not closed
		late    bool
	}{
		"it ends by itself": {func(ctx context.Context) { <-ctx.Done() }, 0, "", false},
		"it hangs":          {func(context.Context) { time.Sleep(time.Hour) }, command.EndTime, "", true},
		"it takes a second": {func(ctx context.Context) { <-ctx.Done(); time.Sleep(time.Second) }, time.Second, "", false},
		"a server of which one part hangs": {func(ctx context.Context) {
			e := command.EndingOf(ctx)
			e.Allow(command.ServeEndTime)
			e.Opened("the bus")
			e.Opened("conversations")
			<-ctx.Done()
			e.Closing("conversations", func() error { return nil })
			e.Closing("the bus", func() error { time.Sleep(time.Hour); return nil })
		}, command.ServeEndTime, "the bus", true},
		"a server whose calls go on, and then a part hangs": {func(ctx context.Context) {
			e := command.EndingOf(ctx)
			e.Allow(command.ServeEndTime)
			e.Opened("conversations")
			<-ctx.Done()
			e.Allow(serve.DrainTime + command.LastTime)
			time.Sleep(serve.DrainTime)
			e.Rest(command.LastTime, command.ServeEndTime)
			time.Sleep(time.Hour)
		}, serve.DrainTime + command.LastTime, "conversations", true},
		"a server with nothing in flight of which a part hangs": {func(ctx context.Context) {
			e := command.EndingOf(ctx)
			<-ctx.Done()
			e.Allow(serve.DrainTime + command.LastTime)
			e.Rest(command.LastTime, command.ServeEndTime)
			time.Sleep(time.Hour)
		}, command.ServeEndTime, "", true},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, ask := context.WithCancel(t.Context())
			ctx, e := command.WithEnding(ctx)
			done := make(chan error, 1)
			go func() {
				c.command(ctx)
				done <- nil
			}()
			time.Sleep(time.Minute) // it is at work
			asked := time.Now()
			ask()
			err := e.Wait(ctx, done)
			took, open := time.Since(asked), e.NotClosed()
			time.Sleep(2 * time.Hour) // what hangs comes to its end
			if took != c.want || errors.Is(err, command.ErrLate) != c.late || open != c.open {
				t.Errorf("%s: after %v %v, not closed: %q; want %v, %q", name, took, err, open, c.want, c.open)
			}
		})
	}
}
