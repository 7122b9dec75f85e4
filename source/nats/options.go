package natsbus

import (
	"log/slog"
	"path/filepath"
	"time"

	"helve/internal/resolved"
	"helve/tool"
)

// Options say which workers, and for which workspace.
type Options struct {
	Pool      string
	Workspace string        // only workers that offer a workspace of this name are used
	Dir       string        // the workspace's folder here: directories of calls are told relative to it
	Signer    *Signer       // vouches for what workers are told; nil: nobody does
	Policy    func() string // names the bus's policy that the gateway judges by, for workers that follow it; nil: there is none
	Waiting   int           // calls that may wait for a slot: those that come then are told to come later; 0: DefaultWaiting
	Away      time.Duration // how long a call that a worker has waits for a bus that is gone; 0: DefaultAway
	Claimed   bool          // a worker has claimed the workspace: no other is used before that one is heard of
	Log       *slog.Logger  // nil: silent

	// OwnTools says that the pool is a source of the tools that only its workers have. Without it the workers do the
	// work of ours and no more.
	OwnTools bool
	// Trust says that what they say of those tools counts: what they do, and whether they only read. Otherwise they
	// may do anything. Policies have the pool trusted apart from that.
	Trust bool
}

// dirOf is a call's directory as workers have it: the workspace lies elsewhere there.
func (o Options) dirOf(c *tool.Call) string {
	if o.Dir == "" || !filepath.IsAbs(c.Dir) {
		return c.Dir
	}
	rel, ok := resolved.Below(o.Dir, c.Dir)
	if !ok {
		return c.Dir
	}
	if rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}
