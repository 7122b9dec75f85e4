package tree

import "sync"

// Set shares resident trees: whoever opens the same root gets the same tree. The zero value is ready; it is safe for
// concurrent use.
type Set struct {
	Config Config // for trees opened later
	mu     sync.Mutex
	trees  map[string]*shared
}

// shared is a tree and how many have opened it.
type shared struct {
	tree  *Tree
	users int
}

// Open returns the tree at a root, which listens for changes until as many have closed it as have opened it. Nothing is
// read before the first Snapshot.
func (s *Set) Open(root string) (*Tree, error) {
	t, err := At(root, s.Config)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if have := s.trees[t.root]; have != nil {
		have.users++
		t.base.close()
		return have.tree, nil
	}
	if s.trees == nil {
		s.trees = map[string]*shared{}
	}
	t.live = newResident(t)
	t.shared = func() error { return s.release(t.root) }
	s.trees[t.root] = &shared{tree: t, users: 1}
	return t, nil
}

// release counts a user out, the last of whom ends the watches.
func (s *Set) release(root string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	have := s.trees[root]
	if have == nil {
		return nil
	}
	have.users--
	if have.users > 0 {
		return nil
	}
	delete(s.trees, root)
	have.tree.live.close()
	have.tree.base.close()
	return nil
}
