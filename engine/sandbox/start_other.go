//go:build !linux && !darwin && !windows

package sandbox

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"helve/engine/sandbox/internal/proc"
)

var ladder = []string{}

// Start runs a command without confinement at the level off, and returns ErrLevel for the others: this system has no
// mechanism for them.
func Start(ctx context.Context, o Options, s Spec) (*Process, Reached, error) {
	r, err := Reach(ctx, o)
	if err != nil {
		return nil, r, err
	}
	if s.Env == nil {
		s.Env = Env(os.Environ())
	}
	p, err := proc.Start(ctx, s)
	return p, r, err
}

// Reach tells what Start would reach with these options.
func Reach(_ context.Context, o Options) (Reached, error) {
	mustNotBeLaunched()
	if o.Level != Off {
		none := Reached{Level: o.Level, Mechanism: None}
		return none, fmt.Errorf("%w: %s: %s has no mechanism for it", ErrLevel, o.Level, runtime.GOOS)
	}
	return Reached{Level: Off, Mechanism: None}, nil
}
