package tool

import (
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
)

// KitOptions say what a kit offers and how it runs it. The zero value gives read-only tools and
// nobody to ask.
type KitOptions struct {
	// Policy decides what is offered and what may run. nil: our own tools that only read run
	// freely, everything else is asked about, and where nobody can be asked our own tools that do
	// more than read are not offered.
	Policy Policy
	Ask    Asker  // nil: what would be asked is refused
	Grants Grants // nil: every answer holds once

	// Watch is told of each step between the beginning of a call and its end, in order, in the
	// goroutine of the call, which waits for it: it must be quick. Calls run at the same time. A
	// middleware in Around sees the beginning and the end, with the same context or one made of it.
	// nil: nobody watches, and it costs nothing.
	Watch func(context.Context, Event)

	Around []func(Caller) Caller // around whole calls, refusals too; the first is the outermost
	Wrap   []func(Runner) Runner // around approved jobs; the first is the outermost

	// Stateless says that callers have no session: tools that are useless without one are not
	// offered.
	Stateless bool

	Names   Names // how the tools of others are named
	MaxName int   // bytes of a name, where a client puts a prefix before it; 0: 64, which every provider accepts

	// Show tells which of the tools offered are listed. The others can be called by name and are
	// found by those who search, but no list has them. nil: all are listed.
	Show func(*Spec) bool

	// Listing says in which words lists show the tools. nil: in their own.
	Listing *Listing
}

// A Caller carries a whole call: looking up, checking, judging, running. The error is for the host;
// see Kit.Call.
type Caller func(ctx context.Context, c *Call) (*Result, error)

// A Runner runs an approved job.
type Runner func(ctx context.Context, j *Job) (*Result, error)

// A Kit offers a registry's tools under one policy. It follows the registry; its views do not
// change. Methods are safe for concurrent use. The mode of an agent (plan, ask, auto) is which kit
// it calls.
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
		o.Policy = careful{asks: o.Ask != nil || o.Grants != nil}
	}
	k := &Kit{o: o, reg: r, naming: naming{how: o.Names, max: o.MaxName}}
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

// revised is closed when the policy changes; nil: it never does, or does not tell.
func (k *Kit) revised() <-chan struct{} {
	a, ok := k.reviser.(Announcer)
	if !ok {
		return nil
	}
	return a.Changed()
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
	v := newView(s, s.tools, func(sp *Spec) string { return k.naming.given[sp.Origin] }, k.Lists, k.o.Show)
	v.say(k.o.Listing)
	v.revision = rev
	k.view.Store(v)
	return v
}

// Lists is the policy's answer to whether the tool is offered, without a view of all. A policy that panics denies.
func (k *Kit) Lists(s *Spec) (v Verdict) {
	if k.o.Policy == nil { // a registry's own view
		return Verdict{Decision: Allow}
	}
	if s.Stateful && k.o.Stateless {
		return Verdict{Reason: "it needs a session and there is none", Layer: "kit"}
	}
	defer func() {
		if p := recover(); p != nil {
			v = Verdict{Reason: panicked("the policy", p).Error()}
		}
	}()
	return k.o.Policy.Lists(s)
}

// Watch yields the view as it stands and then each new one, until ctx is done. Changes that come
// while the caller is busy are coalesced into one.
func (k *Kit) Watch(ctx context.Context) iter.Seq[*View] {
	return func(yield func(*View) bool) {
		var last *View
		for ctx.Err() == nil {
			revised := k.revised() // before the view: a change meanwhile must not be missed
			s := k.reg.load()
			if v := k.viewOf(s); v != last {
				last = v
				if !yield(v) {
					return
				}
			}
			select {
			case <-s.changed:
			case <-revised:
			case <-ctx.Done():
			}
		}
	}
}
