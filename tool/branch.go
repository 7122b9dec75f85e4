package tool

import (
	"slices"
	"sync"
)

// Branch is a registry that holds what r holds and follows it, except for the
// sources that somebody attaches to the branch: from their first list on, what
// they bring takes the place of what r holds of a source of that name. So one
// session can see a source in its own way. Close it.
func (r *Registry) Branch() *Registry {
	b := &Registry{Admit: r.Admit, Log: r.Log}
	b.base, b.own, b.left = r, map[string]bool{}, make(chan struct{})
	first := r.load()
	b.mu.Lock()
	b.follow(first)
	b.mu.Unlock()
	b.following.Go(func() { b.keepUp(first) })
	return b
}

// A branching is what a registry has that is a branch.
type branching struct {
	base      *Registry       // nil: it is none
	own       map[string]bool // the sources that the branch has lists of
	left      chan struct{}   // closed by Close
	following sync.WaitGroup
}

// keepUp follows the base until the branch is closed.
func (r *Registry) keepUp(s *snapshot) {
	for {
		select {
		case <-s.changed:
		case <-r.left:
			return
		}
		s = r.base.load()
		r.mu.Lock()
		r.follow(s)
		r.mu.Unlock()
	}
}

// follow takes over what a snapshot of the base holds. r.mu is held.
func (r *Registry) follow(s *snapshot) {
	old := r.load()
	mine := func(t Tool) bool { return r.own[t.Spec().Origin.Source()] }
	for _, t := range old.tools {
		if !mine(t) {
			r.release(t.Spec())
		}
	}
	tools := slices.DeleteFunc(slices.Clone(s.tools), mine)
	for _, t := range tools {
		r.hold(t.Spec(), t.Spec().Origin.Source())
	}
	for _, t := range old.tools {
		if mine(t) {
			tools = append(tools, t)
		}
	}
	if !slices.Equal(tools, old.tools) {
		r.publish(tools)
	}
}

// leave ends the following of a branch.
func (r *Registry) leave() {
	if r.base == nil {
		return
	}
	r.mu.Lock()
	select {
	case <-r.left:
	default:
		close(r.left)
	}
	r.mu.Unlock()
	r.following.Wait()
}
