package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"helve/internal/state"
)

// trusted names, among a client's hooks, the file in which it notes itself that it trusts them.
const trusted = "trust"

// Keep remembers what a client's file holds before the client itself changes it on our behalf. The function that it
// returns is called after that: Undo then brings the file back, unless somebody changed it since.
func (s Store) Keep(client, file string) (done func() error, err error) {
	at, err := target(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	before, err := read(at)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return func() error {
		now, err := read(at)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !missing && bytes.Equal(now, before) {
			return nil
		}
		if err != nil {
			return err
		}
		unlock, err := state.Lock(filepath.Join(s.Dir, "locks"), "setup")
		if err != nil {
			return err
		}
		defer unlock()
		records, err := s.load()
		if err != nil {
			return err
		}
		r := record{Client: client, File: file, Target: at, Before: before, Missing: missing, After: digest(now)}
		r.Hooks, r.Run = trusted, s.Run
		return s.save(append(records, r))
	}, nil
}
