//go:build !linux

package child

import (
	"errors"

	"helve/script/internal/wire"
)

// bound: only Linux bounds the memory of a process.
func bound(*wire.Start) error {
	return errors.New("this system does not bound the memory of a process")
}
