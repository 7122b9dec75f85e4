package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"helve/builtin"
	"helve/codetool"
	"helve/engine/sandbox"
	"helve/internal/config"
	"helve/internal/names"
	"helve/internal/resolved"
	"helve/internal/secrets"
	"helve/policy"
	"helve/tool"
)

// protected are the tools that no list of disabled ones takes away: one mends a stale index, the other shows
// what was used.
var protected = []string{"reindex", "get_usage_stats"}

// profiles are those that need no configuration.
var profiles = []string{"default", "codebase-index", small}

// settings are a configuration with the profile chosen.
type settings struct {
	*config.Config
	mode   policy.Mode
	modeAt config.Place
	set    string         // one of profiles: what this one is made of
	preset policy.Preset  // the two switches for whole kinds of tools
	secret *secrets.List  // which files may hold secrets
	layers []config.Layer // as the policy has them: the profile's above the plain ones, flags above all
}

// chosen applies the profile.
func chosen(c *config.Config) (*settings, error) {
	s := &settings{
		Config: c,
		modeAt: c.At("mode"),
		layers: c.Layers,
		preset: policy.Preset{
			Write:   *c.Write,
			WriteAt: policy.Place(c.At("write")),
			Todo:    *c.Todo,
			TodoAt:  policy.Place(c.At("todo")),
		},
	}
	var err error
	s.secret, err = secrets.New(c.Secrets)
	if err != nil {
		return nil, fmt.Errorf("%s: secrets: %w", c.At("secrets"), err)
	}
	mode := c.Mode
	client, ok := c.Clients[c.Profile]
	switch {
	case ok:
		s.layers = withClient(c.Layers, c.Profile)
		at := c.At("clients", c.Profile, "mode")
		if client.Mode != "" && (at.Layer == "program" || !s.modeIsGiven()) {
			mode = client.Mode
			s.modeAt = at
		}
		if client.Write != nil && !*client.Write {
			s.preset.Write = false
			s.preset.WriteAt = policy.Place(c.At("clients", c.Profile, "write"))
		}
		if client.Todo != nil && !*client.Todo {
			s.preset.Todo = false
			s.preset.TodoAt = policy.Place(c.At("clients", c.Profile, "todo"))
		}
	case !slices.Contains(profiles, c.Profile):
		return nil, s.noProfile(c.Profile)
	}
	if c.Degraded {
		mode = "plan"
	}
	s.set, err = s.base()
	if err != nil {
		at := s.At("clients", s.Profile, "profile")
		return nil, fmt.Errorf("%s: clients.%s: %w", at, s.Profile, err)
	}
	s.mode, err = policy.ParseMode(mode)
	return s, err
}

// profiles are the names of all profiles, sorted.
func (s *settings) profiles() []string {
	known := slices.Clone(profiles)
	for n := range s.Clients {
		known = append(known, n)
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// noProfile is the error for a profile that does not exist, with the place where it stands if that is a file.
func (s *settings) noProfile(name string) error {
	known := s.profiles()
	hint := fmt.Sprintf("want %s", strings.Join(known, ", "))
	if near := names.Near(name, known, 1); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %s?", near[0])
	}
	where := ""
	if at := s.At("profile"); at.File != "" && name == s.Profile {
		where = at.String() + ": "
	}
	return fmt.Errorf("%sprofile %q: there is none\nhint: %s", where, name, hint)
}

// modeIsGiven tells that whoever started this said the mode: a flag, or the program.
func (s *settings) modeIsGiven() bool {
	return s.modeAt.Layer == "flags" || s.modeAt.Layer == "program"
}

// withClient puts what the files say to a profile above what they say to all, below the flags and the program.
func withClient(layers []config.Layer, name string) []config.Layer {
	var given, own, plain []config.Layer
	for _, l := range layers {
		c, ok := l.Client(name)
		switch {
		case l.Name == "program" && ok:
			given = append(given, c, l)
		case l.Name == "program", l.Name == "flags":
			given = append(given, l)
		case ok:
			own, plain = append(own, c), append(plain, l)
		default:
			plain = append(plain, l)
		}
	}
	return slices.Concat(given, own, plain)
}

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

// guarded are the folders that decide about rights: no tool writes there, and no sandbox opens them.
func (w *Assembly) guarded() []string {
	return []string{
		w.places.StateDir,
		filepath.Join(w.places.ConfigHome, "helve"),
		w.places.Managed,
	}
}

// guardedTargets are these as effects name them: what lies below the workspace is named from there.
func (w *Assembly) guardedTargets() []string {
	return w.targetsOf(append(w.guarded(), w.places.CacheDir))
}

// guardedInside are the folders of helve's own that lie in the workspace, as where the home is the workspace.
func (w *Assembly) guardedInside() []string {
	known := resolved.Paths{}
	return slices.DeleteFunc(w.guarded(), func(g string) bool {
		real := known.Of(filepath.Clean(g))
		in := func(dir string) bool {
			_, ok := inside(dir, real)
			return ok
		}
		return !slices.ContainsFunc(w.dirs, in)
	})
}

// openable are the folders that a sandbox may open, as the key sandbox.KEY has it: those that neither hold nor lie in a
// guarded one.
func (w *Assembly) openable(key string, folders []string) []string {
	return slices.DeleteFunc(folders, func(f string) bool {
		real, err := filepath.EvalSymlinks(f)
		if err != nil {
			real = f
		}
		if !slices.ContainsFunc(w.guarded(), func(g string) bool { return overlap(real, g) }) {
			return false
		}
		w.warn("sandbox.%s: %s is left out: helve's own state or configuration is there", key, f)
		return true
	})
}

// overlap tells whether one of two folders is the other, or lies in it.
func overlap(a, b string) bool {
	_, below := inside(a, b)
	_, above := inside(b, a)
	return below || above
}

// inside is the path from dir to p, and whether p is dir or lies in it.
func inside(dir, p string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, p)
	if err != nil || rel == ".." {
		return "", false
	}
	return rel, !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

var levelOf = map[string]sandbox.Level{
	"read-only":       sandbox.ReadOnly,
	"workspace-write": sandbox.WorkspaceWrite,
	"off":             sandbox.Off,
	"light":           sandbox.Light, // of servers alone
}

// sandbox is how the configuration wants commands confined.
func (w *Assembly) sandbox() sandbox.Options {
	box := w.settings.Sandbox
	home := w.getenv("HOME")
	level := levelOf[box.Level]
	if w.fixed != "" {
		level = sandbox.ReadOnly
	}
	return sandbox.Options{
		Level:    level,
		Roots:    w.dirs,
		Writable: w.openable("writable", atHome(box.Writable, home)),
		Readable: w.openable("readable", atHome(box.Readable, home)),
		Masked:   append(atHome(box.Masked, home), w.guardedInside()...),
		Network:  box.Network != nil && *box.Network,
		Sockets:  box.UnixSockets != nil && *box.UnixSockets,
		Home:     home,
	}
}

// atHome are paths with ~ replaced.
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
	b, _ := json.Marshal(server) // was read from JSON
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

// history is what is remembered of what calls change.
func (s *settings) history(off bool) builtin.History {
	out := builtin.History{On: !off && (s.History == nil || *s.History)}
	if l := s.HistoryLimits; l != nil {
		out.Age = time.Duration(l.Days) * 24 * time.Hour
		out.Bytes, out.File = l.Bytes, l.FileBytes
	}
	return out
}

// privateHosts are those that fetch may reach; the layers of a workspace never get here.
func (s *settings) privateHosts() []string {
	if s.Fetch == nil {
		return nil
	}
	return s.Fetch.AllowPrivate
}

// shown is what a profile lists: of the code tools the core ones, or in profile codebase-index the eighteen in their
// place.
func (s *settings) shown() func(*tool.Spec) bool {
	return func(t *tool.Spec) bool {
		if t.Origin.Kind != tool.Builtin || t.Category != "code" {
			return true
		}
		if s.set == "codebase-index" {
			return t.Kind == tool.Read && !codetool.Core(t.Name)
		}
		return codetool.Core(t.Name)
	}
}
