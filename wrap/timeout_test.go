package wrap_test

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"
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

// goroutine returns the name of the one that calls: "goroutine 7".
func goroutine() string {
	name, _, _ := strings.Cut(string(debug.Stack()), " [")
	return name
}

// A job that comes back by itself has no goroutine of its own, and its time-out is told as any other's.
func TestAPromptJobRunsWhereItWasCalled(t *testing.T) {
	limit := func(*tool.Job) time.Duration { return 10 * time.Millisecond }
	job := &tool.Job{Spec: &tool.Spec{}, Call: &tool.Call{Name: "x"}, Prompt: true}
	caller, during := goroutine(), ""
	run := wrap.Timeout(limit)(func(ctx context.Context, _ *tool.Job) (*tool.Result, error) {
		during = goroutine()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	res, err := run(t.Context(), job)
	bad, ok := errors.AsType[*tool.Error](err)
	if res != nil || !ok || bad.Code != tool.TimedOut {
		t.Errorf("%v, %v; want a time-out", res, err)
	}
	if during != caller {
		t.Errorf("it ran in %s, was called in %s", during, caller)
	}
	partly := wrap.Timeout(limit)(func(ctx context.Context, _ *tool.Job) (*tool.Result, error) {
		<-ctx.Done()
		return tool.Textf("partly"), nil
	})
	if res, err := partly(t.Context(), job); err != nil || res.Text() != "partly" {
		t.Errorf("%v, %v; want what there was", res, err)
	}
}
