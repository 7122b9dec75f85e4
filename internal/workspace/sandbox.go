package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"helve/engine/sandbox"
	"helve/internal/config"
	"helve/internal/state"
)

// A confinement is how the configuration wants commands confined.
type confinement struct {
	box     *config.Sandbox
	places  *places
	foreign bool // who asks only judges lines, and runs none
	say     messages
}

// openable are the folders that a sandbox may open, as the key sandbox.KEY has it: those that neither hold nor lie in a
// guarded one.
func (c confinement) openable(key string, folders []string) []string {
	return slices.DeleteFunc(folders, func(f string) bool {
		real, err := filepath.EvalSymlinks(f)
		if err != nil {
			real = f
		}
		if !slices.ContainsFunc(c.places.guarded(), func(g string) bool { return overlap(real, g) }) {
			return false
		}
		c.say.warn("sandbox.%s: %s is left out: helve's own state or configuration is there", key, f)
		return true
	})
}

var levelOf = map[string]sandbox.Level{
	"read-only":       sandbox.ReadOnly,
	"workspace-write": sandbox.WorkspaceWrite,
	"off":             sandbox.Off,
	"light":           sandbox.Light, // of servers alone
}

// Level is the level of a sandbox by its word in the configuration.
func Level(word string) sandbox.Level { return levelOf[word] }

// options are what the sandbox of a command is asked for.
func (c confinement) options() sandbox.Options {
	home := c.places.getenv("HOME")
	level := levelOf[c.box.Level]
	if c.places.fixed != "" {
		level = sandbox.ReadOnly
	}
	return sandbox.Options{
		Level:    level,
		Roots:    c.places.dirs,
		Writable: c.openable("writable", atHome(c.box.Writable, home)),
		Readable: c.openable("readable", atHome(c.box.Readable, home)),
		Masked:   append(atHome(c.box.Masked, home), c.places.guardedInside()...),
		Network:  c.box.Network != nil && *c.box.Network,
		Sockets:  c.box.UnixSockets != nil && *c.box.UnixSockets,
		Home:     home,
	}
}

// atHome are paths with ~ replaced.
func atHome(paths []string, home string) []string {
	var out []string
	for _, p := range paths {
		if rest, ok := strings.CutPrefix(p, "~/"); ok {
			p = filepath.Join(home, rest)
		}
		out = append(out, p)
	}
	return out
}

// reach is how a command's level is found out; nil: by trying.
func (c confinement) reach() func(context.Context, sandbox.Options) (sandbox.Reached, error) {
	if c.foreign {
		return assumedReach
	}
	return nil
}

// assumedReach takes every level for one that can be kept: whoever only judges a line asks confines about that, once.
func assumedReach(_ context.Context, o sandbox.Options) (sandbox.Reached, error) {
	if o.Level == sandbox.Off {
		return sandbox.Reached{Level: sandbox.Off, Mechanism: sandbox.None}, nil
	}
	return sandbox.Reached{Level: o.Level, Mechanism: sandbox.Namespaces, Confined: true}, nil
}

// A reachNote is what an earlier process found out about this machine's sandbox.
type reachNote struct {
	Of  string `json:"of"`            // sandbox.Stamp
	Why string `json:"why,omitempty"` // why commands cannot be confined; "": they can
}

// maxReachNote bounds the file of a reachNote, in bytes.
const maxReachNote = 16 << 10

// confines tells why commands cannot be confined on this machine, as it is configured; nil: they can. To find out costs
// a process of its own, so that the answer is remembered while neither machine nor program changes. What runs a command
// tries for itself.
func (c confinement) confines(ctx context.Context) error {
	o := c.options()
	if o.Level == sandbox.Off {
		return errors.New("the configuration switches the sandbox off")
	}
	of := sandbox.Stamp()
	file := filepath.Join(c.places.CacheDir, "confines-"+o.Level.String()+".json")
	var note reachNote
	if b, err := state.Read(file, maxReachNote); err == nil && of != "" && json.Unmarshal(b, &note) == nil && note.Of == of {
		return note.err()
	}
	_, err := sandbox.Reach(ctx, o)
	note = reachNote{Of: of}
	switch {
	case err != nil && !errors.Is(err, sandbox.ErrLevel):
		return err // of this process, not of the machine
	case err != nil:
		note.Why = err.Error()
	}
	if b, err := json.Marshal(note); err == nil && of != "" && state.MakeDir(c.places.CacheDir) == nil {
		_ = state.Replace(file, b, 0o600) // the next process finds out for itself
	}
	return note.err()
}

func (n reachNote) err() error {
	if n.Why == "" {
		return nil
	}
	return errors.New(n.Why)
}
