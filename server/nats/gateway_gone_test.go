package natsbus_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/testing/loopback"
	natsworker "helve/server/nats"
	"helve/server/nats/broker"
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

// Where the bus is gone for long, whoever waits hears that, and whether the call may have run, long before its time is
// over. What comes back in time goes on as if nothing was.
func TestACallThatRunsSaysThatTheBusIsGone(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	tools := workTools(record)
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, allowAll{}, tools...), 4)
	p, err := natspool.Join(connect(t, b.URL()), natspool.Options{Pool: poolName, Workspace: workspaceName, Away: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	kit := gatewayKit(t, p, tool.KitOptions{Policy: allowAll{}}, tools...)
	told, results := make(chan bool, 1), map[string]chan *tool.Result{"look": make(chan *tool.Result, 1), "work": make(chan *tool.Result, 1)}
	for name, to := range results {
		c := &tool.Call{Name: name, Args: json.RawMessage(`{"n":"` + name + `","take":60000}`)}
		if name == "work" {
			c.Progress = missing(told)
		}
		go func() {
			res, _ := kit.Call(t.Context(), c) // it stops the host in no case
			to <- res
		}()
	}
	wait(t, "both run", func() bool {
		got, _ := os.ReadFile(record)
		return strings.Contains(string(got), "look") && strings.Contains(string(got), "work")
	})
	b.Close()
	<-told
	if res := <-results["work"]; res.Err == nil || res.Err.Code != tool.OutcomeUnknown || !strings.Contains(res.Err.Error(), "the bus cannot be reached") {
		t.Errorf("what had begun: %v", res.Err)
	}
	if res := <-results["look"]; res.Err == nil || res.Err.Code != tool.Execution || !strings.Contains(res.Err.Error(), "the bus cannot be reached") {
		t.Errorf("what only reads: %v", res.Err)
	}
}

// A bus that comes back while a call runs has cost it nothing.
func TestACallGoesOnWhereTheBusComesBack(t *testing.T) {
	record, done := filepath.Join(t.TempDir(), "record"), make(chan struct{})
	tools := workTools(record)
	held := tool.New(tool.Spec{Name: "held", Kind: tool.Exec, Doc: tool.Doc{Short: "Is held."}},
		func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
			os.WriteFile(record, []byte("held"), 0o600)
			<-done
			return tool.Textf("held"), nil
		})
	b, err := broker.Start(broker.Options{Addr: loopback.Addr()})
	if err != nil {
		t.Fatal(err)
	}
	offer(t, b.URL(), workerKit(t, allowAll{}, append(tools, held)...), 4)
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, append(tools, held)...)
	told, result := make(chan bool, 1), make(chan *tool.Result, 1)
	go func() {
		res, _ := kit.Call(t.Context(), &tool.Call{Name: "held", Args: json.RawMessage(`{}`), Progress: missing(told)})
		result <- res // it stops the host in no case
	}()
	wait(t, "it runs", func() bool { _, err := os.Stat(record); return err == nil })
	addr := b.Addr()
	b.Close()
	<-told
	close(done)
	again, err := loopback.Again(func() (*broker.Broker, error) { return broker.Start(broker.Options{Addr: addr}) })
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if res := <-result; res.Err != nil || res.Text() != "held" {
		t.Errorf("%v", res)
	}
}

// missing notes that a call is told that the bus is gone.
func missing(told chan bool) func(tool.Progress) {
	return func(p tool.Progress) {
		if p.Message == "the bus cannot be reached: the call waits for it" {
			told <- true // once
		}
	}
}
