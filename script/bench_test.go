package script_test

import (
	"encoding/json"
	"testing"
	"time"

	"helve/tool"
)

// The same call, from a script and without one. Bar: ≤ 5 ms over the direct call, with a child that waits.
func BenchmarkOneCall(b *testing.B) {
	x := newBench(b, tool.KitOptions{Ask: yes})
	calls := map[string]*tool.Call{
		"direct": {Name: "add", Args: json.RawMessage(`{"a":1}`), Session: x.session},
		"script": {Name: "run_script", Args: json.RawMessage(`{"script":"add(a=1).sum"}`), Session: x.session},
	}
	for _, how := range []string{"direct", "script"} {
		b.Run(how, func(b *testing.B) {
			for b.Loop() {
				if how == "script" { // calls of a model are seconds apart: the next child is there by then
					b.StopTimer()
					time.Sleep(150 * time.Millisecond)
					b.StartTimer()
				}
				if res, err := x.kit.Call(b.Context(), calls[how]); err != nil || res.Err != nil {
					b.Fatal(res, err)
				}
			}
		})
	}
}

// Bar: 1,000 calls of a trivial tool in ≤ 150 ms.
func BenchmarkThousandCalls(b *testing.B) {
	x := newBench(b, tool.KitOptions{Ask: yes})
	c := &tool.Call{
		Name:    "run_script",
		Args:    json.RawMessage(`{"script":"for i in range(1000): add(a=i)"}`),
		Session: x.session,
	}
	for b.Loop() {
		if res, err := x.kit.Call(b.Context(), c); err != nil || res.Err != nil {
			b.Fatal(res, err)
		}
	}
}
