package workspace_test

import (
	"sync/atomic"
	"testing"
	"time"

	"helve/tool"
)

// A waiting value of a session closes when all others do.
type waiting struct {
	came  *atomic.Int32
	all   chan struct{}
	alone *atomic.Int32
}

// sessionsAtOnce are the sessions that wait for each other.
const sessionsAtOnce = 4

func (w *waiting) Close() error {
	if w.came.Add(1) == sessionsAtOnce {
		close(w.all)
	}
	select {
	case <-w.all:
	case <-time.After(time.Minute): // far above what the others take to come; it ends a test that fails
		w.alone.Add(1)
	}
	return nil
}

// The sessions of a workspace are closed side by side: one whose tools take their time keeps no other.
func TestSessionsAreClosedSideBySide(t *testing.T) {
	w := newPlace(t).open()
	var came, alone atomic.Int32
	all := make(chan struct{})
	for range sessionsAtOnce {
		tool.Of(w.NewSession(), func() *waiting { return &waiting{&came, all, &alone} })
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if n := alone.Load(); n > 0 {
		t.Errorf("%d of %d were closed one after the other", n, sessionsAtOnce)
	}
}
