package natsbus

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/wire"
	"helve/tool"
)

const (
	// mostSessions is how many conversations a worker keeps at once.
	mostSessions = 10_000
	// pingEvery is how often a worker asks whether a gateway is there.
	pingEvery = 700 * time.Millisecond
	pingTime  = 500 * time.Millisecond
	// goneAfter is after how many questions that nobody is there to answer a gateway is gone.
	goneAfter = 3
	// forgetAfter is after how many its sessions are closed: it may have lost its connection only.
	forgetAfter = 45
)

// A session is what the tools remember of one conversation.
type session struct {
	gateways map[string]bool // that have it: one, or several for a conversation that lasts
	s        *tool.Session
	client   *client
}

// keyOf is a session's name here. One that lasts is the same for every gateway that goes on with it.
func keyOf(of wire.Session) string {
	if of.Lasting {
		return "lasting." + of.Key
	}
	return of.Gateway + "." + of.Key
}

// A gateway is one that has runs or sessions here.
type gateway struct {
	asking bool
	missed int // questions in a row that nobody was there to answer
}

// gatewayOf notes that a gateway has something here. Worker.mu is held.
func (w *Worker) gatewayOf(id string) *gateway {
	g := w.gateways[id]
	if g == nil {
		g = &gateway{}
		w.gateways[id] = g
	}
	return g
}

// sessionOf is the session of a conversation, made when it is first used; nil for calls without one.
func (w *Worker) sessionOf(of wire.Session) (*tool.Session, error) {
	if of.Key == "" {
		return nil, nil
	}
	if !wire.ValidID(of.Key) || !wire.ValidID(of.Gateway) {
		return nil, tool.Errorf(tool.Execution, "the gateway names no session that can be: %.80q", of.Key)
	}
	key := keyOf(of)
	w.mu.Lock()
	defer w.mu.Unlock()
	if known := w.sessions[key]; known != nil {
		known.client.wants(of)
		if !known.gateways[of.Gateway] {
			known.gateways[of.Gateway] = true
			w.gatewayOf(of.Gateway)
		}
		return known.s, nil
	}
	if len(w.sessions) >= mostSessions {
		return nil, tool.Errorf(tool.Busy, "the worker keeps %d conversations already", mostSessions)
	}
	s := w.o.Session()
	if of.Principal != "" {
		s.Principal = of.Principal
	}
	s.Shared = of.Shared
	w.sessions[key] = &session{map[string]bool{of.Gateway: true}, s, clientOf(s, of)}
	w.gatewayOf(of.Gateway)
	return s, nil
}

// closeSession ends a conversation, and answers when it is over. One that lasts goes on while another gateway has it.
func (w *Worker) closeSession(m *nats.Msg) {
	of, err := wire.Decode[wire.Session](m.Data)
	if err != nil {
		return
	}
	w.mu.Lock()
	over := w.leave(keyOf(of), of.Gateway)
	w.mu.Unlock()
	w.work.Go(func() {
		if over != nil {
			w.warnOf(over.Close())
		}
		w.reply(m, []byte("{}"))
	})
}

// leave notes that a gateway has a session no more, and is the session if it was the last. Worker.mu is held.
func (w *Worker) leave(key, gateway string) *tool.Session {
	known := w.sessions[key]
	if known == nil {
		return nil
	}
	delete(known.gateways, gateway)
	if len(known.gateways) > 0 {
		return nil
	}
	delete(w.sessions, key)
	return known.s
}

func (w *Worker) warnOf(err error) {
	if err != nil {
		w.o.Log.Warn("worker: closing a session", "error", err)
	}
}

// closeSessions ends all conversations.
func (w *Worker) closeSessions() error {
	w.mu.Lock()
	left := w.sessions
	w.sessions = map[string]*session{}
	w.mu.Unlock()
	var mu sync.Mutex
	var errs []error
	var closing sync.WaitGroup // side by side: one that takes its time keeps no other
	for _, known := range left {
		closing.Go(func() {
			err := known.s.Close()
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	closing.Wait()
	return errors.Join(errs...)
}

// watchGateways asks the gateways that have something here whether they are there.
func (w *Worker) watchGateways() {
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
		for _, id := range w.toAsk() {
			asking.Go(func() { w.askGateway(id) })
		}
	}
}

// toAsk are the gateways that nobody is asking. Those that have nothing here any more are forgotten.
func (w *Worker) toAsk() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	has := map[string]bool{}
	for _, s := range w.sessions {
		maps.Copy(has, s.gateways)
	}
	for _, r := range w.runs {
		if !r.over {
			has[r.msg.Session.Gateway] = true
		}
	}
	var out []string
	for id, g := range w.gateways {
		switch {
		case g.asking:
		case !has[id]:
			delete(w.gateways, id)
		default:
			g.asking = true
			out = append(out, id)
		}
	}
	return out
}

// askGateway asks one gateway. That nobody is there is known from the broker; that no answer comes in time proves
// nothing.
func (w *Worker) askGateway(id string) {
	ctx, stop := context.WithTimeout(w.life, pingTime)
	defer stop()
	_, err := w.nc.RequestWithContext(ctx, wire.Gateway(id, wire.VerbPing), []byte("{}"))
	w.mu.Lock()
	g := w.gateways[id]
	if g == nil {
		w.mu.Unlock()
		return
	}
	g.asking = false
	if errors.Is(err, nats.ErrNoResponders) {
		g.missed++
	} else {
		g.missed = 0
	}
	missed := g.missed
	w.mu.Unlock()
	if missed >= goneAfter {
		w.cancelReads(id)
	}
	if missed >= forgetAfter {
		w.forget(id)
	}
}

// cancelReads ends the runs of a gateway that is gone which change nothing. The others go on to their end: what half a
// change leaves is worse than a whole one, and the worker's record has what they came to.
func (w *Worker) cancelReads(gateway string) {
	for _, r := range w.alive() {
		if r.msg.Session.Gateway == gateway && !r.msg.Sure {
			r.stop()
		}
	}
}

// forget closes the sessions of a gateway that is gone.
func (w *Worker) forget(gateway string) {
	w.mu.Lock()
	var left []*tool.Session
	for key := range w.sessions {
		if over := w.leave(key, gateway); over != nil {
			left = append(left, over)
		}
	}
	w.mu.Unlock()
	for _, s := range left {
		w.warnOf(s.Close())
	}
}
