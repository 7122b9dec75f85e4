package natsbus_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"

	natsworker "helve/server/nats"
	natspool "helve/source/nats"
	"helve/tool"
)

// alone starts a worker that has claimed its workspace, for as long as holds says so.
func alone(t *testing.T, url, record string, holds *atomic.Bool) *natsworker.Worker {
	t.Helper()
	return ticketed(t, url, workerKit(t, allowAll{}, workTools(record)...), natsworker.Options{Holds: holds.Load})
}

// A worker that has claimed the workspace gets all calls of it, those of conversations too that another one had. When it
// is gone the others get them again.
func TestAWorkerThatClaimedTheWorkspaceGetsAllItsCalls(t *testing.T) {
	dir := t.TempDir()
	shared, claimed := filepath.Join(dir, "shared"), filepath.Join(dir, "claimed")
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, allowAll{}, workTools(shared)...), 8)
	p := join(t, b.URL(), "")
	kit := gatewayKit(t, p, tool.KitOptions{Policy: allowAll{}}, workTools("")...)
	s := &tool.Session{ID: "one"}
	work := func(n int) {
		t.Helper()
		at(n, 4, func(i int) {
			in := s
			if i%2 == 0 {
				in = nil
			}
			if res := call(t, kit, in, "work", `{"n":"x"}`); res.Err != nil {
				t.Error(res.Err)
			}
		})
	}
	work(4)
	var holds atomic.Bool
	holds.Store(true)
	w := alone(t, b.URL(), claimed, &holds)
	wait(t, "both are known", func() bool { return len(p.Members()) == 2 })
	work(10)
	if here, there := lines(t, claimed), lines(t, shared); here != 10 || there != 4 {
		t.Errorf("the one that claimed it did %d, want 10; the other %d, want 4", here, there)
	}
	if err := w.Drain(context.Background()); err != nil {
		t.Error(err)
	}
	wait(t, "it is gone", func() bool { return len(p.Members()) == 1 })
	work(4)
	if n := lines(t, shared); n != 8 {
		t.Errorf("the other did %d, want 8", n)
	}
}

// A worker whose claim does not stand for certain begins nothing, and has it done later when it stands again.
func TestAWorkerWhoseClaimDoesNotStandBeginsNothing(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	b := startBroker(t)
	var holds atomic.Bool
	holds.Store(true)
	alone(t, b.URL(), record, &holds)
	p := join(t, b.URL(), "")
	kit := gatewayKit(t, p, tool.KitOptions{Policy: allowAll{}}, workTools(record)...)
	wait(t, "it is known", func() bool { return len(p.Members()) == 1 })
	holds.Store(false)
	done := make(chan *tool.Result, 1)
	go func() {
		res, err := kit.Call(t.Context(), &tool.Call{Name: "work", Args: []byte(`{"n":"x"}`)})
		if err != nil {
			t.Error(err)
		}
		done <- res
	}()
	wait(t, "it says that it takes none", func() bool {
		all := p.Members()
		return len(all) == 1 && all[0].Draining
	})
	if n := lines(t, record); n != 0 {
		t.Errorf("it did %d", n)
	}
	holds.Store(true)
	res := <-done
	if res == nil || res.Err == nil && lines(t, record) != 1 {
		t.Errorf("%v, done %d times", res, lines(t, record))
	}
}

// A gateway that knows of a claim uses no other worker, even where it hears of that one first.
func TestAGatewayThatKnowsOfAClaimWaitsForWhoHasIt(t *testing.T) {
	dir := t.TempDir()
	other, claimed := filepath.Join(dir, "other"), filepath.Join(dir, "claimed")
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, allowAll{}, workTools(other)...), 8)
	p, err := natspool.Join(connect(t, b.URL()), natspool.Options{Pool: poolName, Workspace: workspaceName, Claimed: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	kit := gatewayKit(t, p, tool.KitOptions{Policy: allowAll{}}, workTools("")...)
	wait(t, "the other is known", func() bool { return len(p.Members()) == 1 })
	wantError(t, call(t, kit, nil, "work", `{"n":"early"}`), tool.Execution, "no worker of pool tested can take the call")
	var holds atomic.Bool
	holds.Store(true)
	alone(t, b.URL(), claimed, &holds)
	wait(t, "both are known", func() bool { return len(p.Members()) == 2 })
	if res := call(t, kit, nil, "work", `{"n":"later"}`); res.Err != nil {
		t.Error(res.Err)
	}
	if here, there := lines(t, claimed), lines(t, other); here != 1 || there != 0 {
		t.Errorf("the one that claimed it did %d, want 1; the other %d, want none", here, there)
	}
}
