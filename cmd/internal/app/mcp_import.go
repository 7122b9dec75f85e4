package app

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"helve/internal/config"
)

func (a *app) mcpImportCommand() *cobra.Command {
	var global, dry bool
	var from string
	cmd := &cobra.Command{
		Use:   "import [FILE…]",
		Short: "Take over servers from .mcp.json and from the configurations of other programs",
		RunE: func(_ *cobra.Command, args []string) error {
			return a.mcpImport(global, dry, from, args)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&global, "global", "g", false, "into the user's file instead of the project's")
	f.BoolVar(&dry, "dry-run", false, "only show what would be added")
	f.StringVar(&from, "from", "", "only of this program: "+strings.Join(clients(), ", "))
	return cmd
}

func (a *app) mcpImport(global, dry bool, from string, files []string) error {
	dir, err := a.workspace()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if from != "" && !slices.Contains(clients(), from) {
		return usage("mcp import: --from %q: want %s", printable(from), strings.Join(clients(), ", "))
	}
	named := len(files) > 0
	if !named {
		for _, c := range clientFiles {
			if from == "" || from == c.client {
				files = append(files, a.clientPath(dir, c.path))
			}
		}
	}
	c, err := a.load(dir)
	if err != nil {
		return err
	}
	in := &importing{a: a, c: c, dir: dir, global: global, dry: dry, done: map[string]config.Server{}}
	for _, file := range files {
		servers, err := a.clientServers(a.path(file), dir)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !named:
			continue
		case err != nil && named:
			return &exitError{exitFailed, err}
		case err != nil:
			a.say("%v", err)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			if err := in.one(file, name, servers[name]); err != nil {
				return err
			}
		}
	}
	if in.found == 0 {
		fmt.Fprintln(a.env.Stdout, "no servers found")
	}
	return nil
}

func (a *app) clientPath(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(a.env.getenv("HOME"), rest)
	}
	return filepath.Join(dir, path)
}

// An importing is one run of import.
type importing struct {
	a           *app
	c           *config.Config
	dir         string
	global, dry bool
	found       int
	done        map[string]config.Server // by name, so that of two servers with one name the first stays
}

func (in *importing) one(file, name string, theirs clientServer) error {
	in.found++
	out := in.a.env.Stdout
	if theirs.Disabled || theirs.Enabled != nil && !*theirs.Enabled {
		fmt.Fprintf(out, "%s: left out, it is switched off in %s\n", printable(name), printable(file))
		return nil
	}
	if !strings.Contains(file, ".gemini") && !strings.HasSuffix(file, "opencode.json") {
		theirs.Timeout = 0 // others count otherwise
	}
	im := &importer{dir: in.dir}
	s := im.ours(theirs)
	if first, twice := in.done[name]; twice {
		if !reflect.DeepEqual(first, s) {
			fmt.Fprintf(out, "%s: of %s left out, there is another of that name\n", printable(name), printable(file))
		}
		return nil
	}
	in.done[name] = s
	if at := in.c.At("mcp_servers", name); at.File != "" && filepath.Base(at.File) != config.MCPFile {
		fmt.Fprintf(out, "%s: kept, it is configured in %s\n", printable(name), printable(at.String()))
		return nil
	}
	if in.dry {
		fmt.Fprintf(out, "%s: %s (%s)\n", printable(name), printable(s.URL+strings.Join(append([]string{s.Command}, s.Args...), " ")), printable(file))
	} else if err := in.a.mcpAdd(in.global, name, s); err != nil {
		in.a.say("%s: %s: %v", printable(file), printable(name), err)
		return nil
	} else {
		fmt.Fprintf(out, "%s: added from %s\n", printable(name), printable(file))
	}
	for _, n := range im.notes {
		in.a.say("%s: %s", printable(name), printable(n))
	}
	return nil
}
