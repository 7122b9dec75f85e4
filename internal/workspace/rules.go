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

// rulesOf is the policy of settings.
func (w *Assembly) rulesOf(s *settings) (*policy.Rules, error) {
	layers := []policy.Layer{s.preset.Layer()}
	below := slices.IndexFunc(s.layers, isBelowRules)
	for i, l := range s.layers {
		if i == below {
			layers = append(layers, policy.Layer{Name: "program", Rules: w.o.Rules})
		}
		layers = append(layers, policyLayer(l))
	}
	layers = append(layers, s.preset.Beneath())
	home := w.getenv("HOME")
	asking, alone := w.askTargets()
	return policy.New(policy.Options{
		Mode:      s.mode,
		ModeAt:    policy.Place(s.modeAt),
		Protected: protected,
		Own:       w.ownNames(),
		Trusted:   func(server string) bool { return w.trusts(s, server) },
		Home:      home,
		Roots:     slashed(w.dirs),
		Folds:     runtime.GOOS == "darwin" || runtime.GOOS == "windows",
		Guarded:   w.guardedTargets(),
		Asking:    asking,
		Alone:     alone,
		Secret:    s.secret.Has,
		ReadOnly:  w.fixed,
		Foreign:   w.o.Foreign,
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
func (w *Assembly) policyOf(o KitOptions) (*policy.Live, *settings, error) {
	w.policies.mu.Lock()
	defer w.policies.mu.Unlock()
	now := w.now.Load()
	key := policyKey{o.Profile, o.Mode}
	if key.profile == now.Profile {
		key.profile = ""
	}
	if key == (policyKey{}) {
		return w.live, now, nil
	}
	s, err := settingsOf(now, key) // a mode that is asked for by name stays, whatever the configuration says later
	if err != nil {
		return nil, nil, err
	}
	if l := w.policies.all[key]; l != nil {
		return l, s, nil
	}
	rules, err := w.rulesOf(s)
	if err != nil {
		return nil, nil, err
	}
	if w.policies.all == nil {
		w.policies.all = map[policyKey]*policy.Live{}
	}
	l := policy.NewLive(rules)
	w.policies.all[key] = l
	return l, s, nil
}

// trusts tells whether settings trust a server, or a pool of workers. An entry that changed does not speak of the
// process that runs.
func (w *Assembly) trusts(s *settings, server string) bool {
	if pool, ok := strings.CutPrefix(server, "pool:"); ok {
		return s.Bus != nil && s.Bus.Pools[pool].Trust
	}
	entry := s.MCPServers[server]
	return entry.Trust && sameServer(entry, w.settings.MCPServers[server])
}

// sameServer tells whether two entries start the same server. Trust is of the rules.
func sameServer(a, b config.Server) bool {
	a.Trust, b.Trust = false, false
	return reflect.DeepEqual(a, b)
}

// makeRules makes the policy of the layers, and the approvals that were given under it.
func (w *Assembly) makeRules() error {
	rules, err := w.rulesOf(w.settings)
	if err != nil {
		return err
	}
	w.live = policy.NewLive(rules)
	w.grants = policy.NewGrants(w.grantOptions())
	return nil
}

// grantOptions say where approvals are kept: in this machine's state, or where all replicas find them.
func (w *Assembly) grantOptions() policy.GrantOptions {
	o := policy.GrantOptions{
		Workspace: w.Dir(),
		Store:     newGrantFile(w.places.StateDir, w.o.Log),
		Server:    w.settings.serverDigest,
	}
	if w.o.Shared == nil {
		return o
	}
	o.Store = SharedApprovals(w.o.Shared, w.o.Log)
	o.Session = func(s *tool.Session) policy.GrantStore {
		if place := sharedOf(s); place != nil {
			return sharedGrants{place, sessionGrantsName, w.o.Log}
		}
		return nil
	}
	return o
}

// ownNames are the names of our own tools: as a bare name they never mean another's.
func (w *Assembly) ownNames() []string {
	own := slices.Clone(protected)
	for _, t := range w.tools {
		own = append(append(own, t.Spec().Name), t.Spec().Aliases...)
	}
	return own
}
