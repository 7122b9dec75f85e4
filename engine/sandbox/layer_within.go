package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helve/internal/change"
)

const (
	// withinDir is the directory in which a layer within another one lies.
	withinDir = "within"
	// takenPrefix begins the name of the directory in which one lies that another one took, before the ID of the
	// transaction from which it came.
	takenPrefix = "layer-"
)

// isTaken tells the name of such a directory.
func isTaken(name string) bool {
	return strings.HasPrefix(name, takenPrefix) && name == filepath.Base(name)
}

// Within is a layer that lasts in another transaction of the same roots. It shows what this one shows now; what is
// changed in it is changed in it alone, until this one takes it. No command may run in this one meanwhile, and no view
// be open.
//
// It is a copy: what is in a layer may be written to in place, so that no file may be one of two layers.
func (l *Layer) Within(ctx context.Context, tx *change.Transaction) (*Layer, error) {
	w := NewLayer(tx)
	w.Last()
	w.at = withinDir
	if err := os.Mkdir(filepath.Join(tx.Folder(), withinDir), 0o700); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	if !l.laid() { // there is nothing in it
		return w, nil
	}
	w.since, w.mounts, w.held, w.parts = l.since, 1, l.held, slices.Clone(l.parts)
	for _, p := range l.parts {
		err := change.CopyUpper(ctx, w.path(p), l.path(p))
		if errors.Is(err, os.ErrNotExist) && !stands(l.path(p)) {
			continue // the root was read-only
		}
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// path is where the changes of a part lie, absolute.
func (l *Layer) path(p layerPart) string { return filepath.Join(l.tx.Folder(), string(l.upper(p))) }

func stands(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, os.ErrNotExist)
}

// Take has the layer hold what one holds that Within made of it, and nothing else: what was changed in this one since
// is lost. keep writes down where that lies, for Again; nil: nobody goes on with it. Who is killed before keep is done
// leaves the layer as it was. Where Take fails it is as it was, too. The other one is of no use any more. No command
// may run in either, and no view be open.
func (l *Layer) Take(w *Layer, keep func(at change.Name) error) error {
	at := change.Name(takenPrefix + w.tx.ID())
	err := os.Rename(filepath.Join(w.tx.Folder(), string(w.at)), filepath.Join(l.tx.Folder(), string(at)))
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	if keep != nil {
		if err := keep(at); err != nil {
			return errors.Join(err, l.tx.Remove(at))
		}
	}
	was := l.lies()
	l.at, l.since, l.held, l.parts = at, w.since, w.held, w.parts
	l.mounts = max(l.mounts, w.mounts)
	for _, name := range was {
		l.tx.Remove(name) // what cannot be removed now is removed by the next Again, or with the folder
	}
	return nil
}

// lies are the names in the transaction's folder of what the layer holds.
func (l *Layer) lies() []change.Name {
	if l.at != "" {
		return []change.Name{l.at}
	}
	var out []change.Name
	for _, p := range l.parts {
		out = append(out, p.upper())
	}
	return out
}
