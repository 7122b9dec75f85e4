// Package workspace opens folders for agents: it makes the tools, puts the rules around them and keeps what is
// remembered. Package helve at the root is its face for Go programs; the commands use it as it is.
package workspace

import (
	"context"
	"errors"

	"helve/engine/sandbox"
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
	w := &Assembly{o: o, registry: &tool.Registry{}}
	w.o.Parts = partsOf(o.Parts)
	for _, step := range []func() error{
		w.locate,     // the folders, and where state lies
		w.configure,  // the layers, the profile and the mode
		w.checkParts, // the keys of parts that are not there
		w.openFiles,  // what the built-in tools work on
		w.makeLoader, // what will list the sources
		func() error { return w.openParts(ctx) },
		w.makeTools,    // the built-in ones, those of parts, the program's
		w.makeRules,    // what the layers say of them
		w.register,     // in one registry
		w.makeKit,      // all that stands around a call
		w.compareNames, // names in the configuration that mean nothing
		w.checkClient,  // and the client's
	} {
		err := ctx.Err()
		if err == nil {
			err = step()
		}
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	return w, nil
}
