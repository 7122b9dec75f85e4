package bash

import (
	"context"
	"errors"
	"fmt"
	"time"

	"helve/builtin/internal/record"
	"helve/internal/change"
	"helve/tool"
)

// What a script that goes on with a draft changes in it relies upon the files as they are when it begins. All else
// relies upon what it did before: a conflict that the script does not touch stands.

// onward is what was there when a script began to go on with a draft.
type onward struct {
	person bool // it is a person who has it run
	begun  bool
	were   map[change.Place]change.Entry // in the layer
	fresh  map[change.Place]bool         // what the script made there
}

// onwardWait is how long a script waits for whoever works in its draft.
const onwardWait = 5 * time.Second

// maxRelied bounds the texts of files in a draft that are held while a script goes on with it, in bytes: of others it
// is not known what somebody changes meanwhile, and they are not merged.
const maxRelied = 64 << 20

// Onward opens a draft for a script that goes on with it, or says in words why it may not. A person may with any draft,
// a model with one that a script of its own conversation left not long ago. A person's own draft is not a model's: its
// commit would make what the person has not decided yet.
func (w *Commands) Onward(ctx context.Context, call *tool.Call, word string, person bool) (*Kept, error) {
	if err := w.holdsBack(ctx); err != nil {
		return nil, tool.Errorf(tool.Validation, "draft: none can be had here: %w", err)
	}
	id, err := w.FindDraft(word)
	if err != nil {
		return nil, noOnward(word, err)
	}
	if !person && word != id && apart(call) {
		return nil, noOnward(word, fmt.Errorf("%w: want the whole ID", record.ErrDraftUnknown))
	}
	if d, err := w.ReadDraft(id); err == nil && !person { // whose it is not is not waited for, nor touched
		if err := mayGoOn(d, call); err != nil {
			return nil, err
		}
	}
	k, err := w.goOn(ctx, id, onwardWait, &onward{person: person, were: map[change.Place]change.Entry{}})
	if err != nil {
		return nil, noOnward(id, err)
	}
	if err := mayGoOn(k.Down, call); err != nil && !person {
		k.onward = nil // it is as it was
		return nil, errors.Join(err, k.Leave())
	}
	if k.Down.Owed {
		k.Owe()
	}
	k.call, k.plain = call, k.Down.Plain
	k.stays = func(*tool.Call) (string, error) { return k.Down.ID, nil }
	return k, nil
}

// apart tells of calls of which nothing tells whose they are: who has the whole ID has it from the answer.
func apart(call *tool.Call) bool { return call.Session == nil || call.Session.Shared }

// mayGoOn says in words why a script of a model may not go on with a draft; nil: it may.
func mayGoOn(d *record.KeptDraft, call *tool.Call) error {
	const instead = "Run the script without draft: it starts from the files as they are."
	if d.State == record.DraftCommitted || d.State == record.DraftDropped {
		return nil // that is told first
	}
	switch {
	case d.Script == nil:
		return tool.Errorf(tool.Permission, "draft: %s is a person's, who alone commits it", d.ID).WithHint(instead)
	case d.Script.By != conversation(call):
		return tool.Errorf(tool.Permission, "draft: %s is one of another conversation", d.ID).WithHint(instead)
	}
	if old := time.Since(d.Script.Left); old > openFor {
		return tool.Errorf(tool.Permission, "draft: %s was left %d minutes ago, and a script goes on with one for %d",
			d.ID, int(old/time.Minute), int(openFor/time.Minute)).
			WithHint("%s A person has it by helve draft diff, commit or drop %s.", instead, d.ID)
	}
	return nil
}

// noOnward is why a draft cannot be had, for a model: of another workspace it learns no path.
func noOnward(word string, err error) error {
	if elsewhere, is := errors.AsType[*record.DraftElsewhereError](err); is {
		err = fmt.Errorf("%s is one of another workspace", elsewhere.ID)
	}
	code := tool.Validation
	if errors.Is(err, ErrDraftBusy) {
		code = tool.Busy
	}
	const hint = "It takes the ID that the answer of a script in conflict names. " +
		"Without it a script starts from the files as they are."
	return tool.Errorf(code, "draft: %q: %w", word, err).WithHint(hint)
}

// beginOnward notes what is relied upon from now on where the draft already changes something.
func (k *Kept) beginOnward() error {
	left := int64(maxRelied)
	for i, dir := range k.t.where.Roots {
		root, err := change.OpenTree(dir)
		if err != nil {
			return err
		}
		for at := range k.onward.were {
			if at.Root != i {
				continue
			}
			now, err := root.Look(at.Path)
			if err != nil {
				continue // what cannot be looked at is not noted
			}
			k.stood.Store(at, stoodOf(now))
			k.base.Store(at, []byte(nil))
			if now.Type != change.File || now.Size > min(MaxMerged, left) {
				continue
			}
			if text, err := root.Read(at.Path, MaxMerged); err == nil {
				left -= int64(len(text))
				k.base.Store(at, text)
			}
		}
		root.Close()
	}
	k.onward.begun = true
	return nil
}

// anew tells that a script which goes on with the draft made what is at a place in the layer.
func (k *Kept) anew(at change.Place, e change.Entry) bool {
	if k.onward == nil {
		return false
	}
	if !k.onward.begun {
		k.onward.were[at] = e
		return false
	}
	is := k.isAnew(at, e)
	if is {
		k.onward.fresh[at] = true
	}
	return is
}

func (k *Kept) isAnew(at change.Place, e change.Entry) bool {
	was, known := k.onward.were[at]
	if e.Type == change.Dir && was.Type == change.Dir { // what is in one has places of its own
		return was.ID != e.ID
	}
	return !known || was.ID != e.ID || was.Changed != e.Changed
}

// renew writes down what a script that went on with the draft relied upon.
func (k *Kept) renew() error {
	if k.onward == nil || !k.onward.begun {
		return nil
	}
	k.onward.fresh = map[change.Place]bool{}
	if err := k.relies(); err != nil {
		return err
	}
	for _, p := range k.Down.Places {
		if k.onward.fresh[p.Place] {
			continue
		}
		k.base.Delete(p.Place)
		if p.Known {
			k.base.Store(p.Place, []byte(nil)) // it is read when it is merged
		}
		k.stood.Delete(p.Place)
		if p.Stood != nil {
			k.stood.Store(p.Place, *p.Stood)
		}
	}
	if err := k.keepTexts(); err != nil {
		return err
	}
	k.keepStood()
	return nil
}

// CommitOnward is Draft.Commit for a script that went on with a draft. What is not made stays in it, unless a person
// declined it.
func (k *Kept) CommitOnward(ctx context.Context, call *tool.Call, about string) (*Committed, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over {
		return nil, ErrDraftOver
	}
	if k.making == nil {
		if err := errors.Join(k.unview(), k.renew()); err != nil {
			return nil, err
		}
		c, _, err := k.copied(ctx, call, k.owes())
		if err != nil {
			return nil, err
		}
		c.t.tool, c.what, c.stays = k.t.tool, k.what, k.stays
		k.making = c
	}
	c := k.making
	done, err := k.makes(ctx, call, about, c, &DraftOutcome{})
	if done != nil && done.Need != nil {
		return done, err
	}
	k.making = nil
	if done != nil && done.Declined {
		err = errors.Join(err, k.end(record.DraftDropped))
	}
	return done, err
}

// leaveOnward notes what becomes of a draft that a script went on with: what a person had done in it is the person's.
func (k *Kept) leaveOnward() error {
	k.Down.Owed, k.Down.Plain = k.owes(), k.plain
	if k.onward.person {
		k.Down.Script = nil
	} else {
		k.Down.Script = leftBy(k.call)
	}
	return k.renew()
}

// touchedByPerson has a draft that a script left be a person's who changed something in it.
func (k *Kept) touchedByPerson() error {
	if k.Down.Script == nil {
		return nil
	}
	was := k.holds
	err := k.relies()
	if err != nil || k.holds != was {
		k.Down.Script = nil
	}
	return err
}
