package server

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// maxClients is how many clients' limits are remembered; the idle ones are
	// forgotten first.
	maxClients = 10_000
	// burst is how many seconds' worth of requests may come at once.
	burst = 2
)

// A limiter holds each client to a rate and a number of requests at a time.
type limiter struct {
	rate    rate.Limit
	running int

	mu      sync.Mutex
	clients map[string]*usage
}

type usage struct {
	bucket  *rate.Limiter
	running int
	last    time.Time
}

func newLimiter(perSecond float64, running int) *limiter {
	return &limiter{
		rate:    rate.Limit(perSecond),
		running: running,
		clients: map[string]*usage{},
	}
}

// enter counts a request in; done counts it out.
func (l *limiter) enter(client string) (done func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.clients[client]
	if u == nil {
		l.forget()
		u = &usage{bucket: rate.NewLimiter(l.rate, max(1, int(l.rate*burst)))}
		l.clients[client] = u
	}
	u.last = time.Now()
	if u.running >= l.running || !u.bucket.Allow() {
		return nil, false
	}
	u.running++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		u.running--
	}, true
}

// forget makes place when there are too many. l.mu is held.
func (l *limiter) forget() {
	if len(l.clients) < maxClients {
		return
	}
	for k, u := range l.clients {
		full := time.Since(u.last) > burst*time.Second // its bucket, again
		if u.running == 0 && full {
			delete(l.clients, k)
		}
	}
}
