package upstream

import (
	"fmt"
	"maps"
	"slices"
)

// Changes are the definitions of the lists in use, or remembered, that differ
// from what was approved, by name.
func (s *Source) Changes() []Change {
	found := map[string]*Change{}
	for _, l := range s.lists.every() {
		defs, _ := s.definitions(l)
		for name, c := range s.approvals.compare(byName(defs), false) {
			if found[name] == nil {
				found[name] = c
			}
		}
	}
	var out []Change
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, *found[name])
	}
	return out
}

// Changed is the change of one tool's definition in a list as it was last made
// into tools. It costs nothing.
func (s *Source) Changed(tool string) (Change, bool) {
	for _, v := range s.lists.all() {
		if c := v.change(tool); c != nil {
			return *c, true
		}
	}
	return Change{}, false
}

// Accept pins the definition that a change brought, and nothing else: what was
// shown is what counts. The next listing has it, without asking the server
// again.
func (s *Source) Accept(c Change) error {
	if err := s.approvals.approve(c); err != nil {
		return fmt.Errorf("mcp server %s: %w", s.cfg.Name, err)
	}
	for _, v := range s.lists.all() {
		v.again()
	}
	return nil
}

// Approve pins the definitions as they are now, of the named tools or of all.
// The next listing has them.
func (s *Source) Approve(tools ...string) error {
	changes := s.Changes()
	for _, name := range tools {
		if !slices.ContainsFunc(changes, func(c Change) bool { return c.Tool == name }) {
			return fmt.Errorf("mcp server %s: the definition of %q is not changed", s.cfg.Name, name)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	wanted := slices.DeleteFunc(changes, func(c Change) bool {
		return len(tools) > 0 && !slices.Contains(tools, c.Tool)
	})
	err := s.approvals.approve(wanted...)
	for _, v := range s.lists.all() {
		v.stale()
	}
	return err
}
