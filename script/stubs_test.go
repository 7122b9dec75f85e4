package script_test

import (
	"slices"
	"testing"

	"helve/builtin"
	"helve/internal/tokens"
	"helve/script"
	"helve/tool"
)

// A stub costs a model little: 40 tokens in the middle of the built-in tools.
func TestAStubCostsFortyTokensInTheMiddle(t *testing.T) {
	w, err := builtin.Open(builtin.Options{Dirs: []string{t.TempDir()}, State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := &tool.Registry{}
	if err := r.Add(builtin.All(w)...); err != nil {
		t.Fatal(err)
	}
	var costs []int
	for _, f := range script.Functions(r.View()) {
		n := tokens.Count(f.String())
		t.Logf("%4d  %s", n, f.String())
		costs = append(costs, n)
	}
	slices.Sort(costs)
	if middle := costs[len(costs)/2]; middle > 40 {
		t.Errorf("%d tokens in the middle, want at most 40: %v", middle, costs)
	}
}
