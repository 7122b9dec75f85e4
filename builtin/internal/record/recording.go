package record

import (
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"helve/builtin/internal/history"
	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/tool"
)

// A Recording is a call on its way into the history. Without a history it does nothing, and where the history cannot be
// written the call goes on: what it changes then cannot be undone, and its result says why.
//
// It holds the history until close, so a call records when its work is done and its changes are about to be made.
type Recording struct {
	w       *Records
	id      string
	rec     *history.Recording
	set     *history.Recorded
	numbers map[change.Place]int // of single paths in the record
	written bool                 // it is in the history
	changed []history.Change     // what it changed, once that is known
	why     error                // why it cannot be undone; nil: it can, or nothing is remembered
}

// Record begins to record a call of the tool name. The gaps say in words what the call may have done besides. The
// caller must close it.
func (w *Records) Record(c *tool.Call, name, title string, gaps ...string) *Recording {
	r := &Recording{
		w:       w,
		id:      newID(),
		numbers: map[change.Place]int{},
	}
	store, err := w.Store()
	if store == nil {
		r.why = err
		return r
	}
	r.rec, r.why = store.Begin(r.call(c, name, title, gaps))
	return r
}

// Apply carries out a plan of the history as the work of a call of the tool name. There must be a history.
func (w *Records) Apply(
	ctx context.Context, c *tool.Call, name, title string, p *history.Plan, force bool,
) (*Recording, *history.Outcome, error) {
	r := &Recording{w: w, id: newID()}
	out, err := w.kept.store.Apply(ctx, r.call(c, name, title, nil), p, force)
	if err != nil {
		return nil, nil, err
	}
	r.changed = out.Call.Changes
	return r, out, nil
}

// newID names a call in the history: short enough to be typed.
func newID() string { return strings.ToLower(rand.Text()[:8]) }

// maxCaller bounds the ID of a call that the history keeps, in bytes: a model can make one as long as it likes.
const maxCaller = 128

// call is how a call stands in the history.
func (r *Recording) call(c *tool.Call, name, title string, gaps []string) history.Call {
	out := history.Call{
		ID:    r.id,
		Time:  time.Now().UTC(),
		Tool:  name,
		Title: title,
		Gaps:  gaps,

		Parent: c.Parent,
	}
	if c.Session != nil {
		out.Session = c.Session.ID
	}
	if len(c.ID) <= maxCaller {
		out.Caller = c.ID
	}
	return out
}

// on tells whether there is something to record.
func (r *Recording) on() bool { return r.rec != nil && r.why == nil }

// fails notes why the call cannot be undone.
func (r *Recording) fails(err error) {
	if r.why == nil {
		r.why = err
	}
}

// Plan writes into the history what a set will change. It is called just before the set is made, with what is left of
// it: nothing that is held back.
func (r *Recording) Plan(tx *change.Transaction, set *change.Set) {
	if !r.on() {
		return
	}
	var err error
	r.set, err = r.rec.Record(tx, set)
	r.fails(err)
	r.Commit()
}

// Made says what became of the set.
func (r *Recording) Made(report *change.Report) {
	if r.on() && r.set != nil {
		r.ended(r.set.Made(report))
	}
}

// Makes adds a directory that the call will make.
func (r *Recording) Makes(dir fsroot.Path) {
	r.add(dir, change.Entry{Type: change.Dir, Mode: 0o755}, nil)
}

// Becomes adds a file that the call will write. It is written with the mode that it has.
func (r *Recording) Becomes(p fsroot.Path, content history.Content) {
	if !r.on() {
		return
	}
	will := change.Entry{Type: change.File, Mode: 0o644}
	now, err := r.rec.Look(r.place(p))
	r.fails(err)
	if now.Type == change.File {
		will.Mode = now.Mode & (fs.ModePerm | fs.ModeSticky)
	}
	r.add(p, will, content)
}

// Replaces is Becomes for a file that somebody holds unsaved: was is what they held.
func (r *Recording) Replaces(p fsroot.Path, was []byte, content history.Content) {
	if !r.on() {
		return
	}
	at := r.place(p)
	n, err := r.rec.AddHeld(at, was, content)
	r.fails(err)
	r.numbers[at] = n
}

// add adds one path. What is in the history already stays as it is there.
func (r *Recording) add(p fsroot.Path, will change.Entry, content history.Content) {
	at := r.place(p)
	if _, known := r.numbers[at]; known || !r.on() {
		return
	}
	n, err := r.rec.Add(at, will, content)
	r.fails(err)
	r.numbers[at] = n
}

// place is a path as the history names it.
func (r *Recording) place(p fsroot.Path) change.Place { return r.w.PlaceOf(p) }

// Commit writes what was added into the history. What it says is changed after that, and only then.
func (r *Recording) Commit() {
	if r.on() && !r.written {
		r.fails(r.rec.Commit())
		r.written = r.why == nil
	}
}

// Done says that all of it happened.
func (r *Recording) Done() {
	if r.on() && r.written {
		r.ended(r.rec.Done())
	}
}

// Refuse says that all of it happened but for this path.
func (r *Recording) Refuse(p fsroot.Path) {
	if r.on() && r.written {
		r.ended(r.rec.Done(r.numbers[r.place(p)]))
	}
}

// ended notes what the history has now.
func (r *Recording) ended(err error) {
	r.fails(err)
	if r.why == nil {
		r.changed = r.rec.Changes()
	}
}

// Close gives the history free. A second call does nothing.
func (r *Recording) Close() {
	if r.rec != nil {
		r.rec.Close()
	}
}

// Note is what a result says of a call that changed files and cannot be undone; "" if it can.
func (r *Recording) Note() string {
	if r.why == nil {
		return ""
	}
	return fmt.Sprintf("this cannot be undone: %v", r.why)
}

// UndoMeta is the metadata of a call that changed files.
type UndoMeta struct {
	Undo    string        `json:"undo,omitempty"`         // the call in the history: what helve undo takes
	Changes []ChangedFile `json:"changes,omitempty"`      // the files, at most MaxChanged
	More    int           `json:"more_changes,omitempty"` // how many others there are
}

// MaxChanged bounds the files in a result: who wants all of them asks the history.
const MaxChanged = 100

// A ChangedFile is what a call did to a file.
type ChangedFile struct {
	Path    string `json:"path"`           // relative to the first folder, or //name/… below another; a folder ends in /
	From    string `json:"from,omitempty"` // of one that was renamed
	Change  string `json:"change"`         // created, modified, deleted, renamed or mode
	Added   int    `json:"added"`          // lines
	Removed int    `json:"removed"`
}

// Meta is what the metadata of the result say; nothing where nothing is remembered.
func (r *Recording) Meta() UndoMeta { return r.MetaUpTo(MaxChanged) }

// MetaUpTo is meta with so many files at most.
func (r *Recording) MetaUpTo(most int) UndoMeta {
	if len(r.changed) == 0 {
		return UndoMeta{}
	}
	return r.MetaOf(r.w.ChangedFiles(r.changed, MaxChanged), most)
}

// MetaOf is meta with the first of these files.
func (r *Recording) MetaOf(files []ChangedFile, most int) UndoMeta {
	shown := min(len(files), most)
	return UndoMeta{
		Undo:    r.id,
		Changes: files[:shown],
		More:    len(files) - shown,
	}
}

// Files are what it changed, by file; nil: nothing, or nothing is known of it.
func (r *Recording) Files() []ChangedFile {
	if len(r.changed) == 0 {
		return nil
	}
	return r.w.ChangedFiles(r.changed, MaxChanged)
}

// ChangedFiles are what changes of the history did, by file. Lines are counted of at most so many.
func (w *Records) ChangedFiles(changes []history.Change, counted int) []ChangedFile {
	out := []ChangedFile{}
	for _, f := range w.kept.store.Files(changes, counted) {
		one := ChangedFile{
			Path:    w.ShownPath(f.Place),
			Change:  string(f.Change),
			Added:   f.Added,
			Removed: f.Removed,
		}
		if f.Dir {
			one.Path += "/"
		}
		if f.From != "" {
			one.From = w.ShownPath(change.Place{Root: f.Root, Path: f.From})
		}
		out = append(out, one)
	}
	return out
}
