package script

import (
	"slices"
	"strings"
	"sync"

	"helve/engine/stub"
	"helve/script/internal/wire"
	"helve/tool"
)

// reserved are names of scripts that mean no tool.
var reserved = []string{
	"try_call", "parallel", "inputs", "result", "print", "fail",
	"json", "math", "re", "csv", "datetime", "sum", "round", "min", "max",
}

// Functions are the tools of a view as functions: those that it lists, and those that it leaves out of lists.
func Functions(v *tool.View) []stub.Function {
	var tools []stub.Tool
	for _, s := range slices.Concat(v.Specs(), v.Unlisted()) {
		if s.Calls {
			continue // it runs scripts itself
		}
		s = v.Own(s)
		t := stub.Tool{Public: v.Name(s), Name: s.Origin.Name, Input: s.Input, Output: s.Output}
		if s.Origin.Kind == tool.MCP {
			t.Server = s.Origin.Server
		}
		tools = append(tools, t)
	}
	return stub.Bind(tools, reserved...)
}

// Stubs are the signatures of all tools of a view, a line each.
func Stubs(v *tool.View) string {
	var b strings.Builder
	for _, f := range Functions(v) {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

// A binding is a view as scripts see it.
type binding struct {
	view      *tool.View
	functions []stub.Function
	shapes    []func() *stub.Shape // of their data
	known     map[string]bool      // public names of the tools that are functions
}

// bound is the binding of a view. The last one is kept: a view stays the same until a tool comes or goes.
func (s *Scripts) bound(v *tool.View) *binding {
	if last := s.last.Load(); last != nil && last.view == v {
		return last
	}
	b := &binding{view: v, functions: Functions(v), known: map[string]bool{}}
	for _, f := range b.functions {
		b.known[f.Tool.Public] = true
		b.shapes = append(b.shapes, sync.OnceValue(func() *stub.Shape { return shape(f) }))
	}
	s.last.Store(b)
	return b
}

// shape is that of a function's data.
func shape(f stub.Function) *stub.Shape {
	out := stub.Fields(f.Tool.Output)
	if f.Tool.Server != "" { // what another leaves out may be anything
		return out.Loose()
	}
	return out
}

// given are the functions of a script as its child is told. What their data look like is told of those that the script
// can call: they stand in it by name, or it finds them by a text. To find out for all of them takes ten times as long
// as a script with one call.
func (b *binding) given(source string) []wire.Function {
	finds := strings.Contains(source, "getattr")
	out := make([]wire.Function, len(b.functions))
	for i, f := range b.functions {
		out[i] = wire.Function{Group: f.Group, Name: f.Name, Tool: f.Tool.Public, Params: f.Params, Nulls: f.Nulls}
		if finds || strings.Contains(source, f.Name) {
			out[i].Data = b.shapes[i]()
		}
	}
	return out
}
