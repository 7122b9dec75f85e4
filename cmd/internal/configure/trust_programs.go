package configure

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"helve/cmd/internal/command"
	"helve/internal/config"
	"helve/internal/programs"
	"helve/internal/spawn"
)

// accepts is what a configuration could do once it is trusted, with each file and folder outside of the workspace that
// its programs would be, and be shown.
func (o trustOptions) accepts(s command.Streams, dir string, c *config.Config) string {
	text := accepted(c)
	all, err := o.LoadAs(s, dir, func(string, string) bool { return true })
	if err != nil {
		return text
	}
	own := shownFor(s, dir, c)
	for _, line := range shownFor(s, dir, all) {
		if !slices.Contains(own, line) {
			text += "\n" + line
		}
	}
	return text
}

// shownFor are lines that tell what outside of the workspace the programs of a configuration are, and are shown.
func shownFor(s command.Streams, dir string, c *config.Config) []string {
	home := s.Getenv("HOME")
	env := spawn.Environ(s.Environ, nil)
	var out []string
	for _, n := range namedBy(c, home) {
		need := programs.For(programs.Command{Argv: n.argv, Dir: dir, Env: env, Home: home, Roots: []string{dir}})
		for _, path := range need.Readable {
			line := n.key + " would be shown " + path + ", outside of the workspace"
			if path == n.argv[0] || filepath.Base(path) == n.argv[0] {
				line = n.key + " would run " + path + ", outside of the workspace"
			}
			out = append(out, line)
		}
	}
	return out
}

// A namedLine is a program that a configuration names.
type namedLine struct {
	key  string
	argv []string
}

// namedBy are the programs that a configuration names, sorted by their keys.
func namedBy(c *config.Config, home string) []namedLine {
	var out []namedLine
	line := func(key, text string) {
		argv, err := programs.Split(text, home)
		if err == nil && strings.Join(argv, "") != "" {
			out = append(out, namedLine{key, argv})
		}
	}
	if d := c.Values.Discovery; d != nil {
		line("discovery.command", d.Command)
		line("discovery.call", d.Call)
	}
	for _, h := range c.Values.Hooks {
		line("hooks", h.Command)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Values.MCPServers)) {
		server := c.Values.MCPServers[name]
		if server.Command != "" {
			out = append(out, namedLine{"mcp_servers." + name,
				append(programs.AtHome([]string{server.Command}, home), server.Args...)})
		}
	}
	return out
}
