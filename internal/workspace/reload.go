package workspace

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"
)

// Reload reads the configuration again and has its rules stand: what is listed, what is refused, asked about and
// allowed, in every kit of the workspace and for calls that are not judged yet. What a configuration says of processes,
// folders and bounds (MCP servers, hooks, the sandbox …) counts from the next opening on, and Log says so where it
// changed.
//
// An error, or a configuration that cannot be read, leaves the rules as they were. Approvals hold as before.
func (w *Assembly) Reload() error {
	err := w.guard.reload()
	if w.o.Reloaded != nil {
		w.o.Reloaded(err)
	}
	return err
}

// Unreadable is why the configuration could not be read when the workspace was opened, and everything is read-only;
// nil: it was read, or a later one was.
func (w *Assembly) Unreadable() error {
	now := w.conf.now.Load()
	if !now.Degraded {
		return nil
	}
	return errors.New(strings.Join(now.Warnings, "; "))
}

// reload reads the configuration again and has its rules stand, in all profiles and modes that have a kit.
func (g *guard) reload() error {
	g.policies.mu.Lock()
	defer g.policies.mu.Unlock()
	read, err := g.conf.load(g.conf.trustedAgain)
	if err != nil {
		return err
	}
	if read.Degraded {
		return errors.New(strings.Join(read.Warnings, "; "))
	}
	profile := read.Profile
	read.Profile = g.conf.opened.Profile // by which kits were made
	s, err := chosen(read)
	if err != nil {
		return err
	}
	rules, err := g.rulesOf(s)
	if err != nil {
		return err
	}
	g.conf.tell(read)
	g.conf.now.Store(s)
	g.live.Set(rules)
	for key, l := range g.policies.all {
		own, err := settingsOf(s, key)
		if err == nil {
			rules, err = g.rulesOf(own)
		}
		if err != nil {
			g.conf.say.warn("profile %s: %v: its clients keep the rules that it had", key.profile, err)
			continue
		}
		l.Set(rules)
	}
	if later := g.conf.fromNextOpening(read, profile); later != "" {
		g.conf.say.notice("%s: what changed there counts when helve is started again", later)
	}
	return nil
}

// reloadEvery is how often the files of the configuration are looked at: a person who saves one sees what comes of it,
// and a dozen looks a second cost nothing.
const reloadEvery = 500 * time.Millisecond

// FollowConfig calls Reload whenever a file of the configuration has changed, or the trust in it, until the workspace
// is closed. Log hears when a configuration cannot be used; the rules then stay as they were.
func (w *Assembly) FollowConfig() {
	w.following.Do(func() {
		f := &follower{files: w.conf.files(), reload: w.Reload, say: w.say}
		f.read = stampsOf(f.files)
		w.sources.loader.Go(f.follow)
	})
}

// A follower looks whether files have changed.
type follower struct {
	files  []string
	read   []os.FileInfo // as they were read last
	reload func() error
	say    messages
}

// follow reads again what has stood still for one look: an editor may write in two steps.
func (f *follower) follow(life context.Context) {
	tick := time.NewTicker(reloadEvery)
	defer tick.Stop()
	before := f.read
	for {
		select {
		case <-life.Done():
			return
		case <-tick.C:
		}
		now := stampsOf(f.files)
		still := sameStamps(now, before)
		before = now
		if !still || sameStamps(now, f.read) {
			continue
		}
		f.read = now
		if err := f.reload(); err != nil {
			f.say.warn("the configuration changed and cannot be used, the rules stay as they were: %v", err)
			continue
		}
		f.say.notice("the configuration changed and was read again")
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
