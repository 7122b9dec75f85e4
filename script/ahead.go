package script

import (
	"context"
	"errors"

	"helve/script/internal/wire"
	"helve/tool"
)

// agree asks about the calls that a script is certain to make, and lets it begin. A result is the question, which the
// client must be asked.
func (r *run) agree(ctx context.Context, a *wire.Ahead) (*tool.Result, error) {
	calls, certain := make([]*tool.Call, len(a.Calls)), make([]*entry, len(a.Calls))
	for i, c := range a.Calls {
		if !r.known[c.Tool] {
			return nil, errors.New("the interpreter asks for what it was not given")
		}
		certain[i] = &entry{key: c.Key(), tool: c.Tool, args: c.Args}
		calls[i] = r.inner(certain[i])
		calls[i].Draft = r.draftFor(ctx, c.Tool) // what it holds is not asked about ahead
	}
	agreed, err := r.call.Ahead(ctx, tool.Ahead{Calls: calls, Job: r.in.Script, More: a.More, Round: r.round})
	switch {
	case err != nil:
		return nil, err
	case agreed.Refused != nil:
		return nil, agreed.Refused
	case agreed.Need != nil:
		return r.postpone(agreed.Need)
	}
	r.record.certain = certain
	r.record.begun, r.record.consent, r.record.note = true, agreed.Consent, agreed.Note
	if err := r.child.send(wire.Down{Go: true}); err != nil {
		return nil, r.child.death()
	}
	return nil, nil
}

// postpone ends a run that has not begun: the client must be asked first.
func (r *run) postpone(need *tool.Need) (*tool.Result, error) {
	r.child.end()
	r.record.need = need
	return r.wait(need)
}
