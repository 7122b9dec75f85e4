package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/builtin"
	"helve/internal/config"
	"helve/internal/names"
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

// policies are the rules of each profile and mode in which the workspace has a kit. All change together when the
// configuration is read again.
type policies struct {
	mu  sync.Mutex
	all map[policyKey]*policy.Live
}

// A policyKey tells kits' rules apart, as KitOptions name them; empty: those of the workspace itself.
type policyKey struct{ profile, mode string }

// settingsOf are settings with another profile or mode; the same pointer if neither differs.
func settingsOf(s *settings, o policyKey) (*settings, error) {
	if o.profile != "" && o.profile != s.Profile {
		c := *s.Config
		c.Profile = o.profile
		var err error
		s, err = chosen(&c)
		if err != nil {
			return nil, err
		}
	}
	if o.mode == "" || o.mode == s.mode.String() {
		return s, nil
	}
	mode, err := policy.ParseMode(o.mode)
	if err != nil {
		return nil, err
	}
	own := *s
	own.mode = mode
	return &own, nil
}

// base is the set of tools that a profile is made of: its own name, or what clients says of it.
func (s *settings) base() (string, error) {
	client, ok := s.Clients[s.Profile]
	if !ok {
		return s.Profile, nil
	}
	if client.Profile == "" {
		return profiles[0], nil
	}
	if slices.Contains(profiles, client.Profile) {
		return client.Profile, nil
	}
	hint := "want " + strings.Join(profiles, ", ")
	if near := names.Near(client.Profile, profiles, 1); len(near) > 0 {
		hint = "did you mean " + near[0] + "?"
	}
	return "", fmt.Errorf("profile %q: there is no such set of tools\nhint: %s", client.Profile, hint)
}

// foreignMode is how free another program's tools are where neither a flag nor Options.Config says so: that program
// asks its person, too.
func (s *settings) foreignMode() error {
	at := s.At("client_hooks", "mode")
	if s.Degraded || s.modeAt.Layer == "flags" || s.modeAt.Layer == "program" && at.Layer != "program" {
		return nil
	}
	mode := "auto"
	if s.ClientHooks != nil && s.ClientHooks.Mode != "" {
		mode, s.modeAt = s.ClientHooks.Mode, at
	}
	var err error
	s.mode, err = policy.ParseMode(mode)
	return err
}

// small is the profile whose list costs a model little: fewer words, ls in read, multi_edit in edit, and no todo tools
// for a client that has its own.
const small = "small"

// listing is how the tools are listed. What the parameters of one tool mean of another holds in every profile.
func (s *settings) listing(todos bool) *tool.Listing {
	out := &tool.Listing{Meant: meant}
	if s.set == small {
		out.Specs = func(all []*tool.Spec) []*tool.Spec { return inSmall(all, todos) }
	}
	return out
}
