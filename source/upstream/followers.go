package upstream

import "helve/tool"

// followers are the sessions that want to hear of resources, by their addresses. Whoever has them guards them.
type followers map[string]map[*tool.Session]bool

// join notes that a session wants to hear of a resource.
func (f *followers) join(session *tool.Session, uri string) {
	if *f == nil {
		*f = followers{}
	}
	if (*f)[uri] == nil {
		(*f)[uri] = map[*tool.Session]bool{}
	}
	(*f)[uri][session] = true
}

// leave forgets that, and tells whether others want to hear of it still.
func (f followers) leave(session *tool.Session, uri string) (others bool) {
	delete(f[uri], session)
	if len(f[uri]) > 0 {
		return true
	}
	delete(f, uri)
	return false
}

// forget forgets a session, and is what nobody else wants to hear of.
func (f followers) forget(session *tool.Session) (over []string) {
	for uri := range f {
		if !f.leave(session, uri) {
			over = append(over, uri)
		}
	}
	return over
}
