package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"helve/engine/sandbox/internal/proc"
)

// trialTime bounds the trial of one mechanism.
const trialTime = 30 * time.Second

// ladder are the mechanisms of this system, best first.
var ladder = []string{Namespaces, Bubblewrap, Landlock}

// trials remembers what works: it does not change while a program runs, but see doubt.
var trials sync.Map // trialKey → func() error

type trialKey struct {
	launcher, mechanism string
	network             bool
	wide                bool // without a root directory of its own
	shared              bool // in the session of this process
}

// Reach tells what Start would reach with these options, without running a command. The first call tries the
// mechanisms, which takes some milliseconds; later calls remember. The error is ErrLevel, with the reasons, if none
// keeps the level at all.
func Reach(ctx context.Context, o Options) (Reached, error) {
	launcher, err := o.launcher()
	if o.Level == Off {
		return Reached{Level: Off, Mechanism: None}, nil
	}
	if err != nil {
		return Reached{Level: o.Level}, err
	}
	var why []error
	for _, m := range ladder {
		if o.Mechanism != "" && o.Mechanism != m {
			continue
		}
		if o.Level == Light && m == Bubblewrap {
			continue // what it would add to Landlock is not worth a second way of building the same
		}
		o.wide = o.Level == Light
		if err := try(ctx, o, launcher, m); err != nil {
			why = append(why, fmt.Errorf("%s: %w", m, err))
			o.wide = true
			if !alsoWide(ctx, o, launcher, m) {
				continue
			}
		}
		return Reached{Level: o.Level, Mechanism: m, Gaps: gaps(o, m), Confined: o.confines(m)}, nil
	}
	none := Reached{Level: o.Level, Mechanism: None}
	return none, fmt.Errorf("%w: %s: %w", ErrLevel, o.Level, errors.Join(why...))
}

// alsoWide reports that a mechanism which cannot confine reads works without that.
func alsoWide(ctx context.Context, o Options, launcher, mechanism string) bool {
	return mechanism == Namespaces && try(ctx, o, launcher, mechanism) == nil
}

// try prepares a sandbox without a command in it, once.
func try(ctx context.Context, o Options, launcher, mechanism string) error {
	key := o.trialKey(launcher, mechanism)
	run := sync.OnceValue(func() error {
		if knows(o.Remember, key.String()) {
			return nil
		}
		if o.Level != Light {
			go private() // takes as long as a trial, and is wanted right after it
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), trialTime)
		defer cancel()
		err := trial(ctx, Options{Level: ReadOnly, Limits: o.Limits, wide: o.wide}, launcher, mechanism, key.network)
		if err == nil {
			note(o.Remember, key.String(), true)
		}
		return err
	})
	f, _ := trials.LoadOrStore(key, run)
	return f.(func() error)()
}

// doubt has a mechanism tried by whoever asks next: a note may have said that it works, and a command could not be
// started.
func (o Options) doubt(launcher, mechanism string) {
	if o.Remember == "" {
		return // it was tried by this process
	}
	key := o.trialKey(launcher, mechanism)
	note(o.Remember, key.String(), false)
	trials.Delete(key)
}

func (o Options) trialKey(launcher, mechanism string) trialKey {
	return trialKey{
		launcher:  launcher,
		mechanism: mechanism,
		network:   o.Network && o.Level != ReadOnly,
		wide:      o.wide,
	}
}

// String is a key among those that are noted.
func (k trialKey) String() string {
	return fmt.Sprint(k.launcher, " ", k.mechanism, " ", k.network, " ", k.wide)
}

// trial starts a launcher that confines itself and then ends with errTrial, which is the good end.
func trial(ctx context.Context, o Options, launcher, mechanism string, network bool) error {
	if mechanism == Bubblewrap && bwrapPath() == "" {
		return errors.New("bwrap is not installed")
	}
	p := o.plan(mechanism, "/", nil)
	p.Trial = true
	p.Network = network
	p.Mask = nil // what is masked differs from call to call, and whether it can be does not
	p.Temp = os.TempDir()
	if network {
		p.Level = WorkspaceWrite
	}
	config, err := json.Marshal(p)
	if err != nil {
		return err
	}
	spec := Spec{Argv: []string{"/"}, Dir: "/", Supervisor: p.supervisor(launcher, config)}
	process, err := proc.Start(ctx, spec)
	if err == nil {
		process.Close()
		return errors.New("the launcher does not know trials: it is of another version")
	}
	if strings.Contains(err.Error(), errTrial.Error()) {
		return nil
	}
	return err
}
