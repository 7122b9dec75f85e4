package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"helve/internal/state"
)

// maxRecords bounds what is remembered, in bytes: some files of clients, twice.
const maxRecords = 256 << 20

// A Store remembers what stood in the files of clients before helve wrote there. Dir is a private
// folder: such files hold keys.
type Store struct {
	Dir string
	Run string // names what one command writes, so that one undo takes back all of it; "": each change is alone
}

// A record is one change that was made.
type record struct {
	Client  string   `json:"client"`
	File    string   `json:"file"`
	Target  string   `json:"target"`
	Before  []byte   `json:"before"`
	Missing bool     `json:"missing,omitempty"`
	After   string   `json:"after"`             // the digest of what was written
	Folders []string `json:"folders,omitempty"` // made for the file, the outermost first
	Hooks   string   `json:"hooks,omitempty"`   // which of the client's files of hooks it is; "": that of its servers
	Run     string   `json:"run,omitempty"`     // as Store.Run
}

// An Undone is what became of one file.
type Undone struct {
	Client, File string

	// Whole says that the file is byte for byte what it was. Else somebody changed
	// it meanwhile, and only helve was taken out.
	Whole bool
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Apply writes a change. The file is replaced as a whole or not at all; one that is not what the
// plan saw any more stays as it is.
func (s Store) Apply(ch Change) error {
	unlock, err := state.Lock(filepath.Join(s.Dir, "locks"), "setup")
	if err != nil {
		return err
	}
	defer unlock()
	now, err := read(ch.Target)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return fmt.Errorf("%s: %w", ch.File, err)
	}
	if missing != ch.Missing || !bytes.Equal(now, ch.Before) {
		return fmt.Errorf("%s was changed meanwhile: nothing was written there, run the command again", ch.File)
	}
	records, err := s.load()
	if err != nil {
		return err
	}
	r := record{
		Client:  ch.Client.Name,
		File:    ch.File,
		Target:  ch.Target,
		Before:  ch.Before,
		Missing: ch.Missing,
		After:   digest(ch.After),
		Run:     s.Run,
	}
	mode := fs.FileMode(0o600) // clients keep keys in such files
	if ch.hooks != nil {
		r.Hooks = ch.hooks.name
		mode = ch.hooks.mode()
	}
	if r.Folders, err = folders(filepath.Dir(ch.Target)); err != nil {
		return err
	}
	// The record comes first: a change without one could not be taken back.
	if err := s.save(append(records, r)); err != nil {
		return err
	}
	if err := writeAs(ch.Target, ch.After, mode); err != nil {
		return errors.Join(err, s.save(records))
	}
	return nil
}

// folders makes a folder and those above it, and tells which were missing.
func folders(dir string) (made []string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil || filepath.Dir(at) == at {
			break
		}
		made = append(made, at)
	}
	slices.Reverse(made)
	return made, os.MkdirAll(dir, 0o755)
}

// write replaces a file and keeps its mode. A new one is the user's alone: clients keep keys in it.
func write(file string, text []byte) error { return writeAs(file, text, 0o600) }

// writeAs is write with a mode for a new file.
func writeAs(file string, text []byte, mode fs.FileMode) error {
	if st, err := os.Stat(file); err == nil {
		mode = st.Mode().Perm()
	}
	return state.Replace(file, text, mode)
}

// Undo brings back what the files held before, the newest change first. names are the clients
// meant; none means all. A change whose file
// cannot be written stays remembered, and the others go on.
func (s Store) Undo(names ...string) ([]Undone, error) { return s.undo(false, names) }

// UndoHooks is Undo of the clients' hooks, and of what the same commands wrote of their servers.
func (s Store) UndoHooks(names ...string) ([]Undone, error) { return s.undo(true, names) }

// A chosen is which changes are undone.
type chosen struct {
	names []string // of clients; none: all
	hooks bool     // those of hooks, and of the runs that made some
	runs  map[string]bool
}

func (w *chosen) has(r record) bool {
	if len(w.names) > 0 && !slices.Contains(w.names, r.Client) {
		return false
	}
	return !w.hooks || r.Hooks != "" || w.runs[r.Run]
}

// Serves tells whether a change of one of the clients' servers is remembered, none meaning all.
func (s Store) Serves(names ...string) bool {
	records, err := s.load()
	w := chosen{names: names}
	return err == nil && slices.ContainsFunc(records, func(r record) bool { return w.has(r) && r.Hooks == "" })
}

func (s Store) undo(hooks bool, names []string) ([]Undone, error) {
	unlock, err := state.Lock(filepath.Join(s.Dir, "locks"), "setup")
	if err != nil {
		return nil, err
	}
	defer unlock()
	records, err := s.load()
	if err != nil {
		return nil, err
	}
	var out []Undone
	var kept []record
	var errs []error
	meant := chosen{names: names, hooks: hooks, runs: map[string]bool{}}
	for _, r := range records {
		if r.Run != "" && r.Hooks != "" && meant.has(r) {
			meant.runs[r.Run] = true
		}
	}
	for _, r := range slices.Backward(records) {
		if !meant.has(r) {
			kept = append(kept, r)
			continue
		}
		u, err := r.undo()
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.File, err))
			kept = append(kept, r)
			continue
		}
		out = withUndone(out, u)
	}
	slices.Reverse(kept)
	return out, errors.Join(append(errs, s.save(kept))...)
}

// withUndone adds what became of a file, once for all changes of it: it is whole if each of them was.
func withUndone(all []Undone, u Undone) []Undone {
	for i := range all {
		if all[i].Client == u.Client && all[i].File == u.File {
			all[i].Whole = all[i].Whole && u.Whole
			return all
		}
	}
	return append(all, u)
}

func (r record) undo() (Undone, error) {
	u := Undone{Client: r.Client, File: r.File, Whole: true}
	now, err := read(r.Target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return u, nil // somebody removed it: there is nothing of ours
	case err != nil:
		return u, err
	}
	if err := writable(r.Target, false); err != nil {
		return u, err
	}
	if digest(now) != r.After {
		return r.takeOut(u, now)
	}
	if !r.Missing {
		return u, write(r.Target, r.Before)
	}
	if err := os.Remove(r.Target); err != nil {
		return u, plainer(err)
	}
	for _, dir := range slices.Backward(r.Folders) {
		os.Remove(dir) // it stays where others put something there
	}
	return u, nil
}

// takeOut removes helve from a file that was changed since.
func (r record) takeOut(u Undone, now []byte) (Undone, error) {
	u.Whole = false
	if r.Client == FormerName {
		return u, errors.New("was changed since helve stands there in place of " + FormerName + ": it stays as it is")
	}
	c, ok := Find(r.Client)
	if !ok {
		return u, fmt.Errorf("the client %q is not known to this version", r.Client)
	}
	unset := c.form.unset
	if r.Hooks == trusted { // what it trusts is not there any more, and nothing of ours starts from there
		return u, nil
	}
	if r.Hooks != "" {
		h := c.hookFile(r.Hooks)
		if h == nil {
			return u, fmt.Errorf("the hooks %q of %s are not known to this version", r.Hooks, c.Title)
		}
		unset = h.form.unset
	}
	without, err := unset(now)
	if err != nil {
		return u, err
	}
	if without == nil { // all of it was ours
		return u, plainer(os.Remove(r.Target))
	}
	return u, write(r.Target, without)
}

func (s Store) file() string { return filepath.Join(s.Dir, "setup.json") }

func (s Store) load() ([]record, error) {
	b, err := state.Read(s.file(), maxRecords)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	var out []record
	if err := json.Unmarshal(b, &out); err != nil {
		const lost = "what was there before is not known any more; remove the file to go on"
		return nil, fmt.Errorf("%s: %w: %s", s.file(), err, lost)
	}
	return out, nil
}

func (s Store) save(records []record) error {
	if len(records) == 0 {
		if err := os.Remove(s.file()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	b, err := json.Marshal(records)
	if err != nil {
		return err
	}
	return state.Replace(s.file(), b, 0o600)
}
