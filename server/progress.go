package server

import (
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"time"

	"helve/internal/rpc"
	"helve/tool"
)

const (
	// beatEvery is how often a client hears of a request that runs and says
	// nothing by itself: clients give up after five seconds and more.
	beatEvery = 2 * time.Second
	// step is the least by which progress rises where nothing else is known.
	step = 0.001
)

// A pulse tells a client that wants progress how its request comes along. The
// protocol wants a number that rises with every notification, and clients take
// one that does not for a request that hangs: a tool that has no counter gets
// the seconds that it runs. Its methods are safe for concurrent use.
type pulse struct {
	token json.RawMessage // of the client

	mu    sync.Mutex
	send  func(params json.RawMessage) // a notification
	start time.Time
	last  tool.Progress // as it was told
	told  bool
	timer *time.Timer
	over  bool
}

// begin begins to tell; stop ends it.
func (p *pulse) begin(send func(params json.RawMessage)) (stop func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.send, p.start = send, time.Now()
	p.timer = time.AfterFunc(beatEvery, p.quiet)
	return p.stop
}

func (p *pulse) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.timer.Stop()
}

// report tells the client what a tool says of itself.
func (p *pulse) report(in tool.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	if math.IsNaN(in.Total) || math.IsInf(in.Total, 0) || in.Total < 0 {
		in.Total = 0
	}
	if in.Total == 0 {
		in.Total = p.last.Total
	}
	counts := !math.IsNaN(in.Done) && !math.IsInf(in.Done, 0) && in.Done > 0
	if !counts || p.told && in.Done <= p.last.Done {
		in.Done = p.further(in.Total)
	}
	p.tell(in)
}

// quiet is called when nothing was told for a while.
func (p *pulse) quiet() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	next := p.last
	next.Done = p.further(next.Total)
	if next.Message == "" {
		next.Message = fmt.Sprintf("running for %d s", int(time.Since(p.start).Seconds()))
	}
	message := p.last.Message // a tool's own words stay, ours are made anew
	p.tell(next)
	p.last.Message = message
}

// further is a number above the last: the seconds so far, or, under a total that
// these would cross or where a tool counts something else, a little more than
// before. p.mu is held.
func (p *pulse) further(total float64) float64 {
	seconds := math.Round(time.Since(p.start).Seconds()*10) / 10
	if total == 0 && seconds > p.last.Done {
		return seconds
	}
	next := p.last.Done + step
	if total > 0 && p.last.Done < total {
		next = min(next, p.last.Done+(total-p.last.Done)/2)
	}
	return next
}

// tell sends a notification. p.mu is held: after stop has returned none is on
// its way.
func (p *pulse) tell(next tool.Progress) {
	p.last, p.told = next, true
	p.timer.Reset(beatEvery)
	p.send(encodePlain(rpc.Progress{
		Token:   p.token,
		Done:    next.Done,
		Total:   next.Total,
		Message: next.Message,
	}))
}
