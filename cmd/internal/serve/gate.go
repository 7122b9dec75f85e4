package serve

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// maxConnections bounds the connections that are open at a time.
	maxConnections = 2048
	// maxIdle bounds those of one address that wait for a request: more than a proxy keeps ready, far fewer than would
	// leave no place for others.
	maxIdle = 256
	// spare are the connections beyond the bound on which a server that is full says so, and that it lives.
	spare = 64
)

// A gate accepts connections, and closes those that do nothing where they are too many: who asks something finds a
// place. It is a listener and knows from its http.Server what each connection does.
type gate struct {
	net.Listener
	most, idle, spare int

	mu   sync.Mutex
	open map[net.Conn]*visit
}

// A visit is one open connection.
type visit struct {
	host    string
	waiting bool      // for a request, whole
	since   time.Time // that it waits
	silent  bool      // nothing came over it yet
	extra   bool      // it came when all places were taken
}

// newGate is a gate before a listener, with the bounds of helve.
func newGate(l net.Listener) *gate {
	return &gate{
		Listener: l,
		most:     maxConnections,
		idle:     maxIdle,
		spare:    spare,
		open:     map[net.Conn]*visit{},
	}
}

// Accept takes the next connection. Where there is no place for it, and none can be made, it is closed at once: one
// that was left in the system's queue would look alive to its client.
func (g *gate) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if g.enter(c) {
			return c, nil
		}
		c.Close()
	}
}

// enter finds a place for a connection.
func (g *gate) enter(c net.Conn) bool {
	host, _, err := net.SplitHostPort(c.RemoteAddr().String())
	if err != nil {
		host = c.RemoteAddr().String()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	v := &visit{host: host, waiting: true, silent: true, since: time.Now()}
	if len(g.open) >= g.most && !g.closeOldest("") {
		v.extra = true
	}
	if len(g.open) >= g.most+g.spare {
		return false
	}
	g.open[c] = v
	g.bound(host)
	return true
}

// bound closes what one address has too many of. g.mu is held.
func (g *gate) bound(host string) {
	n := 0
	for _, v := range g.open {
		if v.host == host && v.waiting {
			n++
		}
	}
	if n > g.idle {
		g.closeOldest(host)
	}
}

// closeOldest closes the connection that has waited longest, of one address or of any. g.mu is held.
func (g *gate) closeOldest(host string) bool {
	var oldest net.Conn
	for c, v := range g.open {
		if !v.waiting || host != "" && v.host != host {
			continue
		}
		if oldest == nil || v.since.Before(g.open[oldest].since) {
			oldest = c
		}
	}
	if oldest == nil {
		return false
	}
	delete(g.open, oldest)
	oldest.Close()
	return true
}

// closeSilent closes the connections over which no request ever came: a server that ends would wait for one.
func (g *gate) closeSilent() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c, v := range g.open {
		if v.silent {
			c.Close()
		}
	}
}

// state is the server's ConnState.
func (g *gate) state(c net.Conn, s http.ConnState) {
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.open[c]
	if v == nil {
		return
	}
	switch s {
	case http.StateActive:
		v.waiting, v.silent = false, false
	case http.StateIdle:
		v.waiting, v.since = true, time.Now()
		g.bound(v.host)
	case http.StateClosed, http.StateHijacked:
		delete(g.open, c)
	}
}

// connKey is the context key of a request's connection.
type connKey struct{}

// context is the server's ConnContext: requests know their connection.
func (*gate) context(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// handler answers requests that came when all places were taken: whether the server lives, and else that it is full.
func (g *gate) handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		c, _ := q.Context().Value(connKey{}).(net.Conn)
		if !g.isExtra(c) || q.URL.Path == "/healthz" || q.URL.Path == "/readyz" {
			h.ServeHTTP(w, q)
			return
		}
		w.Header().Set("Retry-After", "1")
		w.Header().Set("Connection", "close")
		http.Error(w, "too many connections", http.StatusServiceUnavailable)
	})
}

func (g *gate) isExtra(c net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.open[c]
	return v != nil && v.extra
}
