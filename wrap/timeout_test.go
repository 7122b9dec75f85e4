package wrap_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"helve/tool"
	"helve/wrap"
)

// An observed context counts who waits for its end.
type observed struct {
	context.Context
	done    chan struct{}
	waiting atomic.Int32
}

func (o *observed) Done() <-chan struct{} { return o.done }

// AfterFunc is what package context asks a context for that is not its own.
func (o *observed) AfterFunc(func()) (stop func() bool) {
	o.waiting.Add(1)
	return func() bool { o.waiting.Add(-1); return true }
}

// The context of an agent lives for long: a call that is over leaves nothing behind at it.
func TestACallThatIsOverIsForgottenByItsContext(t *testing.T) {
	for name, d := range map[string]time.Duration{"with a limit": time.Hour, "without one": 0} {
		o := &observed{Context: context.Background(), done: make(chan struct{})}
		seen := int32(0)
		run := wrap.Timeout(func(*tool.Job) time.Duration { return d })(func(context.Context, *tool.Job) (*tool.Result, error) {
			seen = o.waiting.Load()
			return tool.Textf("done"), nil
		})
		if _, err := run(o, &tool.Job{Call: &tool.Call{Name: "x"}}); err != nil {
			t.Fatal(err)
		}
		if left := o.waiting.Load(); seen == 0 || left != 0 {
			t.Errorf("%s: %d waited while it ran, %d afterwards", name, seen, left)
		}
	}
}
