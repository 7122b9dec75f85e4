package record

import (
	"os"
	"path/filepath"
	"time"

	"helve/builtin/internal/history"
	"helve/internal/state"
)

// pruneEvery is how often a workspace that is closed forgets what is too old: to look at everything that is kept takes
// tenths of a second.
const pruneEvery = 24 * time.Hour

// Prune forgets what calls did before a time, and the oldest beyond so many bytes as they are stored. Zero values are
// the bounds of Options.History. It returns how many calls were forgotten and how many bytes that freed.
func (w *Records) Prune(before time.Time, bytes int64) (calls int, freed int64, err error) {
	store, err := w.remembered()
	if err != nil {
		return 0, 0, err
	}
	if before.IsZero() {
		age := w.History.Age
		if age <= 0 {
			age = history.DefaultAge
		}
		before = time.Now().Add(-age)
	}
	if bytes <= 0 {
		bytes = w.History.Bytes
	}
	if bytes <= 0 {
		bytes = history.DefaultBytes
	}
	p, err := store.Prune(before, bytes)
	if err != nil {
		return 0, 0, HistoryError(err)
	}
	return p.Calls, p.Bytes, w.pruned()
}

// ForgetCalls forgets what the calls did that are meant, by their ID and Parent and by their session, and what took
// only such calls back. It returns how many there were and how many bytes that freed.
func (w *Records) ForgetCalls(meant func(names []string, session string) bool) (calls int, freed int64, err error) {
	store, err := w.remembered()
	if err != nil {
		return 0, 0, err
	}
	p, err := history.ForgetCalls(store, func(c *history.Call) bool {
		names := []string{c.ID}
		if c.Parent != "" {
			names = append(names, c.Parent)
		}
		return meant(names, c.Session)
	})
	if err != nil {
		return 0, 0, HistoryError(err)
	}
	return p.Calls, p.Bytes, nil
}

// Forget forgets what all calls did.
func (w *Records) Forget() error {
	store, err := w.remembered()
	if err != nil {
		return err
	}
	return store.Forget()
}

// prunedFile says by its time when the history was pruned.
func (w *Records) prunedFile() string { return filepath.Join(w.HistoryDir(), "pruned") }

// pruned notes that the history was pruned now.
func (w *Records) pruned() error { return state.Replace(w.prunedFile(), nil, 0o600) }

// PruneAtTimes prunes a history that was written to, once a day, or when much was added to it.
func (w *Records) PruneAtTimes() error {
	if w.kept.store == nil || !w.kept.store.Written() {
		return nil
	}
	st, err := os.Stat(w.prunedFile())
	switch {
	case os.IsNotExist(err):
		return w.pruned() // a new history
	case err != nil:
		return err
	case time.Since(st.ModTime()).Abs() < pruneEvery && w.kept.store.Added() < pruneAdded:
		return nil
	}
	_, _, err = w.Prune(time.Time{}, 0)
	return err
}

// pruneAdded is how many bytes of contents a workspace adds before it prunes whatever the time: an eighth of what is
// kept by default.
const pruneAdded = history.DefaultBytes / 8
