package check

import (
	"context"
	"time"

	"helve/internal/git"
)

// An asking asks git about objects of one repository.
type asking struct {
	*git.Verifier
	found map[string]string // objects of "COMMIT:PATH"; "" for those that are not there
	stop  func()
}

// ask is who asks about a repository; nil where nobody can.
func (n *New) ask(dir string) *asking {
	if a, known := n.asks[dir]; known {
		return a
	}
	if n.asks == nil {
		n.asks = map[string]*asking{}
	}
	ctx, stop := context.WithCancel(context.Background())
	v, err := git.Verify(ctx, dir)
	if err != nil {
		stop()
		n.asks[dir] = nil
		return nil
	}
	n.asks[dir] = &asking{Verifier: v, found: map[string]string{}, stop: stop}
	return n.asks[dir]
}

// done ends who asks.
func (n *New) done() {
	if n == nil {
		return
	}
	for _, a := range n.asks {
		if a != nil {
			a.stop()
			a.Close()
		}
	}
	n.asks = nil
}

// at is what a commit has at a path; "" for nothing, and where nobody can tell.
func (a *asking) at(commit, rel string) string {
	key := commit + ":" + rel
	object, known := a.found[key]
	if !known {
		defer time.AfterFunc(knewTime, a.stop).Stop()
		object, _ = a.At(commit, rel)
		a.found[key] = object
	}
	return object
}
