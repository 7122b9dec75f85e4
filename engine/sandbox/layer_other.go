//go:build !linux

package sandbox

import (
	"context"
	"errors"

	"helve/internal/change"
)

// Set needs Linux: elsewhere nothing is held back.
func (l *Layer) Set(context.Context) (*change.Set, error) {
	return nil, errors.New("sandbox: this system holds nothing back")
}

// MountedBelow is "": only Linux has layers.
func MountedBelow(string) string { return "" }
