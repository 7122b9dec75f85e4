package mcp

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

	"helve/cmd/internal/command"
	"helve/cmd/internal/configure"
	"helve/cmd/internal/setup"
	"helve/internal/config"
	"helve/internal/names"
)

// importOptions say whose servers are taken over, and where to.
type importOptions struct {
	command.Common
	global bool     // into the user's file instead of the project's
	dry    bool     // only show
	from   string   // only of this program; "": of all
	files  []string // instead of where programs keep theirs
}

func importCommand(c *command.Line) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import [FILE…]",
		Short: "Take over servers from .mcp.json and from the configurations of other programs",
		RunE: func(_ *cobra.Command, args []string) error {
			o.Common, o.files = c.Flags.Common, args
			return importAll(c.Streams(), o)
		},
	}
	globalFlag(cmd, &o.global, "into the user's file instead of the project's")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "only show what would be added")
	cmd.Flags().StringVar(&o.from, "from", "", "only of this program: "+strings.Join(sourcesOfServers(), ", "))
	command.CompleteFlag(cmd, "from", sourcesOfServers()...)
	return cmd
}

// TakeOver takes the servers of another program's file into the user's configuration.
func TakeOver(s command.Streams, c command.Common, file string) error {
	return importAll(s, importOptions{Common: c, global: true, files: []string{file}})
}

// importAll takes over the servers of the files that are named, or of those that other programs have here. A file
// that was named and cannot be read is an error, another one a line.
func importAll(s command.Streams, o importOptions) error {
	dir, err := o.Folder(s)
	if err != nil {
		return err
	}
	if o.from == "claude" { // which of its two programs was meant is plain: the other is said whole
		o.from = "claude-code"
	}
	if o.from != "" && !slices.Contains(sourcesOfServers(), o.from) {
		return unknownSource(o.from)
	}
	have, err := o.Load(s, dir)
	if err != nil {
		return err
	}
	in := &importing{s: s, o: o, have: have, dir: dir, done: map[string]config.Server{}}
	named := len(o.files) > 0
	for _, file := range o.candidates(s, dir) {
		servers, err := clientServers(s, s.Path(file), dir)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !named:
			continue
		case err != nil && named:
			return command.Failed(errors.New(command.Cause(err)))
		case err != nil:
			s.Say("%s", command.Cause(err))
			continue
		}
		if len(servers) == 0 && named {
			s.Say("%s: no server is in it: want mcpServers, servers, context_servers, mcp or mcp_servers",
				command.Printable(file))
		}
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			if err := in.one(file, name, servers[name]); err != nil {
				return err
			}
		}
	}
	if in.found == 0 {
		return s.Print("no servers found")
	}
	return nil
}

// unknownSource is the error of a --from that means no program.
func unknownSource(from string) error {
	all := sourcesOfServers()
	hint := "want one of " + strings.Join(all, ", ")
	if near := names.Near(from, all, 1); len(near) > 0 {
		hint = "did you mean " + near[0] + "?"
	}
	return command.Usage("mcp import: --from %q: no program of that name is read\nhint: %s",
		command.Printable(from), hint)
}

// candidates are the files to read.
func (o importOptions) candidates(s command.Streams, dir string) []string {
	if len(o.files) > 0 {
		return o.files
	}
	return clientFiles(o.from, dir, setup.Here(s.Getenv))
}

// An importing is one run of import.
type importing struct {
	s     command.Streams
	o     importOptions
	have  *config.Config // before the import
	dir   string
	found int
	done  map[string]config.Server // by name, so that of two servers with one name the first stays
}

// tell prints a line about a server.
func (in *importing) tell(name, format string, args ...any) error {
	return in.s.Print(command.Printable(name + ": " + fmt.Sprintf(format, args...)))
}

// one takes over a server, unless something speaks against it.
func (in *importing) one(file, name string, theirs clientServer) error {
	if name == setup.Name {
		return nil // this program, behind itself, would start itself for ever
	}
	in.found++
	if theirs.off() {
		return in.tell(name, "left out, it is switched off in %s", file)
	}
	if !inMilliseconds(file) {
		theirs.Timeout = 0
	}
	im := &importer{dir: in.dir}
	server := im.ours(theirs)
	if first, twice := in.done[name]; twice {
		if reflect.DeepEqual(first, server) {
			return nil
		}
		return in.tell(name, "of %s left out, there is another of that name", file)
	}
	in.done[name] = server
	at := in.have.At("mcp_servers", name)
	if at.File != "" && filepath.Base(at.File) != config.MCPFile { // that file is read anyway
		return in.tell(name, "kept, it is configured in %s", at)
	}
	if err := in.take(file, name, server); err != nil {
		in.s.Say("%s: %s: %v", command.Printable(file), command.Printable(name), err)
		return nil // the others can be taken over
	}
	for _, n := range im.notes {
		in.s.Say("%s: %s", command.Printable(name), command.Printable(n))
	}
	return nil
}

// inMilliseconds tells that the program of this file counts time-outs so. Others count in seconds, or in what is not
// said.
func inMilliseconds(file string) bool {
	folder := filepath.Base(filepath.Dir(file))
	return folder == ".gemini" || folder == ".qwen" || strings.HasPrefix(filepath.Base(file), "opencode.json")
}

// take writes a server, or shows what it would write.
func (in *importing) take(file, name string, server config.Server) error {
	if in.o.dry {
		command := strings.Join(append([]string{server.Command}, server.Args...), " ")
		return in.tell(name, "%s (%s)", server.URL+command, file)
	}
	to := configure.ConfigOptions{Common: in.o.Common, Global: in.o.global}
	if err := writeServer(in.s, to, name, server); err != nil {
		return err
	}
	return in.tell(name, "added from %s", file)
}
