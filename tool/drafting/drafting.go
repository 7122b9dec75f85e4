// Package drafting has calls that belong together change files beside the workspace, and makes that as one: those of a
// script, and those of one reply of a model.
package drafting

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"helve/tool"
)

// A Draft is where calls change files, until all of it is made as one.
type Draft interface {
	tool.Draft

	// Changed tells whether there is anything to make.
	Changed() (bool, error)

	// Commit makes what the calls changed, as one change with one undo. It asks by c.Ask, where somebody must see it
	// first, with about above the difference; c is the call that the calls belong to, with the Parent that they have. A
	// question for nothing but what was put off (Verdict.Deferred) has c.Parent, too. After a Committed without Need
	// the draft is over, whatever became of it.
	Commit(ctx context.Context, c *tool.Call, about string) (*Committed, error)

	// Drop loses it. It may be called twice, and after Commit.
	Drop() error
}

// A Stayer is a draft that was there before, and stays where others are dropped.
type Stayer interface {
	Draft

	// Stay gives it free as it stands, with what the calls did in it. id is how it is called; "": it is over.
	Stay() (id string, err error)

	// Plain tells that somebody must see what it held when it was left, and no word that was said before counts.
	Plain() bool
}

// A plainer is a draft that wants to know that of itself, for when it stays.
type plainer interface{ BePlain() }

// An Outer is a draft that others may be in, as one is in which a person has calls made: what those change goes to it,
// and is made with it.
type Outer interface {
	tool.Draft

	// Within begins a draft that shows what this one shows. Its Commit goes to this one and asks nothing, its Drop loses
	// its own only. The history calls its calls by name, what says to people whose changes they are.
	Within(ctx context.Context, name, what string) (Draft, error)
}

// A Committed is what became of a draft.
type Committed struct {
	Need     *tool.Need  // the client must be asked; its answer comes in c.Resume of a later Commit of the same draft
	Refused  *tool.Error // nothing was made, and why
	Meta     any         // for Result.WithMeta: undo, changes, more_changes
	Notes    []string    // lines for the model: what waits for a person, what was merged
	Proposed string      // with Refused: the difference that was not made, bounded
	Kept     string      // with Refused: the ID of the draft in which it stays, as Refused says; "": it is lost
	Outer    bool        // it went to the draft in which it was: nothing of it is on disk
}

// A Fate is what became of a draft.
type Fate uint8

// The fates.
const (
	Open Fate = iota
	Empty
	Made
	Part // a commit made some of it, and failed
	Dropped
	Kept  // it stays in a draft that somebody may go on with
	Given // to the draft in which it was
)

var fateWords = [...]string{
	Open:    "drafted, not on disk",
	Empty:   "done: it changed no file",
	Made:    "committed",
	Part:    "committed in part: the files above are all that is on disk",
	Dropped: "drafted and dropped",
	Kept:    "drafted and kept, not on disk",
	Given:   "in the draft, not on disk",
}

func (f Fate) String() string { return fateWords[f] }

// Drafts are those of calls that belong together, one after the other. The zero value has none. They are of one
// goroutine.
type Drafts struct {
	Need  *tool.Need // the question about what the open one holds is with the client
	Notes []string   // what commits had to say
	Fates []Fate     // of all that were begun; that of the open one is the last

	now   Draft // where calls work; nil: none was begun, or it is over
	none  bool  // none can be had
	plain bool  // somebody must see what it holds, and no word that was said before counts
}

// IsOpen tells whether there is one in which calls work.
func (d *Drafts) IsOpen() bool { return d.now != nil }

// Changed tells whether calls changed anything in the open one.
func (d *Drafts) Changed() (bool, error) {
	if d.now == nil {
		return false, nil
	}
	return d.now.Changed()
}

// Over ends the one that is open.
func (d *Drafts) Over(f Fate) {
	if d.now == nil {
		return
	}
	was := d.now
	d.now, d.Need = nil, nil
	if s, is := was.(Stayer); is && f != Empty && f != Made {
		f = d.stay(s, f)
	} else {
		was.Drop() // what cannot be removed now is removed by the next start
	}
	d.Fates[len(d.Fates)-1] = f
}

// stay has a draft stay that would be dropped. What was said of it already is not said again.
func (d *Drafts) stay(s Stayer, f Fate) Fate {
	id, err := s.Stay()
	if id == "" || f != Dropped {
		return f
	}
	words := fmt.Sprintf("Draft %[1]s stays, with what the calls above did in it: "+
		"go on by run_script with draft: %[1]q. A person sees it by helve draft diff %[1]s.", id)
	if err != nil {
		words += "\nNot all that they did was noted: " + err.Error()
	}
	d.Notes = append(d.Notes, words)
	return Kept
}

// GoOn begins with a draft that was there before.
func (d *Drafts) GoOn(s Stayer) {
	d.now, d.plain = s, s.Plain()
	d.Fates = append(d.Fates, Open)
}

// Begins tells that a call of such a tool is what a draft is begun for.
func Begins(s *tool.Spec) bool {
	own := s.Origin.Kind == tool.Builtin || s.Origin.Kind == tool.Go
	return own && (s.Kind == tool.Write || s.Kind == tool.Exec) && s.Touches != tool.Nothing
}

// For is where a call of a tool works, which has open begin a draft if it is the first that could change something
// there. nil: on the disk.
func (d *Drafts) For(v *tool.View, name string, open func() (Draft, error)) tool.Draft {
	t, known := v.Get(name)
	switch {
	case !known:
		return nil
	case d.now != nil:
		if d.now.In(t) == nil {
			return nil
		}
		return d.now
	case d.none || open == nil || !Begins(t.Spec()):
		return nil
	}
	fresh, err := open()
	if err != nil || fresh == nil { // its calls change the workspace when they are made
		d.none = true
		return nil
	}
	if fresh.In(t) == nil {
		fresh.Drop()
		return nil
	}
	d.now, d.plain = fresh, false
	d.Fates = append(d.Fates, Open)
	return fresh
}

// LooksAtDisk tells that a call sees or changes the files as they are on disk, so that what others changed before has
// to be there.
func (d *Drafts) LooksAtDisk(ctx context.Context, kit *tool.Kit, c *tool.Call) bool {
	t, known := kit.View().Get(c.Name)
	if d.now == nil || !known || d.now.In(t) != nil {
		return false
	}
	switch s := t.Spec(); {
	case Elsewhere(s):
		return false
	case s.Origin.Kind != tool.Builtin && s.Origin.Kind != tool.Go:
		return true
	}
	j, err := kit.Understand(ctx, c)
	if err != nil { // it will not be made
		return false
	}
	return OnFiles(j)
}

// Elsewhere tells of a tool whose calls see and change no file of this machine.
func Elsewhere(s *tool.Spec) bool {
	return s.Origin.Kind == tool.Remote || s.Away || s.Touches == tool.Nothing
}

// OnFiles tells whether a job sees or changes files, or runs a program that may.
func OnFiles(j *tool.Job) bool {
	files := func(e tool.Effect) bool { return e.Kind != tool.Net && e.Kind != tool.State }
	return slices.ContainsFunc(j.Judged(), files)
}

// Came notes what a call came to that was made in the open draft. It is the draft in which the call changed something,
// from 1; 0: it changed nothing.
func (d *Drafts) Came(res *tool.Result) int {
	kind := res.Job.Spec.Kind
	if !(kind == tool.Write && res.Err == nil || kind == tool.Exec) {
		return 0
	}
	d.plain = d.plain || res.Verdict.Review && !res.Verdict.Deferred
	if p, is := d.now.(plainer); is && d.plain {
		p.BePlain()
	}
	return len(d.Fates)
}

// A Saved is what a commit came to.
type Saved struct {
	Done  *Committed
	Empty bool // there was nothing to make
	Err   error
}

// Saving commits the open draft. What it returns does it, and asks by the Ask of c: it may take as long as a person
// thinks. Nothing else is done with the drafts meanwhile.
func (d *Drafts) Saving(c *tool.Call, about string) func(context.Context) Saved {
	now, own := d.now, *c
	if ask := c.Ask; ask != nil && d.plain {
		own.Ask = func(ctx context.Context, l tool.Late) (tool.Answer, error) {
			l.Parent = "" // what it stands for was not to be answered before it showed
			return ask(ctx, l)
		}
	}
	return func(ctx context.Context) Saved {
		changed, err := now.Changed()
		if err != nil || !changed {
			return Saved{Empty: err == nil, Err: err}
		}
		done, err := now.Commit(ctx, &own, about)
		return Saved{Done: done, Err: err}
	}
}

// shownDifference bounds a difference that was not made, in bytes.
const shownDifference = 16 << 10

// Took notes what a commit came to. made takes its metadata, and tells whether that names files. A need is for the
// client; the error says why what the draft held is not on disk.
func (d *Drafts) Took(s Saved, made func(meta any) bool) (need *tool.Need, err error) {
	if s.Done == nil {
		s.Done = &Committed{}
	}
	switch bad := s.Done.Refused; {
	case s.Empty:
		d.Over(Empty)
		return nil, nil
	case s.Done.Need != nil && s.Err == nil:
		d.Need = s.Done.Need
		return d.Need, nil
	case bad != nil:
		own := *bad
		proposed := Bounded(s.Done.Proposed, shownDifference)
		own.Hint = Joined(bad.Hint, Headed("The difference that was not made:", proposed))
		err = &own
	case s.Err != nil:
		err = tool.Errorf(tool.Execution, "its changes were not made: %w", s.Err)
	}
	d.Notes = append(d.Notes, s.Done.Notes...)
	some := made(s.Done.Meta)
	switch {
	case err == nil && s.Done.Outer:
		d.Over(Given)
	case err == nil:
		d.Over(Made)
	case some:
		d.Over(Part)
	case s.Done.Kept != "":
		d.Over(Kept)
	default:
		d.Over(Dropped)
	}
	return nil, err
}

// Joined are the texts that there are, a line each.
func Joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n")
}

// Headed is a text below a heading; none without one.
func Headed(heading, text string) string {
	if text == "" {
		return ""
	}
	return heading + "\n" + text
}
