package script

import (
	"slices"
	"strings"

	"helve/engine/stub"
	"helve/script/internal/wire"
	"helve/tool"
)

// reserved are names of scripts that mean no tool.
var reserved = []string{"try_call", "parallel", "inputs", "json", "math", "result", "print", "fail"}

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

// bound are the functions of a script as its child is told.
func bound(functions []stub.Function) []wire.Function {
	out := make([]wire.Function, len(functions))
	for i, f := range functions {
		out[i] = wire.Function{Group: f.Group, Name: f.Name, Tool: f.Tool.Public, Params: f.Params, Nulls: f.Nulls}
		if f.Tool.Output == nil {
			continue
		}
		out[i].Fields = stub.Fields(f.Tool.Output)
		if f.Tool.Server != "" { // what another leaves out may be anything
			for name := range out[i].Fields {
				out[i].Fields[name] = "any"
			}
		}
	}
	return out
}
