package natsbus_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	natsworker "helve/server/nats"
	"helve/server/nats/broker"
	natspool "helve/source/nats"
	"helve/source/nats/shared"
	"helve/tool"
)

// keepingBroker is a server that keeps what replicas share.
func keepingBroker(t *testing.T) *broker.Broker {
	t.Helper()
	b, err := broker.Start(broker.Options{Addr: "127.0.0.1:0", Keep: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// A through is one gateway of several, and the conversation as it has it.
type through struct {
	pool *natspool.Pool
	kit  *tool.Kit
	s    *tool.Session
}

func gatewayOf(t *testing.T, url, conversation string, tools ...tool.Tool) *through {
	t.Helper()
	in, err := shared.Open(t.Context(), connect(t, url), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := join(t, url, "")
	s := &tool.Session{ID: conversation, Principal: "me", Store: in.Conversation("c" + conversation)}
	return &through{p, gatewayKit(t, p, tool.KitOptions{Policy: allowAll{}}, tools...), s}
}

// knows waits until a gateway has heard of so many workers.
func (g *through) knows(t *testing.T, n int) {
	t.Helper()
	wait(t, fmt.Sprintf("%d workers are known", n), func() bool { return len(g.pool.Members()) == n })
}

// What was read through one gateway is edited through another, by the worker that read it. When that is gone, another
// one has the conversation for both gateways, and it is said once.
func TestWhatWasReadThroughOneGatewayIsEditedThroughAnother(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := keepingBroker(t)
	workers := map[string]*natsworker.Worker{}
	var tools []tool.Tool
	for range 3 {
		there := open(t, dir)
		w := offer(t, b.URL(), workerKit(t, allowAll{}, there.tools...), 2)
		workers[w.Instance()], tools = w, there.tools
	}
	one, other := gatewayOf(t, b.URL(), "talk", tools...), gatewayOf(t, b.URL(), "talk", tools...)
	one.knows(t, 3)
	other.knows(t, 3)
	edit := func(old, by string) string {
		return fmt.Sprintf(`{"file_path":"a.txt","old_string":%q,"new_string":%q}`, old, by)
	}
	do := func(g *through, name, args string) *tool.Result {
		t.Helper()
		res := call(t, g.kit, g.s, name, args)
		if res.Err != nil {
			t.Errorf("%s %s: %v", name, args, res.Err)
		}
		return res
	}
	put("one\n")
	do(one, "read", `{"file_path":"a.txt"}`)
	do(other, "edit", edit("one", "two"))
	do(one, "edit", edit("two", "three"))
	do(other, "todo_write", `{"todos":[{"id":"1","content":"our plan"}]}`)
	if res := do(one, "todo_read", `{}`); !strings.Contains(res.Text(), "our plan") {
		t.Errorf("the list of the other gateway: %q", res.Text())
	}

	holder := holderOf(t, workers, b.URL())
	if err := one.s.Close(); err != nil { // the other one still has it
		t.Error(err)
	}
	do(other, "edit", edit("three", "four"))

	holder.Drain(context.Background())
	res := call(t, other.kit, other.s, "edit", edit("four", "five"))
	wantError(t, res, tool.Validation, "has not been read")
	if !strings.Contains(res.Text(), "another has taken over") {
		t.Errorf("%q: it is not said that the worker is gone", res.Text())
	}
	again := gatewayOf(t, b.URL(), "talk", tools...)
	again.knows(t, 2)
	do(again, "read", `{"file_path":"a.txt"}`)
	if res := do(other, "edit", edit("four", "five")); strings.Contains(res.Text(), "another has taken over") {
		t.Errorf("it is said again: %q", res.Text())
	}

	stranger := gatewayOf(t, b.URL(), "another", tools...)
	stranger.knows(t, 2)
	wantError(t, call(t, stranger.kit, stranger.s, "edit", edit("five", "six")), tool.Validation, "has not been read")
}

// holderOf is the worker that has the only conversation.
func holderOf(t *testing.T, workers map[string]*natsworker.Worker, url string) *natsworker.Worker {
	t.Helper()
	all := found(t, connect(t, url), len(workers))
	var holder *natsworker.Worker
	for _, m := range all {
		switch {
		case m.Sessions == 1 && holder == nil:
			holder = workers[m.Instance]
		case m.Sessions > 0:
			t.Fatalf("several workers have the conversation: %+v", all)
		}
	}
	if holder == nil {
		t.Fatalf("no worker has the conversation: %+v", all)
	}
	return holder
}

// However many gateways begin a conversation at once, one worker has it in the end; it ends when the last has closed it.
func TestAConversationThatManyGatewaysBeginIsAtOneWorker(t *testing.T) {
	var left atomic.Int64
	b := keepingBroker(t)
	keep := keeper(&left)
	workers := map[string]*natsworker.Worker{}
	for range 3 {
		w := offer(t, b.URL(), workerKit(t, allowAll{}, keep), 4)
		workers[w.Instance()] = w
	}
	gateways := make([]*through, 4)
	for i := range gateways {
		gateways[i] = gatewayOf(t, b.URL(), "talk", keep)
		gateways[i].knows(t, 3)
	}
	at(40, 8, func(i int) {
		g := gateways[i%len(gateways)]
		if res := call(t, g.kit, g.s, "keep", `{}`); res.Err != nil {
			t.Error(res.Err)
		}
	})
	if n := left.Load(); n != 1 {
		t.Errorf("%d workers keep something of the conversation, want 1", n)
	}
	for i, g := range gateways {
		if n := left.Load(); n != 1 {
			t.Errorf("after %d gateways left it: %d", i, n)
		}
		if err := g.s.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := left.Load(); n != 0 {
		t.Errorf("when all have left: %d", n)
	}
}

// A forgetful store is one that cannot be reached.
type forgetful struct{ tool.Store }

func (forgetful) Read(string) ([]byte, error) { return nil, errors.New("unreachable") }

func (forgetful) Update(string, func([]byte) ([]byte, error)) error { return errors.New("unreachable") }

// Where it cannot be known where a conversation is, its calls are made all the same.
func TestAConversationWhosePlaceIsNotKnownGoesOn(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, allowAll{}, workTools(record)...), 2)
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, workTools(record)...)
	s := &tool.Session{ID: "one", Store: forgetful{}}
	for n := range 3 {
		if res := call(t, kit, s, "work", fmt.Sprintf(`{"n":"%d"}`, n)); res.Err != nil {
			t.Error(res.Err)
		}
	}
	if n := lines(t, record); n != 3 {
		t.Errorf("the work was done %d times, want 3", n)
	}
}
