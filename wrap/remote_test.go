package wrap_test

import (
	"context"
	"strings"
	"testing"

	"helve/tool"
	"helve/wrap"
)

// A result that another host has cut comes with words about where the rest is: they are not cut once more.
func TestWhatAnotherHostCutIsNotCutTwice(t *testing.T) {
	for _, c := range []struct {
		remote bool
		size   int
		whole  bool
	}{
		{false, 1500, false},
		{true, 1500, true},
		{true, 100_000, false},
	} {
		want := strings.Repeat("x\n", c.size/2)
		run := wrap.Limit(func(*tool.Job) int { return 1000 })(func(context.Context, *tool.Job) (*tool.Result, error) {
			return tool.NewResult(tool.Text(want)), nil
		})
		res, err := run(t.Context(), &tool.Job{Call: &tool.Call{Name: "x"}, Remote: c.remote})
		if err != nil || (res.Text() == want) != c.whole {
			t.Errorf("%+v: %v, %d bytes", c, err, len(res.Text()))
		}
	}
}
