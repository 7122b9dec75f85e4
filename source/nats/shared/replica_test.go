package shared_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"helve/server/nats/broker"
	"helve/source/nats/shared"
)

func join(t *testing.T, url string, serve shared.Serve) *shared.Replica {
	t.Helper()
	r := shared.Join(connect(t, url))
	t.Cleanup(func() { r.Close() })
	if serve == nil {
		return r
	}
	if err := r.Serve(serve); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAReplicaServesRequestsOfAnother(t *testing.T) {
	b := startBroker(t, broker.Options{})
	large := bytes.Repeat([]byte("0123456789"), 300<<10) // more than one message carries
	one := join(t, b.URL(), func(_ context.Context, request []byte, hear func([]byte)) []byte {
		hear([]byte("on the way"))
		if string(request) == "large" {
			return large
		}
		return append([]byte("answer to "), request...)
	})
	other := join(t, b.URL(), nil)
	var heard []string
	hear := func(b []byte) { heard = append(heard, string(b)) }
	got, err := other.Forward(t.Context(), one.Name(), []byte("a question"), hear)
	if err != nil || string(got) != "answer to a question" || len(heard) != 1 || heard[0] != "on the way" {
		t.Errorf("%q, %v; heard %q", got, err, heard)
	}
	got, err = other.Forward(t.Context(), one.Name(), []byte("large"), hear)
	if err != nil || !bytes.Equal(got, large) {
		t.Errorf("%d bytes of %d: %v", len(got), len(large), err)
	}
	for _, name := range []string{"", "nobody", "*", ">", "a.b", strings.Repeat("x", 1000)} {
		if _, err := other.Forward(t.Context(), name, []byte("x"), hear); !errors.Is(err, shared.ErrNoReplica) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := other.Forward(t.Context(), one.Name(), make([]byte, 9<<20), hear); err == nil || !strings.Contains(err.Error(), "the bus carries") {
		t.Errorf("a request that is too large: %v", err)
	}
}

// Where the server was away a replica may be back a moment later than who looks for it.
func TestAReplicaThatComesBackIsFound(t *testing.T) {
	b := startBroker(t, broker.Options{})
	one, other := join(t, b.URL(), nil), join(t, b.URL(), nil)
	type reply struct {
		got []byte
		err error
	}
	answered := make(chan reply, 1)
	go func() {
		got, err := other.Forward(t.Context(), one.Name(), nil, func([]byte) {})
		answered <- reply{got, err}
	}()
	select {
	case r := <-answered:
		t.Fatalf("it is not looked for: %v", r.err)
	case <-time.After(100 * time.Millisecond): // it is nowhere yet
	}
	if err := one.Serve(func(context.Context, []byte, func([]byte)) []byte { return []byte("back") }); err != nil {
		t.Fatal(err)
	}
	if r := <-answered; r.err != nil || string(r.got) != "back" {
		t.Errorf("%q, %v", r.got, r.err)
	}
}

// Whoever waits leaves: what was to be done for them ends. A replica that closes ends what it does for others.
func TestAForwardedRequestEndsWithWhoeverWaits(t *testing.T) {
	b := startBroker(t, broker.Options{})
	var running atomic.Int32
	serve := func(ctx context.Context, _ []byte, hear func([]byte)) []byte {
		running.Add(1)
		defer running.Add(-1)
		hear([]byte("begun"))
		<-ctx.Done()
		return []byte("ended")
	}
	one, other := join(t, b.URL(), serve), join(t, b.URL(), nil)
	ctx, leave := context.WithCancel(t.Context())
	_, err := other.Forward(ctx, one.Name(), nil, func([]byte) { leave() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for end := time.Now().Add(time.Minute); running.Load() > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it goes on")
		}
	}
	got, err := other.Forward(t.Context(), one.Name(), nil, func([]byte) { go one.Close() })
	if err != nil || string(got) != "ended" || running.Load() > 0 {
		t.Errorf("%q, %v, %d run", got, err, running.Load())
	}
}
