package tool

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
)

// A Registry holds the tools of every origin. The zero value is empty and ready. Methods are safe
// for concurrent use; readers see immutable snapshots, writers add all or nothing.
type Registry struct {
	// Admit is the allow-list: when set, every other registration is skipped with a warning that
	// names the tool. Set it before the first registration; Named makes one from names.
	Admit func(*Spec) bool
	Log   *slog.Logger // nil: silent

	mu      sync.Mutex
	snap    atomic.Pointer[snapshot]
	held    map[Origin]string // identity → source, of every registered tool
	plain   map[string]Origin // names of built-in and Go tools, which must be unique
	sources []*attached
	view    Kit // names everything, without a policy: the registry's own View

	branching
}

// A snapshot is what is registered at one moment. Its slice is never written below its length.
type snapshot struct {
	tools   []Tool
	changed chan struct{} // closed when a newer snapshot stands
}

// Add registers tools, all or none. A tool that stands already, by identity or, for built-in and Go
// tools, by name, is an error.
func (r *Registry) Add(tools ...Tool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	admitted, err := r.check(tools)
	if err != nil {
		return err
	}
	for _, t := range admitted {
		r.hold(t.Spec(), t.Spec().Origin.Source())
	}
	old := r.load()
	r.publish(append(old.tools, admitted...)) // beyond old's length nobody reads
	return nil
}

// check tells whether the tools can be added, and leaves out those that the allow-list does not
// admit.
func (r *Registry) check(tools []Tool) ([]Tool, error) {
	admitted := make([]Tool, 0, len(tools))
	ids, plain := map[Origin]bool{}, map[string]bool{}
	for _, t := range tools {
		s := t.Spec()
		if s.Origin.Name == "" || s.Name == "" {
			return nil, fmt.Errorf("register: a tool of %s has no name", s.Origin.Source())
		}
		if !r.admits(s) {
			continue
		}
		if _, ok := r.held[s.Origin]; ok || ids[s.Origin] {
			return nil, fmt.Errorf("register: %s: already registered", s.Origin)
		}
		if ours(s) {
			if o, ok := r.plain[s.Name]; ok || plain[s.Name] {
				return nil, fmt.Errorf("register: %s: the name %q is taken by %s", s.Origin, s.Name, o)
			}
			plain[s.Name] = true
		}
		ids[s.Origin] = true
		admitted = append(admitted, t)
	}
	return admitted, nil
}

func (r *Registry) admits(s *Spec) bool {
	if r.Admit == nil || r.Admit(s) {
		return true
	}
	r.warn("not in the list of allowed tools, skipped", "tool", s.Origin.String())
	return false
}

func ours(s *Spec) bool { return s.Origin.Kind == Builtin || s.Origin.Kind == Go }

func (r *Registry) hold(s *Spec, source string) {
	if r.held == nil {
		r.held, r.plain = map[Origin]string{}, map[string]Origin{}
	}
	r.held[s.Origin] = source
	if ours(s) {
		r.plain[s.Name] = s.Origin
	}
}

func (r *Registry) release(s *Spec) {
	delete(r.held, s.Origin)
	if ours(s) {
		delete(r.plain, s.Name)
	}
}

// Set makes tools the whole of what a source brings: what it brought before and does not now is
// gone. Of two with one identity the first stays. A tool that another source holds, or that claims
// to be built in, is an error, and nothing changes.
func (r *Registry) Set(source string, tools []Tool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var fresh []Tool
	seen := map[Origin]bool{}
	for _, t := range tools {
		s := t.Spec()
		switch by, taken := r.held[s.Origin]; {
		case s.Origin.Kind == Builtin:
			return fmt.Errorf("register: %s: source %s may not replace what is built in", s.Origin, source)
		case taken && by != source:
			return fmt.Errorf("register: %s: already registered by %s", s.Origin, by)
		case s.Name == "" || s.Origin.Name == "":
			r.warn("discovered a tool with no name, skipping", "source", source)
			continue
		case seen[s.Origin]:
			r.warn("discovered twice, the first stays", "tool", s.Origin.String())
			continue
		}
		seen[s.Origin] = true
		if r.admits(s) {
			fresh = append(fresh, t)
		}
	}
	return r.replace(source, fresh)
}

// replace swaps a source's tools and publishes once.
func (r *Registry) replace(source string, fresh []Tool) error {
	if r.base != nil {
		r.own[source] = true
	}
	old := r.load()
	kept := make([]Tool, 0, len(old.tools)+len(fresh))
	for _, t := range old.tools {
		if r.held[t.Spec().Origin] != source {
			kept = append(kept, t)
		}
	}
	for _, t := range fresh {
		s := t.Spec()
		if o, taken := r.plain[s.Name]; ours(s) && taken && r.held[o] != source {
			return fmt.Errorf("register: %s: the name %q is taken by %s", s.Origin, s.Name, o)
		}
	}
	for _, t := range old.tools {
		if r.held[t.Spec().Origin] == source {
			r.release(t.Spec())
		}
	}
	for _, t := range fresh {
		r.hold(t.Spec(), source)
	}
	r.publish(append(kept, fresh...))
	return nil
}

// Remove unregisters the tool of that name, in any spelling, and tells whether it was there.
func (r *Registry) Remove(name string) bool {
	t, ok := r.View().Get(name)
	if !ok {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.load()
	i := slices.IndexFunc(old.tools, func(o Tool) bool { return o.Spec().Origin == t.Spec().Origin })
	if i < 0 {
		return false
	}
	r.release(t.Spec())
	r.publish(slices.Delete(slices.Clone(old.tools), i, i+1))
	return true
}

// load is the current snapshot; the caller may hold mu.
func (r *Registry) load() *snapshot {
	if s := r.snap.Load(); s != nil {
		return s
	}
	r.snap.CompareAndSwap(nil, &snapshot{changed: make(chan struct{})})
	return r.snap.Load()
}

func (r *Registry) publish(tools []Tool) {
	old := r.load()
	r.snap.Store(&snapshot{tools: tools, changed: make(chan struct{})})
	close(old.changed)
}

// Specs are what is registered, in the order of registration: for who asks about tools and not for their names.
func (r *Registry) Specs() []*Spec {
	tools := r.load().tools
	out := make([]*Spec, len(tools))
	for i, t := range tools {
		out[i] = t.Spec()
	}
	return out
}

// View is everything that is registered, under the names that a kit without a policy gives. It
// never changes; the same pointer comes back until the registry changed.
func (r *Registry) View() *View { return r.view.viewOf(r.load()) }

func (r *Registry) warn(msg string, args ...any) {
	if r.Log != nil {
		r.Log.Warn(msg, args...)
	}
}

// Named is an allow-list of names in any spelling, for Registry.Admit.
func Named(list ...string) func(*Spec) bool {
	want := map[string]bool{}
	for _, n := range list {
		want[n] = true
	}
	return func(s *Spec) bool {
		return slices.ContainsFunc(s.Spellings(), func(n string) bool { return want[n] })
	}
}
