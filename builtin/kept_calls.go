package builtin

import (
	"context"
	"fmt"

	"helve/tool"
	"helve/tool/drafting"
)

var _ drafting.Outer = (*KeptDraft)(nil)

// In is the tool that does in the draft what another one does in the workspace. One that cannot says so: what it would
// read and change is not in the draft. nil is for what sees no file, and for a script, whose calls are in a draft
// within this one.
func (d *KeptDraft) In(t tool.Tool) tool.Tool { return d.Draft.inKept(t) }

// inKept is In for a draft that stays, and for one in it: nothing is made on disk but by a person.
func (d *Draft) inKept(t tool.Tool) tool.Tool {
	if twin := d.In(t); twin != nil {
		return twin
	}
	s := t.Spec()
	if drafting.Elsewhere(s) || s.Origin == (tool.Origin{Kind: tool.Builtin, Name: "run_script"}) {
		return nil
	}
	return notInDraft{t}
}

// Within begins a draft in this one, for calls that belong together.
func (d *KeptDraft) Within(ctx context.Context, name, what string) (drafting.Draft, error) {
	return d.Draft.inner(ctx, d.State().ID, name, what)
}

// An inner draft is in one that stays, or in another one that is.
type inner struct {
	joint
	id string // of the one that stays
}

var _ drafting.Outer = inner{}

// inner begins one.
func (d *Draft) inner(ctx context.Context, id, name, what string) (drafting.Draft, error) {
	in, err := d.OpenWithin(ctx)
	if err != nil {
		return nil, err
	}
	in.Named(name, what)
	return inner{joint{d.box.within(in)}, id}, nil
}

// Within begins a draft in this one.
func (d inner) Within(ctx context.Context, name, what string) (drafting.Draft, error) {
	return d.Draft.inner(ctx, d.id, name, what)
}

func (d inner) In(t tool.Tool) tool.Tool { return d.Draft.inKept(t) }

func (d inner) Commit(ctx context.Context, c *tool.Call, about string) (*drafting.Committed, error) {
	done, err := d.joint.Commit(ctx, c, about)
	if done != nil && done.Refused == nil {
		note := fmt.Sprintf("[in the draft %[1]s, not on disk: helve draft diff %[1]s shows it]", d.id)
		done.Notes = append(done.Notes, note)
	}
	return done, err
}

// notInDraft is a tool that works on the files as they are on disk, as far as it works on files.
type notInDraft struct{ tool.Tool }

// Prepare refuses a call that would see or change a file.
func (t notInDraft) Prepare(ctx context.Context, c *tool.Call) (*tool.Job, error) {
	refused := tool.Errorf(tool.Permission,
		"this tool sees the files as they are on disk, without what the draft changes").
		WithHint("Call it without a draft. " +
			"In one work read, write, edit, multi_edit, ls, glob, grep, bash and run_script.")
	if kind := t.Spec().Origin.Kind; kind != tool.Builtin && kind != tool.Go {
		return nil, refused
	}
	j, err := t.Tool.Prepare(ctx, c)
	if err != nil || j == nil {
		return nil, err
	}
	own := *j
	own.Spec = t.Spec()
	if drafting.OnFiles(&own) {
		return nil, refused
	}
	return j, nil
}
