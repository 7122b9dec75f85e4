package agent

import (
	"helve/engine/dialect"
	"helve/tool"
)

// Tools are a view's tools as package dialect declares them, under their public names, in the view's order.
func Tools(v *tool.View) []dialect.Tool {
	out := make([]dialect.Tool, 0, v.Len())
	for _, s := range v.Specs() {
		out = append(out, dialect.Tool{
			Name: v.Name(s), Title: s.Title, Description: s.Doc.Full(), Input: s.Input, Output: s.Output,
			Strict: s.Strict, ReadOnly: s.ReadOnly, Wire: string(s.Wire),
		})
	}
	return out
}
