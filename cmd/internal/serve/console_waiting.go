package serve

import (
	"context"
	"sync"
	"time"

	"helve/internal/waiting"
	"helve/server/console"
	"helve/tool"
)

// questionsPoll is how often it is looked for questions of clients: their hooks wait some seconds for an answer.
const questionsPoll = 300 * time.Millisecond

// An outsideAsker shows the questions of clients that ask nobody themselves, while a page is open. Their hooks know that
// somebody looks, and wait a moment for the answer.
type outsideAsker struct {
	stateDir string
	hub      *console.Hub
	watching func() // says that nobody looks any more; nil: nobody does
	shown    map[string]shownQuestion
	all      sync.WaitGroup
}

// A shownQuestion is on the pages until stop is called or it is answered; over is closed then.
type shownQuestion struct {
	since time.Time
	stop  context.CancelFunc
	over  <-chan struct{}
}

// askOutside begins to show them, until end is called.
func askOutside(ctx context.Context, stateDir string, hub *console.Hub) (end func()) {
	a := &outsideAsker{stateDir: stateDir, hub: hub, shown: map[string]shownQuestion{}}
	ctx, stop := context.WithCancel(ctx)
	a.all.Go(func() { a.follow(ctx) })
	return func() {
		stop()
		a.all.Wait()
	}
}

func (a *outsideAsker) follow(ctx context.Context) {
	tick := time.NewTicker(questionsPoll)
	defer tick.Stop()
	defer a.rest()
	for {
		a.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// rest takes all away: no page is open.
func (a *outsideAsker) rest() {
	if a.watching != nil {
		a.watching()
		a.watching = nil
	}
	for id, q := range a.shown {
		q.stop()
		delete(a.shown, id)
	}
}

// look shows what is new, and takes away what was answered elsewhere, asked anew or forgotten.
func (a *outsideAsker) look(ctx context.Context) {
	if !a.hub.Watched() {
		a.rest()
		return
	}
	if a.watching == nil {
		if stop, err := waiting.Watch(a.stateDir); err == nil { // else hooks wait for nobody, and later answers count
			a.watching = stop
		}
	}
	for id, q := range a.shown {
		select {
		case <-q.over: // where the answer could not be kept it waits on, and is shown again
			delete(a.shown, id)
		default:
		}
	}
	waits := map[string]time.Time{}
	list := waiting.List(a.stateDir)
	for _, q := range list {
		waits[q.ID] = q.Since
	}
	for id, q := range a.shown {
		if since, ok := waits[id]; !ok || !since.Equal(q.since) {
			q.stop()
			delete(a.shown, id)
		}
	}
	for _, q := range list {
		if _, ok := a.shown[q.ID]; ok {
			continue
		}
		own, stop := context.WithCancel(ctx)
		a.shown[q.ID] = shownQuestion{q.Since, stop, own.Done()}
		a.all.Go(func() {
			defer stop()
			a.ask(own, q)
		})
	}
}

// ask shows a question, and keeps the answer.
func (a *outsideAsker) ask(ctx context.Context, q waiting.Question) {
	kind := tool.Exec
	_ = kind.UnmarshalText([]byte(q.Kind)) // an older helve does not say it
	yes, err := a.hub.Outside(ctx, console.Outside{
		Client:  q.Client,
		Session: q.Conversation,
		Tool:    q.Tool,
		Kind:    kind,
		Title:   q.Title,
		Why:     q.Reason,
		Where:   "in " + q.Workspace,
		Text:    q.Text,
	})
	if err == nil {
		_, _ = waiting.Say(a.stateDir, q.ID, yes) // where it fails the question waits on, or was answered elsewhere
	}
}
