package natsbus_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	natsworker "helve/server/nats"
	natspool "helve/source/nats"
	"helve/tool"
)

// What only reads is for nobody when its gateway is gone, and ends. What changes something goes on to its end: half a
// change is worse than a whole one.
func TestWhatChangesSomethingGoesOnWhenItsGatewayIsGone(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	tools := workTools(record)
	b := startBroker(t)
	w := offer(t, b.URL(), workerKit(t, allowAll{}, tools...), 4)
	nc, err := nats.Connect(b.URL())
	if err != nil {
		t.Fatal(err)
	}
	p, err := natspool.Join(nc, natspool.Options{Pool: poolName, Workspace: workspaceName})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	kit := gatewayKit(t, p, tool.KitOptions{Policy: allowAll{}}, tools...)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s := &tool.Session{ID: "one"}
	for _, c := range []string{"look", "work"} {
		go kit.Call(ctx, &tool.Call{Name: c, Args: json.RawMessage(`{"n":"` + c + `","take":60000}`), Session: s})
	}
	wait(t, "both run", func() bool {
		got, _ := os.ReadFile(record)
		return strings.Contains(string(got), "look") && strings.Contains(string(got), "work")
	})
	nc.Close() // as if the process was killed
	wait(t, "what only reads has ended", func() bool { return w.Running() == 1 })
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Drain(done); err == nil {
		t.Error("what changes something did not run any more")
	}
}

// A conversation that ends at the gateway ends at its worker, and so does what it left running there.
func TestAConversationThatEndsEndsAtItsWorker(t *testing.T) {
	ended := make(chan struct{})
	remember := tool.New(tool.Spec{Name: "remember", Kind: tool.Read, Doc: tool.Doc{Short: "Remembers."}},
		func(_ context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
			tool.Of(c.Session, func() *remembered { return &remembered{ended} })
			return tool.Textf("yes"), nil
		})
	b := startBroker(t)
	nc := connect(t, b.URL())
	w, err := natsworker.Offer(nc, workerKit(t, allowAll{}, remember), natsworker.Options{
		Pool: poolName, Workspace: workspaceName, Session: func() *tool.Session { return &tool.Session{} }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Drain(t.Context())
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, remember)
	s := &tool.Session{ID: "one"}
	if res := call(t, kit, s, "remember", `{}`); res.Err != nil {
		t.Fatal(res.Err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	select {
	case <-ended:
	default:
		t.Error("the worker keeps what the conversation left")
	}
}

type remembered struct{ ended chan struct{} }

func (r *remembered) Close() error { close(r.ended); return nil }
