package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"helve/engine/dialect"
	"helve/tool"
)

const cutOffWords = "the answer was cut off by its length limit, and this call with it: it was not run"

// steps reads the calls of a reply.
func (a *Agent) steps(kit *tool.Kit, set *dialect.Set, reply *Reply) []step {
	view := kit.View()
	out := make([]step, len(reply.Calls))
	for i, c := range reply.Calls {
		s := step{call: c, alone: true}
		s.name, s.args = set.Call(c.Name, json.RawMessage(c.Args))
		if t, ok := view.Get(s.name); ok {
			s.write = t.Spec().Kind == tool.Write
			s.alone = t.Spec().Serial || !t.Spec().ReadOnly
			s.reads = t.Spec().Kind == tool.Read && t.Spec().Origin.Kind == tool.Builtin
		}
		switch {
		case i >= maxCalls:
			s.bad = tool.ErrorOf(tool.Validation, s.name, "not run: more than %d calls in one answer", maxCalls)
			s.bad = s.bad.WithHint("Make the others in the next one.")
		case reply.Stop == Length && i == len(reply.Calls)-1:
			s.bad = tool.ErrorOf(tool.Validation, s.name, cutOffWords).WithHint("Send it again, in smaller pieces.")
		}
		out[i] = s
	}
	return out
}

// runAll runs the calls of a reply: neighbours that only read side by side, the others alone, in order. The answers are
// in the order of the calls and complete whatever happens; the error is the host's.
func (a *Agent) runAll(
	ctx context.Context, l Limits, d *joint, set *dialect.Set, reply *Reply, g guard,
) ([]dialect.Answer, error) {
	steps := a.steps(d.kit, set, reply)
	results := make([]*tool.Result, len(steps))
	d.begin(steps, results)
	var err error
	for i := 0; i < len(steps); {
		n := 1
		for !steps[i].alone && i+n < len(steps) && !steps[i+n].alone && n < l.Parallel {
			n++
		}
		if err == nil {
			err = d.before(ctx, i, n)
		}
		if err == nil && d.over == nil {
			err = a.together(ctx, d.kit, steps[i:i+n], results[i:i+n])
			d.after(i, n)
		}
		i += n
	}
	err = d.end(ctx, err)
	g.note(steps, results)
	answers := make([]dialect.Answer, len(steps))
	for i, s := range steps {
		if results[i] == nil {
			results[i] = tool.Fail(tool.ErrorOf(tool.Cancelled, s.name, "not run: the turn was stopped"))
		}
		answers[i] = answerOf(s, results[i])
		if words := g.warns(s); words != "" && results[i].Err != nil {
			answers[i].Parts = append(answers[i].Parts, dialect.Text(words))
		}
		e := entry{
			Type:    "result",
			Answer:  &answers[i],
			Tool:    s.name,
			Repairs: results[i].Repairs,
			Undo:    Undoes(results[i]),
		}
		if results[i].Err != nil {
			e.Code = results[i].Err.Code
		}
		a.record(e)
	}
	return answers, err
}

// Undoes is what helve undo takes to take a call back, "" for one that changed no files.
func Undoes(r *tool.Result) string {
	var meta struct {
		Undo string `json:"undo"`
	}
	if json.Unmarshal(r.Meta, &meta) != nil {
		return ""
	}
	return meta.Undo
}

// together runs steps side by side and waits for all.
func (a *Agent) together(ctx context.Context, kit *tool.Kit, steps []step, results []*tool.Result) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	errs := make([]error, len(steps))
	if len(steps) == 1 {
		results[0], errs[0] = a.one(ctx, kit, steps[0])
	} else {
		var wg sync.WaitGroup
		for i := range steps {
			wg.Go(func() { results[i], errs[i] = a.one(ctx, kit, steps[i]) })
		}
		wg.Wait()
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// one runs a step through the door.
func (a *Agent) one(ctx context.Context, kit *tool.Kit, s step) (res *tool.Result, err error) {
	if s.bad != nil {
		res = tool.Fail(s.bad)
		a.emit(Called{s.call.ID, s.name, res})
		return res, nil
	}
	a.record(entry{Type: "calling", Call: s.call.ID, Tool: s.name, Reads: s.reads})
	a.emit(Calling{s.call.ID, s.name, string(s.args)})
	if s.name == LeavePlan && a.planning() {
		res, err = a.leave(ctx, s.args)
	} else {
		res, err = kit.Call(ctx, a.wish(s))
	}
	if res != nil && res.Need != nil {
		res = tool.Fail(tool.ErrorOf(tool.Permission, s.name, "it wants input, and nobody is there to give it"))
	}
	if res != nil && s.draft == nil { // else it is not known yet what becomes of it
		a.emit(Called{s.call.ID, s.name, res})
	}
	return res, err
}

// joint is a reply's calls, for which open begins drafts.
func (a *Agent) joint(kit *tool.Kit, open func(context.Context, *tool.Call) (Draft, error)) *joint {
	return &joint{
		kit:  kit,
		open: open,
		of:   tool.Call{Session: a.Session, Dir: a.Dir},
		wish: a.wish,
		told: func(s step, res *tool.Result) { a.emit(Called{s.call.ID, s.name, res}) },
	}
}

// wish is a step as the kit takes it.
func (a *Agent) wish(s step) *tool.Call {
	c := &tool.Call{ID: s.call.ID, Name: s.name, Args: s.args, Session: a.Session, Dir: a.Dir}
	c.Draft, c.Parent = s.draft, s.parent
	if a.Listen != nil {
		c.Progress = func(p tool.Progress) { a.emit(Progress{s.call.ID, p}) }
	}
	return c
}

func answerOf(s step, r *tool.Result) dialect.Answer {
	out := dialect.Answer{ID: s.call.ID, Name: s.call.Name, Failed: r.Err != nil}
	for _, p := range r.Parts {
		out.Parts = append(out.Parts, partOf(p))
	}
	if len(out.Parts) == 0 {
		out.Parts = []dialect.Part{dialect.Text("(no output)")}
	}
	return out
}

func partOf(p tool.Part) dialect.Part {
	switch p := p.(type) {
	case tool.Text:
		return dialect.Text(p)
	case tool.Image:
		return dialect.Media{MIME: p.MIME, Data: p.Data}
	case tool.Audio:
		return dialect.Media{MIME: p.MIME, Data: p.Data}
	case tool.Link:
		return dialect.Text(fmt.Sprintf("[%s](%s) %s", p.Name, p.URI, p.Description))
	case tool.Resource:
		if p.Blob != nil {
			return dialect.Media{MIME: p.MIME, Data: p.Blob}
		}
		return dialect.Text(p.URI + "\n" + p.Text)
	case tool.Foreign:
		return dialect.Text(p)
	}
	return dialect.Text("")
}
