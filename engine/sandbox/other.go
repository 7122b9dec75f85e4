//go:build !linux

package sandbox

import (
	"context"
	"errors"

	"helve/engine/sandbox/internal/proc"
)

// On these systems nothing is launched: a marked copy is a mistake.

func launched() int          { return proc.ExitRefused }
func probeMain([]string) int { return proc.ExitRefused }
func landlockABI() int       { return 0 }

// ProbeEscapes needs Linux.
func ProbeEscapes(context.Context) (Table, error) {
	return Table{}, errors.New("sandbox: probes: they know the ways out of Linux only")
}

// Rest has nothing to end here.
func Rest() {}
