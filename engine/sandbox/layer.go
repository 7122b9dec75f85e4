package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"helve/internal/change"
)

// A Layer holds back what one command changes in the roots of a transaction. The command sees its changes, everybody
// else sees the roots as they were; when the command has ended, [Layer.Set] tells what it would have changed, and the
// transaction can make that, or a part of it, or nothing.
//
// Its roots are those of the transaction. A layer is for one command, or for several that come after each other; see
// [Layer.Last], which may be started by several goroutines. The rest of it is for one.
type Layer struct {
	tx    *change.Transaction
	parts []layerPart
	at    change.Name // the directory of the transaction's folder in which it lies; "": that folder itself
	since int64       // when the command saw the roots, by the clock of the files

	memory int64 // bytes of memory that it may take; 0: it lies in the transaction's folder
	must   bool
	lasts  bool // see Last

	mu     sync.Mutex // of what follows, and of parts, while commands are started
	held   bool
	mounts int    // how often it was laid over the roots, where it lasts
	why    string // why nothing was held back

	bring func(upper change.Name) error // copies a root's layer from elsewhere before it is read; nil: it is there

	// Through is called before a command starts whose changes nothing holds back. Nil: nobody wants to know.
	Through func()
}

// ErrNoLayer: nothing can be held back, and the layer is required. The command was not run.
var ErrNoLayer = errors.New("sandbox: what the command changes cannot be held back")

// ErrNoOverlay is the [ErrNoLayer] of a machine that lays no overlay over the roots, whichever command asks. It does
// not change soon.
var ErrNoOverlay = fmt.Errorf("%w: %s", ErrNoLayer, noOverlay)

const noOverlay = "this machine lays no overlay over the workspace"

// A layerPart lies over one root.
type layerPart struct {
	root int // its index in the transaction
	path string
}

// NewLayer prepares a layer in a transaction's folder. Roots that lie in other ones are held back with those. Paths
// must have their links resolved, as those of Options.Roots are when the command starts.
func NewLayer(tx *change.Transaction) *Layer {
	l := &Layer{tx: tx}
	roots := tx.Roots()
	for i, r := range roots {
		inner := false
		for j, other := range roots {
			inner = inner || i != j && r != other && inside(r, other)
		}
		if !inner {
			l.parts = append(l.parts, layerPart{i, r})
		}
	}
	return l
}

// Held reports that the command which was started with this layer changes nothing but it. False: it changes the roots
// themselves, and Why tells the reason.
func (l *Layer) Held() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

// holds notes that something was started which changes nothing but the layer. What could not be started later changes
// nothing of that.
func (l *Layer) holds() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = true
}

// Require has Start refuse a command of which nothing can be held back, with ErrNoLayer. Without it such a command
// changes the roots themselves.
func (l *Layer) Require() { l.must = true }

// Last has the layer be there for several commands, one after another: each sees what those before it changed, and so
// does who opens a [View] between them. Commands that only read see it too, and any number of them at once. Such a layer
// is required, and lies in the transaction's folder.
func (l *Layer) Last() { l.lasts, l.must = true, true }

// Again has a layer that lasts go on in a resumed folder, where another process left it: it was there since a moment
// that Since told, and at is what Take last gave it to keep; "": it took nothing. What the kernel had beside it there
// is removed, and what it was before it took another one, or was to take.
func (l *Layer) Again(since int64, at change.Name) error {
	if at != "" && !isTaken(string(at)) {
		return fmt.Errorf("sandbox: %q is no layer", at)
	}
	l.Last()
	l.since, l.mounts, l.held, l.at = since, 1, true, at
	entries, err := os.ReadDir(l.tx.Folder())
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		over := isTaken(name) && name != string(at) || at != "" && strings.HasPrefix(name, upperPrefix)
		if !over && !strings.HasPrefix(name, "work-") { // the kernel wants a new one each time
			continue
		}
		if err := l.tx.Remove(change.Name(name)); err != nil {
			return fmt.Errorf("sandbox: %w", err)
		}
	}
	return nil
}

// Moved is the same layer for another transaction of the same roots, whose folder lies on the same file system: what was
// changed goes to that folder. Nothing is known of it in this one any more. What was read of it must have been put back
// (change.Transaction.PutMarksBack); no command may run in it, and no view be open.
func (l *Layer) Moved(tx *change.Transaction) (*Layer, error) {
	out := NewLayer(tx)
	for _, p := range l.parts {
		err := os.Rename(l.path(p), filepath.Join(tx.Folder(), string(p.upper())))
		if err != nil && !errors.Is(err, os.ErrNotExist) { // the root was read-only
			return nil, fmt.Errorf("sandbox: %w", err)
		}
	}
	return out, out.Again(l.since, "")
}

// laid tells that the layer is there from an earlier command or view.
func (l *Layer) laid() bool { return l.lasts && l.mounts > 0 }

// Copied is the same layer for another transaction of the same roots: Set copies it to that one's folder, and leaves
// this one as it is. No command may run in it meanwhile, and no view be open.
func (l *Layer) Copied(tx *change.Transaction) *Layer {
	from := filepath.Join(l.tx.Folder(), string(l.at))
	return &Layer{tx: tx, parts: l.parts, since: l.since, held: l.held, bring: func(upper change.Name) error {
		at := filepath.Join(from, string(upper))
		if _, err := os.Lstat(at); err != nil {
			return err
		}
		return tx.CopyLayer(upper, at)
	}}
}

// Uppers are where the layer's changes lie in the transaction's folder, by the index of the root.
func (l *Layer) Uppers() map[int]change.Name {
	out := map[int]change.Name{}
	for _, p := range l.parts {
		out[p.root] = l.upper(p)
	}
	return out
}

// InMemory has the layer lie in so many bytes of memory while the command runs, where the file system of the
// transaction's folder can hold none: another overlay, for example. What a command writes beyond that fails, as on a
// full disk. When the command has ended, the layer is copied to the folder.
func (l *Layer) InMemory(bytes int64) { l.memory = bytes }

// Memory is what InMemory was given, 0 for a layer in the transaction's folder.
func (l *Layer) Memory() int64 { return l.memory }

// Why says in a few words why nothing is held back; "" if it is, or if no command was started yet.
func (l *Layer) Why() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.why
}

// through tells that the command will change the roots themselves.
func (l *Layer) through() {
	if l != nil && l.Through != nil {
		l.Through()
	}
}

// Since is when the command saw the roots, in nanoseconds since 1970, by the clock that stamps files.
func (l *Layer) Since() int64 { return l.since }

// upper is where the part's changes are kept in the transaction's folder, and work what the kernel needs beside it,
// anew each time.
func (p layerPart) upper() change.Name    { return change.Name(upperPrefix + strconv.Itoa(p.root)) }
func (p layerPart) work(mount int) string { return fmt.Sprintf("work-%d-%d", p.root, mount) }

const upperPrefix = "upper-"

// upper is where the changes of a part lie.
func (l *Layer) upper(p layerPart) change.Name {
	return change.Name(path.Join(string(l.at), string(p.upper())))
}

// Place is how the layer's set names a place: what lies in a root that is in another one is the other one's.
func (l *Layer) Place(at change.Place) change.Place {
	root := l.tx.Roots()[at.Root]
	for _, p := range l.parts {
		if p.root == at.Root || root == p.path || !inside(root, p.path) {
			continue
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(root, p.path), "/")
		return change.Place{Root: p.root, Path: change.Name(path.Join(rel, string(at.Path)))}
	}
	return at
}

// Touched tells whether anything was changed in a layer that lasts. What is no change in the end counts too.
func (l *Layer) Touched() (bool, error) {
	if l.mounts == 0 {
		return false, nil
	}
	for _, p := range l.parts {
		d, err := os.Open(filepath.Join(l.tx.Folder(), string(l.upper(p))))
		if err != nil {
			return false, fmt.Errorf("sandbox: %w", err)
		}
		names, err := d.Readdirnames(1)
		d.Close()
		if len(names) > 0 || err != nil && !errors.Is(err, io.EOF) {
			return true, nil
		}
	}
	return false, nil
}
