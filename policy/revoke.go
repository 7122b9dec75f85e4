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
	st := g.sessionStore(s)
	if st == nil {
		return nil
	}
	list, err := st.Load()
	if err != nil { // as for Granted: what cannot be read grants nothing
		return nil
	}
	return list
}

// Revoke takes an approval back, wherever it is remembered: in the session, if s is not nil, and in the store, where it
// must be of this workspace and of whoever the session is of. What it covered is asked about again from the next call
// on; calls that run go on. ErrNoGrant: there is none of that ID, as when another took it back before.
func (g *Grants) Revoke(s *tool.Session, id string) error {
	inSession, err := g.remove(g.sessionStore(s), s, id)
	always, err2 := g.remove(g.o.Store, s, id)
	if err = errors.Join(err, err2); err != nil {
		return fmt.Errorf("approval %s: %w", id, err)
	}
	if !inSession && !always {
		return fmt.Errorf("%w: %s", ErrNoGrant, id)
	}
	return nil
}

// remove takes a grant of this workspace, and of whoever the session is of, out of a store, and tells whether it was
// there. nil has none.
func (g *Grants) remove(st GrantStore, s *tool.Session, id string) (found bool, err error) {
	if st == nil {
		return false, nil
	}
	who := principalOf(s)
	err = st.Update(func(list []Grant) ([]Grant, error) {
		left := slices.DeleteFunc(slices.Clone(list), func(k Grant) bool {
			return k.ID == id && k.Principal == who && k.Workspace == g.o.Workspace
		})
		found = len(left) < len(list)
		return left, nil
	})
	return found, err
}
