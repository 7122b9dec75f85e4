// Package workspace opens folders for agents: it makes the tools, puts the rules around them and keeps what is
// remembered. Package helve at the root is its face for Go programs; the commands use it as it is.
package workspace

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"helve/engine/sandbox"
	"helve/engine/tree"
	"helve/tool"
)

// Init is the first thing that the main function of a program does whose workspaces run commands: a copy of the program
// prepares each sandbox, and Init does not return in such a copy. Without it the tool bash refuses to run anything. A
// program that runs scripts calls Init of package helve/script/interpreter after it.
func Init() { sandbox.Init() }

// Open opens a workspace: it reads the configuration, makes the tools and puts the rules around them. It starts no
// process; sources of further tools are listed by Connect or Follow. ctx bounds the opening only.
//
// The error says what is wrong with the folder or, with file and line, with the configuration. Nothing is left open
// then.
func Open(ctx context.Context, o Options) (*Assembly, error) {
	w := &Assembly{o: filled(o), registry: &tool.Registry{}}
	w.say = messages{w.o.Log}
	// Each stage makes one thing of what the stages before it made.
	for _, stage := range []func() error{
		w.readSettings, // the folders; the layers, the profile and the mode
		w.openFiles,    // what the rules will be asked, and what the built-in tools work on
		func() error { return w.openParts(ctx) },
		w.makeTools, // the built-in ones, those of parts, the program's; what the layers say of them; one registry
		w.makeKit,   // all that stands around a call
		w.check,     // names in the configuration that mean nothing
	} {
		err := ctx.Err()
		if err == nil {
			err = stage()
		}
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	return w, nil
}

// filled are options with what stands for their zero values.
func filled(o Options) Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	o.Parts = partsOf(o.Parts)
	return o
}

// later notes what Close has to do, in reverse order.
func (w *Assembly) later(f func() error) { w.close = append(w.close, f) }

func (w *Assembly) readSettings() (err error) {
	if w.places, err = locate(&w.o, w.say); err != nil {
		return err
	}
	if w.conf, err = configure(&w.o, w.places, w.say); err != nil {
		return err
	}
	w.clients = clients{w.conf, w.o.Clients, w.say}
	return checkParts(w.o.Parts, w.conf.opened, w.o.Tolerant, w.say)
}

func (w *Assembly) openFiles() (err error) {
	w.guard = newGuard(&w.o, w.conf, w.places)
	w.confined = confinement{w.conf.opened.Sandbox, w.places, w.o.Foreign, w.say}
	w.trees = &tree.Set{Config: tree.Config{GlobalIgnore: tree.GitIgnoreFile(w.places.getenv)}}
	if w.files, err = openFiles(&w.o, w.guard, w.trees, w.confined, &w.brought); err != nil {
		return err
	}
	w.later(w.files.Close)
	w.sources = newSources(w.registry, &w.brought, w.o.Resident, w.conf.opened, w.say)
	w.later(w.sources.close)
	return nil
}

func (w *Assembly) makeTools() (err error) {
	w.tools, err = makeTools(w.files, &w.brought, w.conf.opened, &w.o, w.say)
	if err != nil {
		return err
	}
	if err = w.guard.stand(w.tools, &w.o); err != nil {
		return err
	}
	if err = register(w.registry, w.tools, w.guard, w.say); err != nil {
		return err
	}
	w.say.tellUnsaid(w.o.Tools)
	return w.sources.add()
}

func (w *Assembly) makeKit() error {
	hooks, err := hooksOf(w.guard, func(ctx context.Context, c *tool.Call) (*tool.Job, error) {
		return w.kit.Understand(ctx, c)
	})
	if err != nil {
		return err
	}
	w.records = newRecords(w.places.StateDir, w.say)
	w.later(w.records.close)
	w.kits = newKits(&w.o, w.guard, &w.brought)
	if w.o.NoHooks {
		hooks.List = nil
	}
	w.kits.surround(&w.o, &w.calls, w.records, w.sources, hooks)
	w.kit, err = w.NewKit(KitOptions{})
	return err
}

func (w *Assembly) check() error {
	if err := w.inspect().compareNames(); err != nil {
		return err
	}
	return w.clients.check()
}
