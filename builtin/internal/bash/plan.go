package bash

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"helve/builtin/internal/folders"
	"helve/engine/sandbox"
	"helve/engine/shell"
	"helve/internal/fsroot"
	"helve/tool"
)

// understand analyses the line and chooses how it would be confined. It refuses what is no command line, and what
// would destroy more than a workspace, whatever the policy says.
func (w *Commands) understand(ctx context.Context, in bashIn, dir fsroot.Path) (*command, error) {
	c := &command{in: in, dir: dir, environ: w.Environ, attached: w.Attached != nil}
	c.line = w.shell.analyze(in.Command, shell.Options{
		Dir:   dir.Abs(),
		Roots: w.RootDirs(),
		Home:  cmp.Or(w.Getenv("HOME"), w.Getenv("USERPROFILE")),

		Readable: w.mayRead(),
		Secret:   w.Secret,
	})
	if in.Ask && c.line.Verdict == shell.ReadOnly { // it looks, and ran already where that was not enough
		c.more = true
		c.line.Verdict, c.line.Reason = shell.Ask, "the model asks for it"
	}
	switch {
	case folders.IsAny(c.line.Err, shell.ErrEmpty, shell.ErrTooLong, shell.ErrNUL):
		return nil, tool.Verbatim(tool.Validation, "Parameter validation failed: command: %w", c.line.Err)
	case c.line.Verdict == shell.Catastrophic:
		return nil, tool.Verbatim(tool.Permission, "Error: Potentially dangerous command detected: %s", in.Command).
			WithHint("%s", c.line.Reason)
	}
	return c, w.plan(ctx, c)
}

// plan chooses the level. Where it cannot be kept, an approved command runs without a sandbox, and whoever approves
// it is told so; nothing runs unasked.
func (w *Commands) plan(ctx context.Context, c *command) error {
	o := w.Sandbox
	c.confine = w.confinement(sandbox.ReadOnly)
	if c.line.Verdict != shell.ReadOnly || c.in.Network {
		c.confine.Level = o.Level
	}
	if w.Attached.confinedElsewhere() {
		c.confine.Level = sandbox.Off
		c.gaps = append(c.gaps, w.Attached.gap())
	}
	if c.confine.Level != sandbox.ReadOnly {
		c.confine.Network = c.confine.Level != sandbox.ReadOnly && (o.Network || c.in.Network)
	}
	c.confine.Sockets = c.confine.Level == sandbox.WorkspaceWrite && (o.Sockets || c.confine.Network)
	if c.confine.Level == sandbox.WorkspaceWrite {
		c.cache = w.commandCache(c.dir.Root())
		c.confine.Caches = c.cache
		c.confine.NewRepository = makesRepository(c.line)
	}
	reach, err := o.reach(ctx, c.confine)
	if err == nil && c.line.Verdict == shell.ReadOnly && !w.shell.heldBy(reach, c.line) {
		err = fmt.Errorf("%w: it runs programs, and by %s they reach the network", sandbox.ErrLevel, reach.Mechanism)
	}
	switch {
	case errors.Is(err, sandbox.ErrLevel):
		c.open = err.Error()
		if gap := w.Attached.gap(); gap != "" {
			c.gaps = append(c.gaps, gap)
		}
		c.confine.Level, c.confine.Network = sandbox.Off, false
		reach, err = o.reach(ctx, c.confine)
	case errors.Is(err, sandbox.ErrNoInit):
		return tool.Errorf(tool.Execution, "%w", err)
	}
	c.reach = reach
	c.through = w.writesThrough(c)
	if err == nil {
		c.tried = w.trial(ctx, c)
	}
	return err
}

// confinement is what a command of a level may do, without what the command itself adds to it.
func (w *Commands) confinement(level sandbox.Level) sandbox.Options {
	o := w.Sandbox
	return sandbox.Options{
		Level:    level,
		Roots:    w.RootDirs(),
		Writable: o.Writable,
		Masked:   o.Masked,
		Readable: w.readable(),
		Launcher: o.Launcher,
		Limits:   o.Limits,
		Home:     w.Getenv("HOME"),
		Remember: w.Cache,
	}
}

// commandCache is that folder, made if it is missing; none without a place for caches.
func (w *Commands) commandCache(r *fsroot.Root) []string {
	if w.Cache == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(r.Dir()))
	dir := filepath.Join(w.Cache, "commands", hex.EncodeToString(sum[:12]))
	err := os.MkdirAll(dir, 0o700)
	if err != nil {
		return nil // commands then have no cache, which only costs time
	}
	return []string{dir}
}
