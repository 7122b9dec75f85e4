package bash

import (
	"context"

	"helve/engine/sandbox"
)

// trial is how the command may run unasked although its words do not say that it only reads: where it can change and
// send nothing, and read nothing private. nil where its words want more, where the model asks for more, and where this
// machine cannot confine what it reads: then words judge, and somebody is asked.
func (w *Commands) trial(ctx context.Context, c *command) *confinement {
	wants := c.in.Ask || c.in.Network || c.in.Background || w.Attached != nil
	if !c.line.Tries || wants {
		return nil
	}
	o := c.confine
	o.Level, o.Network, o.NewRepository = sandbox.ReadOnly, false, false
	o.Writable, o.Caches = nil, nil
	reach, err := w.Sandbox.reach(ctx, o)
	if err != nil || !reach.Confined {
		return nil
	}
	return &confinement{o, reach}
}

// confining is what has the command run as its trial says; nil where it cannot.
func (c *command) confining() func() {
	if c.tried == nil {
		return nil
	}
	return c.confineUnasked
}

// confineUnasked has the command run as its trial says.
func (c *command) confineUnasked() {
	c.confine, c.reach = c.tried.options, c.tried.reach
	c.cache, c.open = nil, ""
	c.alone = true
}

// mayRead is what a command may read outside the workspace that nobody approved.
func (w *Commands) mayRead() []string {
	o := sandbox.Options{Home: w.Getenv("HOME"), Readable: w.readable()}
	return o.MayRead(w.Environ)
}

// unaskedMemory is what all processes of a command may have together that nobody approved, in bytes.
const unaskedMemory = 2 << 30

// beforeYes has a command that runs before a person sees what it changed do with no more than one that nobody approved:
// it sends nothing, and reads no secrets. What it asks for by itself was asked about where it stands.
func (c *command) beforeYes() {
	c.early = true
	if !c.in.Network {
		c.confine.Network, c.confine.Sockets = false, false
	}
	if c.confine.Limits.Total == 0 || c.confine.Limits.Total > unaskedMemory {
		c.confine.Limits.Total = unaskedMemory
	}
}
