package history

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"helve/internal/change"
	"helve/internal/state"
)

const (
	// mostLooks bounds how many looks wait: a client makes some ten calls at a time. Beyond it the oldest go.
	mostLooks = 64
	// maxLook bounds what is kept of one beside its scan, in bytes: a call and a record.
	maxLook = 1 << 20
	// maxLooked bounds its scan, in bytes before they are packed: 500,000 entries.
	maxLooked = 128 << 20

	lookEnd  = ".json"
	scanEnd  = ".scan"
	lookLock = "looks"
)

// A Look is a workspace as it was before a command that another program runs. What the command changed is found out by
// another process, which hears of its end or looks meanwhile. It lies beside the journal.
//
// Whoever runs the command may hold a shared lock on its file (flock): then it is known that it runs.
type Look struct {
	Key   string          `json:"key"`  // names it: letters and digits
	Call  Call            `json:"call"` // whose work the changes are; ID and time are made then
	Since time.Time       `json:"since"`
	Note  json.RawMessage `json:"note,omitempty"` // the caller's own
	Roots []string        `json:"roots"`
	Why   string          `json:"why,omitempty"`  // why what it changed is not known; "": it is, or it changes nothing
	Over  bool            `json:"over,omitempty"` // it was compared for the last time
}

// Looks are those of a store.
type Looks struct{ s *Store }

// LooksOf are those that wait for the end of their commands.
func LooksOf(s *Store) Looks { return Looks{s} }

// looks is the folder of the looks. It is empty, or not there, where none waits.
func (o Options) looks() string { return filepath.Join(o.Dir, "looks") }

func (k Looks) file(key, end string) string { return filepath.Join(k.s.o.looks(), key+end) }

// File is where the look of a key lies.
func (k Looks) File(key string) string { return k.file(key, lookEnd) }

// Begin keeps a look, and, where scan says so, what stands in the workspace. Why that could not be looked at stands in
// the look: the command runs all the same.
func (k Looks) Begin(ctx context.Context, l Look, scan bool) error {
	if l.Key == "" || strings.Trim(l.Key, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return fmt.Errorf("history: %q is no name of a look", l.Key)
	}
	unlock, err := k.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	all, err := k.List()
	if err != nil {
		return err
	}
	for len(all) >= mostLooks {
		k.Forget(all[0].Key)
		all = all[1:]
	}
	l.Since, l.Roots = time.Now().UTC(), k.s.o.Roots
	if scan {
		if err := k.scan(ctx, l.Key); err != nil {
			l.Why = strings.TrimPrefix(err.Error(), "history: ")
		}
	}
	return k.keep(l)
}

func (k Looks) lock(ctx context.Context) (unlock func(), err error) {
	return state.LockFor(ctx, filepath.Join(k.s.o.Dir, "locks"), lookLock)
}

// scan keeps what stands in the workspace.
func (k Looks) scan(ctx context.Context, key string) error {
	sc, err := k.s.Scan(ctx)
	if err != nil {
		return err
	}
	return k.keepScan(key, sc)
}

func (k Looks) keep(l Look) error {
	text, err := json.Marshal(l)
	if err == nil && len(text) > maxLook {
		err = errors.New("history: a look is too long to be kept")
	}
	if err != nil {
		return err
	}
	if err := state.MakeDir(k.s.o.looks()); err != nil {
		return err
	}
	return state.Replace(k.File(l.Key), text, 0o600)
}

// List are those that wait, the oldest first. What cannot be read is of no use, and is removed.
func (k Looks) List() ([]Look, error) {
	list, err := os.ReadDir(k.s.o.looks())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Look
	for _, e := range list {
		key, ok := strings.CutSuffix(e.Name(), lookEnd)
		if !ok {
			continue
		}
		var l Look
		text, err := state.Read(filepath.Join(k.s.o.looks(), e.Name()), maxLook)
		if err != nil || json.Unmarshal(text, &l) != nil || l.Key != key {
			k.Forget(key)
			continue
		}
		out = append(out, l)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Since.Before(out[j].Since) })
	return out, nil
}

// Forget forgets a look, where there is one.
func (k Looks) Forget(key string) {
	os.Remove(k.file(key, scanEnd))
	os.Remove(k.File(key)) // with the scan gone, or another process was faster
}

// A LookEnd is what is known of the end of a look's command.
type LookEnd struct {
	Last  bool      // it has ended
	At    time.Time // when; what changed later is not its work. Zero: it is not known
	Never bool      // it never began
}

// Compare writes what changed since a look into the history, as a call of this ID. The look of a command that has ended
// is over then, and stays until it is forgotten. ok is false where there is none.
func (k Looks) Compare(ctx context.Context, key, id string, end LookEnd) (l Look, ok bool, err error) {
	unlock, err := k.lock(ctx)
	if err != nil {
		return Look{}, false, err
	}
	defer unlock()
	text, err := state.Read(k.File(key), maxLook)
	if err != nil || len(text) == 0 || json.Unmarshal(text, &l) != nil {
		return Look{}, false, err
	}
	if l.Over || !slices.Equal(l.Roots, k.s.o.Roots) { // a folder that is not open here would count as deleted
		return l, true, nil
	}
	if !end.Never {
		err := k.compare(ctx, l, id, end)
		if end.Last && errors.Is(err, context.DeadlineExceeded) { // nor would the next one come to an end
			l.Why, err = "it takes too long to look at what stands there now", nil
		}
		if err != nil {
			return l, true, err
		}
	}
	if !end.Last {
		return l, true, nil
	}
	l.Over = true
	os.Remove(k.file(key, scanEnd)) // it is not read again
	return l, true, k.keep(l)
}

// compareLook compares what stood with what stands, and keeps that for the next time.
func (k Looks) compare(ctx context.Context, l Look, id string, end LookEnd) error {
	sc, err := k.readScan(l.Key)
	if err != nil || sc == nil {
		return err
	}
	call := l.Call
	call.ID, call.Time = id, time.Now().UTC()
	how := comparing{running: !end.Last}
	if !end.At.IsZero() {
		how.until = end.At.UnixNano()
	}
	if _, err := k.s.compare(ctx, sc, call, how); err != nil || end.Last {
		return err
	}
	return k.keepScan(l.Key, sc)
}

// Runs tells that somebody holds a look.
func (k Looks) Runs(key string) bool {
	l := flock.New(k.File(key), flock.SetFlag(os.O_RDONLY))
	ok, err := l.TryLock()
	if ok {
		l.Close()
	}
	return err == nil && !ok
}

// A keptScan is a Scan as it lies in a file.
type keptScan struct {
	Entries []keptEntry    `json:"entries"`
	Git     []string       `json:"git"` // directories of git by root; "": it has none that serves
	Closed  []change.Place `json:"closed,omitempty"`
	Tops    []change.Entry `json:"tops"`
	Journal mark           `json:"journal"`
}

// A keptEntry is what stood at one place, and who has its content.
type keptEntry struct {
	change.Place
	Entry change.Entry `json:"was"`
	Kept  Digest       `json:"kept,omitempty"`
	Git   string       `json:"git,omitempty"`
}

func (k Looks) keepScan(key string, sc *Scan) error {
	out := keptScan{Closed: sc.closed, Tops: sc.tops, Journal: sc.journal}
	for at, e := range sc.entries {
		one := keptEntry{Place: at, Entry: e, Kept: sc.kept[at]}
		if g := sc.git[at.Root]; g != nil {
			one.Git = g.clean[at]
		}
		out.Entries = append(out.Entries, one)
	}
	for _, g := range sc.git {
		dir := ""
		if g != nil {
			dir = g.dir
		}
		out.Git = append(out.Git, dir)
	}
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	if len(text) > maxLooked {
		return fmt.Errorf("history: what stands at %d places is too much to be kept", len(out.Entries))
	}
	var packed bytes.Buffer
	z := k.s.objects.encoder(&packed)
	defer k.s.objects.encoders.Put(z)
	_, err = z.Write(text)
	if err = errors.Join(err, z.Close(), state.MakeDir(k.s.o.looks())); err != nil {
		return err
	}
	return state.Replace(k.file(key, scanEnd), packed.Bytes(), 0o600)
}

// readScan is a scan as it was kept; nil: there is none.
func (k Looks) readScan(key string) (*Scan, error) {
	packed, err := state.Read(k.file(key, scanEnd), maxLooked)
	if err != nil || len(packed) == 0 {
		return nil, err
	}
	z, err := k.s.objects.decoder(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	defer k.s.objects.decoders.Put(z)
	text, err := io.ReadAll(io.LimitReader(z, maxLooked+1))
	if err != nil {
		return nil, err
	}
	var kept keptScan
	if err := json.Unmarshal(text, &kept); err != nil {
		return nil, err
	}
	return kept.scan(len(k.s.o.Roots))
}

// scan is the Scan that was kept, of so many roots.
func (k keptScan) scan(roots int) (*Scan, error) {
	if len(k.Git) != roots || len(k.Tops) != roots {
		return nil, errors.New("history: a look is damaged")
	}
	sc := &Scan{
		entries: make(map[change.Place]change.Entry, len(k.Entries)),
		kept:    map[change.Place]Digest{},
		closed:  k.Closed,
		tops:    k.Tops,
		journal: k.Journal,
	}
	for _, dir := range k.Git {
		var g *gitStore
		if dir != "" {
			g = &gitStore{dir: dir, clean: map[change.Place]string{}}
		}
		sc.git = append(sc.git, g)
	}
	for _, e := range k.Entries {
		if e.Root < 0 || e.Root >= roots {
			return nil, errors.New("history: a look is damaged")
		}
		sc.entries[e.Place] = e.Entry
		if e.Kept != "" {
			sc.kept[e.Place] = e.Kept
		}
		if g := sc.git[e.Root]; g != nil && e.Git != "" {
			g.clean[e.Place] = e.Git
		}
	}
	return sc, nil
}
