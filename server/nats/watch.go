package natsbus

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/wire"
)

const (
	// pingEvery is how often a worker asks whether a gateway is there.
	pingEvery = 700 * time.Millisecond
	pingTime  = 500 * time.Millisecond
	// goneAfter is after how many questions that nobody is there to answer a gateway is gone.
	goneAfter = 3
	// forgetAfter is after how many its sessions are closed: it may have lost its connection only.
	forgetAfter = 45
)

// A watch looks whether the gateways are there that have something here.
type watch struct {
	*bus
	gateways *gateways
	sessions *sessions
	runs     *runs
}

// follow asks the gateways that have something here whether they are there.
func (w *watch) follow() {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	var asking sync.WaitGroup
	defer asking.Wait()
	for {
		select {
		case <-w.life.Done():
			return
		case <-tick.C:
		}
		for _, id := range w.gateways.toAsk(w.has) {
			asking.Go(func() { w.ask(id) })
		}
	}
}

// has are the gateways that have a session here, or a run that is not over.
func (w *watch) has() map[string]bool {
	out := map[string]bool{}
	w.sessions.addGateways(out)
	for _, r := range w.runs.alive() {
		out[r.msg.Session.Gateway] = true
	}
	return out
}

// ask asks one gateway. That nobody is there is known from the broker; that no answer comes in time proves
// nothing.
func (w *watch) ask(id string) {
	ctx, stop := context.WithTimeout(w.life, pingTime)
	defer stop()
	_, err := w.nc.RequestWithContext(ctx, wire.Gateway(id, wire.VerbPing), []byte("{}"))
	missed := w.gateways.asked(id, errors.Is(err, nats.ErrNoResponders))
	if missed >= goneAfter {
		w.cancelReads(id)
	}
	if missed >= forgetAfter {
		w.sessions.forget(id)
	}
}

// cancelReads ends the runs of a gateway that is gone which change nothing. The others go on to their end: what half a
// change leaves is worse than a whole one, and the worker's record has what they came to.
func (w *watch) cancelReads(gateway string) {
	for _, r := range w.runs.alive() {
		if r.msg.Session.Gateway == gateway && !r.msg.Sure {
			r.stop()
		}
	}
}
