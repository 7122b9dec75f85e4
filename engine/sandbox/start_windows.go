package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"helve/engine/sandbox/internal/proc"
	"helve/internal/job"
)

var ladder = []string{LowIntegrity}

// lowIsHeld tries once whether this system keeps programs of low integrity from writing.
var lowIsHeld = sync.OnceValue(job.LowIsHeld)

// lowGaps are the promises of the level read-only that a token does not keep.
func lowGaps() []string {
	return []string{
		"folders that are labelled for low integrity, such as AppData\\LocalLow, can be changed",
		"secrets and everything else that the person may read can be read",
		"the network is open",
	}
}

// Start runs a command with a token of low integrity at the level read-only, without confinement at the level off, and
// returns ErrLevel for workspace-write: this system has no mechanism for it. A job object ends the whole tree. With a
// nil Spec.Env the command gets Env of this process. The caller must Close the process.
func Start(ctx context.Context, o Options, s Spec) (*Process, Reached, error) {
	r, err := Reach(ctx, o)
	if err != nil {
		return nil, r, err
	}
	if s.Env == nil {
		s.Env = Env(os.Environ())
	}
	if o.Level == Off {
		p, err := proc.Start(ctx, s)
		return p, r, err
	}
	token, err := job.LowToken()
	if err != nil {
		return nil, r, fmt.Errorf("sandbox: %w", err)
	}
	defer token.Close()
	temp, err := os.MkdirTemp(s.TempDir, tempPrefix+"*")
	if err != nil {
		return nil, r, fmt.Errorf("sandbox: private temporary directory: %w", err)
	}
	remove := func() { os.RemoveAll(temp) }
	if err := job.LowFolder(temp); err != nil {
		remove()
		return nil, r, fmt.Errorf("sandbox: private temporary directory: %w", err)
	}
	s.After = remove
	s.Env = append(withTemp(s.Env, temp), "TEMP="+temp, "TMP="+temp)
	s.Token = uintptr(token)
	limits := o.Limits.filled()
	fill(&limits.Total, defaultMemory)
	s.Bounds = proc.Bounds{Processes: limits.Processes, Memory: limits.Total}
	p, err := proc.Start(ctx, s)
	if err != nil {
		remove()
	}
	return p, r, err
}

// Reach tells what Start would reach with these options.
func Reach(_ context.Context, o Options) (Reached, error) {
	mustNotBeLaunched()
	if o.Level == Off {
		return Reached{Level: Off, Mechanism: JobObject}, nil
	}
	err := lowIsHeld()
	switch {
	case err != nil:
	case o.Mechanism != "" && o.Mechanism != LowIntegrity:
		err = fmt.Errorf("there is no %s on Windows", o.Mechanism)
	case o.Level != ReadOnly:
		err = errors.New("low integrity is for commands that only read")
	}
	if err != nil {
		none := Reached{Level: o.Level, Mechanism: None}
		return none, fmt.Errorf("%w: %s: %w", ErrLevel, o.Level, err)
	}
	return Reached{Level: ReadOnly, Mechanism: LowIntegrity, Gaps: lowGaps()}, nil
}
