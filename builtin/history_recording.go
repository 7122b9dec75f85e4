package builtin

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/internal/history"
	"helve/tool"
)

// A recording is a call on its way into the history. Without a history it does nothing, and where the history cannot be
// written the call goes on: what it changes then cannot be undone, and its result says why.
//
// It holds the history until close, so a call records when its work is done and its changes are about to be made.
type recording struct {
	w       *Workspace
	id      string
	rec     *history.Recording
	set     *history.Recorded
	numbers map[change.Place]int // of single paths in the record
	written bool                 // it is in the history
	changed []history.Change     // what it changed, once that is known
	why     error                // why it cannot be undone; nil: it can, or nothing is remembered
}

// record begins to record a call of the tool name. The gaps say in words what the call may have done besides. The
// caller must close it.
func (w *Workspace) record(c *tool.Call, name, title string, gaps ...string) *recording {
	r := &recording{
		w:       w,
		id:      newID(),
		numbers: map[change.Place]int{},
	}
	store, err := w.history()
	if store == nil {
		r.why = err
		return r
	}
	r.rec, r.why = store.Begin(r.call(c, name, title, gaps))
	return r
}

// newID names a call in the history: short enough to be typed.
func newID() string { return strings.ToLower(rand.Text()[:8]) }

// call is how a call stands in the history.
func (r *recording) call(c *tool.Call, name, title string, gaps []string) history.Call {
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
	return out
}

// on tells whether there is something to record.
func (r *recording) on() bool { return r.rec != nil && r.why == nil }

// fails notes why the call cannot be undone.
func (r *recording) fails(err error) {
	if r.why == nil {
		r.why = err
	}
}

// plan writes into the history what a set will change. It is called just before the set is made, with what is left of
// it: nothing that is held back.
func (r *recording) plan(tx *change.Transaction, set *change.Set) {
	if !r.on() {
		return
	}
	var err error
	r.set, err = r.rec.Record(tx, set)
	r.fails(err)
	r.commit()
}

// made says what became of the set.
func (r *recording) made(report *change.Report) {
	if r.on() && r.set != nil {
		r.ended(r.set.Made(report))
	}
}

// makes adds a directory that the call will make.
func (r *recording) makes(dir fsroot.Path) {
	r.add(dir, change.Entry{Type: change.Dir, Mode: 0o755}, nil)
}

// becomes adds a file that the call will write. It is written with the mode that it has.
func (r *recording) becomes(p fsroot.Path, content history.Content) {
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

// add adds one path. What is in the history already stays as it is there.
func (r *recording) add(p fsroot.Path, will change.Entry, content history.Content) {
	at := r.place(p)
	if _, known := r.numbers[at]; known || !r.on() {
		return
	}
	n, err := r.rec.Add(at, will, content)
	r.fails(err)
	r.numbers[at] = n
}

// place is a path as the history names it.
func (r *recording) place(p fsroot.Path) change.Place { return r.w.placeOf(p) }

// placeOf is a path as the history names it.
func (w *Workspace) placeOf(p fsroot.Path) change.Place {
	root := slices.Index(w.files.Roots(), p.Root())
	return change.Place{Root: root, Path: change.Name(p.Rel())}
}

// commit writes what was added into the history. What it says is changed after that, and only then.
func (r *recording) commit() {
	if r.on() && !r.written {
		r.fails(r.rec.Commit())
		r.written = r.why == nil
	}
}

// done says that all of it happened.
func (r *recording) done() {
	if r.on() && r.written {
		r.ended(r.rec.Done())
	}
}

// refuse says that all of it happened but for this path.
func (r *recording) refuse(p fsroot.Path) {
	if r.on() && r.written {
		r.ended(r.rec.Done(r.numbers[r.place(p)]))
	}
}

// ended notes what the history has now.
func (r *recording) ended(err error) {
	r.fails(err)
	if r.why == nil {
		r.changed = r.rec.Changes()
	}
}

// close gives the history free. A second call does nothing.
func (r *recording) close() {
	if r.rec != nil {
		r.rec.Close()
	}
}

// note is what a result says of a call that changed files and cannot be undone; "" if it can.
func (r *recording) note() string {
	if r.why == nil {
		return ""
	}
	return fmt.Sprintf("this cannot be undone: %v", r.why)
}

// undoMeta is the metadata of a call that changed files.
type undoMeta struct {
	Undo    string        `json:"undo,omitempty"`         // the call in the history: what helve undo takes
	Changes []changedFile `json:"changes,omitempty"`      // the files, at most maxChanged
	More    int           `json:"more_changes,omitempty"` // how many others there are
}

// maxChanged bounds the files in a result: who wants all of them asks the history.
const maxChanged = 100

// A changedFile is what a call did to a file.
type changedFile struct {
	Path    string `json:"path"`           // relative to the first folder, or //name/… below another; a folder ends in /
	From    string `json:"from,omitempty"` // of one that was renamed
	Change  string `json:"change"`         // created, modified, deleted, renamed or mode
	Added   int    `json:"added"`          // lines
	Removed int    `json:"removed"`
}

// meta is what the metadata of the result say; nothing where nothing is remembered.
func (r *recording) meta() undoMeta { return r.metaUpTo(maxChanged) }

// metaUpTo is meta with so many files at most.
func (r *recording) metaUpTo(most int) undoMeta {
	if len(r.changed) == 0 {
		return undoMeta{}
	}
	return r.metaOf(r.w.changedFiles(r.changed, maxChanged), most)
}

// metaOf is meta with the first of these files.
func (r *recording) metaOf(files []changedFile, most int) undoMeta {
	shown := min(len(files), most)
	return undoMeta{
		Undo:    r.id,
		Changes: files[:shown],
		More:    len(files) - shown,
	}
}

// told is what people and models are told of changes that nothing held back; nil where there are none.
func (r *recording) told() *changes {
	out := &changes{lasting: r.note()}
	if len(r.changed) == 0 {
		if r.why == nil {
			return nil
		}
		return out
	}
	files := r.w.changedFiles(r.changed, maxChanged)
	out.undo = r.metaOf(files, maxChanged)
	for _, f := range files {
		out.addFile(f)
	}
	return out
}

// changedFiles are what changes of the history did, by file. Lines are counted of at most so many.
func (w *Workspace) changedFiles(changes []history.Change, counted int) []changedFile {
	out := []changedFile{}
	for _, f := range w.kept.store.Files(changes, counted) {
		one := changedFile{
			Path:    w.shownPath(f.Place),
			Change:  string(f.Change),
			Added:   f.Added,
			Removed: f.Removed,
		}
		if f.Dir {
			one.Path += "/"
		}
		if f.From != "" {
			one.From = w.shownPath(change.Place{Root: f.Root, Path: f.From})
		}
		out = append(out, one)
	}
	return out
}

// shownPath is a place for people and models.
func (w *Workspace) shownPath(at change.Place) string {
	if at.Root < 0 || at.Root >= len(w.files.Roots()) {
		return fsroot.Quote(string(at.Path)) // of a folder that the workspace had once
	}
	return fsroot.Quote(w.targetOf(at))
}
