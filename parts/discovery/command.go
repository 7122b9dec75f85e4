package discovery

import (
	"log/slog"
	"time"

	"helve/internal/config"
	"helve/internal/workspace"
	"helve/source/command"
)

// A Command is the discovery command of one workspace.
type Command struct {
	of      *config.Discovery
	dir     string
	environ []string
	in      workspace.Inside
	log     *slog.Logger
}

// source is how its source is made; a fresh one takes nothing from memory.
func (c *Command) source(fresh bool) (command.Config, command.Options) {
	made := command.Config{
		Discover: c.of.Command,
		Call:     c.of.Call,
		Dir:      c.dir,
		Timeout:  time.Duration(c.of.Timeout),
		TTL:      time.Duration(c.of.TTL),
		Verbose:  c.of.VerboseDescriptions,
	}
	return made, command.Options{
		Environ:  c.environ,
		CacheDir: c.in.CacheDir(),
		Fresh:    fresh,
		Log:      c.log,
		Runner:   command.Confined(c.in.ForNamed()),
	}
}
