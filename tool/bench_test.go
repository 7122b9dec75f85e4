package tool_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"helve/policy"
	"helve/tool"
)

// A whole call of a trivial typed tool: name, schema, prepare, policy, run. Bar: ≤ 10 µs, ≤ 40 allocations.
func BenchmarkCall(b *testing.B) {
	k := registry(b, echo("echo")).Kit(tool.KitOptions{Policy: policy.AskFirst})
	c := &tool.Call{Name: "echo", Args: json.RawMessage(`{"text":"hello"}`)}
	b.ReportAllocs()
	for b.Loop() {
		if res, err := k.Call(b.Context(), c); err != nil || res.Err != nil {
			b.Fatal(res, err)
		}
	}
}

// Bar: ≤ 5 ns.
func BenchmarkCachedView(b *testing.B) {
	k := registry(b, echo("echo")).Kit(tool.KitOptions{})
	b.ReportAllocs()
	for b.Loop() {
		if k.View().Len() != 1 {
			b.Fatal("empty")
		}
	}
}

func many(b *testing.B, n int) []tool.Tool {
	b.Helper()
	out := make([]tool.Tool, n)
	for i := range out {
		o := tool.Origin{Kind: tool.MCP, Server: fmt.Sprint("s", i%20), Name: fmt.Sprint("tool_", i)}
		t, err := tool.Raw(tool.Spec{Name: o.Name, Origin: o, Kind: tool.Read, Doc: tool.Doc{Short: "Does a thing."}}, nil)
		if err != nil {
			b.Fatal(err)
		}
		out[i] = t
	}
	return out
}

// Bar: ≤ 200 ms, one by one as well as at once, the first view included.
func BenchmarkAdd10000(b *testing.B) {
	tools := many(b, 10_000)
	for _, how := range []string{"at once", "one by one"} {
		b.Run(how, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := &tool.Registry{}
				if how == "at once" {
					if err := r.Add(tools...); err != nil {
						b.Fatal(err)
					}
				} else {
					for _, t := range tools {
						if err := r.Add(t); err != nil {
							b.Fatal(err)
						}
					}
				}
				if r.View().Len() != len(tools) {
					b.Fatal(r.View().Len())
				}
			}
		})
	}
}

// Bar: no allocation a call.
func BenchmarkList10000(b *testing.B) {
	k := registry(b, many(b, 10_000)...).Kit(tool.KitOptions{Policy: policy.AskFirst})
	k.View() // the first one is built
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, s := range k.View().Specs() {
			n += len(s.Name)
		}
		if n == 0 {
			b.Fatal("empty")
		}
	}
}

// Bar: ≤ 200 ns.
func BenchmarkLookup(b *testing.B) {
	v := registry(b, many(b, 10_000)...).View()
	v.Has("s7.tool_7") // builds the index of spellings
	for _, name := range []string{"mcp__s7__tool_4567", "s7/tool_4567", "S7.Tool_4567"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !v.Has(name) {
					b.Fatal("not found")
				}
			}
		})
	}
}
