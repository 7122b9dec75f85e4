package agent

import (
	"helve/engine/dialect"
	"helve/tool"
)

// Tools are a view's tools as package dialect declares them, under their public names, in the view's order.
func Tools(v *tool.View) []dialect.Tool {
	out := make([]dialect.Tool, 0, v.Len())
	for _, s := range v.Specs() {
		t := dialect.Tool{
			Name:        v.Name(s),
			Title:       s.Title,
			Description: s.Doc.Full(),
			Input:       s.Input,
			Strict:      s.Strict,
			ReadOnly:    s.ReadOnly,
			Wire:        string(s.Wire),
		}
		if s.Origin.Kind != tool.Builtin { // what those bring is text for models: the schema would cost, and say nothing
			t.Output = s.Output
		}
		out = append(out, t)
	}
	return out
}
