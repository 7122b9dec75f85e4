package wrap_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"helve/tool"
	"helve/wrap"
)

// Tools of ours and of the program that embeds us stay, whoever calls them; those of others go when nobody called them
// for the whole time.
func TestOnlyToolsOfOthersAreDroppedUnused(t *testing.T) {
	reg := &tool.Registry{}
	for _, o := range []tool.Origin{
		{Kind: tool.Builtin, Name: "ours"}, {Kind: tool.Go, Name: "hosts"}, {Kind: tool.Command, Name: "found"},
		{Kind: tool.MCP, Server: "s", Name: "served"}, {Kind: tool.Remote, Server: "p", Name: "remote"},
	} {
		s := tool.Spec{Name: o.Name, Origin: o, Kind: tool.Read}
		run := func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("done"), nil }
		if err := reg.Add(tool.New(s, run)); err != nil {
			t.Fatal(err)
		}
	}
	idle := &wrap.Idle{}
	begin := time.Now()
	const age = time.Hour
	left := func() (names []string) {
		for _, s := range reg.View().Specs() {
			names = append(names, s.Origin.Name)
		}
		slices.Sort(names)
		return names
	}
	for _, after := range []time.Duration{0, age / 2, age - 1} {
		if gone := idle.Sweep(reg, age, begin.Add(after)); gone != nil {
			t.Errorf("after %v: %q are gone", after, gone)
		}
	}
	if gone := idle.Sweep(reg, age, begin.Add(age)); len(gone) != 3 {
		t.Errorf("%q are gone, want the three of others", gone)
	}
	if got := left(); !slices.Equal(got, []string{"hosts", "ours"}) {
		t.Errorf("%q are left", got)
	}
	if gone := idle.Sweep(reg, age, begin.Add(100*age)); gone != nil {
		t.Errorf("%q are gone", gone)
	}
}
