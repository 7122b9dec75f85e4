package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"helve/engine/sandbox"
	"helve/internal/config"
	"helve/internal/names"
	"helve/policy"
	"helve/tool"
)

// protected are the tools that no list of disabled ones takes away (R3.8): one mends a stale index, the other shows what was used.
var protected = []string{"reindex", "get_usage_stats"}

// configEnv says where this run's configuration and state lie.
func (a *app) configEnv() config.Environment {
	e := config.EnvironmentOf(a.env.getenv)
	e.StateHome = filepath.Dir(a.stateDir())
	if a.env.Managed != "" {
		e.Managed = a.env.Managed
	}
	return e
}

func (a *app) trustStore() config.TrustStore { return config.TrustStore{Dir: a.stateDir()} }

// load reads the configuration of a workspace and says what there is to say about it.
func (a *app) load(dir string) (*config.Config, error) {
	c, err := config.Load(a.configEnv(), config.Options{Workspace: dir, UserFile: a.path(a.flags.config), Flags: a.configFlags(), Tolerant: a.tolerant,
		Trusted: func(ws, digest string) bool { return a.flags.trust || a.trustStore().Accepted(ws, digest) }})
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	for _, w := range c.Warnings {
		a.note("warning: %s", printable(w))
	}
	if line := c.IgnoredLine(); line != "" && !a.flags.quiet {
		a.note("%s", printable(line))
	}
	return c, nil
}

func (a *app) configFlags() config.Flags {
	f := config.Flags{Mode: a.flags.mode, Profile: a.flags.profile}
	if a.flags.tools.set {
		f.Tools, f.HasTools = a.flags.tools.text, true
	}
	if a.flags.disabled.set {
		f.DisabledTools = config.ParseList(a.flags.disabled.text)
	}
	return f
}

// path is a path of the command line, relative to where helve was started.
func (a *app) path(p string) string {
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(a.env.Dir, p)
}

// settings are a configuration with the profile chosen.
type settings struct {
	*config.Config
	mode   policy.Mode
	modeAt config.Place
	preset policy.Preset
	layers []config.Layer // as the policy has them: the profile's above the plain ones, flags above all
}

// chosen applies the profile.
func chosen(c *config.Config) (*settings, error) {
	s := &settings{Config: c, modeAt: c.At("mode"), layers: c.Layers,
		preset: policy.Preset{Write: *c.Write, Todo: *c.Todo, WriteAt: policy.Place(c.At("write")), TodoAt: policy.Place(c.At("todo"))}}
	mode := c.Mode
	client, ok := c.Clients[c.Profile]
	switch {
	case ok:
		s.layers = withClient(c.Layers, c.Profile)
		if client.Mode != "" && s.modeAt.Layer != "flags" {
			mode, s.modeAt = client.Mode, c.At("clients", c.Profile, "mode")
		}
		if client.Write != nil && !*client.Write {
			s.preset.Write, s.preset.WriteAt = false, policy.Place(c.At("clients", c.Profile, "write"))
		}
		if client.Todo != nil && !*client.Todo {
			s.preset.Todo, s.preset.TodoAt = false, policy.Place(c.At("clients", c.Profile, "todo"))
		}
	case c.Profile != "default" && c.Profile != "codebase-index":
		known := []string{"default", "codebase-index"}
		for n := range c.Clients {
			known = append(known, n)
		}
		slices.Sort(known)
		hint := "want " + strings.Join(known, ", ")
		if near := names.Near(c.Profile, known, 1); len(near) > 0 {
			hint = "did you mean " + near[0] + "?"
		}
		return nil, usage("profile %q: there is none\nhint: %s", printable(c.Profile), hint)
	}
	if c.Degraded {
		mode = "plan"
	}
	var err error
	if s.mode, err = policy.ParseMode(mode); err != nil {
		return nil, usage("%v", err)
	}
	return s, nil
}

// withClient puts what the layers say to a profile above what they say to all, below the flags.
func withClient(layers []config.Layer, name string) []config.Layer {
	var flags, own, plain []config.Layer
	for _, l := range layers {
		if l.Name == "flags" {
			flags = append(flags, l)
			continue
		}
		if c, ok := l.Client(name); ok {
			own = append(own, c)
		}
		plain = append(plain, l)
	}
	return slices.Concat(flags, own, plain)
}

// rules are the policy of these settings. specs are our own tools, whose names never mean another's.
func (s *settings) rules(a *app, dir string, specs []*tool.Spec) (*policy.Rules, error) {
	layers := []policy.Layer{s.preset.Layer()}
	for _, l := range s.layers {
		layers = append(layers, policyLayer(l))
	}
	r, err := policy.New(policy.Options{
		Mode: s.mode, ModeAt: policy.Place(s.modeAt), Protected: protected, Own: ownNames(specs),
		Trusted:  func(server string) bool { return s.MCPServers[server].Trust },
		Commands: understand(dir, a.env.getenv("HOME")),
		Home:     a.env.getenv("HOME"),
		Folds:    runtime.GOOS == "darwin" || runtime.GOOS == "windows",
		Guarded:  a.guarded(),
	}, layers...)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return r, nil
}

func ownNames(specs []*tool.Spec) []string {
	own := slices.Clone(protected)
	for _, s := range specs {
		own = append(append(own, s.Name), s.Aliases...)
	}
	return own
}

var settingOf = map[config.Setting]policy.Setting{config.On: policy.On, config.Off: policy.Off, config.Allowed: policy.Allowed, config.Asked: policy.Asked, config.Denied: policy.Denied}

var decisionOf = map[string]tool.Decision{"allow": tool.Allow, "ask": tool.Ask, "deny": tool.Deny}

// policyLayer is a layer of the configuration as the policy has it.
func policyLayer(l config.Layer) policy.Layer {
	out := policy.Layer{Name: l.Name, Tightens: l.Tightens}
	for _, s := range l.Switches() {
		out.Switches = append(out.Switches, policy.Switch{Name: s.Name, To: settingOf[s.To], At: policy.Place(s.At)})
	}
	for _, n := range l.Disabled() {
		out.Disabled = append(out.Disabled, policy.Name{Name: n.Name, At: policy.Place(n.At)})
	}
	for _, n := range l.Allowed() {
		out.Allowed = append(out.Allowed, policy.Name{Name: n.Name, At: policy.Place(n.At)})
	}
	for _, r := range l.Rules() {
		out.Rules = append(out.Rules, policy.Rule{Decision: decisionOf[r.Word], Text: r.Text, At: policy.Place(r.At)})
	}
	return out
}

// guarded are the folders that decide about rights: no tool writes there, and no sandbox opens them.
func (a *app) guarded() []string {
	e := a.configEnv()
	return []string{a.stateDir(), filepath.Join(e.ConfigHome, "helve"), e.Managed}
}

// openable are the folders that a sandbox may open for writing: those that neither hold nor lie in a guarded one.
func (a *app) openable(folders []string) []string {
	within := func(p, dir string) bool {
		rel, err := filepath.Rel(dir, p)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	}
	return slices.DeleteFunc(folders, func(f string) bool {
		real, err := filepath.EvalSymlinks(f)
		if err != nil {
			real = f
		}
		bad := slices.ContainsFunc(a.guarded(), func(g string) bool { return within(real, g) || within(g, real) })
		if bad {
			a.note("warning: sandbox.writable: %s is left out: helve's own state or configuration is there", printable(f))
		}
		return bad
	})
}

// sandbox is the level that the configuration names, with what it opens and masks.
func (s *settings) sandbox(home string) (level sandbox.Level, network bool, writable, masked []string) {
	level = map[string]sandbox.Level{"read-only": sandbox.ReadOnly, "workspace-write": sandbox.WorkspaceWrite, "off": sandbox.Off}[s.Sandbox.Level]
	return level, s.Sandbox.Network != nil && *s.Sandbox.Network, atHome(s.Sandbox.Writable, home), atHome(s.Sandbox.Masked, home)
}

func atHome(paths []string, home string) []string {
	var out []string
	for _, p := range paths {
		if rest, ok := strings.CutPrefix(p, "~/"); ok {
			p = filepath.Join(home, rest)
		}
		out = append(out, p)
	}
	return out
}

// serverDigest names what a server's processes are made of: a grant for a server ends when that changes.
func (s *settings) serverDigest(name string) tool.Digest {
	server, ok := s.MCPServers[name]
	if !ok {
		return ""
	}
	b, _ := json.Marshal(server)
	sum := sha256.Sum256(b)
	return tool.Digest(hex.EncodeToString(sum[:16]))
}

// indexes is where search indexes are kept; "" where nobody wants them.
func (s *settings) indexes(cache string) string {
	if s.Search != nil && s.Search.Index == "off" {
		return ""
	}
	return cache
}

// privateHosts are those that fetch may reach; the layers of a workspace never get here.
func (s *settings) privateHosts() []string {
	if s.Fetch == nil {
		return nil
	}
	return s.Fetch.AllowPrivate
}
