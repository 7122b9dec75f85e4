package bash

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"helve/builtin/internal/folders"
	"helve/engine/sandbox"
	"helve/engine/shell"
	"helve/internal/fsroot"
	"helve/tool"
)

// A command is a command line understood: what it would do, where, and how it will be confined.
type command struct {
	in       bashIn
	dir      fsroot.Path     // where it runs
	line     shell.Analysis  // what it would do
	confine  sandbox.Options // what it may do
	reach    sandbox.Reached // what of that the machine can enforce
	tried    *confinement    // how it may run unasked; nil: not at all
	more     bool            // the model asks for more than a line that only reads gets
	alone    bool            // it runs as its trial says
	early    bool            // it works in a draft, and a person sees that before it is made
	review   bool            // a person is to see what it changed before that is made
	gaps     []string        // what is not kept beside the sandbox's own gaps, in words
	cache    []string        // the folder of this workspace's build caches; none where nothing can be written
	through  string          // why it changes the workspace while it runs; "" where that is held back, or it only reads
	inMemory bool            // its layer cannot lie on the disk
	environ  []string        // in which it starts, before it is narrowed
	open     string          // why no sandbox of the level can be had; "" where it can
	attached bool            // somebody has it as one of their own, and needs no word where nothing sounds like a wall
}

// effects are the command itself, and what the policy should know beside it: files that it names, the
// network that it asks for, and, without a sandbox, anything at all.
func (c *command) effects() []tool.Effect {
	out := []tool.Effect{{Kind: tool.Exec, Target: c.in.Command}}
	for _, e := range c.line.Effects {
		switch {
		case e.Kind == shell.Read: // rules on reading hold for commands, too
			out = append(out, tool.Effect{Kind: tool.Read, Target: c.target(e.Target)})
		case c.line.Verdict == shell.ReadOnly:
		case e.Kind == shell.Write:
			out = append(out, tool.Effect{Kind: tool.Write, Target: c.target(e.Target)})
		case e.Kind == shell.Net && c.confine.Network:
			out = append(out, tool.Effect{Kind: tool.Net, Target: e.Target})
		}
	}
	if c.in.Network {
		out = append(out, tool.Effect{Kind: tool.Net, Target: tool.AnyTarget})
	}
	if c.open != "" {
		out = append(out, tool.Effect{Kind: tool.Write, Target: tool.AnyTarget})
	}
	return out
}

// target is a path of the analysis, which is relative to the command's directory, relative to the root.
func (c *command) target(p string) string {
	drive := len(p) > 1 && p[1] == ':'
	if p == tool.AnyTarget || strings.HasPrefix(p, "/") || drive {
		return p
	}
	return folders.RootPrefix(c.dir.Root()) + path.Join(c.dir.Rel(), p)
}

// preview is what whoever approves the command sees beside the reason, which the verdict has. The further lines of a
// command begin as a shell's do, so that none looks like a line of ours.
func (c *command) preview() string {
	var b strings.Builder
	fmt.Fprintf(&b, "$ %s\nin %s", strings.ReplaceAll(c.in.Command, "\n", "\n> "), c.dir.Abs())
	switch {
	case c.open != "":
		fmt.Fprintf(&b, "\nWITHOUT A SANDBOX: %s", c.open)
	case c.confine.Level == sandbox.Off:
		b.WriteString("\nwithout a sandbox, as configured")
	default:
		fmt.Fprintf(&b, "\nsandbox %s by %s", c.reach.Level, c.reach.Mechanism)
	}
	if c.confine.Network {
		b.WriteString(", with network")
	}
	if c.through != "" {
		b.WriteString("\n" + c.through)
	}
	return b.String()
}

// spec is the process to start. The shell reads no profile, has no terminal and an empty stdin.
func (c *command) spec(w *Commands) sandbox.Spec {
	return sandbox.Spec{
		Argv: w.shell.argv(c.in.Command),
		Dir:  c.dir.Abs(),
		Env:  c.env(w.Environ, w.Attached),
		Keep: bashKeep,
	}
}

// env is the environment of the command. Build tools keep their caches in a folder that commands of this workspace
// share and nobody else uses: what a command puts there can harm no build outside the sandbox.
func (c *command) env(environ []string, attached *Attached) []string {
	env := attached.environ(sandbox.Env(environ), environ)
	if c.confine.Level == sandbox.ReadOnly && c.reach.Confined {
		return append(env, privateCaches...)
	}
	for _, dir := range c.cache {
		env = slices.DeleteFunc(env, func(e string) bool {
			return strings.HasPrefix(e, "XDG_CACHE_HOME=") || strings.HasPrefix(e, "GOCACHE=")
		})
		env = append(env,
			"XDG_CACHE_HOME="+dir,
			"GOCACHE="+filepath.Join(dir, "go-build"),
			"npm_config_cache="+filepath.Join(dir, "npm"))
	}
	return env
}

// A confinement is how a command may run that nobody approved.
type confinement struct {
	options sandbox.Options
	reach   sandbox.Reached
}

// privateCaches are where build tools keep what they cannot keep in a home that nothing can be written to. They end
// with the command.
var privateCaches = []string{
	"XDG_CACHE_HOME=/tmp/.cache",
	"GOCACHE=/tmp/.cache/go-build",
	"npm_config_cache=/tmp/.cache/npm",
	"PYTHONDONTWRITEBYTECODE=1",
}
