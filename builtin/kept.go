package builtin

import (
	"context"
	"time"

	"helve/builtin/internal/bash"
	"helve/builtin/internal/record"
	"helve/tool"
	"helve/tool/drafting"
)

// A KeptDraft is a draft that stays when its process ends, until a person commits or drops it. One process at a time
// has it, until Leave.
type KeptDraft struct {
	*Draft
	kept *bash.Kept
}

// What is told of drafts that stay.
type (
	DraftState    = record.KeptDraft
	DraftView     = bash.DraftView
	DraftConflict = bash.DraftConflict
	DraftOutcome  = bash.DraftOutcome

	DraftElsewhereError = record.DraftElsewhereError
)

// Why a draft cannot be had.
var (
	ErrDraftUnknown   = record.ErrDraftUnknown
	ErrDraftAmbiguous = record.ErrDraftAmbiguous
	ErrDraftDamaged   = record.ErrDraftDamaged
	ErrDraftBusy      = bash.ErrDraftBusy
	ErrDraftOver      = bash.ErrDraftOver
	ErrDraftFolders   = bash.ErrDraftFolders
	ErrDraftHasNot    = bash.ErrDraftHasNot
)

// KeepDraft begins a draft that stays, or says in words why nothing can be held back here.
func (t *Toolbox) KeepDraft(ctx context.Context) (*KeptDraft, error) {
	k, err := t.commands.OpenKept(ctx)
	if err != nil {
		return nil, err
	}
	return &KeptDraft{t.within(k.Draft), k}, nil
}

// OpenDraft opens a draft that stays by its ID, or the beginning of one. It waits for another process that has it.
func (t *Toolbox) OpenDraft(ctx context.Context, id string) (*KeptDraft, error) {
	k, err := t.commands.GoOn(ctx, id)
	if err != nil {
		return nil, err
	}
	return &KeptDraft{t.within(k.Draft), k}, nil
}

// DropDraft loses a draft that stays, also one that cannot be read.
func (t *Toolbox) DropDraft(ctx context.Context, id string) (*DraftState, error) {
	return t.commands.DropKept(ctx, id)
}

// SweepDrafts drops the drafts that nobody used for a week, and names them.
func (t *Toolbox) SweepDrafts() (dropped []string, err error) {
	return t.records.SweepDrafts(time.Now())
}

// Drafts are the drafts that stay, and what became of those of the last week. damaged are the IDs of those that cannot
// be read.
func (t *Toolbox) Drafts() (all []*DraftState, damaged []string) { return t.records.Drafts() }

// State is what is written down of the draft.
func (d *KeptDraft) State() *DraftState { return d.kept.Down }

// Leave gives the draft to the next process. A second call does nothing, nor one after Commit or Drop.
func (d *KeptDraft) Leave() error { return d.kept.Leave() }

// View shows what the draft would change, and changes nothing in it.
func (d *KeptDraft) View(ctx context.Context) (*DraftView, error) { return d.kept.View(ctx) }

// TakeOut has the draft change nothing any more at some paths, each with all that is in it, and names them. A path is
// one of the workspace, as a difference shows it, or an absolute one. Where one cannot be taken out, none is.
func (d *KeptDraft) TakeOut(paths []string) ([]string, error) { return d.kept.TakeOut(paths) }

// Commit makes what the draft changes, as one. With ask a person is shown the difference first; nil: they have seen it,
// and what another program would run or follow goes on waiting. What is not made stays in the draft.
func (d *KeptDraft) Commit(
	ctx context.Context, ask func(context.Context, tool.Late) (tool.Answer, error),
) (*DraftOutcome, error) {
	call := &tool.Call{ID: "draft " + d.kept.Down.ID, Name: "draft", Ask: ask}
	return d.kept.CommitKept(ctx, call, ask != nil)
}

// GoOnFor goes on with a draft for a script; person tells that a person has it run. The error says in words for a model
// why it may not.
func (t *Toolbox) GoOnFor(ctx context.Context, c *tool.Call, id string, person bool) (drafting.Stayer, error) {
	k, err := t.commands.Onward(ctx, c, id, person)
	if err != nil {
		return nil, err
	}
	return goneOn{t.within(k.Draft), k}, nil
}

// goneOn is a draft that stays and that a script goes on with.
type goneOn struct {
	*Draft
	kept *bash.Kept
}

var _ drafting.Stayer = goneOn{}

func (d goneOn) Commit(ctx context.Context, c *tool.Call, about string) (*drafting.Committed, error) {
	done, err := d.kept.CommitOnward(ctx, c, about)
	return asDrafting(done), err
}

// Stay gives the draft free as it stands. id is "" where it is over.
func (d goneOn) Stay() (id string, err error) {
	err = d.kept.Leave()
	if d.kept.Down.State == record.DraftOpen {
		id = d.kept.Down.ID
	}
	return id, err
}

func (d goneOn) Drop() error { return d.kept.Drop() }
