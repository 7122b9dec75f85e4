package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"helve/tool"
	"helve/tool/drafting"
)

// A Draft is where the calls of one reply change files, until all of it is made as one. Its Commit gets a call of its
// own, with the Parent that they have.
type Draft = drafting.Draft

// A CommittedDraft is what became of a draft.
type CommittedDraft = drafting.Committed

// turnOrigin is that of the call by which a reply's draft is committed.
var turnOrigin = tool.Origin{Kind: tool.Builtin, Name: drafting.Turn}

// A step is one call of a reply, understood as far as the loop needs.
type step struct {
	call  Call   // as the model wrote it
	name  string // the tool's
	args  json.RawMessage
	alone bool // not beside others
	reads bool // a tool of our own that only reads
	write bool // a tool that writes

	draft  tool.Draft // where it works; nil: on the disk
	parent string     // that of the calls in the draft
	bad    *tool.Error
}

// A joint is the calls of one reply, of which several may work in one draft.
type joint struct {
	kit  *tool.Kit
	of   tool.Call                                        // what all calls have in common
	wish func(step) *tool.Call                            // a step as the kit takes it
	told func(step, *tool.Result)                         // is told of results that were not told of before
	open func(context.Context, *tool.Call) (Draft, error) // nil: none do

	steps   []step
	results []*tool.Result
	drafts  drafting.Drafts
	parent  string
	in      []int       // by call: in which of the drafts it changed something, from 1; 0: in none
	saw     []int       // in which it saw what others changed
	why     []error     // by draft: why it was not made
	named   bool        // a result says how all is undone
	over    *tool.Error // why no further call is made; nil: all are
}

// begin takes the calls of the reply. Where one alone may change something, what it asks is the one question.
func (d *joint) begin(steps []step, results []*tool.Result) {
	d.steps, d.results = steps, results
	d.in, d.saw = make([]int, len(steps)), make([]int, len(steps))
	n, v := 0, d.kit.View()
	for _, s := range steps {
		if t, ok := v.Get(s.name); ok && s.bad == nil && drafting.Begins(t.Spec()) {
			n++
		}
	}
	if n < 2 {
		d.open = nil
	}
	d.parent = (&tool.Call{}).AsParent()
}

// before says where the n calls from i on work, and has what was drafted be on disk first, if one of them looks there.
func (d *joint) before(ctx context.Context, i, n int) error {
	if d.open == nil || d.over != nil {
		return nil
	}
	for k := i; k < i+n && d.over == nil; k++ {
		s := &d.steps[k]
		if d.drafts.IsOpen() && (d.stays(ctx, s) || d.drafts.LooksAtDisk(ctx, d.kit, d.wish(*s))) {
			bad, err := d.commit(ctx, drafting.CallText(s.name, s.args))
			if err != nil {
				return err
			}
			d.over = bad
		}
	}
	for k := i; k < i+n && d.over == nil; k++ {
		s := &d.steps[k]
		if s.bad != nil || d.stays(ctx, s) {
			continue
		}
		s.draft = d.drafts.For(d.kit.View(), s.name, func() (Draft, error) { return d.open(ctx, d.committer()) })
		if s.draft != nil {
			s.parent = d.parent
		}
	}
	return nil
}

// stays tells of a command in the background, which works on the disk when a draft would be over.
func (d *joint) stays(ctx context.Context, s *step) bool {
	t, known := d.kit.View().Get(s.name)
	if !known || s.bad != nil || t.Spec().Kind != tool.Exec || !drafting.Begins(t.Spec()) {
		return false
	}
	j, err := d.kit.Understand(ctx, d.wish(*s))
	return err == nil && goesOn(j.Call.Args)
}

// after notes what calls came to.
func (d *joint) after(i, n int) {
	for k := i; k < i+n; k++ {
		res := d.results[k]
		switch {
		case res == nil || res.Job == nil || !res.Job.Drafted:
		case looked(res):
			d.saw[k] = len(d.drafts.Fates)
		default:
			d.in[k] = d.drafts.Came(res)
		}
	}
}

// looked tells of a call that can have changed nothing.
func looked(res *tool.Result) bool {
	j := res.Job
	return j.Spec.Kind == tool.Read || res.Verdict.Confined || j.Line != nil && j.Line.Decision == tool.Allow
}

// committer is the call that commits.
func (d *joint) committer() *tool.Call {
	c := d.of
	c.Name, c.Parent = drafting.Turn, d.parent
	for k, s := range d.steps {
		if d.in[k] > 0 {
			c.ID = s.call.ID
		}
	}
	return &c
}

// commit makes what the open draft holds; next is the call that has to find it on disk, "": the reply is over. bad says
// why it was not made.
func (d *joint) commit(ctx context.Context, next string) (bad *tool.Error, err error) {
	changed, err := d.drafts.Changed()
	if err == nil && !changed {
		d.ended(drafting.Saved{Empty: true})
		return nil, nil
	}
	if err != nil {
		return d.ended(drafting.Saved{Err: err}), nil
	}
	saved := drafting.Saved{Err: tool.Errorf(tool.Permission, "the commit was refused")}
	res, err := d.kit.Conclude(ctx, d.committer(), func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		saved = d.drafts.Saving(c, drafting.About("The model", d.made(), next))(ctx)
		return outcome(saved)
	})
	if res != nil && res.Err != nil && saved.Done == nil { // a hook refused it, or it failed
		saved.Err = res.Err
	}
	return d.ended(saved), err
}

// outcome is what a commit came to as the record has it.
func outcome(s drafting.Saved) (*tool.Result, error) {
	switch {
	case s.Err != nil:
		return nil, s.Err
	case s.Empty:
		return tool.Textf("nothing was changed"), nil
	case s.Done.Need != nil:
		return nil, errInput
	case s.Done.Refused != nil:
		return nil, s.Done.Refused
	}
	return tool.Textf("committed").WithMeta(s.Done.Meta), nil
}

var errInput = tool.Errorf(tool.Permission, "nothing was made: it wants input, and nobody is there to give it")

// made are the calls that changed something in the open draft, a line each.
func (d *joint) made() []string {
	var out []string
	for k, s := range d.steps {
		if d.in[k] == len(d.drafts.Fates) {
			out = append(out, drafting.CallText(s.name, s.args))
		}
	}
	return out
}

// ended notes what a commit came to. The last call that had a part in it carries what was made.
func (d *joint) ended(s drafting.Saved) *tool.Error {
	n := len(d.drafts.Fates)
	last := -1
	for k, of := range d.in {
		if of == n {
			last = k
		}
	}
	need, err := d.drafts.Took(s, func(meta any) bool {
		b, bad := json.Marshal(meta)
		var made map[string]json.RawMessage
		if bad != nil || json.Unmarshal(b, &made) != nil || made["changes"] == nil {
			return false
		}
		if last >= 0 {
			d.asOne(made)
			own := *d.results[last]
			d.results[last] = own.WithMeta(made)
		}
		return true
	})
	if need != nil {
		d.drafts.Over(drafting.Dropped)
		err = errInput
	}
	d.why = append(d.why, err)
	if err == nil {
		return nil
	}
	return asError(err)
}

// asOne has all commits of the reply be one undo, which the first of them names.
func (d *joint) asOne(made map[string]json.RawMessage) {
	if made["undo"] == nil {
		return
	}
	delete(made, "undo")
	if !d.named {
		made["undo"], _ = json.Marshal(d.parent)
		d.named = true
	}
}

// end commits what is open when all calls are made, or drops it where the host's err stops the reply, and says in each
// result what became of the call.
func (d *joint) end(ctx context.Context, err error) error {
	if d.open == nil {
		return err
	}
	if err == nil && d.drafts.IsOpen() {
		_, err = d.commit(ctx, "")
	}
	if d.drafts.IsOpen() {
		d.drafts.Over(drafting.Dropped)
		d.why = append(d.why, tool.Errorf(tool.Cancelled, "the turn was stopped"))
	}
	d.tell()
	return err
}

// tell finishes the results.
func (d *joint) tell() {
	notes := d.drafts.Notes
	untold := make([]bool, len(d.steps))
	for k := len(d.steps) - 1; k >= 0; k-- {
		s, res := d.steps[k], d.results[k]
		untold[k] = s.draft != nil || res == nil
		switch {
		case res == nil && d.over != nil:
			bad := tool.ErrorOf(tool.Cancelled, s.name, "not run: what calls before it changed was not made")
			d.results[k] = tool.Fail(bad.WithHint("%s", d.over.Error()))
		case res == nil:
		case d.in[k] > 0:
			d.results[k] = d.became(k, notes)
			notes = nil
		case d.saw[k] > 0:
			d.results[k] = d.seen(k)
		case s.draft == nil && d.elsewhere(res):
			d.results[k] = with(res, "[done elsewhere: it is no part of what was drafted in this turn]")
		}
	}
	for k, s := range d.steps {
		if untold[k] && d.results[k] != nil {
			d.told(s, d.results[k])
		}
	}
}

// became is the result of a call that changed something in a draft; the last one of the turn has the notes.
func (d *joint) became(k int, notes []string) *tool.Result {
	res, fate := d.results[k], d.drafts.Fates[d.in[k]-1]
	switch fate {
	case drafting.Empty:
		return res
	case drafting.Made:
		words := "[committed: what this call changed is on disk, as one change with the others of this turn]"
		return with(res, drafting.Joined(append([]string{words}, notes...)...))
	}
	why := asError(d.why[d.in[k]-1])
	bad := *tool.ErrorOf(why.Code, d.steps[k].name, "%s: %s", fate, why.Error())
	if notes != nil || k == d.last(d.in[k]) { // once is enough
		bad.Hint = why.Hint
	}
	out := tool.Fail(&bad)
	out.Job, out.Spec, out.Verdict, out.Approver = res.Job, res.Spec, res.Verdict, res.Approver
	if fate == drafting.Part {
		out.Meta = res.Meta
	}
	if res.Job.Spec.Kind == tool.Exec {
		out.Parts = append(append(out.Parts, tool.Text("What it came to before that:")), res.Parts...)
	}
	return out
}

// last is the last call that changed something in a draft.
func (d *joint) last(draft int) int {
	last := -1
	for k, of := range d.in {
		if of == draft {
			last = k
		}
	}
	return last
}

// seen is the result of a call that saw what others had changed in a draft.
func (d *joint) seen(k int) *tool.Result {
	res, draft := d.results[k], d.saw[k]
	fate := d.drafts.Fates[draft-1]
	changed := false
	for _, of := range d.in[:k] {
		changed = changed || of == draft
	}
	if !changed || fate == drafting.Made || fate == drafting.Empty {
		return res
	}
	const words = "[seen with what calls before it had changed, which was %s: it is not what is on disk]"
	return with(res, fmt.Sprintf(words, fate))
}

// elsewhere tells of a call that did something beside the drafts of the turn.
func (d *joint) elsewhere(res *tool.Result) bool {
	if len(d.drafts.Fates) == 0 || res.Err != nil || res.Job == nil {
		return false
	}
	return res.Job.Spec.Touches != tool.Nothing && !looked(res)
}

// with is a result with some more words.
func with(res *tool.Result, words string) *tool.Result {
	own := *res
	own.Parts = append(own.Parts[:len(own.Parts):len(own.Parts)], tool.Text(words))
	return &own
}

// asError is an error as the model reads it.
func asError(err error) *tool.Error { return tool.Fail(err).Err }

// goesOn tells that a command is one in the background, which changes the workspace while it runs.
func goesOn(args json.RawMessage) bool {
	var in struct {
		Background bool `json:"run_in_background"`
	}
	return json.Unmarshal(args, &in) != nil || in.Background
}
