package bash

import (
	"context"
	"regexp"
	"sync"

	"helve/engine/sandbox"
)

// A confinement is how a command may run that nobody approved.
type confinement struct {
	options sandbox.Options
	reach   sandbox.Reached
}

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

// privateCaches are where build tools keep what they cannot keep in a home that nothing can be written to. They end
// with the command.
var privateCaches = []string{
	"XDG_CACHE_HOME=/tmp/.cache",
	"GOCACHE=/tmp/.cache/go-build",
	"npm_config_cache=/tmp/.cache/npm",
	"PYTHONDONTWRITEBYTECODE=1",
}

// unaskedHint says where a command ran that may have wanted more.
const unaskedHint = "[nobody was asked: it ran where nothing can be changed, without network, and of what lies outside " +
	"the workspace with the system and programs alone. ask=true asks the person for more, network=true for the network]"

// walls is what programs say when they try to change something where nothing can be, look for what is not shown there,
// or miss the network.
var walls = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)read-only file system|EROFS|no such file or directory|ENOENT|not found|cannot access|` +
		`permission denied|operation not permitted|` + offline().String()[len("(?i)"):])
})

// wallHint says where a command ran that nobody was asked about, if its words sound as if it had met the wall.
func (c *command) wallHint(out string) string {
	unasked := c.confine.Level == sandbox.ReadOnly && c.reach.Confined && !c.more && !c.attached
	if unasked && walls().MatchString(out) {
		return unaskedHint
	}
	return ""
}
