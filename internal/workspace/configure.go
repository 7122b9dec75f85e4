package workspace

import (
	"helve/internal/config"
)

// configure reads the layers and chooses the profile.
func (w *Assembly) configure() error {
	trust := config.TrustStore{Dir: w.places.StateDir}
	c, err := w.load(func(dir, digest string) bool {
		return w.o.Trust || trust.Accepted(dir, digest)
	})
	if err != nil {
		return err
	}
	w.tell(c)
	w.settings, err = chosen(c)
	if err == nil && w.o.Foreign {
		err = w.settings.foreignMode()
	}
	w.now.Store(w.settings)
	return err
}

// load reads the layers.
func (w *Assembly) load(trusted func(dir, digest string) bool) (*config.Config, error) {
	o := w.configOptions(trusted)
	if w.o.Layers.Pushed != nil {
		var err error
		if o.Pushed, err = w.o.Layers.Pushed(); err != nil {
			return nil, err
		}
	}
	return config.Load(w.places, o)
}

func (w *Assembly) configOptions(trusted func(dir, digest string) bool) config.Options {
	return config.Options{
		Workspace: w.Dir(),
		UserFile:  w.o.Layers.User,
		Program:   w.o.Config,
		Instead:   w.o.Layers.Instead,
		Flags: config.Flags{
			Mode:          w.o.Mode,
			Profile:       w.o.Profile,
			Tools:         string(w.o.Layers.Tools),
			HasTools:      w.o.Layers.Tools != nil,
			DisabledTools: w.o.Layers.DisabledTools,
		},
		Keys:     furtherKeys(w.o.Parts),
		Tolerant: w.o.Tolerant,
		Trusted:  trusted,
	}
}

// tell says what is to be known of a configuration that is used all the same.
func (w *Assembly) tell(c *config.Config) {
	for _, text := range c.Warnings {
		w.warn("%s", text)
	}
	if line := c.IgnoredLine(); line != "" {
		w.notice("%s", line)
	}
}
