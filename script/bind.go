package script

import (
	"slices"
	"strings"

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
	view  *tool.View
	given []wire.Function // as the child is told
	known map[string]bool // public names of the tools that are functions
}

// bound is the binding of a view. The last one is kept: a view stays the same until a tool comes or goes.
func (s *Scripts) bound(v *tool.View) *binding {
	if last := s.last.Load(); last != nil && last.view == v {
		return last
	}
	functions := Functions(v)
	b := &binding{view: v, given: given(functions), known: map[string]bool{}}
	for _, f := range functions {
		b.known[f.Tool.Public] = true
	}
	s.last.Store(b)
	return b
}

// given are the functions of a script as its child is told.
func given(functions []stub.Function) []wire.Function {
	out := make([]wire.Function, len(functions))
	for i, f := range functions {
		out[i] = wire.Function{Group: f.Group, Name: f.Name, Tool: f.Tool.Public, Params: f.Params, Nulls: f.Nulls}
		out[i].Data = stub.Fields(f.Tool.Output)
		if f.Tool.Server != "" { // what another leaves out may be anything
			out[i].Data = out[i].Data.Loose()
		}
	}
	return out
}
