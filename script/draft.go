package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"helve/tool"
)

// A Draft is where the calls of a script change files, until all of it is made as one.
type Draft interface {
	tool.Draft

	// Changed tells whether there is anything to make.
	Changed() (bool, error)

	// Commit makes what the calls changed, as one change with one undo. It asks by c.Ask, where somebody must see it
	// first, with about above the difference; c is the call of run_script, with the Parent that its calls have. A
	// question for nothing but what was put off (Verdict.Deferred) has c.Parent, too. After a Committed without Need
	// the draft is over, whatever became of it.
	Commit(ctx context.Context, c *tool.Call, about string) (*Committed, error)

	// Drop loses it. It may be called twice, and after Commit.
	Drop() error
}

// A Committed is what became of a draft.
type Committed struct {
	Need     *tool.Need  // the client must be asked; its answer comes in c.Resume of a later Commit of the same draft
	Refused  *tool.Error // nothing was made, and why
	Meta     any         // for Result.WithMeta: undo, changes, more_changes
	Notes    []string    // lines for the model: what waits for a person, what was merged
	Proposed string      // with Refused: the difference that was not made, bounded
}

const (
	// keepNone and keepPartial are what becomes of the changes of a script that ends early.
	keepNone    = "none"
	keepPartial = "partial"

	// shownScript bounds the script above a difference, and a difference that was not made, in bytes; shownOutcome what
	// a script came to of which nothing was made.
	shownScript  = 16 << 10
	shownOutcome = 4 << 10
)

// A fate is what became of a draft.
type fate uint8

const (
	fateOpen fate = iota
	fateEmpty
	fateCommitted
	fatePart // a commit made some of it, and failed
	fateDropped
)

var fateWords = [...]string{
	fateOpen:      "drafted, not on disk",
	fateEmpty:     "done: it changed no file",
	fateCommitted: "committed",
	fatePart:      "committed in part: the files above are all that is on disk",
	fateDropped:   "drafted and dropped",
}

// drafts are those of a script, one after the other. They are of the goroutine that follows the script.
type drafts struct {
	now   Draft  // where its calls work; nil: none was begun, or it is over
	fates []fate // of all that were begun; that of now is the last
	none  bool   // none can be had
	plain bool   // somebody must see what it holds, and no word that was said before counts

	need  *tool.Need // the question about what it holds is with the client
	notes []string   // what commits had to say
}

// begin begins the next one.
func (d *drafts) begin(now Draft) {
	d.now, d.plain = now, false
	d.fates = append(d.fates, fateOpen)
}

// over ends the one that is open.
func (d *drafts) over(f fate) {
	if d.now == nil {
		return
	}
	d.now.Drop() // what cannot be removed now is removed by the next start
	d.now, d.need = nil, nil
	d.fates[len(d.fates)-1] = f
}

// begins tells that a call of such a tool is what a draft is begun for.
func begins(s *tool.Spec) bool {
	own := s.Origin.Kind == tool.Builtin || s.Origin.Kind == tool.Go
	return own && (s.Kind == tool.Write || s.Kind == tool.Exec) && s.Touches != tool.Nothing
}

// draftFor is where a call of a tool works, which begins a draft if it is the first that could change something there.
// nil: on the disk.
func (r *run) draftFor(ctx context.Context, name string) tool.Draft {
	d := &r.record.drafts
	t, known := r.kit.View().Get(name)
	switch {
	case !known:
		return nil
	case d.now != nil:
		if d.now.In(t) == nil {
			return nil
		}
		return d.now
	case d.none || r.s.o.Draft == nil || !begins(t.Spec()):
		return nil
	}
	fresh, err := r.s.o.Draft(ctx, r.committer())
	if err != nil || fresh == nil { // its calls change the workspace when they are made
		d.none = true
		return nil
	}
	if fresh.In(t) == nil {
		fresh.Drop()
		return nil
	}
	d.begin(fresh)
	return fresh
}

// looksAtDisk tells that a call sees or changes the files as they are on disk, so that what the script changed before
// has to be there.
func (r *run) looksAtDisk(ctx context.Context, e *entry) bool {
	d := &r.record.drafts
	t, known := r.kit.View().Get(e.tool)
	if d.now == nil || !known || d.now.In(t) != nil {
		return false
	}
	switch s := t.Spec(); {
	case s.Origin.Kind == tool.Remote, s.Away, s.Touches == tool.Nothing:
		return false
	case s.Origin.Kind != tool.Builtin && s.Origin.Kind != tool.Go:
		return true
	}
	j, err := r.kit.Understand(ctx, r.inner(&entry{key: e.key, tool: e.tool, args: e.args}))
	if err != nil { // it will not be made
		return false
	}
	files := func(e tool.Effect) bool { return e.Kind != tool.Net && e.Kind != tool.State }
	return slices.ContainsFunc(j.Judged(), files)
}

// committer is the call of run_script as a draft knows it: of the family of its calls, with the answer to what the
// draft asked in an earlier round.
func (r *run) committer() *tool.Call {
	own := *r.call
	own.Parent, own.Resume = r.record.parent, nil
	return &own
}

// A saved is what a commit came to.
type saved struct {
	empty bool
	done  *Committed
	err   error
}

// saving commits the open draft; before is the call that has to find it on disk, nil: the script is over. What it
// returns does it: it may take as long as a person thinks.
func (r *run) saving(before *entry) func(context.Context) saved {
	d, c := r.record.drafts.now, r.committer()
	c.Resume, r.answer = r.answer, nil
	r.call.Resume = c.Resume // the kit's Ask finds the answer there
	if ask := r.call.Ask; ask != nil && r.record.drafts.plain {
		c.Ask = func(ctx context.Context, l tool.Late) (tool.Answer, error) {
			l.Parent = "" // what it stands for was not to be answered before it showed
			return ask(ctx, l)
		}
	}
	about := r.about(before)
	return func(ctx context.Context) saved {
		changed, err := d.Changed()
		if err != nil || !changed {
			return saved{empty: err == nil, err: err}
		}
		done, err := d.Commit(ctx, c, about)
		return saved{done: done, err: err}
	}
}

// took notes what a commit came to. A need is for the client; the error says why what the draft held is not on disk.
func (r *run) took(s saved) (need *tool.Need, err error) {
	d := &r.record.drafts
	r.call.Resume = nil
	if s.done == nil {
		s.done = &Committed{}
	}
	switch bad := s.done.Refused; {
	case s.empty:
		d.over(fateEmpty)
		return nil, nil
	case s.done.Need != nil && s.err == nil:
		d.need = s.done.Need
		return d.need, nil
	case bad != nil:
		own := *bad
		proposed := bounded(s.done.Proposed, shownScript)
		own.Hint = joined(bad.Hint, headedText("The difference that was not made:", proposed))
		err = &own
	case s.err != nil:
		err = tool.Errorf(tool.Execution, "its changes were not made: %w", s.err)
	}
	d.notes = append(d.notes, s.done.Notes...)
	made := metaChanges(s.done.Meta)
	r.record.did = append(r.record.did, made)
	switch {
	case err == nil:
		d.over(fateCommitted)
	case len(made.Files)+made.More > 0:
		d.over(fatePart)
	default:
		d.over(fateDropped)
	}
	return nil, err
}

// metaChanges are the changes that a commit names.
func metaChanges(meta any) (c changes) {
	b, err := json.Marshal(meta)
	if err != nil || json.Unmarshal(b, &c) != nil {
		return changes{}
	}
	return c
}

// about is what stands above the difference: what the script called, what comes next, and the script.
func (r *run) about(before *entry) string {
	var made []string
	for _, e := range r.record.order {
		if e.reply != nil {
			made = append(made, callText(e.tool, e.args))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "A script made %d calls", len(made))
	if more := len(made) - listed; more > 0 {
		made = append(made[:listed], fmt.Sprintf("and %d more", more))
	}
	b.WriteString(":\n  " + strings.Join(made, "\n  ") + "\n")
	if before != nil {
		const goesOn = "It goes on with a call that has to find the changes on disk:\n  "
		b.WriteString(goesOn + callText(before.tool, before.args) + "\n")
	}
	b.WriteString("The script:\n" + bounded(r.in.Script, shownScript) + "\n")
	return b.String()
}

// bounded is the beginning of a text.
func bounded(text string, most int) string {
	if len(text) <= most {
		return strings.TrimSuffix(text, "\n")
	}
	return strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("…\n[%d more bytes]", len(text)-most)
}

// joined are the texts that there are, a line each.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n")
}

// headedText is a text below a heading; none without one.
func headedText(heading, text string) string {
	if text == "" {
		return ""
	}
	return heading + "\n" + text
}

// An ending is what a script came to.
type ending struct {
	out *Outcome
	bad error // why it ended early; nil: it did not
}

// conclude makes what the draft of a script holds that is over, or drops it, and says how all came out.
func (r *run) conclude(ctx context.Context) (*tool.Result, error) {
	end := r.record.end
	stays := end.bad == nil || r.in.Keep == keepPartial && ctx.Err() == nil
	if r.record.drafts.now != nil && stays {
		need, err := r.took(r.saving(nil)(ctx))
		if need != nil {
			r.record.slim()
			return r.wait(need)
		}
		end.add(err)
	}
	r.record.drafts.over(fateDropped)
	if end.bad != nil {
		return tool.Fail(r.told(end.bad)).WithMeta(r.record.changes()), nil
	}
	out := *end.out
	out.Note = joined(append([]string{out.Note}, r.record.drafts.notes...)...)
	res := tool.Render(out).WithSummary("script: %d calls", r.calls)
	if len(r.record.drafts.fates) > 0 {
		res.WithMeta(r.record.changes())
	}
	return res, nil
}

// add notes that what a script changed was not made, which makes its result an error.
func (e *ending) add(err error) {
	refused, ok := errors.AsType[*tool.Error](err)
	switch {
	case !ok:
	case e.bad != nil:
		own := *asError(e.bad)
		own.Hint = joined(own.Hint, refused.Text())
		e.bad = &own
	default:
		own := *refused
		outcome := bounded(e.out.Text(), shownOutcome)
		own.Hint = joined(own.Hint, headedText("What the script came to before that:", outcome))
		e.bad = &own
	}
}

// wait ends a run until the client was asked.
func (r *run) wait(need *tool.Need) (*tool.Result, error) {
	res, err := r.s.records.keep(r.record, need, r.s.o.Now())
	r.kept = err == nil
	return res, err
}
