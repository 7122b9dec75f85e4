package wrap_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"helve/tool"
	"helve/wrap"
)

// No limit is no limit, here and for a job of another machine.
func TestAJobWithoutALimitTakesItsTime(t *testing.T) {
	for _, remote := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			run := wrap.Timeout(func(*tool.Job) time.Duration { return 0 })(func(ctx context.Context, _ *tool.Job) (*tool.Result, error) {
				select {
				case <-ctx.Done():
					return nil, ctx.Err()
				case <-time.After(time.Hour):
					return tool.Textf("done"), nil
				}
			})
			j := &tool.Job{Call: &tool.Call{Name: "x"}, Spec: &tool.Spec{Name: "x"}, Remote: remote}
			if res, err := run(t.Context(), j); err != nil || res.Err != nil || res.Text() != "done" {
				t.Errorf("remote %v: %v, %v", remote, res, err)
			}
		})
	}
}

// A tool that was dropped and is found again has its full time once more.
func TestAToolThatIsFoundAgainHasItsTimeAgain(t *testing.T) {
	reg := &tool.Registry{}
	found := func() {
		s := tool.Spec{Name: "found", Origin: tool.Origin{Kind: tool.Command, Name: "found"}, Kind: tool.Read}
		if err := reg.Add(tool.New(s, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("done"), nil })); err != nil {
			t.Fatal(err)
		}
	}
	const age = time.Hour
	idle, begin := &wrap.Idle{}, time.Now()
	for again := range 3 {
		found()
		start := begin.Add(time.Duration(again) * 10 * age)
		for after, want := range []int{0, 0, 1} {
			if gone := idle.Sweep(reg, age, start.Add(time.Duration(after)*age/2)); len(gone) != want {
				t.Errorf("time %d, after %d: %q are gone, want %d", again, after, gone, want)
			}
		}
	}
}
