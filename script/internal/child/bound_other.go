//go:build !linux

package child

import "errors"

// bound: only Linux bounds the memory of a process.
func bound() error { return errors.New("this system does not bound the memory of a process") }
