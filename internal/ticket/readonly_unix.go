//go:build unix

package ticket

import (
	"errors"
	"syscall"
)

// isReadOnly reports that a file system takes no changes.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
