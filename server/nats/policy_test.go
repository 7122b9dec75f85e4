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

// switched is a policy that denies everything until it is caught up with.
type switched struct {
	allowAll
	to atomic.Value // a string
}

func (s *switched) Judge(*tool.Job) tool.Verdict {
	if s.to.Load() == "new" {
		return tool.Verdict{Decision: tool.Allow}
	}
	return tool.Verdict{Reason: "not by the old policy"}
}

// A worker that goes by an older policy than its gateway goes by the newer before it judges anything.
func TestAWorkerWithAnOlderPolicyThanItsGatewayCatchesUpFirst(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	b := startBroker(t)
	rules := &switched{}
	ticketed(t, b.URL(), workerKit(t, rules, workTools(record)...), natsworker.Options{
		CatchUp: func(_ context.Context, policy string) { rules.to.Store(policy) },
	})
	var goesBy atomic.Value
	goesBy.Store("old")
	p, err := natspool.Join(connect(t, b.URL()), natspool.Options{
		Pool: poolName, Workspace: workspaceName, Policy: func() string { return goesBy.Load().(string) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	kit := gatewayKit(t, p, tool.KitOptions{Policy: allowAll{}}, workTools(record)...)
	wantError(t, call(t, kit, nil, "work", `{"n":"old"}`), tool.Permission, "not by the old policy")
	goesBy.Store("new")
	if res := call(t, kit, nil, "work", `{"n":"new"}`); res.Err != nil {
		t.Error(res.Err)
	}
	if n := lines(t, record); n != 1 {
		t.Errorf("the work was done %d times, want once", n)
	}
}
