//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"

	"helve/internal/change"
)

// Set needs Linux: elsewhere nothing is held back.
func (l *Layer) Set(context.Context) (*change.Set, error) {
	return nil, errors.New("sandbox: this system holds nothing back")
}

// MountedBelow is "": only Linux has layers.
func MountedBelow(string) string { return "" }

// LayerMemory is how many bytes a layer in memory may have on this machine; 0: it cannot be had.
func LayerMemory() int64 { return 0 }

// View needs Linux.
func (l *Layer) View(context.Context, Options) (*View, error) {
	return nil, fmt.Errorf("%w: this system lays nothing over a folder", ErrNoLayer)
}

func viewMain() int { return 1 }

func descriptorPath(f *os.File) string { return f.Name() }
