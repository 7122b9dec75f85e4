package natsbus

import (
	"context"
	"slices"
	"strings"

	"helve/internal/wire"
	"helve/tool"
)

// nameOf is the name under which the worker has a tool of its own.
func (u *understanding) nameOf(v *tool.View, origin string) (string, error) {
	known := u.named.Load()
	if known == nil || known.view != v {
		known = &namesByOrigin{v, map[string]string{}}
		for _, s := range ownOf(v) {
			known.name[s.Origin.String()] = v.Name(s)
		}
		u.named.Store(known)
	}
	name, ok := known.name[origin]
	if !ok {
		return "", tool.Errorf(tool.Execution, "worker %s has this tool no more", u.instance).
			WithHint("Another worker may have it: call again.")
	}
	return name, nil
}

// ownOf are the tools that no gateway has of itself, by their origins.
func ownOf(v *tool.View) []*tool.Spec {
	var out []*tool.Spec
	for _, specs := range [][]*tool.Spec{v.Specs(), v.Unlisted()} {
		for _, s := range specs {
			if s.Origin.Kind != tool.Builtin {
				out = append(out, s)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *tool.Spec) int { return strings.Compare(a.Origin.String(), b.Origin.String()) })
	return out
}

// offered answers with the definitions of the worker's own tools, as many as fit a message. One that is too large is
// left out: the gateway knows its digest, and that it did not come.
func (u *understanding) offered(_ context.Context, b []byte) ([]byte, error) {
	msg, err := wire.Decode[wire.ToolsFrom](b)
	own := ownOf(u.kit.View())
	if err != nil || msg.From < 0 || msg.From > len(own) {
		return nil, tool.Errorf(tool.Execution, "there is no tool of that number")
	}
	out := wire.Tools{Tools: []wire.Offered{}}
	size := 0
	for i, s := range own[msg.From:] {
		if size >= wire.ToolsPage {
			out.Next = msg.From + i
			break
		}
		o := offer(s)
		if o.Size() > wire.MostDefinition {
			o = wire.Offered{Origin: o.Origin, Spec: []byte("null")}
		}
		out.Tools = append(out.Tools, o)
		size += o.Size()
	}
	return wire.Encode(out), nil
}

// offer is a definition as it travels.
func offer(s *tool.Spec) wire.Offered {
	bare := *s
	out := wire.Offered{Origin: s.Origin.String(), Wire: string(s.Wire)}
	if s.Input != nil {
		out.Input = string(s.Input.JSON())
	}
	if s.Output != nil {
		out.Output = string(s.Output.JSON())
	}
	bare.Input, bare.Output, bare.Wire = nil, nil, nil
	out.Spec = wire.Encode(&bare)
	if out.Spec == nil { // an example that is no JSON
		out.Spec = []byte("null")
	}
	return out
}
