//go:build unix

package natsbus_test

import (
	"io"
	"net"
	"path/filepath"
	"sync"
	"testing"

	natsworker "helve/server/nats"
	"helve/server/nats/broker"
	natspool "helve/source/nats"
	"helve/tool"
)

// A link is a way between two servers that can be cut.
type link struct {
	l  net.Listener
	to string

	mu    sync.Mutex
	isCut bool
	ends  []net.Conn
	work  sync.WaitGroup
}

func startLink(t *testing.T, to string) *link {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k := &link{l: l, to: to}
	k.work.Go(k.accept)
	t.Cleanup(func() {
		l.Close()
		k.cut(true)
		k.work.Wait()
	})
	return k
}

func (k *link) accept() {
	for {
		from, err := k.l.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", k.to)
		if err != nil {
			from.Close()
			continue
		}
		k.mu.Lock()
		k.ends = append(k.ends, from, to)
		if k.isCut {
			from.Close()
			to.Close()
		}
		k.mu.Unlock()
		for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
			k.work.Go(func() {
				_, _ = io.Copy(way[0], way[1]) // it ends when either end does
				way[0].Close()
				way[1].Close()
			})
		}
	}
}

// cut breaks what goes over the link, or lets it pass again.
func (k *link) cut(yes bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.isCut = yes
	for _, c := range k.ends {
		c.Close()
	}
	k.ends = nil
}

// A half is a gateway and a worker at one server of two.
type half struct {
	*trouble
	pool *natspool.Pool
}

func startHalf(t *testing.T, b *broker.Broker, record string) *half {
	t.Helper()
	tools := workTools(record)
	w, err := natsworker.Offer(connect(t, b.URL()), workerKit(t, allowAll{}, tools...), natsworker.Options{
		Pool: poolName, Workspace: workspaceName, Slots: 8, Session: func() *tool.Session { return &tool.Session{} }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Drain(t.Context()) })
	p := join(t, b.URL(), "")
	tr := &trouble{t: t, record: record, results: map[string]*tool.Result{},
		kit: gatewayKit(t, p, tool.KitOptions{Policy: allowAll{}}, tools...)}
	return &half{tr, p}
}

// Two gateways whose servers lose each other go on, each with the worker that it reaches. What the other worker was doing
// for them is unknown, and no call runs twice, now or when they find each other again.
func TestGatewaysThatAreSplitGoOnWithTheWorkersTheyReach(t *testing.T) {
	first, err := broker.Start(broker.Options{Addr: "127.0.0.1:0", Name: "a", Cluster: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { first.Close() })
	way := startLink(t, first.ClusterAddr())
	second, err := broker.Start(broker.Options{
		Addr: "127.0.0.1:0", Name: "b", Cluster: "127.0.0.1:0", Routes: []string{way.l.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { second.Close() })
	wait(t, "the servers know each other", func() bool { return first.Peers() > 0 && second.Peers() > 0 })
	record := filepath.Join(t.TempDir(), "record")
	halves := []*half{startHalf(t, first, record), startHalf(t, second, record)}
	know := func(n int) {
		t.Helper()
		wait(t, "both know the workers that they reach", func() bool {
			return len(halves[0].pool.Members()) == n && len(halves[1].pool.Members()) == n
		})
	}
	know(2)

	over := make(chan struct{})
	var all sync.WaitGroup
	for i, h := range halves {
		for _, who := range []string{"one", "two", "three", "four"} {
			all.Go(func() { h.callUntil(over, []string{"first", "second"}[i]+who) })
		}
	}
	done := func(h *half) int {
		h.mu.Lock()
		defer h.mu.Unlock()
		n := 0
		for _, res := range h.results {
			if res.Err == nil {
				n++
			}
		}
		return n
	}
	more := func() {
		t.Helper()
		before := []int{done(halves[0]), done(halves[1])}
		wait(t, "calls are done on both sides", func() bool { return done(halves[0]) > before[0]+20 && done(halves[1]) > before[1]+20 })
	}
	more()
	way.cut(true)
	know(1)
	more()
	way.cut(false)
	know(2)
	more()
	close(over)
	all.Wait()
	for _, h := range halves {
		h.noneTwice()
	}
}
