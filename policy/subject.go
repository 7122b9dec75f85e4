package policy

import (
	"slices"
	"strings"
	"sync"

	"helve/internal/names"
	"helve/tool"
)

// maxSubjects bounds how many tools are remembered: registries that change for ever must not fill the memory.
const maxSubjects = 20_000

// A subject is a tool as the rules see it, worked out once.
type subject struct {
	spec      *tool.Spec
	surely    []string // names that mean this tool and no other: folded if it is ours, as they are for another's
	maybe     []string // all names, folded: good enough to deny, not to allow
	bare      string   // of another's tool, folded: no wildcard means it
	groups    []string
	protected bool
	trusted   bool
	foreign   bool // as Options.Foreign

	listing tool.Verdict
	prefs   []*entry // the deciding switch of each layer, nil for none

	once sync.Once
	hits []reach // for each rule: does it look at this tool, and how
}

type reach byte

const (
	never reach = iota
	own         // the rule names the tool
	cross       // the rule names another tool whose targets this one's effects are too
)

// of is the subject of a spec. Specs never change, so that their address is a good key.
func (r *Rules) of(s *tool.Spec) *subject {
	seen := r.seen.Load()
	if seen == nil { // rules without layers are made without New, and remember nothing
		return r.newSubject(s)
	}
	if v, ok := seen.Load(s); ok {
		return v.(*subject)
	}
	if r.count.Add(1) > maxSubjects {
		seen = &sync.Map{}
		r.seen.Store(seen)
		r.count.Store(1)
	}
	v, _ := seen.LoadOrStore(s, r.newSubject(s))
	return v.(*subject)
}

func (r *Rules) newSubject(s *tool.Spec) *subject {
	u := &subject{spec: s, foreign: r.o.Foreign}
	if len(r.layers) > 0 {
		r.nameSubject(u)
	}
	u.trusted = ours(s) || r.trusts(s.Origin)
	if s.Origin.Kind == tool.Builtin {
		u.protected = r.protected[names.Fold(s.Name)]
	}
	u.prefs = make([]*entry, len(r.layers))
	for i := range r.layers {
		u.prefs[i] = r.layers[i].switches.best(u)
	}
	u.listing = r.list(u, nil)
	return u
}

// trusts tells that the tool comes from an MCP server, or a pool of workers, that is trusted.
func (r *Rules) trusts(o tool.Origin) bool {
	return others(o) && r.o.Trusted != nil && r.o.Trusted(o.Source())
}

// others tells that a tool is another program's, which says of it what it likes: an MCP server's, or that of workers.
func others(o tool.Origin) bool { return o.Kind == tool.MCP || o.Kind == tool.Remote }

// ours tells that the tool is part of the program: a built-in one, or one that the embedding program added.
func ours(s *tool.Spec) bool {
	return s.Origin.Kind == tool.Builtin || s.Origin.Kind == tool.Go
}

// nameSubject sorts the spellings of a tool by how surely they mean it. A bare name that is one of ours never means
// another's.
func (r *Rules) nameSubject(u *subject) {
	s := u.spec
	bare := []string{s.Name, s.Origin.Name, names.GenerateValidName(s.Origin.Name)}
	if !ours(s) {
		u.bare = names.Fold(s.Origin.Name)
	}
	for _, n := range s.Spellings() {
		folded := names.Fold(n)
		if !ours(s) && r.own[folded] && slices.Contains(bare, n) {
			continue
		}
		u.maybe = append(u.maybe, folded)
		switch {
		case ours(s):
			u.surely = append(u.surely, folded)
		case s.Origin.Kind == tool.Command, precise(s.Origin, n):
			u.surely = append(u.surely, n)
		}
	}
	u.groups = groupsOf(s)
}

// groupsOf are the groups that a tool is in. What servers say of themselves puts their tools in none.
func groupsOf(s *tool.Spec) []string {
	groups := []string{s.Kind.String(), string(s.Origin.Kind)}
	switch {
	case s.Origin.Kind == tool.Remote:
		groups = append(groups, "pool__"+s.Origin.Server)
	case s.Origin.Server != "":
		groups = append(groups, "mcp__"+s.Origin.Server)
	}
	if !ours(s) && s.Origin.Kind != tool.Command {
		return groups
	}
	for _, g := range append(slices.Clone(s.Tags), s.Category) {
		if g != "" && !reserved[g] {
			groups = append(groups, g)
		}
	}
	return groups
}

// reserved groups say what a tool is, and no tag can claim them.
var reserved = map[string]bool{
	"read": true, "write": true, "exec": true, "net": true,
	"builtin": true, "go": true, "command": true, "mcp": true, "remote": true,
}

// precise tells that a spelling of a server's tool cannot mean another server's: where the server ends is plain.
func precise(o tool.Origin, n string) bool {
	if o.Kind == tool.Remote {
		return n == names.OfPool(o.Server, o.Name)
	}
	switch n {
	case names.Qualified(o.Server, o.Name):
		return true
	case "mcp__" + o.Server + "__" + o.Name, o.Server + "__" + o.Name:
		split := strings.Contains(o.Server, "__") || strings.HasSuffix(o.Server, "_")
		pooled := o.Server == "pool" && !strings.HasPrefix(n, "mcp__") // it may be a pool's, whose name is in o.Name
		return !split && !pooled && !strings.HasPrefix(o.Name, "_")
	case "mcp__" + o.Server + "/" + o.Name, o.Server + "/" + o.Name:
		return !strings.Contains(o.Server, "/")
	case o.Server + "." + o.Name:
		return !strings.Contains(o.Server, ".")
	}
	return false
}

// selection is, for each rule, whether it looks at this tool. It is worked out when the first call is judged: most
// tools of a large registry are never called.
func (r *Rules) selection(u *subject) []reach {
	u.once.Do(func() {
		u.hits = make([]reach, len(r.rules))
		same := map[string]bool{} // by selector: many rules name the same tool
		for i := range r.rules {
			u.hits[i] = r.rules[i].looksAt(u, same)
		}
	})
	return u.hits
}

// looksAt tells how a rule looks at a tool. same remembers what selectors matched.
func (c *rule) looksAt(u *subject, same map[string]bool) reach {
	gives := c.decision == tool.Allow
	key := c.sel.key + "\x00" + c.sel.text
	if gives {
		key += "+"
	}
	hit, known := same[key]
	if !known {
		hit = c.sel.matches(u, gives)
		same[key] = hit
	}
	switch {
	case hit:
		return own
	case c.reaches != 0:
		return cross
	}
	return never
}
