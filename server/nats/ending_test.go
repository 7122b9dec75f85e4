package natsbus_test

import (
	"context"
	"strings"
	"testing"

	"helve/tool"
)

// A slow tool understands a call only when it is to stop.
type slow struct {
	tool.Tool
	asked chan struct{}
}

func (s *slow) Prepare(ctx context.Context, _ *tool.Call) (*tool.Job, error) {
	s.asked <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestACallThatAWorkerUnderstandsAsItEndsGoesToAnother(t *testing.T) {
	b := startBroker(t)
	work := workTools(t.TempDir() + "/record")[0]
	waits := &slow{work, make(chan struct{}, 10)}
	ends := offer(t, b.URL(), workerKit(t, allowAll{}, waits), 2)
	pool := join(t, b.URL(), "")
	kit := gatewayKit(t, pool, tool.KitOptions{Policy: allowAll{}}, work)
	results := make(chan *tool.Result, 1)
	go func() { results <- call(t, kit, nil, "work", `{"n":"one"}`) }()
	<-waits.asked
	offer(t, b.URL(), workerKit(t, allowAll{}, work), 2)
	wait(t, "both workers are known", func() bool { return len(pool.Members()) == 2 })
	if err := ends.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res := <-results; res.Err != nil || res.Text() != "did one" {
		t.Errorf("%v, %q", res.Err, res.Text())
	}
}

// A call that comes while the bus is away is refused with that, before whoever waits for it to be understood gives up
// and does not know why.
func TestACallWithoutABusSaysThatItCannotBeReached(t *testing.T) {
	if testing.Short() {
		return // it is waited for
	}
	b := startBroker(t)
	work := workTools(t.TempDir() + "/record")[0]
	offer(t, b.URL(), workerKit(t, allowAll{}, work), 2)
	pool := join(t, b.URL(), "")
	kit := gatewayKit(t, pool, tool.KitOptions{Policy: allowAll{}}, work)
	wait(t, "the worker is known", func() bool { return len(pool.Members()) == 1 })
	if res := call(t, kit, nil, "work", `{"n":"one"}`); res.Err != nil {
		t.Fatal(res.Err)
	}
	b.Close()
	res := call(t, kit, nil, "work", `{"n":"two"}`)
	if !strings.Contains(res.Text(), "nothing was done") || !strings.Contains(res.Text(), "The bus cannot be reached") {
		t.Errorf("%q", res.Text())
	}
}
