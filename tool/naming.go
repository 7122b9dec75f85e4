package tool

import (
	"strconv"
	"strings"

	"helve/internal/names"
)

// Names is how a kit names the tools of others.
type Names uint8

const (
	QualifiedNames Names = iota // mcp__server__tool
	ServerNames                 // server__tool: for clients that put mcp__ and our name before it
	PlainNames                  // the tool's own name; server__tool on conflict
)

// minName is the shortest bound on names that is kept: a hash and some letters.
const minName = 16

// keepNames is how many names of tools that are gone a naming remembers beyond twice those in use,
// so that a restarted server gets its names back while one that renames its tools for ever costs
// nothing.
const keepNames = 1000

// A naming gives every tool a public name and never takes it back for another: a later upstream
// renames no earlier tool.
type naming struct {
	how   Names
	max   int // bytes of a name; 0: as many as providers accept
	given map[Origin]string
	taken map[string]Origin
}

// names gives the tools names, in their order, ours first so that no other takes them.
func (n *naming) name(tools []Tool) {
	if n.given == nil || len(n.given) > 2*len(tools)+keepNames {
		n.restart(tools)
	}
	for _, own := range []bool{true, false} {
		for _, t := range tools {
			if s := t.Spec(); ours(s) == own {
				n.assign(s)
			}
		}
	}
}

// restart forgets the tools that are gone.
func (n *naming) restart(tools []Tool) {
	old := n.given
	n.given, n.taken = make(map[Origin]string, len(tools)), make(map[string]Origin, len(tools))
	for _, t := range tools {
		if o := t.Spec().Origin; old[o] != "" {
			n.given[o], n.taken[old[o]] = old[o], o
		}
	}
}

func (n *naming) assign(s *Spec) {
	if ours(s) {
		defer n.reserve(s)
	}
	if n.given[s.Origin] != "" {
		return
	}
	for _, c := range n.wishes(s) {
		if len(c) > n.bound() {
			c = names.Fit(s.Name, s.Origin.String(), n.bound()) // the tool's own name says more than its server's
		}
		if n.take(c, s.Origin) {
			return
		}
	}
	for i := 2; ; i++ { // somebody made a name that holds another's hash
		identity := s.Origin.String() + strconv.Itoa(i)
		if n.take(names.Fit(names.Hashed(s.Name, identity), identity, n.bound()), s.Origin) {
			return
		}
	}
}

// bound is how long a name may be.
func (n *naming) bound() int {
	if n.max <= 0 || n.max > names.MaxPublic {
		return names.MaxPublic
	}
	return max(n.max, minName)
}

// reserve keeps the aliases of our own tools from outside ones.
func (n *naming) reserve(s *Spec) {
	for _, a := range s.Aliases {
		if _, ok := n.taken[a]; !ok {
			n.taken[a] = s.Origin
		}
	}
}

func (n *naming) take(name string, o Origin) bool {
	if by, ok := n.taken[name]; ok && by != o {
		return false
	}
	n.given[o], n.taken[name] = name, o
	return true
}

// wishes are the names that a tool would like, best first.
func (n *naming) wishes(s *Spec) []string {
	hashed := names.Hashed(s.Name, s.Origin.String())
	switch s.Origin.Kind {
	case MCP:
		qualified := names.Qualified(s.Origin.Server, s.Origin.Name)
		if s.Name != s.Origin.Name { // renamed by configuration
			return []string{names.Public(s.Name), qualified, hashed}
		}
		if n.how == ServerNames {
			unprefixed := strings.TrimPrefix(qualified, "mcp__")
			return []string{names.Public(unprefixed), qualified, hashed}
		}
		if n.how == PlainNames {
			return []string{names.Public(s.Name), names.Public(s.Origin.Server + "__" + s.Name), qualified, hashed}
		}
		return []string{qualified, hashed}
	case Remote:
		pooled := names.OfPool(s.Origin.Server, s.Origin.Name)
		if n.how == PlainNames {
			return []string{names.Public(s.Name), pooled, hashed}
		}
		return []string{pooled, hashed}
	case Command:
		return []string{names.Public(s.Name), names.Public("cmd__" + s.Name), hashed}
	}
	return []string{names.Public(s.Name), hashed}
}
