package agent

import (
	"cmp"
	"slices"

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

// withoutScripts are the declarations without those of tools that call others, unless there are others enough.
func (a *Agent) withoutScripts(v *tool.View, all []dialect.Tool) []dialect.Tool {
	var calling []string
	for _, s := range v.Specs() {
		if s.Calls {
			calling = append(calling, v.Name(s))
		}
	}
	if len(calling) == 0 || v.Len()-len(calling) >= cmp.Or(a.ScriptsFrom, defaultScripts) {
		return all
	}
	return slices.DeleteFunc(all, func(t dialect.Tool) bool { return slices.Contains(calling, t.Name) })
}
