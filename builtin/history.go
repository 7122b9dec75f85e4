package builtin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/engine/sandbox"
	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/internal/history"
	"helve/tool"
)

// History says what is remembered of what calls change, so that it can be undone. The zero value remembers nothing; so
// does a workspace without a folder for state.
type History struct {
	On bool

	// File is up to how many bytes the content of a file is kept; of larger ones only the digest is. 0: 64 MiB.
	File int64
	// Age and Bytes bound what is kept: calls that are older, and the oldest ones beyond so many bytes as they are
	// stored, are forgotten. 0: 30 days, 2 GiB.
	Age   time.Duration
	Bytes int64
}

// A keeper opens the history when it is first needed. The zero value is ready.
type keeper struct {
	once  sync.Once
	store *history.Store
	err   error
}

// history is the workspace's history; nil, without an error, where nothing is remembered.
func (w *Workspace) history() (*history.Store, error) {
	if !w.opts.History.On || w.opts.State == "" {
		return nil, nil
	}
	w.kept.once.Do(func() {
		o := w.changes()
		w.kept.store, w.kept.err = history.Open(history.Options{
			Dir:     w.historyDir(),
			Roots:   o.Roots,
			Work:    o.State,
			Guard:   o.Guard,
			Secret:  w.secret,
			Skip:    w.built,
			Own:     w.own,
			Denied:  w.deniedAt,
			MaxFile: w.opts.History.File,
		})
	})
	return w.kept.store, w.kept.err
}

// historyDir is where the history lies.
func (w *Workspace) historyDir() string { return filepath.Join(w.opts.State, "history", w.digest()) }

// digest names the workspace among others, by its first folder.
func (w *Workspace) digest() string {
	sum := sha256.Sum256([]byte(w.Dir()))
	return hex.EncodeToString(sum[:12])
}

// changes are the options of transactions in this workspace: what undo makes, and what commands made.
func (w *Workspace) changes() change.Options {
	return change.Options{
		Roots: w.dirs(),
		State: w.changesDir(),
		Guard: func(dir change.Place) (release func(), err error) {
			return w.files.Hold(context.Background(), dir.Root, string(dir.Path))
		},
	}
}

// secret tells of a file whose content is not kept: a rule denies to read it, or commands never see it.
func (w *Workspace) secret(at change.Place) bool {
	if w.opts.Denied != nil && w.opts.Denied(w.targetOf(at)) {
		return true
	}
	abs := filepath.Join(w.dirs()[at.Root], filepath.FromSlash(string(at.Path)))
	for _, m := range append(sandbox.DefaultMasked(), w.opts.Sandbox.Masked...) {
		if rest, ok := strings.CutPrefix(m, "~/"); ok {
			m = filepath.Join(w.getenv("HOME"), rest)
		}
		if abs == m || strings.HasPrefix(abs, m+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// targetOf is a place as the target of an effect.
func (w *Workspace) targetOf(at change.Place) string {
	return rootPrefix(w.files.Roots()[at.Root]) + string(at.Path)
}

// built tells of a folder that a build makes, and makes again: it may have more files than all the rest.
func (w *Workspace) built(at change.Place) bool {
	switch name := path.Base(string(at.Path)); name {
	case "node_modules", ".venv":
		return true
	case "target": // also a word of its own: only where a build tool that uses it is at home
		up := filepath.Join(w.dirs()[at.Root], filepath.FromSlash(path.Dir(string(at.Path))))
		for _, sign := range []string{"Cargo.toml", "pom.xml", "build.sbt"} {
			if _, err := os.Lstat(filepath.Join(up, sign)); err == nil {
				return true
			}
		}
	}
	return false
}

// own tells of the folders in which helve keeps its state and its indexes, where they lie in the workspace: while a
// command runs, they change for other reasons.
func (w *Workspace) own(at change.Place) bool {
	abs := filepath.Join(w.dirs()[at.Root], filepath.FromSlash(string(at.Path)))
	return abs == w.opts.State || w.opts.Cache != "" && abs == w.opts.Cache
}

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
func (r *recording) place(p fsroot.Path) change.Place {
	root := slices.Index(r.w.files.Roots(), p.Root())
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
	Path    string `json:"path"`           // relative to the first folder, or //name/… below another
	From    string `json:"from,omitempty"` // of one that was renamed
	Change  string `json:"change"`         // created, modified, deleted, renamed or mode
	Added   int    `json:"added"`          // lines
	Removed int    `json:"removed"`
}

// meta is what the metadata of the result say; nothing where nothing is remembered.
func (r *recording) meta() undoMeta {
	if len(r.changed) == 0 {
		return undoMeta{}
	}
	files := r.w.changedFiles(r.changed, maxChanged)
	shown := min(len(files), maxChanged)
	return undoMeta{
		Undo:    r.id,
		Changes: files[:shown],
		More:    len(files) - shown,
	}
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

// A scanned is a workspace as it was before a command that changes it directly, because nothing holds its changes back.
type scanned struct {
	w    *Workspace
	scan *history.Scan
	why  error
}

// scan looks at the workspace. It is called just before such a command starts.
func (w *Workspace) scan(ctx context.Context) *scanned {
	s := &scanned{w: w}
	store, err := w.history()
	if store == nil {
		s.why = err
		return s
	}
	s.scan, s.why = store.Scan(ctx)
	return s
}

// changes looks again when the command has ended, and writes what it changed into the history; nil where nothing was
// changed, or nothing is remembered, as by a nil scanned. What a command did outside the workspace, nobody knows.
func (s *scanned) changes(ctx context.Context, call *tool.Call, c *command) *changes {
	if s == nil {
		return nil
	}
	r := &recording{w: s.w, id: newID(), why: s.why}
	if s.scan != nil && s.why == nil {
		const gap = "it changed the workspace directly: what it did between two looks, and outside, is not known"
		past := r.call(call, "bash", c.in.String(), []string{gap})
		r.changed, r.why = s.w.kept.store.Compare(ctx, s.scan, past)
	}
	if len(r.changed) == 0 && r.why == nil {
		return nil
	}
	out := &changes{undo: r.meta(), lasting: r.note()}
	paths := make([][]string, len(s.w.files.Roots()))
	for _, ch := range r.changed {
		paths[ch.Root] = append(paths[ch.Root], string(ch.Path))
	}
	s.w.touchAll(paths)
	return out
}
