// Package review is for the person who looks at what commands left waiting, and has it made or dropped.
package review

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"helve/builtin/internal/record"
	"helve/internal/change"
	"helve/internal/change/check"
	"helve/internal/uncommitted"
	"helve/tool"
)

// A Set is what one call left waiting.
type Set struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Tool    string    `json:"tool"`
	Title   string    `json:"title"`
	Session string    `json:"session"`
	State   string    `json:"state"` // open while something of it waits, then committed or dropped
	Files   []File    `json:"files"`
}

// A File is one change of a set.
type File struct {
	Path   string `json:"path"`
	Change string `json:"change"` // created, modified, deleted or mode
	Why    string `json:"why"`    // which other program would run or follow it
	State  string `json:"state"`  // open, committed or dropped
	Diff   string `json:"diff,omitempty"`
	// Since is what somebody made of it since, as a difference: it is left alone.
	Since string `json:"since,omitempty"`
}

// An Outcome is what became of what somebody chose.
type Outcome struct {
	Made      []File `json:"made"`
	Already   []File `json:"already"`   // it stands there as it would be
	Dropped   []File `json:"dropped"`   // nobody makes it any more
	Conflicts []File `json:"conflicts"` // somebody changed it since: it is as it was, and goes on waiting
	Undo      string `json:"undo,omitempty"`
	Note      string `json:"note,omitempty"` // why it cannot be undone

	parent string // of all calls that it is
}

// ErrNothing is of a choice of which nothing waits; ErrChoose of one that may mean several.
var (
	ErrNothing = errors.New("nothing waits")
	ErrChoose  = errors.New("several wait")
)

// Waiting is what waits in a workspace.
type Waiting struct {
	*record.Records

	only  string // of this set alone; "": of all
	files []int  // of these files of it alone, and what is in them; nil: of all
}

// Of is what waits of the set with this ID alone, of all its files or of those with these numbers: the first has 0. No
// words choose from it.
func (w Waiting) Of(id string, files ...int) Waiting {
	w.only, w.files = id, files
	return w
}

// List is what calls left here within the week, the newest first; damaged counts what cannot be read. What is decided
// is in it where all says so.
func (w Waiting) List(all bool) (out []Set, damaged int, err error) {
	out = []Set{}
	store := w.Uncommitted()
	if store == nil {
		return out, 0, nil
	}
	drafts, damaged, err := store.List()
	for _, d := range drafts {
		open := d.State() == uncommitted.Open || d.State() == uncommitted.Committing
		if d.Kind == uncommitted.Waits && (all || open) {
			out = append(out, w.set(d))
		}
	}
	return out, damaged, err
}

// set is a draft as a person reads it.
func (w Waiting) set(d *uncommitted.Draft) Set {
	s := Set{
		ID:      d.ID,
		Time:    d.Made,
		Tool:    d.Call.Tool,
		Title:   d.Call.Title,
		Session: d.Call.Session,
		State:   string(d.State()),
		Files:   make([]File, 0, len(d.Files)),
	}
	for i := range d.Files {
		s.Files = append(s.Files, w.file(d, &d.Files[i]))
	}
	return s
}

func (w Waiting) file(d *uncommitted.Draft, f *uncommitted.File) File {
	out := File{Path: w.shown(d, f.Place), Why: f.Why, State: string(f.State)}
	switch {
	case f.Was.Type == change.None:
		out.Change = "created"
	case f.Will.Type == change.None:
		out.Change = "deleted"
	case f.Was.Type == f.Will.Type && f.Old == f.New && f.Was.Target == f.Will.Target:
		out.Change = "mode"
	default:
		out.Change = "modified"
	}
	if f.Will.Type == change.Dir || f.Will.Type == change.None && f.Was.Type == change.Dir {
		out.Path += "/"
	}
	return out
}

// shown is a path as it is shown: relative to the workspace where it lies there.
func (w Waiting) shown(d *uncommitted.Draft, at change.Place) string {
	root, known := w.root(d, at.Root)
	if !known {
		return path.Join(d.Roots[at.Root], string(at.Path))
	}
	return w.ShownPath(change.Place{Root: root, Path: at.Path})
}

// root is the folder of the workspace that a folder of a draft is.
func (w Waiting) root(d *uncommitted.Draft, i int) (root int, known bool) {
	if i < 0 || i >= len(d.Roots) {
		return 0, false
	}
	root = slices.Index(w.RootDirs(), d.Roots[i])
	return root, root >= 0
}

// Drop has nobody make any more what is chosen.
func (w Waiting) Drop(words []string) (*Outcome, error) {
	return w.decide(words, func(t *uncommitted.Taken, c choice, out *Outcome) error {
		var places []change.Place
		for i := range t.Files {
			f := &t.Files[i]
			if f.State == uncommitted.Open && c.means(w.shown(t.Draft, f.Place)) {
				places = append(places, f.Place)
				out.Dropped = append(out.Dropped, w.file(t.Draft, f))
			}
		}
		return t.Mark(uncommitted.Dropped, places...)
	})
}

// decide does something with each draft that is chosen.
func (w Waiting) decide(words []string, do func(*uncommitted.Taken, choice, *Outcome) error) (*Outcome, error) {
	chosen, err := w.choose(words)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Made: []File{}, Already: []File{}, Dropped: []File{}, Conflicts: []File{}}
	if len(chosen) > 1 { // they are one undo
		out.parent = "review-" + strings.ToLower(rand.Text()[:10])
	}
	for _, c := range chosen {
		t, err := w.Uncommitted().Take(c.id)
		if err != nil {
			return out, err
		}
		if t.State() != uncommitted.Open {
			err = fmt.Errorf("%w of %s any more: it was %s", ErrNothing, t.ID, ended(t.Draft))
		} else {
			err = do(t, c, out)
		}
		t.Close()
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// ended says what became of a draft, and when.
func ended(d *uncommitted.Draft) string {
	last := time.Time{}
	for i := range d.Files {
		if since := d.Files[i].Since; since.After(last) {
			last = since
		}
	}
	word := "dropped"
	if d.State() == uncommitted.Committed {
		word = "made"
	}
	return word + " " + last.Local().Format(time.DateTime)
}

// Apply makes what is chosen, but for what somebody changed since.
func (w Waiting) Apply(ctx context.Context, words []string) (*Outcome, error) {
	return w.decide(words, func(t *uncommitted.Taken, c choice, out *Outcome) error {
		set, done, no, err := t.Set(func(at change.Place) bool { return c.means(w.shown(t.Draft, at)) })
		if err != nil {
			return err
		}
		for _, f := range no {
			one := w.file(t.Draft, &f.File)
			one.Diff, one.Since = w.both(t, f)
			out.Conflicts = append(out.Conflicts, one)
		}
		return w.apply(ctx, t, set, done, out)
	})
}

// apply makes a set of a draft, and says in the draft what became of it: before, that it is being made, so that whoever
// is killed leaves something to be found out.
func (w Waiting) apply(
	ctx context.Context, t *uncommitted.Taken, set *change.Set, done []change.Place, out *Outcome,
) error {
	back, err := w.move(t.Draft, set)
	if err != nil {
		return err
	}
	var places []change.Place
	for i := range set.Changes {
		places = append(places, back(set.Changes[i].Place()))
	}
	if err := t.Mark(uncommitted.Committing, places...); err != nil {
		return err
	}
	made, err := w.make(ctx, t.Draft, set, out)
	for i := range made {
		made[i] = back(made[i])
	}
	stands := setOf(made)
	left := slices.DeleteFunc(places, func(at change.Place) bool { return stands[at] })
	marked := t.Mark(uncommitted.Open, left...)
	marked = errors.Join(marked, t.Mark(uncommitted.Committed, slices.Concat(made, done)...))
	stood, open := setOf(done), setOf(left)
	for i := range t.Files {
		f := &t.Files[i]
		switch {
		case stands[f.Place]:
			out.Made = append(out.Made, w.file(t.Draft, f))
		case stood[f.Place]:
			out.Already = append(out.Already, w.file(t.Draft, f))
		case err == nil && open[f.Place]: // somebody was quicker
			out.Conflicts = append(out.Conflicts, w.file(t.Draft, f))
		}
	}
	return errors.Join(err, marked)
}

func setOf(places []change.Place) map[change.Place]bool {
	out := make(map[change.Place]bool, len(places))
	for _, at := range places {
		out[at] = true
	}
	return out
}

// move has a set of a draft's folders speak of the workspace's. back is the way back.
func (w Waiting) move(d *uncommitted.Draft, set *change.Set) (back func(change.Place) change.Place, err error) {
	from := map[int]int{}
	for i := range set.Changes {
		c := &set.Changes[i]
		root, known := w.root(d, c.Root)
		if !known {
			return nil, fmt.Errorf("%s lies in a folder that is not in this workspace: add it with --add-dir %s",
				c.Path, d.Roots[c.Root])
		}
		from[root] = c.Root
		c.Root = root
	}
	return func(at change.Place) change.Place {
		if own, known := from[at.Root]; known {
			at.Root = own
		}
		return at
	}, nil
}

// make makes a set as one call, which can be undone. It returns what was made.
func (w Waiting) make(
	ctx context.Context, d *uncommitted.Draft, set *change.Set, out *Outcome,
) ([]change.Place, error) {
	if len(set.Changes) == 0 {
		return nil, nil
	}
	var places []change.Place
	for i := range set.Changes {
		places = append(places, set.Changes[i].Place())
	}
	w.CatchUp(ctx, places...)
	tx, err := change.Begin(w.Changes())
	if err != nil {
		return nil, err
	}
	defer tx.Close()
	where := check.Options{Roots: w.RootDirs(), Folder: tx.Folder()}
	if err := check.Arrange(where, set); err != nil {
		return nil, err
	}
	past := w.Record(&tool.Call{Name: "review", Parent: out.parent}, "review", "apply "+d.ID+" of "+d.Call.Title)
	defer past.Close()
	past.Plan(tx, set)
	check.Freshen(where, set)
	report, err := tx.Apply(ctx, set)
	if report == nil {
		return nil, err
	}
	past.Made(report)
	w.Made(report)
	out.Undo, out.Note = past.Meta().Undo, past.Note()
	var made []change.Place
	for _, m := range report.Made {
		made = append(made, m.Place)
	}
	return made, nil // what is left over in the folder the next start removes
}
