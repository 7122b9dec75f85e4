package search

import (
	"fmt"

	"github.com/gofrs/flock"
)

// lockFile takes a lock that ends with the process. It does not wait.
func lockFile(path string) (unlock func() error, err error) {
	l := flock.New(path, flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("index: lock %s: %w", path, err)
	case !ok:
		return nil, ErrIndexBusy
	}
	return l.Close, nil
}
