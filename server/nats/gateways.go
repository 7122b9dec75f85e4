package natsbus

import "sync"

// gateways are those that have runs or sessions here.
type gateways struct {
	mu  sync.Mutex
	all map[string]*gateway
}

// A gateway is one that has runs or sessions here.
type gateway struct {
	asking bool
	missed int // questions in a row that nobody was there to answer
}

// note notes that a gateway has something here: after it has, so that it is not forgotten in between.
func (g *gateways) note(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all[id] == nil {
		g.all[id] = &gateway{}
	}
}

// toAsk are the gateways that nobody is asking. Those that have nothing here any more are forgotten: has tells which
// do.
func (g *gateways) toAsk(has func() map[string]bool) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	they := has()
	var out []string
	for id, one := range g.all {
		switch {
		case one.asking:
		case !they[id]:
			delete(g.all, id)
		default:
			one.asking = true
			out = append(out, id)
		}
	}
	return out
}

// asked notes whether a gateway that was asked is gone, and is how often in a row it was.
func (g *gateways) asked(id string, gone bool) (missed int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.all[id]
	if one == nil {
		return 0
	}
	one.asking = false
	one.missed++
	if !gone {
		one.missed = 0
	}
	return one.missed
}
