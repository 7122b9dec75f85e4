package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"helve/engine/sandbox/internal/proc"
	"helve/internal/tempdir"
)

const sandboxExec = "/usr/bin/sandbox-exec"

var ladder = []string{Seatbelt}

// Start runs a command at the level that o asks for, or returns ErrLevel. With a nil Spec.Env the command gets Env of
// this process. The caller must Close the process.
func Start(ctx context.Context, o Options, s Spec) (*Process, Reached, error) {
	r, err := Reach(ctx, o)
	if err != nil {
		return nil, r, err
	}
	if s.Env == nil {
		s.Env = Env(os.Environ())
	}
	if o.Level != Off {
		dir, err := tempdir.Make(s.TempDir, tempPrefix)
		if err != nil {
			return nil, r, fmt.Errorf("sandbox: private temporary directory: %w", err)
		}
		s.After = func() { dir.Remove() }
		temp, err := filepath.EvalSymlinks(dir.Path)
		if err != nil {
			s.After()
			return nil, r, err
		}
		s.Env = withTemp(s.Env, temp)
		if !o.Network {
			s.Env = withoutRetries(s.Env)
		}
		s.Argv = append([]string{sandboxExec, "-p", o.profile(temp)}, s.Argv...)
	}
	p, err := proc.Start(ctx, s)
	if err != nil && s.After != nil {
		s.After()
	}
	return p, r, err
}

// profile protects the same paths as on Linux; here they need not exist.
func (o Options) profile(temp string) string {
	writable := o.writable()
	var guarded, pinned []string
	for _, root := range writable {
		for _, rel := range append(DefaultProtected(), o.Protected...) {
			path := filepath.Join(root, rel)
			guarded = append(guarded, path)
			if dir := filepath.Dir(path); dir != root {
				pinned = append(pinned, dir)
			}
		}
	}
	s := seatbelt{
		level:    o.Level,
		writable: append(writable, temp),
		guarded:  guarded,
		pinned:   slices.Compact(pinned),
		masked:   o.masked(),
		network:  o.Network,
	}
	return s.profile()
}

// Reach tells what Start would reach with these options, without running a command.
func Reach(_ context.Context, o Options) (Reached, error) {
	mustNotBeLaunched()
	if o.Level == Off {
		return Reached{Level: Off, Mechanism: None}, nil
	}
	_, err := os.Stat(sandboxExec)
	if o.Level == Light {
		err = errors.New("no profile is made for it")
	}
	if err != nil || o.Mechanism != "" && o.Mechanism != Seatbelt {
		none := Reached{Level: o.Level, Mechanism: None}
		return none, fmt.Errorf("%w: %s: sandbox-exec: %w", ErrLevel, o.Level, err)
	}
	r := Reached{
		Level:     o.Level,
		Mechanism: Seatbelt,
		Gaps: []string{
			"children that leave the session are not ended",
			"the number of processes is not bounded",
		},
	}
	return r, nil
}
