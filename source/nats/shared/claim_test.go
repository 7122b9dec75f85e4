package shared_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"helve/server/nats/broker"
	"helve/source/nats/shared"
)

// shortClaim is how long claims stand here, without their holder.
const shortClaim = 2 * time.Second

func claim(t *testing.T, nc *nats.Conn, say func(string, ...any)) *shared.Lease {
	t.Helper()
	l, err := shared.Claim(t.Context(), nc, shared.ClaimOptions{Pool: "p", Workspace: "w", Time: shortClaim, Say: say})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// until waits until something is so.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 20 seconds: %s", what)
		}
	}
}

func TestAWorkspaceThatIsClaimedIsWaitedFor(t *testing.T) {
	b := startBroker(t, broker.Options{Keep: t.TempDir()})
	first := claim(t, connect(t, b.URL()), nil)
	if !first.Holds() {
		t.Error("the first does not hold it")
	}
	gateway := connect(t, b.URL())
	if !shared.Claimed(t.Context(), gateway, "p", "w") || shared.Claimed(t.Context(), gateway, "p", "another") {
		t.Error("it is not seen what is claimed")
	}
	var mu sync.Mutex
	var said []string
	got := make(chan *shared.Lease, 1)
	nc := connect(t, b.URL())
	go func() {
		l, err := shared.Claim(t.Context(), nc, shared.ClaimOptions{
			Pool: "p", Workspace: "w", Time: shortClaim, Say: func(format string, args ...any) {
				mu.Lock()
				defer mu.Unlock()
				said = append(said, fmt.Sprintf(format, args...))
			},
		})
		if err != nil {
			t.Error(err)
		}
		got <- l
	}()
	until(t, "it is said who has it", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(said) == 1 && strings.HasPrefix(said[0], "workspace w is claimed by a worker on ")
	})
	other, err := shared.Claim(t.Context(), nc, shared.ClaimOptions{Pool: "p", Workspace: "another", Time: shortClaim})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	select {
	case <-got:
		t.Fatal("two have it")
	default:
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	second := <-got
	if second == nil || !second.Holds() || first.Holds() {
		t.Fatal("the second does not hold it alone")
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if shared.Claimed(t.Context(), gateway, "p", "w") {
		t.Error("it counts as claimed when nobody has it")
	}
	third, stop := context.WithCancel(t.Context())
	claim(t, connect(t, b.URL()), nil)
	stop()
	if _, err := shared.Claim(third, nc, shared.ClaimOptions{Pool: "p", Workspace: "w"}); !errors.Is(err, context.Canceled) {
		t.Errorf("one who waits no more: %v", err)
	}
}

// At each moment one of many has it at most.
func TestAClaimIsHeldByOneOfMany(t *testing.T) {
	b := startBroker(t, broker.Options{Keep: t.TempDir()})
	var holders, turns atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		nc := connect(t, b.URL())
		all.Go(func() {
			for range 2 {
				l, err := shared.Claim(t.Context(), nc, shared.ClaimOptions{Pool: "p", Workspace: "w", Time: shortClaim})
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d have it", n)
				}
				time.Sleep(5 * time.Millisecond)
				turns.Add(1)
				holders.Add(-1)
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := turns.Load(); n != 8 {
		t.Errorf("%d had it, want 8", n)
	}
}

// Who is cut off holds it no longer than the others believe, and hears when another has it.
func TestAHolderThatIsCutOffHoldsNothing(t *testing.T) {
	b := startBroker(t, broker.Options{Keep: t.TempDir()})
	nc := connect(t, b.URL())
	first := claim(t, nc, nil)
	nc.Close()
	second := claim(t, connect(t, b.URL()), nil) // when it has run out
	if first.Holds() {
		t.Error("the first believes that it holds it, too")
	}
	js, err := jetstream.New(connect(t, b.URL()))
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(t.Context(), shared.Places)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := kv.Keys(t.Context())
	if err != nil || len(keys) != 1 {
		t.Fatalf("%v, %v", keys, err)
	}
	own, err := kv.Get(t.Context(), keys[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Put(t.Context(), keys[0], own.Value()); err != nil { // as if it had not heard that it renewed it
		t.Fatal(err)
	}
	time.Sleep(shortClaim)
	select {
	case <-second.Lost():
		t.Fatal("it takes its own claim for another one's")
	default:
	}
	// What it had before that has run out.
	until(t, "it renews its own claim", second.Holds)
	if _, err := kv.Put(t.Context(), keys[0], []byte("rubbish")); err != nil { // another one's
		t.Fatal(err)
	}
	select {
	case <-second.Lost():
	case <-time.After(20 * time.Second):
		t.Error("it does not hear that another has it")
	}
}

// A claim outlives a server that lost its memory.
func TestAClaimIsMadeAnewWhereTheServerLostIt(t *testing.T) {
	b := startBroker(t, broker.Options{Keep: t.TempDir()})
	l := claim(t, connect(t, b.URL()), nil)
	addr := b.Addr()
	b.Close()
	until(t, "it stands for certain no more", func() bool { return !l.Holds() })
	again := startBroker(t, broker.Options{Addr: addr, Keep: t.TempDir()})
	until(t, "it stands again", l.Holds)
	ctx, stop := context.WithTimeout(t.Context(), shortClaim)
	defer stop()
	if _, err := shared.Claim(ctx, connect(t, again.URL()), shared.ClaimOptions{Pool: "p", Workspace: "w", Time: shortClaim}); err == nil {
		t.Error("another has it, too")
	}
}

func TestAServerThatKeepsNothingKeepsNoClaim(t *testing.T) {
	b := startBroker(t, broker.Options{})
	nc := connect(t, b.URL())
	_, err := shared.Claim(t.Context(), nc, shared.ClaimOptions{Pool: "p", Workspace: "w"})
	if shared.Claimed(t.Context(), nc, "p", "w") {
		t.Error("it is claimed")
	}
	if err == nil || !strings.Contains(err.Error(), "hint: enable JetStream on the server") {
		t.Errorf("%v", err)
	}
}
