package workspace

import (
	"context"
	"time"

	"helve/policy"
	"helve/server"
	"helve/tool"
)

// Tests stand outside, since parts need this package and tests need parts. What they look at inside has a name here.
const (
	Small      = small
	EditsParam = editsParam
	Powershell = powershell
	SharedTime = sharedTime
	TidyEvery  = tidyEvery
)

var (
	ProfileNames = profiles
	WithEdits    = withEdits
	Wordings     = wordings
	Reworded     = reworded
	Briefly      = briefly
	StampsOf     = stampsOf
	SameStamps   = sameStamps
)

func (w *Assembly) StateDir() string        { return w.places.StateDir }
func (w *Assembly) Live() *policy.Live      { return w.guard.live }
func (w *Assembly) OpenedMode() policy.Mode { return w.conf.opened.mode }
func (w *Assembly) WatchUnused()            { w.sources.watchUnused() }
func (w *Assembly) PutAway(now time.Time)   { w.sources.putAway(now) }
func (w *Assembly) FetchBack()              { w.sources.fetchBack() }
func (w *Assembly) ConfigFiles() []string   { return w.conf.files() }

func (w *Assembly) Trusts(server string) bool { return w.guard.trusts(w.conf.now.Load(), server) }

func (w *Assembly) Openable(key string, folders []string) []string {
	return w.confined.openable(key, folders)
}

func (w *Assembly) ClientOf(c server.Client) (Client, error) { return w.clients.of(c) }

func (w *Assembly) ClientAsker(c server.Client, k Client, rules tool.Policy) (tool.Asker, error) {
	return w.clients.asker(c, k, rules)
}

// ClientKit is what a server gives a client.
func (w *Assembly) ClientKit(ctx context.Context, c server.Client) (*tool.Kit, *tool.Session, error) {
	g := &gateway{w: w}
	return g.client(ctx, c)
}

// Tidy has a shared folder removed what is old by that time.
func Tidy(s Shared, now time.Time) { s.(*sharedFolder).tidy(now) }
