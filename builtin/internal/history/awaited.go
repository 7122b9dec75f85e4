package history

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helve/internal/change"
	"helve/internal/state"
)

const (
	// awaitAge is how long what stood somewhere waits for the change: a client may ask its person in between.
	awaitAge = 24 * time.Hour
	// mostAwaited bounds how many wait: a client makes some ten calls at a time.
	mostAwaited = 256
	// maxAwaited bounds one, in bytes: a patch of some thousand files.
	maxAwaited = 8 << 20
)

// An awaited change has what stood at some places just before another program changes them. It lies beside the journal, since the
// process that looked ends before the change comes.
type awaited struct {
	mark
	Call  Call    `json:"call"` // whose work the change will be; its ID and time are made then
	Stood []stood `json:"stood"`

	file string
}

// A stood is what stood at one place.
type stood struct {
	change.Place
	Was State `json:"was,omitzero"`
}

// See keeps what stands at places that another program is about to change, as the work of a call. What became of them
// is found out by [Store.Seen]. Folders on the way that are not there yet count with them.
func (s *Store) See(c Call, at []change.Place) error {
	r, err := s.Begin(c)
	if err != nil {
		return err
	}
	defer r.Close()
	all, err := s.awaiting().all()
	if err != nil {
		return err
	}
	for len(all) >= mostAwaited {
		os.Remove(all[0].file) // fails where another process was faster
		all = all[1:]
	}
	x := awaited{Call: c}
	if x.mark, err = markOf(s.journal()); err != nil {
		return err
	}
	for _, p := range at {
		if err := x.look(r, p); err != nil {
			return err
		}
	}
	return s.awaiting().keep(&x)
}

// look adds a place, after the folders above it that are missing.
func (x *awaited) look(r *Recording, at change.Place) error {
	t, err := r.tree(at.Root)
	if err != nil {
		return err
	}
	var missing []stood
	for up := at.Parent(); up.Path != "."; up = up.Parent() {
		e, err := t.Look(up.Path)
		if err != nil {
			return err
		}
		if e.Type != change.None {
			break
		}
		missing = append(missing, stood{Place: up})
	}
	was, err := r.keepNow(t, at)
	if err != nil {
		return err
	}
	slices.Reverse(missing)
	x.Stood = append(append(x.Stood, missing...), stood{at, was})
	return nil
}

// An awaitedDir is the folder of what waits.
type awaitedDir string

func (s *Store) awaiting() awaitedDir { return awaitedDir(filepath.Join(s.o.Dir, "seen")) }

func (d awaitedDir) keep(x *awaited) error {
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	if len(text) > maxAwaited {
		return fmt.Errorf("history: what stands at %d places is too much to be kept", len(x.Stood))
	}
	if err := state.MakeDir(string(d)); err != nil {
		return err
	}
	name := x.At.Format("20060102T150405.000000000") + "-" + rand.Text()[:8] + ".json"
	return state.Replace(filepath.Join(string(d), name), text, 0o600)
}

// all are those that wait, the oldest first. What cannot be read is of no use, and is removed.
func (d awaitedDir) all() ([]*awaited, error) {
	list, err := os.ReadDir(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []*awaited
	for _, e := range list {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue // on its way
		}
		x := &awaited{file: filepath.Join(string(d), e.Name())}
		text, err := state.Read(x.file, maxAwaited)
		if err != nil || json.Unmarshal(text, x) != nil {
			os.Remove(x.file)
			continue
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b *awaited) int { return a.At.Compare(b.At) })
	return out, nil
}

// Waiting tells whether [Store.See] kept something that [Store.Seen] has not settled.
func (s *Store) Waiting() bool {
	list, err := os.ReadDir(string(s.awaiting()))
	return err == nil && len(list) > 0
}

// Seen writes what became of the places that See looked at into the history. session is the one whose calls are meant;
// "" means all. What still stands as it did waits on, a day at most: the change may come yet. newID names the calls.
func (s *Store) Seen(session string, newID func() string) error {
	if !s.Waiting() {
		return nil
	}
	all, err := s.awaiting().all()
	if err != nil {
		return err
	}
	var errs []error
	for _, x := range all {
		if session != "" && x.Call.Session != session {
			continue
		}
		x.Call.ID = newID()
		done, err := x.settle(s)
		if done || err == nil && time.Since(x.At) > awaitAge {
			err = os.Remove(x.file)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// settle compares what stood with what stands now; done tells that something changed.
func (x *awaited) settle(s *Store) (done bool, err error) {
	x.Call.Time = time.Now().UTC()
	r, err := s.Begin(x.Call)
	if err != nil {
		return false, err
	}
	defer r.Close()
	if _, err := os.Lstat(x.file); err != nil {
		return false, nil // another process settled it meanwhile
	}
	between, err := s.since(x.mark)
	if err != nil {
		return false, err
	}
	for _, at := range x.Stood {
		if !s.known(at.Place) {
			continue
		}
		if others, changed := between[at.Place]; changed {
			at.Was = others
		}
		if err := r.addSeen(at); err != nil {
			return false, err
		}
	}
	if len(r.call.Changes) == 0 {
		return false, nil
	}
	if err := r.Commit(); err != nil {
		return false, err
	}
	return true, r.Done()
}

// addSeen adds what became of one place; nothing where it stands as it did.
func (r *Recording) addSeen(at stood) error {
	t, err := r.tree(at.Root)
	if err != nil {
		return err
	}
	_, now, err := r.keepMoving(t, at.Place)
	if err != nil {
		return err
	}
	if now.same(at.Was) {
		return nil
	}
	was := at.Was
	if was.Lost == "" && was.Type == change.File && !r.s.objects.has(was.Object) {
		was.Lost = "its earlier content was forgotten before the change came"
	}
	r.call.Changes = append(r.call.Changes, Change{Place: at.Place, Was: was, Now: now})
	return nil
}
