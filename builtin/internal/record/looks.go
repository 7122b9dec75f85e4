package record

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"helve/builtin/internal/history"
	"helve/internal/ticket"
	"helve/tool"
)

// clientGap is what the history says of every command that a client runs in a sandbox of its own.
const clientGap = "it ran in a sandbox of the client's, and changed the workspace directly: what it did between two " +
	"looks, and outside, is not known, and what people changed meanwhile counts as its own"

// lookWait is how long a command may not have begun whose look waits: clients ask the person before.
const lookWait = 10 * time.Minute

// settleTime bounds how long whoever looks at the history waits for what such a command changed.
const settleTime = 10 * time.Second

// Look looks at the workspace before another program runs a command in a place where nothing of it can be held back;
// changes says that it may change something. key names it (letters and digits), and note is told when it is over. What
// it changes is taken into the history by Looked, in whatever process, and by whoever looks at the history meanwhile.
//
// file is what the command holds a lock on while it runs; "": nothing is remembered here.
func (w *Records) Look(
	ctx context.Context, c *tool.Call, key, title string, note json.RawMessage, changes bool,
) (file string, err error) {
	store, err := w.Store()
	if store == nil {
		return "", err
	}
	r := Recording{w: w}
	past := r.call(c, c.Name, title, []string{clientGap})
	past.Parent = c.AsParent()
	if err := history.LooksOf(store).Begin(ctx, history.Look{Key: key, Call: past, Note: note}, changes); err != nil {
		return "", err
	}
	return history.LooksOf(store).File(key), nil
}

// Looked takes into the history what the command of a key changed, which has ended; told says that its client says so:
// one that nobody saw begin changed nothing. ok is false where no look of it waits. why is what of it cannot be undone.
func (w *Records) Looked(ctx context.Context, key string, told bool) (note json.RawMessage, ok bool, why error) {
	store, err := w.Store()
	if store == nil {
		return nil, false, err
	}
	began, at := ticket.Ended(ticket.EndName(key))
	end := history.LookEnd{Last: true, At: at, Never: !began && !told}
	l, ok, err := history.LooksOf(store).Compare(ctx, key, newID(), end)
	if err == nil && l.Why != "" {
		err = errors.New(l.Why)
	}
	return l.Note, ok, err
}

// Unlook forgets a look.
func (w *Records) Unlook(key string) {
	if store, err := w.Store(); err == nil && store != nil {
		history.LooksOf(store).Forget(key)
	}
}

// Ended are the keys of the commands whose end nobody told: that were looked at for the last time, or do not run,
// and of which over says that they will not. The oldest come first.
func (w *Records) Ended(over func(note json.RawMessage) bool) ([]string, error) {
	store, err := w.Store()
	if store == nil {
		return nil, err
	}
	all, err := history.LooksOf(store).List()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range all {
		late := time.Since(l.Since).Abs() > lookWait
		if l.Over || !history.LooksOf(store).Runs(l.Key) && (late || over(l.Note)) {
			out = append(out, l.Key)
		}
	}
	return out, nil
}

// settleLooks takes into the history what commands changed until now that other programs run, or ran.
func (w *Records) settleLooks(store *history.Store) error {
	all, err := history.LooksOf(store).List()
	if err != nil {
		return err
	}
	for _, l := range all {
		began, at := ticket.Ended(ticket.EndName(l.Key))
		runs := history.LooksOf(store).Runs(l.Key)
		if !runs && !began {
			continue // it was not begun, or only its client knows
		}
		end := history.LookEnd{Last: !runs, At: at}
		ctx, stop := context.WithTimeout(context.Background(), settleTime)
		_, _, err := history.LooksOf(store).Compare(ctx, l.Key, newID(), end)
		stop()
		if err != nil && !(runs && errors.Is(err, context.DeadlineExceeded)) { // of one that runs the next one may know
			return err
		}
	}
	return nil
}
