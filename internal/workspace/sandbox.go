package workspace

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"helve/engine/sandbox"
	"helve/internal/config"
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

// confines tells why commands cannot be confined on this machine, as it is configured; nil: they can. To find out costs
// a process of its own, so that it is remembered that they can.
func (c confinement) confines(ctx context.Context) error {
	o := c.options()
	if o.Level == sandbox.Off {
		return errors.New("the configuration switches the sandbox off")
	}
	o.Remember = c.places.CacheDir
	_, err := sandbox.Reach(ctx, o)
	return err
}
