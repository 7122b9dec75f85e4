package workspace

import (
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"helve/internal/config"
	"helve/policy"
	"helve/tool"
)

// A guard is what the rules of the workspace say: to its kits, to the built-in tools while they work, and of what other
// programs' tools do. It is there before the tools, which ask it when they are called; its rules follow once the names
// of the tools are known.
type guard struct {
	conf    *configuration
	places  *places
	program []policy.Rule
	guards  Guards
	foreign bool
	private string

	own      []string     // the names of our own tools: as a bare name they never mean another's
	live     *policy.Live // the rules of the configuration as it was read last
	policies policies     // those of other profiles and modes
	grants   *policy.Grants
}

func newGuard(o *Options, conf *configuration, at *places) *guard {
	return &guard{
		conf:    conf,
		places:  at,
		program: o.Rules,
		guards:  o.Guards,
		foreign: o.Foreign,
		private: o.Private,
	}
}

// rules are those of the workspace itself, as they stand.
func (g *guard) rules() *policy.Rules { return g.live.Rules() }

// denied tells whether a rule keeps a file from being read. It is asked by calls only, when there are rules.
func (g *guard) denied(target string) bool { return g.rules().Denies(tool.Read, target) }

// deniedWrite tells whether a rule keeps a file from being written.
func (g *guard) deniedWrite(target string) bool { return g.rules().Denies(tool.Write, target) }

// rulesOf is the policy of settings.
func (g *guard) rulesOf(s *settings) (*policy.Rules, error) {
	layers := []policy.Layer{s.preset.Layer()}
	below := slices.IndexFunc(s.layers, isBelowRules)
	for i, l := range s.layers {
		if i == below {
			layers = append(layers, policy.Layer{Name: "program", Rules: g.program})
		}
		layers = append(layers, policyLayer(l))
	}
	layers = append(layers, s.preset.Beneath())
	home := g.places.getenv("HOME")
	asking, alone := g.askTargets()
	return policy.New(policy.Options{
		Mode:      s.mode,
		ModeAt:    policy.Place(s.modeAt),
		Protected: protected,
		Own:       g.own,
		Trusted:   func(server string) bool { return g.trusts(s, server) },
		Home:      home,
		Roots:     slashed(g.places.dirs),
		Folds:     runtime.GOOS == "darwin" || runtime.GOOS == "windows",
		Guarded:   g.places.guardedTargets(),
		Asking:    asking,
		Alone:     alone,
		Secret:    s.secret.Has,
		ReadOnly:  g.places.fixed,
		Foreign:   g.foreign,
		Private:   g.private,
	}, layers...)
}

// isBelowRules tells that the program's own rules stand above a layer: the configuration of the program, a person or a
// project, or what stands without any. Flags, and what only tightens from outside, stand above those rules.
func isBelowRules(l config.Layer) bool {
	return slices.Contains([]string{"program", "project", "user"}, l.Name) || l.Name == "default" && !l.Tightens
}

func slashed(dirs []string) []string {
	var out []string
	for _, d := range dirs {
		out = append(out, filepath.ToSlash(d))
	}
	return out
}

var settingOf = map[config.Setting]policy.Setting{
	config.On:      policy.On,
	config.Off:     policy.Off,
	config.Allowed: policy.Allowed,
	config.Asked:   policy.Asked,
	config.Denied:  policy.Denied,
}

var decisionOf = map[string]tool.Decision{"allow": tool.Allow, "ask": tool.Ask, "deny": tool.Deny}

// policyLayer is a layer of the configuration as the policy has it.
func policyLayer(l config.Layer) policy.Layer {
	out := policy.Layer{
		Name:     l.Name,
		Tightens: l.Tightens,
		Disabled: policyNames(l.Disabled()),
		Allowed:  policyNames(l.Allowed()),
	}
	for _, s := range l.Switches() {
		out.Switches = append(out.Switches, policy.Switch{
			Name: s.Name,
			To:   settingOf[s.To],
			At:   policy.Place(s.At),
		})
	}
	for _, r := range l.Rules() {
		out.Rules = append(out.Rules, policy.Rule{
			Decision: decisionOf[r.Word],
			Text:     r.Text,
			At:       policy.Place(r.At),
		})
	}
	return out
}

func policyNames(list []config.Name) []policy.Name {
	var out []policy.Name
	for _, n := range list {
		at := policy.Place(n.At)
		out = append(out, policy.Name{Name: n.Name, At: at})
	}
	return out
}

// policyOf is the policy of a kit, with the settings that it is made of. Kits of the same profile and mode share it.
func (g *guard) policyOf(o KitOptions) (*policy.Live, *settings, error) {
	g.policies.mu.Lock()
	defer g.policies.mu.Unlock()
	now := g.conf.now.Load()
	key := policyKey{o.Profile, o.Mode}
	if key.profile == now.Profile {
		key.profile = ""
	}
	if key == (policyKey{}) {
		return g.live, now, nil
	}
	s, err := settingsOf(now, key) // a mode that is asked for by name stays, whatever the configuration says later
	if err != nil {
		return nil, nil, err
	}
	if l := g.policies.all[key]; l != nil {
		return l, s, nil
	}
	rules, err := g.rulesOf(s)
	if err != nil {
		return nil, nil, err
	}
	if g.policies.all == nil {
		g.policies.all = map[policyKey]*policy.Live{}
	}
	l := policy.NewLive(rules)
	g.policies.all[key] = l
	return l, s, nil
}

// trusts tells whether settings trust a server, or a pool of workers. An entry that changed does not speak of the
// process that runs.
func (g *guard) trusts(s *settings, server string) bool {
	if pool, ok := strings.CutPrefix(server, "pool:"); ok {
		return s.Bus != nil && s.Bus.Pools[pool].Trust
	}
	entry := s.MCPServers[server]
	return entry.Trust && sameServer(entry, g.conf.opened.MCPServers[server])
}

// sameServer tells whether two entries start the same server. Trust is of the rules.
func sameServer(a, b config.Server) bool {
	a.Trust, b.Trust = false, false
	return reflect.DeepEqual(a, b)
}

// stand makes the policy of the layers, and the approvals that were given under it.
func (g *guard) stand(tools []tool.Tool, o *Options) error {
	g.own = ownNames(tools)
	rules, err := g.rulesOf(g.conf.opened)
	if err != nil {
		return err
	}
	g.live = policy.NewLive(rules)
	g.grants = policy.NewGrants(g.grantOptions(o))
	return nil
}

// grantOptions say where approvals are kept: in this machine's state, or where all replicas find them.
func (g *guard) grantOptions(o *Options) policy.GrantOptions {
	out := policy.GrantOptions{
		Workspace: g.places.dir(),
		Store:     newGrantFile(g.places.StateDir, o.Log),
		Server:    g.conf.opened.serverDigest,
	}
	if o.Shared == nil {
		return out
	}
	out.Store = SharedApprovals(o.Shared, o.Log)
	out.Session = func(s *tool.Session) policy.GrantStore {
		if place := sharedOf(s); place != nil {
			return sharedGrants{place, sessionGrantsName, o.Log}
		}
		return nil
	}
	return out
}

// ownNames are the names of our own tools.
func ownNames(tools []tool.Tool) []string {
	own := slices.Clone(protected)
	for _, t := range tools {
		own = append(append(own, t.Spec().Name), t.Spec().Aliases...)
	}
	return own
}
