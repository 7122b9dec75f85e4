// Package record remembers what calls change in a workspace, so that it can be shown and undone.
package record

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"helve/builtin/internal/folders"
	"helve/builtin/internal/history"
	"helve/engine/sandbox"
	"helve/internal/change"
	"helve/internal/standin"
	"helve/internal/uncommitted"
	"helve/tool"
)

// ChangesDir is where the transactions of this workspace lie, "" without a place for state. Journals are followed for
// the same folders only, so each list of folders has a place of its own.
func (w *Records) ChangesDir() string {
	if w.State == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(w.RootDirs(), "\x00")))
	return filepath.Join(w.State, "changes", hex.EncodeToString(sum[:12]))
}

// repair finishes what a process had begun that was killed while it changed files.
func (w *Records) repair() {
	if w.ChangesDir() == "" {
		return
	}
	o := w.Changes()
	w.Unrepaired = errors.Join(
		change.Repair(context.Background(), o, w.Finished),
		change.Sweep(o, refusedTime, time.Now()),
		w.Uncommitted().Sweep(),
	)
}

// Made tells the trees of what was changed.
func (w *Records) Made(r *change.Report) {
	paths := make([][]string, len(w.Files.Roots()))
	places := make([]change.Place, 0, len(r.Made))
	for _, m := range r.Made {
		paths[m.Root] = append(paths[m.Root], string(m.Path))
		places = append(places, m.Place)
	}
	w.Accept(places...)
	w.TouchAll(paths)
}

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

// Options say what is remembered of what calls change; the fields are those of builtin.Options.
type Options struct {
	History     History
	Masked      []string // what no command can read
	Asks        func(target string) string
	DeniedWrite func(target string) bool
	Guarded     func(target string) string
}

// Records are what is remembered of what calls change in the folders of a workspace. They are safe for concurrent use.
type Records struct {
	*folders.Folders
	Options
	kept       keeper // what calls changed
	Unrepaired error  // why what an earlier process had begun to change could not be finished

	tasksMu sync.Mutex
	tasks   []*TaskRecord // of background commands that go on
}

// Open finishes what an earlier process had begun to change, and opens nothing else yet.
func Open(f *folders.Folders, o Options) *Records {
	w := &Records{Folders: f, Options: o}
	w.repair()
	return w
}

// A keeper opens the history when it is first needed. The zero value is ready.
type keeper struct {
	once  sync.Once
	store *history.Store
	err   error
}

// Remembers tells whether what calls change is remembered here, so that it can be shown and undone.
func (w *Records) Remembers() bool { return w.History.On && w.State != "" }

// Store is the workspace's history; nil, without an error, where nothing is remembered.
func (w *Records) Store() (*history.Store, error) {
	if !w.Remembers() {
		return nil, nil
	}
	w.kept.once.Do(func() {
		o := w.Changes()
		w.kept.store, w.kept.err = history.Open(history.Options{
			Dir:     w.HistoryDir(),
			Roots:   o.Roots,
			Work:    o.State,
			Guard:   o.Guard,
			Secret:  w.secret,
			Skip:    w.built,
			Own:     w.own,
			Denied:  w.DeniedAt,
			MaxFile: w.History.File,

			Finished: w.Finished,
		})
	})
	return w.kept.store, w.kept.err
}

// Uncommitted are the changes that were not made in this workspace; nil without a place for state.
func (w *Records) Uncommitted() *uncommitted.Store {
	if w.State == "" {
		return nil
	}
	return &uncommitted.Store{
		Dir:    filepath.Join(w.State, "uncommitted", w.digest()),
		Repair: func() error { return change.Repair(context.Background(), w.Changes(), nil) },
	}
}

// KnewFile is where it stands what git knew before unasked commands.
func (w *Records) KnewFile() string { return filepath.Join(w.State, "knew", w.digest()+".json") }

// HistoryDir is where the history lies.
func (w *Records) HistoryDir() string { return filepath.Join(w.State, "history", w.digest()) }

// digest names the workspace among others, by its first folder.
func (w *Records) digest() string {
	sum := sha256.Sum256([]byte(w.Dir()))
	return hex.EncodeToString(sum[:12])
}

// Changes are the options of transactions in this workspace: what undo makes, and what commands made.
func (w *Records) Changes() change.Options {
	return change.Options{
		Roots: w.RootDirs(),
		State: w.ChangesDir(),
		Guard: func(dir change.Place) (release func(), err error) {
			return w.Files.Hold(context.Background(), dir.Root, string(dir.Path))
		},
	}
}

// secret tells of a file whose content is not kept: its name says that it may hold secrets, a rule denies to read it,
// or commands never see it.
func (w *Records) secret(at change.Place) bool {
	target := w.TargetOf(at)
	if w.Secret(target) || w.Denied != nil && w.Denied(target) {
		return true
	}
	abs := filepath.Join(w.RootDirs()[at.Root], filepath.FromSlash(string(at.Path)))
	for _, m := range append(sandbox.DefaultMasked(), w.Masked...) {
		if rest, ok := strings.CutPrefix(m, "~/"); ok {
			m = filepath.Join(w.Getenv("HOME"), rest)
		}
		if abs == m || strings.HasPrefix(abs, m+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// AsksAt is Options.Asks for places; nil: there are none.
func (w *Records) AsksAt() func(change.Place) string {
	if w.Asks == nil {
		return nil
	}
	return func(at change.Place) string { return w.Asks(w.TargetOf(at)) }
}

// built tells of a folder that a build makes, and makes again: it may have more files than all the rest.
func (w *Records) built(at change.Place) bool {
	switch name := path.Base(string(at.Path)); name {
	case "node_modules", ".venv":
		return true
	case "target": // also a word of its own: only where a build tool that uses it is at home
		up := filepath.Join(w.RootDirs()[at.Root], filepath.FromSlash(path.Dir(string(at.Path))))
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
func (w *Records) own(at change.Place, e change.Entry) bool {
	if e.Type != change.Dir && e.Type != change.Socket {
		return false
	}
	root := w.RootDirs()[at.Root]
	abs := filepath.Join(root, filepath.FromSlash(string(at.Path)))
	if abs == w.State || w.Cache != "" && abs == w.Cache {
		return true
	}
	return standin.Is(root, string(at.Path))
}

// remembered is the history; an error where there is none.
func (w *Records) remembered() (*history.Store, error) {
	store, err := w.Store()
	if err == nil && store == nil {
		return nil, tool.Errorf(tool.Execution, "nothing is remembered here that could be undone").
			WithHint("history is switched off in the configuration, or there is no folder for it.")
	}
	if err != nil {
		return nil, HistoryError(err)
	}
	return store, nil
}

// HistoryError gives errors of the history a code and, where there is one, the next step.
func HistoryError(err error) error {
	var known *tool.Error
	words := strings.TrimPrefix(err.Error(), "history: ")
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, history.ErrNothing):
		return tool.Errorf(tool.Validation, "there is nothing to take back").
			WithHint("helve history lists what calls changed in this folder; edits of people are not in it, nor " +
				"what was done in another folder of which this one is a copy.")
	case errors.Is(err, history.ErrForce):
		return tool.Errorf(tool.Validation, "%s", words).
			WithHint("Force brings that back all the same: --force on the command line, else \"force\": true.")
	case errors.Is(err, history.ErrNoUndo):
		return tool.Errorf(tool.Validation, "there is nothing to redo").
			WithHint("redo does again what an undo took back last: helve history lists the undos.")
	case errors.Is(err, history.ErrUnknown):
		return tool.Errorf(tool.Validation, "%s", words).
			WithHint("helve history lists the calls; edits of people are not among them.")
	case errors.Is(err, history.ErrNotOwn):
		return tool.Errorf(tool.Permission, "%s", words).
			WithHint("A person can undo it: helve undo.")
	case errors.Is(err, history.ErrVersion):
		return tool.Errorf(tool.Execution, "%s", words).
			WithHint("Nothing of it was changed. Use the helve that wrote it, or forget it: helve history prune --all.")
	}
	return tool.Errorf(tool.Execution, "%s", words)
}

// DeniedAt tells whether rules keep a place from being read or written.
func (w *Records) DeniedAt(at change.Place) bool {
	target := w.TargetOf(at)
	read := w.Denied != nil && w.Denied(target)
	return read || w.DeniedWrite != nil && w.DeniedWrite(target)
}

// refusedTime is how long that stays which a command made and which was not put in place: long enough for a person to
// look for it after a holiday.
const refusedTime = 30 * 24 * time.Hour
