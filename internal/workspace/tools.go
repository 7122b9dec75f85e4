package workspace

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"helve/builtin"
	"helve/engine/tree"
	"helve/tool"
	"helve/wrap"
)

// openFiles opens the folders for the built-in tools, which does nothing before one of them is called.
func openFiles(o *Options, g *guard, trees *tree.Set, c confinement, from *brought) (*builtin.Toolbox, error) {
	s, at, box := g.conf.opened, g.places, c.options()
	return builtin.Open(builtin.Options{
		Dirs:         at.dirs,
		State:        at.StateDir,
		Environ:      at.environ,
		Cache:        s.indexes(at.CacheDir),
		Resident:     o.Resident,
		Trees:        trees,
		Pages:        filepath.Join(at.CacheDir, "pages"),
		ReadsFolders: !o.Worker,
		Denied:       g.denied,
		DeniedWrite:  g.deniedWrite,
		Guarded:      func(target string) string { return g.rules().Guards(target) },
		Asks:         func(target string) string { return g.rules().Asks(target) },
		Asking:       g.askingHere,
		SomeDenied:   func() bool { return g.rules().DeniesSome(tool.Read) },
		Secret:       g.conf.secret,
		SecretList:   g.conf.secretList,
		ReportNew:    s.Obeyed == "report",
		OneCall:      o.OneCall,
		Attached:     o.Attached,
		Buffers:      o.Buffers,
		AllowPrivate: s.privateHosts(),
		History:      s.history(o.NoHistory),
		Broken:       from.broken,
		Sandbox: builtin.Sandbox{
			Level:    box.Level,
			Network:  box.Network,
			Sockets:  box.Sockets,
			Writable: box.Writable,
			Readable: box.Readable,
			Masked:   box.Masked,
			Idle:     time.Duration(s.Limits.IdleMS) * time.Millisecond,
			Reach:    c.reach(),
		},
	})
}

// makeTools makes the tools: our own with the defaults that the configuration's tool_options say, those of parts and
// the program's.
func makeTools(files *builtin.Toolbox, from *brought, s *settings, o *Options, say messages) ([]tool.Tool, error) {
	tools := append(builtin.Local(files), from.own...)
	if s.wantsPast() {
		tools = append(tools, builtin.Past(files)...)
	}
	if from.relocate != nil {
		moved, err := from.relocate(tools)
		if err != nil {
			return nil, err
		}
		tools = moved
	}
	if !o.Worker {
		if err := setDefaults(tools, s, o.Tolerant, say); err != nil {
			return nil, err
		}
	}
	return slices.Concat(tools, o.Tools, from.tools), nil
}

// setDefaults gives tools the defaults that tool_options say. A tolerant workspace goes on without one that is wrong.
func setDefaults(tools []tool.Tool, s *settings, tolerant bool, say messages) error {
	for _, name := range slices.Sorted(maps.Keys(s.ToolOptions)) {
		i := slices.IndexFunc(tools, func(t tool.Tool) bool { return t.Spec().Name == name })
		if i < 0 {
			continue // the inspection says so
		}
		made, err := wrap.Defaults(tools[i], s.ToolOptions[name])
		switch {
		case err == nil:
			tools[i] = made
		case tolerant:
			say.warn("tool_options.%s: %v: ignored", name, err)
		default:
			return fmt.Errorf("%s: tool_options.%s: %w", s.At("tool_options", name), name, err)
		}
	}
	return nil
}

// register registers the tools. What others bring and no list of allowed tools names is not registered at all; our own
// are, so that lists can say why they are not offered.
func register(in *tool.Registry, tools []tool.Tool, g *guard, say messages) error {
	in.Admit = func(s *tool.Spec) bool {
		if s.Origin.Kind == tool.Builtin || g.rules().Admits(s) {
			return true
		}
		say.warn("%s is not among the allowed_tools, skipped", s.Origin)
		return false
	}
	return in.Add(tools...)
}

// tellUnsaid names the tools that only read and do not say what: a rule on a file makes them suspicious, which their
// author would learn from the first refusal.
func (m messages) tellUnsaid(tools []tool.Tool) {
	for _, t := range tools {
		s := t.Spec()
		if s.Origin.Kind == tool.Go && s.Kind == tool.Read && s.Touches == tool.Unsaid {
			m.notice("tool %s: it does not say what it reads, so that a rule on any file makes it one that is asked about: "+
				"set Touches: tool.Nothing in its Spec, or make it by tool.Plan with the effects of each call", s.Name)
		}
	}
}
