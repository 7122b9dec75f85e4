package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"helve/builtin"
	"helve/internal/config"
	"helve/policy"
	"helve/tool"
)

// A PastCall is a call that changed files, as the history has it.
type PastCall struct {
	ID      string     `json:"id"` // what Undo and Diff take
	Time    time.Time  `json:"time"`
	Tool    string     `json:"tool"`
	Title   string     `json:"title"`
	Session string     `json:"session"`          // "" without one
	Parent  string     `json:"parent,omitempty"` // calls that have it in common are one undo, of which it is the ID
	Call    string     `json:"call,omitempty"`   // the ID that the caller gave it
	Files   []PastFile `json:"files"`
	Gaps    []string   `json:"gaps"`   // what it may have done besides, in words
	Undone  bool       `json:"undone"` // a later call took it back
	// Rest are the first paths that an undo left alone, of a call that is undone but for them.
	Rest []string `json:"rest,omitempty"`
	Of   []string `json:"of,omitempty"` // of an undo or redo: the calls that it took back
}

// A PastFile is what a call did to one file.
type PastFile struct {
	Path    string `json:"path"`           // relative to the workspace, or //name/… below another; a folder ends in /
	From    string `json:"from,omitempty"` // of one that was renamed
	Change  string `json:"change"`         // created, modified, deleted, renamed or mode
	Added   int    `json:"added"`          // lines of text; 0 where they are not counted
	Removed int    `json:"removed"`
}

// Past is what calls changed, as a person sees it and takes it back.
type Past struct {
	files *builtin.Toolbox
	guard *guard
	kits  *kits
	ask   tool.Asker // nil: whom the workspace asks
}

// Asking is the same past, in which ask answers for the person who takes something back.
func (p Past) Asking(ask tool.Asker) Past {
	p.ask = ask
	return p
}

// Past is what calls of the workspace changed.
func (w *Assembly) Past() Past { return Past{files: w.files, guard: w.guard, kits: w.kits} }

// Review is what commands left waiting for a person: helve review.
func (w *Assembly) Review() builtin.Review { return w.files.Review() }

// KeepDraft begins a draft that stays when this process ends.
func (w *Assembly) KeepDraft(ctx context.Context) (*builtin.KeptDraft, error) {
	return w.files.KeepDraft(ctx)
}

// OpenDraft opens a draft that stays by its ID, or the beginning of one.
func (w *Assembly) OpenDraft(ctx context.Context, id string) (*builtin.KeptDraft, error) {
	return w.files.OpenDraft(ctx, id)
}

// DropDraft loses a draft that stays, also one that cannot be read.
func (w *Assembly) DropDraft(ctx context.Context, id string) (*builtin.DraftState, error) {
	return w.files.DropDraft(ctx, id)
}

// SweepDrafts drops the drafts that nobody used for a week, and names them.
func (w *Assembly) SweepDrafts() (dropped []string, err error) { return w.files.SweepDrafts() }

// Drafts are the drafts that stay; see [builtin.Toolbox.Drafts].
func (w *Assembly) Drafts() (all []*builtin.DraftState, damaged []string) { return w.files.Drafts() }

// Calls are the calls that changed files, the newest first; limit 0 is all of them. damaged counts entries that cannot
// be read: what they said is lost, all others are there.
func (p Past) Calls(ctx context.Context, limit int) (calls []PastCall, damaged int, err error) {
	res, err := p.Text(ctx, limit)
	if err != nil {
		return nil, 0, err
	}
	if res.Err != nil {
		return nil, 0, res.Err
	}
	var data struct {
		Calls   []PastCall `json:"calls"`
		Damaged int        `json:"damaged"`
	}
	err = json.Unmarshal(res.Data, &data)
	return data.Calls, data.Damaged, err
}

// Remembered tells whether what calls change is remembered here.
func (p Past) Remembered() bool { return p.files.Remembers() }

// Text is Calls as a person reads it, the text of its result.
func (p Past) Text(ctx context.Context, limit int) (*tool.Result, error) {
	if limit <= 0 {
		limit = mostCalls
	}
	return p.call(ctx, "history", map[string]any{"limit": limit})
}

// mostCalls is how many calls the tool shows at most.
const mostCalls = 10_000

// Diff shows what a call changed, by its ID or the beginning of it, or what the calls after A up to and with B changed
// together: "A..B". The result's display is a tool.Diff.
func (p Past) Diff(ctx context.Context, calls string) (*tool.Result, error) {
	return p.call(ctx, "diff", map[string]any{"calls": calls})
}

// UndoOptions say what is taken back. The zero value undoes the last call that is not undone yet, with all that have
// its Parent.
type UndoOptions struct {
	Call  string // this one: its ID, or the beginning of it; of a Parent, all calls that have it; several with commas
	To    string // every call after this one: the files come to be as they were just after it
	Force bool   // also what somebody changed since; that is in the history, too
}

// Undo takes calls back: their files get back what was there before. It is a call like any other: the rules judge it,
// Options.Ask is asked with a diff, it is on record, and it can be undone. What somebody changed since stays: merged
// where it does not touch, else the file is left alone, and the result has an error that says so.
//
// The error is ctx's; what goes wrong otherwise is in the result.
func (p Past) Undo(ctx context.Context, o UndoOptions) (*tool.Result, error) {
	args := map[string]any{"force": o.Force}
	if o.Call != "" {
		args["call"] = o.Call
	}
	if o.To != "" {
		args["to"] = o.To
	}
	return p.call(ctx, "undo", args)
}

// Redo takes the last undo back, in the same way.
func (p Past) Redo(ctx context.Context, force bool) (*tool.Result, error) {
	return p.call(ctx, "redo", map[string]any{"force": force})
}

// Prune forgets what calls did before a time, and the oldest of them beyond so many bytes as they are stored;
// zero values are the bounds of the configuration (history_limits), within which it happens by itself. It returns how
// many calls were forgotten, and how many bytes that freed.
func (p Past) Prune(before time.Time, bytes int64) (calls int, freed int64, err error) {
	return p.files.Prune(before, bytes)
}

// Forget forgets what all calls did, also where the history cannot be read. The files stay as they are.
func (p Past) Forget() error { return p.files.Forget() }

// ForgetCalls forgets what the calls did that are meant, by their ID and Parent and by their session, and what took
// only such calls back. It returns how many there were, and how many bytes that freed.
func (p Past) ForgetCalls(meant func(names []string, session string) bool) (calls int, freed int64, err error) {
	return p.files.ForgetCalls(meant)
}

// call calls one of the tools of a person.
func (p Past) call(ctx context.Context, name string, args map[string]any) (*tool.Result, error) {
	person, err := p.byPerson()
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	c := &tool.Call{
		ID:   "person",
		Name: name,
		Args: raw,
		Dir:  p.guard.places.dir(),
	}
	res, err := person.kit.Call(ctx, c)
	if res == nil && err == nil {
		err = errors.New("the call has no result")
	}
	return res, err
}

// A people is what a person has to show and take back what calls changed. A model is offered the same for the calls of
// its own session, if the configuration says so: what it reads could have it undo somebody else's work.
type people struct {
	registry *tool.Registry
	rules    *policy.Rules
	kit      *tool.Kit
}

func (p Past) byPerson() (*people, error) {
	return p.open(builtin.PastByPerson(p.files), KitOptions{Ask: p.ask})
}

// open makes a kit of these tools, which nothing hides but what the configuration says of them.
func (p Past) open(tools []tool.Tool, of KitOptions) (*people, error) {
	out := &people{registry: &tool.Registry{}}
	if err := out.registry.Add(tools...); err != nil {
		return nil, err
	}
	o, err := p.kits.options(of)
	if err != nil {
		return nil, err
	}
	s, err := settingsOf(p.guard.conf.now.Load(), policyKey{of.Profile, of.Mode})
	if err != nil {
		return nil, err
	}
	own := *s
	own.preset.History = true
	if out.rules, err = p.guard.rulesOf(&own); err != nil {
		return nil, err
	}
	o.Policy, o.Show = out.rules, nil
	out.kit = out.registry.Kit(o)
	return out, nil
}

// pastNames are the tools that show and take back what calls changed.
var pastNames = []string{"history", "diff", "undo", "redo"}

// wantsPast tells whether the configuration speaks of one of these tools: only then are they made for models.
func (s *settings) wantsPast() bool {
	speaks := func(l config.Layer) bool {
		return slices.ContainsFunc(l.Switches(), func(to config.Switch) bool {
			return slices.Contains(pastNames, strings.ToLower(to.Name))
		})
	}
	for _, l := range s.Layers {
		if speaks(l) {
			return true
		}
		for name := range s.Clients {
			if own, ok := l.Client(name); ok && speaks(own) {
				return true
			}
		}
	}
	return false
}
