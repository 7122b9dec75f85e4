package syntax

// scopes holds the local names around the present position and what is known of their types. A local name is never
// referred to: what it stands for is.
type scopes struct {
	binds []binding
	bound []int32 // by Sym: 1 + the index of its innermost binding
	watch *watcher
}

// binding is a local name and what is known of its type: a symbolic expression, or 0.
type binding struct {
	name, expr Sym
	outer      int32 // the binding of the same name that it hides, as in scopes.bound
}

// scope is how many names were bound when it began.
type scope int

// beginScope begins a scope. What it answers is for endScope.
func (s *scopes) beginScope() scope { return scope(len(s.binds)) }

// endScope forgets the names bound since the scope began.
func (s *scopes) endScope(begin scope) {
	for len(s.binds) > int(begin) {
		b := s.binds[len(s.binds)-1]
		s.bound[b.name] = b.outer
		s.binds = s.binds[:len(s.binds)-1]
	}
}

// bind makes name a local one of the given type; 0 is an unknown type.
func (s *scopes) bind(name, expr Sym) {
	if name == 0 || len(s.binds) >= maxBindings {
		return
	}
	for int(name) >= len(s.bound) {
		s.bound = append(s.bound, 0)
	}
	s.binds = append(s.binds, binding{name, expr, s.bound[name]})
	s.bound[name] = int32(len(s.binds))
}

// local finds what is known of the type of a local name.
func (s *scopes) local(name Sym) (expr Sym, ok bool) {
	if int(name) >= len(s.bound) || s.bound[name] == 0 {
		return 0, false
	}
	return s.binds[s.bound[name]-1].expr, true
}

// isLocal reports whether name is a local one.
func (s *scopes) isLocal(name Sym) bool {
	_, ok := s.local(name)
	return ok
}

// rebind changes what is known of a local name's type.
func (s *scopes) rebind(name, expr Sym) {
	if int(name) < len(s.bound) && s.bound[name] != 0 {
		s.binds[s.bound[name]-1].expr = expr
	}
}
