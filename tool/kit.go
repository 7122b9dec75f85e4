package tool

import (
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
)

// KitOptions say what a kit offers and how it runs it. The zero value gives read-only tools and nobody to ask.
type KitOptions struct {
	Policy Policy // nil: what only reads is allowed, everything else is asked about
	Ask    Asker  // nil: what would be asked is refused
	Grants Grants // nil: every answer holds once

	Around []func(Caller) Caller // around whole calls, refusals too; the first is the outermost
	Wrap   []func(Runner) Runner // around approved jobs; the first is the outermost

	Write bool // offer our tools that change files or run programs, too (R2.4)
	Todo  bool // offer our todo tools, too
	// Stateless says that callers have no session: tools that are useless without one are not offered.
	Stateless bool

	Names Names // how the tools of others are named

	// Show tells which of the tools offered are listed. The others can be called by name and are found by those who search, but no
	// list has them. nil: all are listed.
	Show func(*Spec) bool
}

// A Caller carries a whole call: looking up, checking, judging, running. The error is for the host; see Kit.Call.
type Caller func(ctx context.Context, c *Call) (*Result, error)

// A Runner runs an approved job.
type Runner func(ctx context.Context, j *Job) (*Result, error)

// A Kit offers a registry's tools under one policy. It follows the registry; its views do not change. Methods are safe for
// concurrent use. The mode of an agent (plan, ask, auto) is which kit it calls.
type Kit struct {
	o       KitOptions
	reg     *Registry
	reviser Reviser // nil: the policy never changes
	call    Caller
	run     Runner

	view   atomic.Pointer[View]
	mu     sync.Mutex // held to build a view
	naming naming
}

// Kit makes a kit of the registry's tools.
func (r *Registry) Kit(o KitOptions) *Kit {
	if o.Policy == nil {
		o.Policy = careful{}
	}
	k := &Kit{o: o, reg: r, naming: naming{how: o.Names}}
	k.reviser, _ = o.Policy.(Reviser)
	k.run = runJob
	for _, wrap := range slices.Backward(o.Wrap) {
		k.run = wrap(k.run)
	}
	k.call = k.door
	for _, around := range slices.Backward(o.Around) {
		k.call = around(k.call)
	}
	return k
}

// View is what the kit offers now: the same pointer until the registry or the policy changed.
func (k *Kit) View() *View { return k.viewOf(k.reg.load()) }

func (k *Kit) viewOf(s *snapshot) *View {
	if v := k.view.Load(); v != nil && v.of == s && v.revision == k.revision() {
		return v
	}
	return k.look(s)
}

func (k *Kit) revision() uint64 {
	if k.reviser == nil {
		return 0
	}
	return k.reviser.Revision()
}

// look builds the view of a snapshot, once.
func (k *Kit) look(s *snapshot) *View {
	k.mu.Lock()
	defer k.mu.Unlock()
	rev := k.revision()
	if v := k.view.Load(); v != nil && v.of == s && v.revision == rev {
		return v
	}
	k.naming.name(s.tools)
	v := newView(s, s.tools, func(sp *Spec) string { return k.naming.given[sp.Origin] }, k.lists, k.o.Show)
	v.revision = rev
	k.view.Store(v)
	return v
}

// lists is the one answer to what is offered. A policy that panics denies.
func (k *Kit) lists(s *Spec) (v Verdict) {
	if k.o.Policy == nil { // a registry's own view
		return Verdict{Decision: Allow}
	}
	if v := k.switched(s); v.Decision == Deny {
		return v
	}
	defer func() {
		if p := recover(); p != nil {
			v = Verdict{Reason: panicked("the policy", p).Error()}
		}
	}()
	return k.o.Policy.Lists(s)
}

// switched is R2.4: what stands in a kit at all. Tools of MCP servers always do.
func (k *Kit) switched(s *Spec) Verdict {
	own := s.Origin.Kind != MCP
	switch {
	case own && s.Category == "task" && !k.o.Todo:
		return Verdict{Off: true, Reason: "todo lists are not switched on", Rule: "todo", Layer: "default"}
	case own && s.Category != "task" && !k.o.Write && !s.ReadOnly:
		return Verdict{Off: true, Reason: "writing is not switched on", Rule: "write", Layer: "default"}
	case s.Stateful && k.o.Stateless:
		return Verdict{Reason: "it needs a session and there is none"}
	}
	return Verdict{Decision: Allow}
}

// Watch yields the view as it stands and then each new one, until ctx is done. Changes that come while the caller is busy are
// coalesced into one.
func (k *Kit) Watch(ctx context.Context) iter.Seq[*View] {
	return func(yield func(*View) bool) {
		var last *View
		for ctx.Err() == nil {
			s := k.reg.load()
			if v := k.viewOf(s); v != last {
				last = v
				if !yield(v) {
					return
				}
			}
			select {
			case <-s.changed:
			case <-ctx.Done():
			}
		}
	}
}
