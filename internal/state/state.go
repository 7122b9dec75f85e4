// Package state keeps helve's own small files: private to the user, replaced as a whole or not at
// all, and changed by one process at a time.
package state

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

const (
	// lockWait is how long a change waits for another process: they take milliseconds.
	lockWait = 10 * time.Second
	lockPoll = 5 * time.Millisecond
)

// MakeDir makes a private folder, and those above it.
func MakeDir(dir string) error {
	if dir == "" {
		return errors.New("state: there is no folder for it: set HOME or XDG_STATE_HOME")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("state: %w: set XDG_STATE_HOME to a folder that you may write", err)
	}
	return nil
}

// Lock keeps other processes from the thing called name, until unlock is called. Its file lies in
// dir and stays there.
func Lock(dir, name string) (unlock func(), err error) {
	return LockFor(context.Background(), dir, name)
}

// LockFor is Lock for somebody who has less time to wait for another process than its ten seconds.
func LockFor(ctx context.Context, dir, name string) (unlock func(), err error) {
	if err := MakeDir(dir); err != nil {
		return nil, err
	}
	// A name may be a path of any length and any characters; the name of a file may not.
	sum := sha256.Sum256([]byte(name))
	file := filepath.Join(dir, hex.EncodeToString(sum[:8])+".lock")
	if st, err := os.Lstat(file); err == nil && st.Mode()&fs.ModeNamedPipe != 0 {
		return nil, fmt.Errorf("state: lock %s: it is a pipe", file) // whoever opens one waits for ever
	}
	l := flock.New(file, flock.SetPermissions(0o600))
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	ok, err := l.TryLock() // one that is free is had even when the time is over
	if err == nil && !ok {
		ok, err = l.TryLockContext(ctx, lockPoll)
	}
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	if err != nil || !ok {
		waited := time.Since(began).Round(time.Millisecond)
		return nil, fmt.Errorf("state: %s: another process has held it for %v: try again: %w", name, waited, ctx.Err())
	}
	return func() { l.Unlock() }, nil
}

// Replace writes a file as a whole: who reads it sees the old content or the new, also after a
// crash. A device, a pipe or a socket that stands there is not replaced: that is the system's.
func Replace(path string, data []byte, perm fs.FileMode) (err error) {
	if st, err := os.Lstat(path); err == nil && st.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return fmt.Errorf("write %s: it is no regular file", path)
	}
	// In the same folder: a rename is whole within one file system only.
	f, err := os.CreateTemp(filepath.Dir(path), ".helve-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Chmod(perm); err != nil {
		return err
	}
	// Before the rename: else a crash may leave the new name with nothing in it.
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Read reads a private file of at most limit bytes. A missing one is empty. What is no regular
// file, or too large, is an error.
func Read(path string, limit int64) ([]byte, error) {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > limit {
		return nil, fmt.Errorf("%s: is no regular file of at most %d bytes", path, limit)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit)) // it may have grown since it was looked at
}

// DamagedSuffix is what the name of a file ends in that keeps what could not be read of another.
const DamagedSuffix = ".damaged"

// KeepDamaged keeps beside a file what stands in it and cannot be read, before something else takes its place: nothing
// of a person's is lost for a byte that is wrong. An older such file goes. It returns the name.
func KeepDamaged(path string, content []byte) (string, error) {
	kept := path + DamagedSuffix
	return kept, Replace(kept, content, 0o600)
}

// Update changes a private file under its lock. change gets what stands, nil if there is nothing,
// and returns what is to stand; with an error nothing is written.
func Update(path string, limit int64, change func(old []byte) ([]byte, error)) error {
	unlock, err := Lock(filepath.Join(filepath.Dir(path), "locks"), path)
	if err != nil {
		return err
	}
	defer unlock()
	old, err := Read(path, limit)
	if err != nil {
		return err
	}
	data, err := change(old)
	if err != nil {
		return err
	}
	if int64(len(data)) > limit {
		return fmt.Errorf("%s: would grow beyond %d bytes", path, limit)
	}
	return Replace(path, data, 0o600)
}
