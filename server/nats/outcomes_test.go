package natsbus

import (
	"fmt"
	"testing"
	"time"

	"helve/internal/wire"
)

// over is a run that ended with so many bytes, among all.
func over(c *runs, id string, bytes int) {
	r := &run{msg: &wire.Run{Run: id}, over: true, when: time.Now(), ended: wire.Done, state: wire.Done}
	r.last = &ending{wire.FrameLast, make([]byte, bytes)}
	c.all[id] = r
	c.kept.add(r, c.all)
}

// A run whose result takes too much to be kept is known to have ended: its gateway may still wait for what is on its way,
// and must not take the worker for one that knows nothing of it.
func TestARunThatEndedIsKnownWithoutItsResult(t *testing.T) {
	c := &runs{all: map[string]*run{}}
	for i := range 3 {
		over(c, fmt.Sprint(i), bytesKept-1)
	}
	if len(c.all) != 1 || c.kept.bytes > bytesKept {
		t.Errorf("%d results of %d bytes are kept", len(c.all), c.kept.bytes)
	}
	for id, want := range map[string]wire.State{"0": wire.Done, "1": wire.Done, "2": wire.Done, "3": wire.Unknown} {
		if got := c.stateOf(id); got != want {
			t.Errorf("run %s: %s, want %s", id, got, want)
		}
	}
}

// How many such runs are known is bounded, and the oldest are forgotten first.
func TestRunsThatEndedAreForgottenInTheirOrder(t *testing.T) {
	c := &runs{all: map[string]*run{}}
	for i := range 2*mostKept + 2 {
		over(c, fmt.Sprint(i), 0)
	}
	if len(c.all) != mostKept || len(c.kept.past) != mostKept || len(c.kept.ids) != mostKept {
		t.Errorf("%d are kept, %d known", len(c.all), len(c.kept.past))
	}
	if c.stateOf("1") != wire.Unknown || c.stateOf("2") != wire.Done {
		t.Errorf("the oldest: %s, the next: %s", c.stateOf("1"), c.stateOf("2"))
	}
}
