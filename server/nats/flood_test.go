package natsbus_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	natspool "helve/source/nats"
	"helve/tool"
)

// gated is a tool whose calls named hold wait until they are let go, and which notes whose calls ran, in order.
type gated struct {
	tool tool.Tool
	free chan struct{}

	mu  sync.Mutex
	ran []string
}

func newGated() *gated {
	g := &gated{free: make(chan struct{})}
	g.tool = tool.New(tool.Spec{Name: "pass", Kind: tool.Exec, Doc: tool.Doc{Short: "Passes."}},
		func(ctx context.Context, c *tool.Call, in workIn) (*tool.Result, error) {
			if in.N == "hold" {
				select {
				case <-g.free:
				case <-ctx.Done():
				}
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			g.ran = append(g.ran, in.N)
			return tool.Textf("passed %s", in.N), nil
		})
	return g
}

func (g *gated) order() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.ran)
}

func passCall(who, n string) *tool.Call {
	args, _ := json.Marshal(workIn{N: n})
	return &tool.Call{Name: "pass", Args: args, Session: &tool.Session{Principal: who}}
}

// Whose calls take all slots and the whole queue waits behind nobody, and keeps nobody out.
func TestOneWhoFloodsAPoolDoesNotKeepTheOthersOut(t *testing.T) {
	g := newGated()
	b := startBroker(t)
	w := offer(t, b.URL(), workerKit(t, allowAll{}, g.tool), 1)
	const flood, waiting = 120, 100
	p, err := natspool.Join(connect(t, b.URL()), natspool.Options{Pool: poolName, Workspace: workspaceName, Waiting: waiting})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	kit := gatewayKit(t, p, tool.KitOptions{Policy: allowAll{}}, g.tool)
	var all sync.WaitGroup
	var busy atomic.Int32
	send := func(who, n string) {
		res, err := kit.Call(context.Background(), passCall(who, n))
		switch {
		case err != nil:
			t.Errorf("%s: the host is stopped: %v", n, err)
		case res.Err != nil && res.Err.Code == tool.Busy:
			busy.Add(1)
		case res.Err != nil:
			t.Errorf("%s: %v", n, res.Err)
		}
	}
	all.Go(func() { send("many", "hold") })
	wait(t, "the slot is taken", func() bool { return w.Running() == 1 })
	for range flood {
		all.Go(func() { send("many", "many") })
	}
	wait(t, "the queue is full", func() bool { return busy.Load() > 0 })
	sent := busy.Load()
	all.Go(func() { send("one", "one") })
	wait(t, "a place was made for the other", func() bool { return busy.Load() > sent || busy.Load() >= flood-waiting+1 })
	close(g.free)
	all.Wait()
	ran := g.order()
	if i := slices.Index(ran, "one"); i < 0 {
		t.Errorf("the other's call never ran, after %d and %d that were told to come later", len(ran), busy.Load())
	}
	if len(ran)+int(busy.Load()) != flood+2 {
		t.Errorf("%d ran and %d were told to come later, of %d", len(ran), busy.Load(), flood+2)
	}
}

// A blocked tool understands nothing until it is let go.
type blocked struct {
	tool.Tool
	waiting atomic.Int32
	free    chan struct{}
}

func (b *blocked) Prepare(ctx context.Context, c *tool.Call) (*tool.Job, error) {
	b.waiting.Add(1)
	select {
	case <-b.free:
	case <-ctx.Done():
	}
	return b.Tool.Prepare(ctx, c)
}

// A worker is asked about no more calls at once than it understands, though it is asked twice about each that takes long:
// the others wait, and none is told to come later.
func TestCallsThatAWorkerHasNoPlaceToUnderstandWaitTheirTurn(t *testing.T) {
	const most, calls = 256, 130
	look := workTools(t.TempDir() + "/record")[1]
	there := &blocked{Tool: look, free: make(chan struct{})}
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, allowAll{}, there), 8)
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, look)
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			if res := call(t, kit, nil, "look", `{"n":"x"}`); res.Err != nil {
				t.Error(res.Err)
			}
		})
	}
	wait(t, "the worker has as many as it takes", func() bool { return there.waiting.Load() == most })
	close(there.free)
	all.Wait()
}

// A call that waits at a worker whose own calls are long goes to another one.
func TestACallDoesNotStayBehindALongOneWhileAnotherWorkerIsFree(t *testing.T) {
	g := newGated()
	b := startBroker(t)
	for range 2 {
		offer(t, b.URL(), workerKit(t, allowAll{}, g.tool), 1)
	}
	kits := make([]*tool.Kit, 2) // of two gateways, which do not know of each other's calls
	for i := range kits {
		p := join(t, b.URL(), "")
		wait(t, "both workers are known", func() bool { return len(p.Members()) == 2 })
		kits[i] = gatewayKit(t, p, tool.KitOptions{Policy: allowAll{}}, g.tool)
	}
	held := make(chan *tool.Result)
	go func() {
		res, _ := kits[0].Call(context.Background(), passCall("a", "hold"))
		held <- res
	}()
	for range 20 {
		res, err := kits[1].Call(t.Context(), passCall("b", "quick"))
		if err != nil || res.Err != nil {
			t.Fatal(err, res)
		}
	}
	if n := len(g.order()); n != 20 {
		t.Errorf("%d calls ran, want 20 beside the one that waits", n)
	}
	close(g.free)
	if res := <-held; res == nil || res.Err != nil {
		t.Errorf("%+v", res)
	}
}
