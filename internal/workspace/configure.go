package workspace

import (
	"bytes"
	"maps"
	"strings"
	"sync/atomic"

	"helve/internal/config"
)

// A configuration is what the layers say: when the workspace was opened, and when they were read last.
type configuration struct {
	places  *places
	want    config.Options // without Trusted and Pushed, which are asked for each reading
	pushed  func() ([]byte, error)
	trust   bool // what stood there at the opening counts as trusted
	foreign bool
	say     messages

	opened *settings
	now    atomic.Pointer[settings]
}

// configure reads the layers and chooses the profile.
func configure(o *Options, at *places, say messages) (*configuration, error) {
	c := &configuration{
		places:  at,
		want:    wanted(o, at),
		pushed:  o.Layers.Pushed,
		trust:   o.Trust,
		foreign: o.Foreign,
		say:     say,
	}
	trust := config.TrustStore{Dir: at.StateDir}
	read, err := c.load(func(dir, digest string) bool {
		return c.trust || trust.Accepted(dir, digest)
	})
	if err != nil {
		return nil, err
	}
	c.tell(read)
	c.opened, err = chosen(read)
	if err == nil && c.foreign {
		err = c.opened.foreignMode()
	}
	c.now.Store(c.opened)
	return c, err
}

// wanted are the layers that options name.
func wanted(o *Options, at *places) config.Options {
	return config.Options{
		Workspace: at.dir(),
		UserFile:  o.Layers.User,
		Program:   o.Config,
		Instead:   o.Layers.Instead,
		Flags: config.Flags{
			Mode:          o.Mode,
			Profile:       o.Profile,
			Tools:         string(o.Layers.Tools),
			HasTools:      o.Layers.Tools != nil,
			DisabledTools: o.Layers.DisabledTools,
		},
		Keys:     furtherKeys(o.Parts),
		Tolerant: o.Tolerant,
	}
}

// load reads the layers.
func (c *configuration) load(trusted func(dir, digest string) bool) (*config.Config, error) {
	o := c.want
	o.Trusted = trusted
	if c.pushed != nil {
		var err error
		if o.Pushed, err = c.pushed(); err != nil {
			return nil, err
		}
	}
	return config.Load(c.places.Environment, o)
}

// files are what the configuration is read from, whether they are there or not.
func (c *configuration) files() []string { return config.Files(c.places.Environment, c.want) }

// tell says what is to be known of a configuration that is used all the same.
func (c *configuration) tell(read *config.Config) {
	for _, text := range read.Warnings {
		c.say.warn("%s", text)
	}
	if line := read.IgnoredLine(); line != "" {
		c.say.notice("%s", line)
	}
}

// trustedAgain is who trusts a workspace's configuration that is read again. Trust for one run is for what stood there
// when the run began.
func (c *configuration) trustedAgain(dir, digest string) bool {
	if c.trust && digest == c.opened.Digest {
		return true
	}
	return config.TrustStore{Dir: c.places.StateDir}.Accepted(dir, digest)
}

// settled are the keys of what a workspace has made when it is open.
func settled() []string {
	return []string{
		"tool_options", "discovery", "drop_unused", "hooks", "sandbox", "fetch", "search", "limits", "diagnostics",
		"obeyed", "review",
	}
}

// fromNextOpening are the keys whose values are not those that the workspace was opened with.
func (c *configuration) fromNextOpening(read *config.Config, profile string) string {
	var out []string
	if profile != c.opened.Profile {
		out = append(out, "profile")
	}
	for _, key := range settled() {
		was, _ := c.opened.Get(key)
		is, _ := read.Get(key)
		if !bytes.Equal(was, is) {
			out = append(out, key)
		}
	}
	if !maps.EqualFunc(c.opened.MCPServers, read.MCPServers, sameServer) {
		out = append(out, "mcp_servers")
	}
	return strings.Join(out, ", ")
}

// secret tells whether a file may hold secrets.
func (c *configuration) secret(target string) bool { return c.now.Load().secret.Has(target) }

// secretList names the list by which secret tells.
func (c *configuration) secretList() string { return c.now.Load().secret.Version() }

// clientHooks are what the configuration says of the hooks of clients.
func (c *configuration) clientHooks() config.ClientHooks {
	if h := c.opened.ClientHooks; h != nil {
		return *h
	}
	return config.ClientHooks{}
}
