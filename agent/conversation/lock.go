package conversation

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"helve/internal/state"
)

const (
	lockName   = "holder.lock" // locked by the process that holds the conversation, for as long as it lives
	holderName = "holder.json" // who that is; beside the lock, since Windows shows nobody what is locked

	maxHolder = 4 << 10
)

// A lock ends with its process, however that ends.
type lock struct{ file *flock.Flock }

// take takes the lock of a conversation, a dead process's too.
func take(dir, id string) (*lock, error) {
	l := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("conversation %s: %w", id, err)
	}
	if !ok {
		held := &HeldError{ID: id}
		if h := readHolder(dir); h != nil {
			held.Holder = *h
		}
		return nil, held
	}
	if err := writeHolder(dir); err != nil {
		_ = l.Unlock() // the first error says more
		return nil, fmt.Errorf("conversation %s: %w", id, err)
	}
	return &lock{l}, nil
}

// writeHolder says who holds a conversation. It is not waited for until the disk has it: with the machine's end it means
// nothing any more.
func writeHolder(dir string) error {
	b, err := json.Marshal(Holder{os.Getpid(), time.Now().UTC()})
	if err != nil {
		return err
	}
	fresh := filepath.Join(dir, "."+holderName) // another one at a time writes it: the lock is held
	if err := os.WriteFile(fresh, b, 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, filepath.Join(dir, holderName))
}

// release lets go. A second release does nothing.
func (l *lock) release() { _ = l.file.Unlock() } // what cannot be unlocked ends with the process

// heldBy tells whether a process holds a conversation, and which; nil: it cannot be told.
func heldBy(dir string) (*Holder, bool) {
	path := filepath.Join(dir, lockName)
	if _, err := os.Stat(path); err != nil {
		return nil, false
	}
	l := flock.New(path, flock.SetPermissions(0o600))
	ok, err := l.TryRLock()
	if err != nil {
		return nil, false
	}
	if ok {
		_ = l.Unlock()
		return nil, false
	}
	return readHolder(dir), true
}

func readHolder(dir string) *Holder {
	var h Holder
	b, err := state.Read(filepath.Join(dir, holderName), maxHolder)
	if err != nil || json.Unmarshal(b, &h) != nil || h.PID == 0 {
		return nil
	}
	return &h
}
