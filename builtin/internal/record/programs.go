package record

import (
	"errors"
	"path/filepath"
	"strings"

	"helve/builtin/internal/folders"
	"helve/builtin/internal/history"
	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/tool"
)

// Aim is the target of an effect on a path that another program names, which may lead out of the workspace. dir is
// where that program stands. inside tells that it lies in one of the workspace's folders.
func (w *Records) Aim(dir, path string) (target string, inside bool, err error) {
	p, err := w.Files.Resolve(dir, w.expanded(path))
	var out *fsroot.Error
	switch {
	case err == nil:
		return p.Target(), true, nil
	case errors.As(err, &out) && errors.Is(err, fsroot.ErrOutside) && filepath.IsAbs(out.Path):
		return filepath.ToSlash(resolvedAsFar(out.Path)), false, nil
	}
	return "", false, folders.ToolError(err)
}

// expanded is a path with the home for a ~ at its beginning, as shells and clients have it.
func (w *Records) expanded(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if home := w.Getenv("HOME"); ok && home != "" && (rest == "" || rest[0] == '/') {
		return home + rest
	}
	return path
}

// resolvedAsFar is a path with its links resolved, as far as it exists.
func resolvedAsFar(path string) string {
	for at, rest := path, ""; ; {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(at)
		if up == at {
			return path
		}
		at, rest = up, filepath.Join(filepath.Base(at), rest)
	}
}

// Await keeps what stands at paths in the workspace that another program is about to change, as the work of its tool.
// Settle takes the change into the history.
func (w *Records) Await(c *tool.Call, title string, dir string, paths []string) error {
	store, err := w.Store()
	if store == nil {
		return err
	}
	var at []change.Place
	for _, path := range paths {
		p, err := w.Files.Resolve(dir, w.expanded(path))
		if errors.Is(err, fsroot.ErrOutside) {
			continue
		}
		if err != nil {
			return folders.ToolError(err)
		}
		at = append(at, w.PlaceOf(p))
	}
	if len(at) == 0 {
		return nil
	}
	r := Recording{w: w}
	return store.See(r.call(c, c.Name, title, nil), at)
}

// Settle takes into the history what other programs changed that Await was told of, in one session; "" means all.
func (w *Records) Settle(session string) error {
	store, err := w.Store()
	if store == nil {
		return err
	}
	return store.Seen(session, newID)
}

// Settled is the history with what other programs changed meanwhile.
func (w *Records) Settled() (*history.Store, error) {
	store, err := w.remembered()
	if err != nil {
		return nil, err
	}
	if err := store.Seen("", newID); err != nil {
		return nil, HistoryError(err)
	}
	if err := w.settleLooks(store); err != nil {
		return nil, HistoryError(err)
	}
	return store, nil
}
