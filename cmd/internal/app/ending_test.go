package app

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"
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
		"it hangs":          {func(context.Context) { time.Sleep(time.Hour) }, endTime, "", true},
		"it takes a second": {func(ctx context.Context) { <-ctx.Done(); time.Sleep(time.Second) }, time.Second, "", false},
		"a server of which one part hangs": {func(ctx context.Context) {
			e := endingOf(ctx)
			e.allow(serveEndTime)
			e.opened("the bus")
			e.opened("conversations")
			<-ctx.Done()
			e.closing("conversations", func() error { return nil })
			e.closing("the bus", func() error { time.Sleep(time.Hour); return nil })
		}, serveEndTime, "the bus", true},
		"a server whose calls go on, and then a part hangs": {func(ctx context.Context) {
			e := endingOf(ctx)
			e.allow(serveEndTime)
			e.opened("conversations")
			<-ctx.Done()
			e.allow(drainTime + lastTime)
			time.Sleep(drainTime)
			e.rest(lastTime, serveEndTime)
			time.Sleep(time.Hour)
		}, drainTime + lastTime, "conversations", true},
		"a server with nothing in flight of which a part hangs": {func(ctx context.Context) {
			e := endingOf(ctx)
			<-ctx.Done()
			e.allow(drainTime + lastTime)
			e.rest(lastTime, serveEndTime)
			time.Sleep(time.Hour)
		}, serveEndTime, "", true},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, ask := context.WithCancel(t.Context())
			ctx, e := withEnding(ctx)
			done := make(chan error, 1)
			go func() {
				c.command(ctx)
				done <- nil
			}()
			time.Sleep(time.Minute) // it is at work
			asked := time.Now()
			ask()
			err := e.wait(ctx, done)
			took, open := time.Since(asked), e.notClosed()
			time.Sleep(2 * time.Hour) // what hangs comes to its end
			if took != c.want || errors.Is(err, errLate) != c.late || open != c.open {
				t.Errorf("%s: after %v %v, not closed: %q; want %v, %q", name, took, err, open, c.want, c.open)
			}
		})
	}
}

// A stop does not wait for a connection over which no request ever came.
func TestASilentConnectionKeepsNoServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	g := newGate(l)
	served, err := g.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close()
	g.closeSilent()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the connection is open")
	}
}
