package builtin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"helve/engine/sandbox"
	"helve/internal/change"
	"helve/internal/history"
	"helve/internal/standin"
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

// Remembers tells whether what calls change is remembered here, so that it can be shown and undone.
func (w *Workspace) Remembers() bool { return w.opts.History.On && w.opts.State != "" }

// history is the workspace's history; nil, without an error, where nothing is remembered.
func (w *Workspace) history() (*history.Store, error) {
	if !w.Remembers() {
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

// secret tells of a file whose content is not kept: its name says that it may hold secrets, a rule denies to read it,
// or commands never see it.
func (w *Workspace) secret(at change.Place) bool {
	target := w.targetOf(at)
	if w.opts.Secret(target) || w.opts.Denied != nil && w.opts.Denied(target) {
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

// asks is Options.Asks for places; nil: there are none.
func (w *Workspace) asks() func(change.Place) string {
	if w.opts.Asks == nil {
		return nil
	}
	return func(at change.Place) string { return w.opts.Asks(w.targetOf(at)) }
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
// command runs, they change for other reasons. What an earlier version left there is helve's, too.
func (w *Workspace) own(at change.Place, e change.Entry) bool {
	if e.Type != change.Dir && e.Type != change.Socket {
		return false
	}
	root := w.dirs()[at.Root]
	abs := filepath.Join(root, filepath.FromSlash(string(at.Path)))
	if abs == w.opts.State || w.opts.Cache != "" && abs == w.opts.Cache {
		return true
	}
	return standin.Is(root, string(at.Path))
}

// directGap is what the history says of every command that nothing holds back.
const directGap = "it changed the workspace directly: what it did between two looks, and outside, is not known, and " +
	"what people changed meanwhile counts as its own"

// A scanned is a workspace as it was before a command that changes it directly, because nothing holds its changes back.
type scanned struct {
	w    *Workspace
	scan *history.Scan
	why  error
}

// scan looks at the workspace. It is called just before such a command starts. What background commands changed until
// then is theirs.
func (w *Workspace) scan(ctx context.Context) *scanned {
	w.lookAtTasks(ctx)
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
		past := r.call(call, "bash", c.in.String(), []string{directGap})
		r.changed, r.why = s.w.kept.store.Compare(ctx, s.scan, past)
	}
	s.w.touchChanges(r.changed)
	return r.told()
}
