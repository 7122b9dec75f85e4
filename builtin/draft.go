package builtin

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"

	"helve/builtin/internal/bash"
	"helve/builtin/internal/files"
	"helve/builtin/internal/folders"
	"helve/builtin/internal/record"
	"helve/engine/sandbox"
	"helve/engine/tree"
	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/tool"
	"helve/tool/drafting"
)

// A Draft is where calls change files beside the workspace, until all of it is made as one. The tools for files and
// bash work in it, each under the policy as ever; other tools see the files as they are on disk. It is safe for
// concurrent use.
type Draft struct {
	*bash.Draft
	box  *Toolbox
	bash tool.Tool

	mu    sync.Mutex
	twins map[string]tool.Tool // the tools for files in the view that is open
	look  *folders.Folders     // and the way to its files
}

// A CommittedDraft is what became of a draft.
type CommittedDraft = bash.Committed

// NewDraft begins a draft, or says in words why nothing can be held back here. Commit or Drop ends it.
func (t *Toolbox) NewDraft(ctx context.Context) (*Draft, error) {
	d, err := t.commands.OpenDraft(ctx)
	if err != nil {
		return nil, err
	}
	return t.within(d), nil
}

// DraftFor is NewDraft for calls that belong together: name is what the history calls them, what says to people whose
// changes they are.
func (t *Toolbox) DraftFor(ctx context.Context, name, what string) (drafting.Draft, error) {
	d, err := t.NewDraft(ctx)
	if err != nil {
		return nil, err
	}
	d.Named(name, what)
	return joint{d}, nil
}

// A joint draft is one of calls that belong together.
type joint struct{ *Draft }

func (d joint) Commit(ctx context.Context, c *tool.Call, about string) (*drafting.Committed, error) {
	done, err := d.Draft.Commit(ctx, c, about)
	return asDrafting(done), err
}

func asDrafting(done *CommittedDraft) *drafting.Committed {
	if done == nil {
		return nil
	}
	return &drafting.Committed{
		Need:     done.Need,
		Refused:  done.Refused,
		Meta:     done.Undo,
		Notes:    done.Notes,
		Proposed: done.Proposed,
		Kept:     done.Kept,
		Outer:    done.Outer,
	}
}

// within is a draft with the tools that work in it.
func (t *Toolbox) within(d *bash.Draft) *Draft {
	return &Draft{Draft: d, box: t, bash: bash.Tool(t.commands.In(d))}
}

// drafted are the tools for files that work in a draft, by name.
var drafted = []string{"read", "write", "edit", "multi_edit", "ls", "glob", "grep"}

// In is the tool that does in the draft what another one does in the workspace; nil: that one sees what is on disk.
func (d *Draft) In(t tool.Tool) tool.Tool {
	s := t.Spec()
	switch {
	case s.Origin.Kind != tool.Builtin || s.Origin.Name != s.Name:
		return nil
	case s.Name == "bash":
		return d.bash
	case slices.Contains(drafted, s.Name):
		return &inDraft{d, t}
	}
	return nil
}

// open makes the tools for files of a view.
func (d *Draft) open(v *sandbox.View) (leave func() error, err error) {
	o := d.box.at.Options
	o.State, o.Cache, o.Resident, o.At = "", "", false, v.Dir
	o.Trees = &tree.Set{Config: o.Trees.Config}
	at, err := folders.Open(o)
	if err != nil {
		return nil, err
	}
	own := d.box.records.Options
	own.History = History{} // what was made is remembered, as one
	look := files.New(record.Open(at, own), files.Options{ReadsFolders: d.box.files.ReadsFolders})
	twins := map[string]tool.Tool{}
	for _, t := range []tool.Tool{
		files.Read(look),
		files.Write(look),
		files.Edit(look),
		files.MultiEdit(look),
		files.Ls(look),
		files.Glob(look),
		files.Grep(look),
	} {
		twins[t.Spec().Name] = t
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.twins, d.look = twins, at
	return func() error { return errors.Join(at.CloseTrees(), at.Files.Close()) }, nil
}

// twin is the tool of a name in the view that is open.
func (d *Draft) twin(name string) tool.Tool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.twins[name]
}

// inDraft is a tool for files in a draft. A command between the understanding of a call and its work closes the view
// that it was understood by: it is understood anew then.
type inDraft struct {
	d *Draft
	tool.Tool
}

// PreparesAtOnce has no other goroutine bound the time of Prepare: it may wait for a command that has the layer alone,
// and ends with that.
func (t *inDraft) PreparesAtOnce() {}

func (t *inDraft) Prepare(ctx context.Context, c *tool.Call) (*tool.Job, error) {
	w := &draftedWork{t: t, call: c}
	err := t.d.Read(ctx, t.d.open, func(seen int) error { return w.understand(ctx, seen) })
	if err != nil {
		return nil, err
	}
	j := *w.job
	j.Run, j.Review = w.run, t.d.Owe
	if j.Preview != nil {
		j.Preview = w.preview
	}
	return &j, nil
}

// draftedWork is one call of a tool for files.
type draftedWork struct {
	t     *inDraft
	call  *tool.Call
	job   *tool.Job
	seen  int  // the view that it was understood by
	shown bool // somebody was shown what it does
}

func (w *draftedWork) understand(ctx context.Context, seen int) (err error) {
	w.job, err = w.t.d.twin(w.t.Spec().Name).Prepare(ctx, w.call)
	w.seen = seen
	return err
}

func (w *draftedWork) preview(ctx context.Context) (out tool.Display, err error) {
	w.shown = true
	err = w.t.d.Read(ctx, w.t.d.open, func(seen int) (err error) {
		if seen != w.seen {
			if err := w.understand(ctx, seen); err != nil {
				return err
			}
		}
		out, err = w.job.Preview(ctx)
		return err
	})
	return out, err
}

func (w *draftedWork) run(ctx context.Context) (res *tool.Result, err error) {
	err = w.t.d.Read(ctx, w.t.d.open, func(seen int) (err error) {
		switch {
		case seen == w.seen:
		case w.shown:
			return tool.Errorf(tool.Validation, "a command ran after the change was approved: nothing was written").
				WithHint("Repeat the call.")
		default:
			if err := w.understand(ctx, seen); err != nil {
				return err
			}
		}
		were := map[change.Place]bash.Written{}
		w.each(func(p fsroot.Path, at change.Place) {
			w.t.d.Before(at, func() ([]byte, error) { return w.before(p) })
			were[at] = w.stands(p)
		})
		res, err = w.job.Run(ctx)
		if err != nil || res == nil || res.Err != nil {
			return err
		}
		w.each(func(p fsroot.Path, at change.Place) { w.wrote(p, at, were[at]) })
		return nil
	})
	return res, err
}

// before is what stands at a place, where nothing in the draft has changed it yet.
func (w *draftedWork) before(p fsroot.Path) ([]byte, error) {
	here, _, err := w.t.d.look.Files.ReadFile(p, bash.MaxMerged)
	if err != nil {
		return nil, err
	}
	disk := w.t.d.box.at
	below, err := disk.Files.Resolve("", p.Pattern())
	if err != nil {
		return nil, err
	}
	text, _, err := disk.Files.ReadFile(below, bash.MaxMerged)
	if err == nil && !bytes.Equal(text, here) {
		err = errors.New("it was changed in the draft before")
	}
	return text, err
}

// each does something for each place that the call changes.
func (w *draftedWork) each(do func(fsroot.Path, change.Place)) {
	look := w.t.d.look
	for _, e := range w.job.Effects {
		if e.Kind != tool.Write {
			continue
		}
		if p, err := look.Files.Resolve("", e.Target); err == nil {
			do(p, w.t.d.Place(look.PlaceOf(p)))
		}
	}
}

// stands is what stands at a place before the call changes it.
func (w *draftedWork) stands(p fsroot.Path) bash.Written {
	here, err := standsIn(p.Root().At(), p)
	disk, bad := standsIn(p.Root().Dir(), p)
	if err != nil || bad != nil {
		return bash.Written{Was: change.Entry{Type: change.Device}} // nobody's
	}
	return bash.Written{Was: here, Disk: disk}
}

// standsIn is what stands at a place of a root that is opened by a path.
func standsIn(root string, p fsroot.Path) (change.Entry, error) {
	t, err := change.OpenTree(root)
	if err != nil {
		return change.Entry{}, err
	}
	defer t.Close()
	return t.Look(change.Name(p.Rel()))
}

// wrote notes that the call changed a place, which the policy has judged by itself.
func (w *draftedWork) wrote(p fsroot.Path, at change.Place, was bash.Written) {
	now, err := standsIn(p.Root().At(), p)
	if err != nil {
		return
	}
	by := w.call.By.Kind
	was.Now, was.Agreed = now, by != "" && by != tool.ByMode
	w.t.d.Wrote(at, was)
}
