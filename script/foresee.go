package script

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"helve/script/internal/wire"
	"helve/tool"
	"helve/tool/drafting"
)

// foreseeTime bounds Foresee: a dry pass is a matter of milliseconds, the start of its child of some more.
const foreseeTime = 10 * time.Second

// Foresee is what the script of a call of run_script is certain to call, unless one of the calls fails: those that it
// makes without looking at what one brings. It calls nothing. more tells that the script goes on from there.
func (s *Scripts) Foresee(ctx context.Context, kit *tool.Kit, c *tool.Call) (calls []*tool.Call, more bool, err error) {
	var in runIn
	if err := json.Unmarshal(c.Args, &in); err != nil {
		return nil, false, err
	}
	if err := in.Validate(); err != nil {
		return nil, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, foreseeTime)
	defer cancel()
	child, err := s.nursery.take(ctx)
	if err != nil {
		return nil, false, err
	}
	defer child.end()
	stop := context.AfterFunc(ctx, func() { child.out.SetReadDeadline(time.Now()) })
	defer stop()
	r := &run{in: in, record: &record{}, call: c}
	start := r.begin(s.bound(kit.View()).given(in.Script))
	start.Dry = true
	if err := child.send(wire.Down{Start: start}); err != nil {
		return nil, false, child.death()
	}
	var up wire.Up
	if err := wire.Read(child.out, &up); err != nil {
		return nil, false, errors.Join(ctx.Err(), child.death())
	}
	if up.Ahead == nil {
		return nil, false, errors.New("the interpreter says what nobody understands")
	}
	for _, f := range up.Ahead.Calls {
		calls = append(calls, &tool.Call{Name: f.Tool, Args: f.Args, Session: c.Session, Dir: c.Dir, Whole: wholeBytes})
	}
	s.foreseen(ctx, kit, c, calls)
	return calls, up.Ahead.More, nil
}

// A heldBack draft has the tools that a draft would have as they are: what is judged only changes nothing.
type heldBack map[tool.Origin]bool

func (h heldBack) In(t tool.Tool) tool.Tool {
	if h[t.Spec().Origin] {
		return t
	}
	return nil
}

// foreseen has calls understood as those of a draft, where the script would have one.
func (s *Scripts) foreseen(ctx context.Context, kit *tool.Kit, c *tool.Call, calls []*tool.Call) {
	var d Draft
	held := heldBack{}
	for _, one := range calls {
		t, known := kit.View().Get(one.Name)
		if !known || s.o.Draft == nil || d == nil && !drafting.Begins(t.Spec()) {
			continue
		}
		if d == nil {
			var err error
			if d, err = s.o.Draft(ctx, c); err != nil || d == nil {
				return
			}
			defer d.Drop()
		}
		held[t.Spec().Origin] = d.In(t) != nil
		one.Draft = held
	}
}
