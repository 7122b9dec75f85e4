package workspace

import (
	"context"
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
func (w *Assembly) openFiles() (err error) {
	ignored := tree.GitIgnoreFile(w.getenv)
	w.trees = &tree.Set{Config: tree.Config{GlobalIgnore: ignored}}
	box := w.sandbox()
	w.files, err = builtin.Open(builtin.Options{
		Dirs:         w.dirs,
		State:        w.places.StateDir,
		Environ:      w.o.Environ,
		Cache:        w.settings.indexes(w.places.CacheDir),
		Resident:     w.o.Resident,
		Trees:        w.trees,
		Pages:        filepath.Join(w.places.CacheDir, "pages"),
		ReadsFolders: !w.o.Worker,
		Denied:       w.denied,
		DeniedWrite:  w.deniedWrite,
		Guarded:      func(target string) string { return w.rules().Guards(target) },
		Asks:         func(target string) string { return w.rules().Asks(target) },
		Asking:       w.askingHere,
		SomeDenied:   func() bool { return w.rules().DeniesSome(tool.Read) },
		Secret:       w.secret,
		SecretList:   w.secretList,
		OneCall:      w.o.OneCall,
		Attached:     w.o.Attached,
		AllowPrivate: w.settings.privateHosts(),
		History:      w.settings.history(w.o.NoHistory),
		Broken:       w.breaks,
		Sandbox: builtin.Sandbox{
			Level:    box.Level,
			Network:  box.Network,
			Sockets:  box.Sockets,
			Writable: box.Writable,
			Readable: box.Readable,
			Masked:   box.Masked,
			Idle:     time.Duration(w.settings.Limits.IdleMS) * time.Millisecond,
			Reach:    w.reachOf(),
		},
	})
	if err != nil {
		return err
	}
	w.later(w.files.Close)
	return nil
}

// breaks asks the part that knows code what a change breaks.
func (w *Assembly) breaks(ctx context.Context, path string) func(context.Context) (broke []string, unchecked string) {
	if w.brought.breaks == nil {
		return nil
	}
	return w.brought.breaks(ctx, path)
}

// register registers the tools. What others bring and no list of allowed tools names is not registered at all;
// our own are, so that lists can say why they are not offered.
func (w *Assembly) register() error {
	w.registry.Admit = func(s *tool.Spec) bool {
		if s.Origin.Kind == tool.Builtin || w.rules().Admits(s) {
			return true
		}
		w.warn("%s is not among the allowed_tools, skipped", s.Origin)
		return false
	}
	if err := w.registry.Add(w.tools...); err != nil {
		return err
	}
	w.tellUnsaid(w.o.Tools)
	w.loader.Add(w.brought.sources...)
	if w.brought.later == nil {
		return nil
	}
	more, err := w.brought.later()
	w.loader.Add(more...)
	return err
}

// makeTools makes the tools: our own with the defaults that the configuration's tool_options say, those of parts and
// the program's. A tolerant workspace goes on without a default that is wrong.
func (w *Assembly) makeTools() error {
	w.tools = append(builtin.Local(w.files), w.brought.own...)
	if w.wantsPast() {
		w.tools = append(w.tools, builtin.Past(w.files)...)
	}
	if w.brought.relocate != nil {
		moved, err := w.brought.relocate(w.tools)
		if err != nil {
			return err
		}
		w.tools = moved
	}
	options := w.settings.ToolOptions
	if w.o.Worker {
		options = nil
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		i := slices.IndexFunc(w.tools, func(t tool.Tool) bool { return t.Spec().Name == name })
		if i < 0 {
			continue // compareNames says so
		}
		made, err := wrap.Defaults(w.tools[i], options[name])
		switch {
		case err == nil:
			w.tools[i] = made
		case w.o.Tolerant:
			w.warn("tool_options.%s: %v: ignored", name, err)
		default:
			return fmt.Errorf("%s: tool_options.%s: %w", w.settings.At("tool_options", name), name, err)
		}
	}
	w.tools = slices.Concat(w.tools, w.o.Tools, w.brought.tools)
	return nil
}

// Add registers tools of the program's own, all or none. They are judged like all others: one that does not say what it
// touches (tool.Spec.Touches) is asked about as soon as a rule guards something that it might touch. Log names each tool
// of Kind Read that leaves that open.
func (w *Assembly) Add(tools ...tool.Tool) error {
	if err := w.registry.Add(tools...); err != nil {
		return err
	}
	w.tellUnsaid(tools)
	return nil
}

// tellUnsaid names the tools that only read and do not say what: a rule on a file makes them suspicious, which their
// author would learn from the first refusal.
func (w *Assembly) tellUnsaid(tools []tool.Tool) {
	for _, t := range tools {
		s := t.Spec()
		if s.Origin.Kind == tool.Go && s.Kind == tool.Read && s.Touches == tool.Unsaid {
			w.notice("tool %s: it does not say what it reads, so that a rule on any file makes it one that is asked about: "+
				"set Touches: tool.Nothing in its Spec, or make it by tool.Plan with the effects of each call", s.Name)
		}
	}
}
