package policy

import (
	"errors"
	"fmt"
	"slices"

	"helve/tool"
)

// ErrNoGrant says that there is no grant of that ID to take back.
var ErrNoGrant = errors.New("no such approval")

// Session are the approvals that hold until a session ends, oldest first. Those that hold for always are the store's.
func (g *Grants) Session(s *tool.Session) []Grant {
	if s == nil {
		return nil
	}
	return grantsOf(s).all()
}

// Revoke takes an approval back, wherever it is remembered: in the session, if s is not nil, and in the store, where it
// must be of this workspace and of whoever the session is of. What it covered is asked about again from the next call
// on; calls that run go on. ErrNoGrant: there is none of that ID, as when another took it back before.
func (g *Grants) Revoke(s *tool.Session, id string) error {
	found := false
	if s != nil {
		found = grantsOf(s).remove(id)
	}
	if g.o.Store == nil {
		return revoked(id, found)
	}
	who := principalOf(s)
	err := g.o.Store.Update(func(list []Grant) ([]Grant, error) {
		left := slices.DeleteFunc(slices.Clone(list), func(k Grant) bool {
			return k.ID == id && k.Principal == who && k.Workspace == g.o.Workspace
		})
		found = found || len(left) < len(list)
		return left, nil
	})
	if err != nil {
		return fmt.Errorf("approval %s: %w", id, err)
	}
	return revoked(id, found)
}

func revoked(id string, found bool) error {
	if !found {
		return fmt.Errorf("%w: %s", ErrNoGrant, id)
	}
	return nil
}

// remove takes a grant of the session away, and tells whether it was there.
func (s *sessionGrants) remove(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := slices.DeleteFunc(slices.Clone(s.list), func(k Grant) bool { return k.ID == id })
	found := len(left) < len(s.list)
	s.list = left
	return found
}
