package natsbus

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/wire"
	"helve/server/nats/broker"
	"helve/tool"
)

// A ride is a bus with its broker, and what is said there.
type ride struct {
	*bus
	broker *broker.Broker
	end    context.CancelFunc
	said   bytes.Buffer
}

func rides(t *testing.T) *ride {
	t.Helper()
	b, err := broker.Start(broker.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	nc, err := nats.Connect(b.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	r := &ride{broker: b}
	log := slog.New(slog.NewTextHandler(&r.said, nil))
	o := Options{Pool: "p", Workspace: "w", Waiting: DefaultWaiting, Log: log}
	r.bus = &bus{nc: nc, o: o, id: wire.NewID()}
	r.life, r.end = context.WithCancel(t.Context())
	return r
}

// A question that is worth long waiting is given up soon where the bus goes while it waits.
func TestNobodyWaitsLongForABusThatGoes(t *testing.T) {
	r := rides(t)
	ctx, stop := r.patient(time.Hour, 100*time.Millisecond)
	defer stop()
	time.Sleep(300 * time.Millisecond)
	if ctx.Err() != nil {
		t.Fatal("it is given up although the bus is there")
	}
	r.broker.Close()
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute): // far above what it takes
		t.Error("it waits on, and the bus is gone")
	}
}

// What cannot be sent is told, as long as the pool is there: who leaves it sends no more.
func TestWhatCannotBeSentIsTold(t *testing.T) {
	r := rides(t)
	r.tell("worker", wire.VerbCancel, wire.RunID{Run: "x"})
	if r.said.Len() > 0 {
		t.Errorf("it was sent, and said: %s", r.said.String())
	}
	r.nc.Close()
	r.tell("worker", wire.VerbCancel, wire.RunID{Run: "x"})
	if !strings.Contains(r.said.String(), "cannot send") {
		t.Errorf("said %q", r.said.String())
	}
	r.said.Reset()
	r.end()
	r.tell("worker", wire.VerbCancel, wire.RunID{Run: "x"})
	if r.said.Len() > 0 {
		t.Errorf("who left says %s", r.said.String())
	}
}

// A worker that goes on with a run is not asked for its end; one that is done is, and not without end.
func TestOnlyWhatIsDoneIsAskedForAgain(t *testing.T) {
	a := &attempt{j: &job{c: &calls{bus: rides(t).bus}}, m: &member{id: "worker"}, begun: true}
	for _, state := range []wire.State{wire.Waiting, wire.Begun} {
		if _, over := a.judge(pinged{state: state}); over || a.again != 0 {
			t.Errorf("%s: over %v, asked %d times", state, over, a.again)
		}
	}
	for n := range mostAgain {
		if _, over := a.judge(pinged{state: wire.Done}); over || a.again != n+1 {
			t.Errorf("done: over %v, asked %d times, want %d", over, a.again, n+1)
		}
	}
	if how, over := a.judge(pinged{state: wire.Done}); !over || how != lostTrack {
		t.Errorf("asked %d times, and it ends as %v, %v", a.again, how, over)
	}
	for begun, want := range map[bool]end{true: lostTrack, false: notBegun} {
		a.begun = begun
		if how, over := a.judge(pinged{state: wire.Unknown}); !over || how != want {
			t.Errorf("begun %v: %v, %v, want %v", begun, how, over, want)
		}
	}
}

// A slot that is given back is nobody's: who has none is not known by the line.
func TestASlotThatIsGivenBackIsNobodys(t *testing.T) {
	c := newCrew(rides(t).bus)
	m := c.heard(&wire.Member{Instance: "one", Workspace: "w", Slots: 2, Set: "s"})
	c.sets["s"] = wire.Definitions{"builtin:read": "d"}
	l := &line{crew: c, holds: map[string]int{}}
	w := want{who: "anna", origin: "builtin:read", definition: "d", slot: true}
	for n := range 2 {
		got, err := l.place(t.Context(), w, nil)
		if err != nil || got != m || l.holds["anna"] != n+1 || m.mine != n+1 {
			t.Fatalf("%v at %v: %v has %d slots", err, got, l.holds, m.mine)
		}
	}
	l.give(m, w, ended, time.Millisecond)
	if l.holds["anna"] != 1 || m.mine != 1 {
		t.Errorf("after one: %v, %d", l.holds, m.mine)
	}
	l.give(m, w, ended, time.Millisecond)
	if len(l.holds) != 0 || m.mine != 0 {
		t.Errorf("after both: %v, %d", l.holds, m.mine)
	}
}

// A worker refuses in words, with a code that it may use; anything else is told as what it is.
func TestARefusalIsInWordsOfAWorker(t *testing.T) {
	good := tool.Errorf(tool.Busy, "too many")
	if got := readError(wire.Encode(good)); got.Code != tool.Busy || got.Err.Error() != "too many" {
		t.Errorf("read %v", got)
	}
	for name, body := range map[string][]byte{
		"no JSON":        []byte("{"),
		"nothing":        []byte("{}"),
		"no words":       wire.Encode(&tool.Error{Code: tool.Busy, Err: errors.New("")}),
		"another's code": wire.Encode(tool.Errorf(tool.OutcomeUnknown, "who knows")),
	} {
		if got := readError(body); got.Code != tool.Execution || !strings.Contains(got.Err.Error(), "cannot be read") {
			t.Errorf("%s: %v", name, got)
		}
	}
}
