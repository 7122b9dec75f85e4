package workspace

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"helve/internal/config"
)

// Reload reads the configuration again and has its rules stand: what is listed, what is refused, asked about and
// allowed, in every kit of the workspace and for calls that are not judged yet. What a configuration says of processes,
// folders and bounds (MCP servers, hooks, the sandbox …) counts from the next opening on, and Log says so where it
// changed.
//
// An error, or a configuration that cannot be read, leaves the rules as they were. Approvals hold as before.
func (w *Assembly) Reload() error {
	err := w.reload()
	if w.o.Reloaded != nil {
		w.o.Reloaded(err)
	}
	return err
}

// Unreadable is why the configuration could not be read when the workspace was opened, and everything is read-only;
// nil: it was read, or a later one was.
func (w *Assembly) Unreadable() error {
	now := w.now.Load()
	if !now.Degraded {
		return nil
	}
	return errors.New(strings.Join(now.Warnings, "; "))
}

func (w *Assembly) reload() error {
	w.policies.mu.Lock()
	defer w.policies.mu.Unlock()
	c, err := w.load(w.trustedAgain)
	if err != nil {
		return err
	}
	if c.Degraded {
		return errors.New(strings.Join(c.Warnings, "; "))
	}
	profile := c.Profile
	c.Profile = w.settings.Profile // by which kits were made
	s, err := chosen(c)
	if err != nil {
		return err
	}
	rules, err := w.rulesOf(s)
	if err != nil {
		return err
	}
	w.tell(c)
	w.now.Store(s)
	w.live.Set(rules)
	for key, l := range w.policies.all {
		own, err := settingsOf(s, key)
		if err == nil {
			rules, err = w.rulesOf(own)
		}
		if err != nil {
			w.warn("profile %s: %v: its clients keep the rules that it had", key.profile, err)
			continue
		}
		l.Set(rules)
	}
	if later := w.fromNextOpening(c, profile); later != "" {
		w.notice("%s: what changed there counts when helve is started again", later)
	}
	return nil
}

// trustedAgain is who trusts a workspace's configuration that is read again. Trust for one run is for what stood there
// when the run began.
func (w *Assembly) trustedAgain(dir, digest string) bool {
	if w.o.Trust && digest == w.settings.Digest {
		return true
	}
	return config.TrustStore{Dir: w.places.StateDir}.Accepted(dir, digest)
}

// settled are the keys of what a workspace has made when it is open.
func settled() []string {
	return []string{
		"tool_options", "discovery", "drop_unused", "hooks", "sandbox", "fetch", "search", "limits", "diagnostics",
	}
}

// fromNextOpening are the keys whose values are not those that the workspace was opened with.
func (w *Assembly) fromNextOpening(c *config.Config, profile string) string {
	var out []string
	if profile != w.settings.Profile {
		out = append(out, "profile")
	}
	for _, key := range settled() {
		was, _ := w.settings.Get(key)
		is, _ := c.Get(key)
		if !bytes.Equal(was, is) {
			out = append(out, key)
		}
	}
	if !maps.EqualFunc(w.settings.MCPServers, c.MCPServers, sameServer) {
		out = append(out, "mcp_servers")
	}
	return strings.Join(out, ", ")
}

// reloadEvery is how often the files of the configuration are looked at: a person who saves one sees what comes of it,
// and a dozen looks a second cost nothing.
const reloadEvery = 500 * time.Millisecond

// FollowConfig calls Reload whenever a file of the configuration has changed, or the trust in it, until the workspace
// is closed. Log hears when a configuration cannot be used; the rules then stay as they were.
func (w *Assembly) FollowConfig() {
	w.followingConfig.Do(func() {
		files := w.configFiles()
		read := stampsOf(files)
		w.loader.Go(func(life context.Context) { w.followConfig(life, files, read) })
	})
}

// configFiles are the files that a configuration is read from, whether they are there or not.
func (w *Assembly) configFiles() []string { return config.Files(w.places, w.configOptions(nil)) }

// followConfig reads again what has stood still for one look: an editor may write in two steps.
func (w *Assembly) followConfig(life context.Context, files []string, read []os.FileInfo) {
	tick := time.NewTicker(reloadEvery)
	defer tick.Stop()
	before := read
	for {
		select {
		case <-life.Done():
			return
		case <-tick.C:
		}
		now := stampsOf(files)
		still := sameStamps(now, before)
		before = now
		if !still || sameStamps(now, read) {
			continue
		}
		read = now
		if err := w.Reload(); err != nil {
			w.warn("the configuration changed and cannot be used, the rules stay as they were: %v", err)
			continue
		}
		w.notice("the configuration changed and was read again")
	}
}

// stampsOf are the files as they are; nil: there is none.
func stampsOf(files []string) []os.FileInfo {
	out := make([]os.FileInfo, len(files))
	for i, f := range files {
		st, err := os.Stat(f)
		if err == nil {
			out[i] = st
		}
	}
	return out
}

func sameStamps(a, b []os.FileInfo) bool {
	return slices.EqualFunc(a, b, func(a, b os.FileInfo) bool {
		if a == nil || b == nil {
			return a == nil && b == nil
		}
		return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
	})
}
