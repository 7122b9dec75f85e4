package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tailscale/hujson"

	"helve/internal/config"
)

// maxClientFile bounds another program's configuration, in bytes: Claude Code keeps its history in the same file.
const maxClientFile = 64 << 20

// clientFiles are where other programs keep their servers, below the home folder or the workspace.
var clientFiles = []struct{ client, path string }{
	{"project", ".mcp.json"},
	{"claude", "~/.claude.json"},
	{"claude-desktop", "~/.config/Claude/claude_desktop_config.json"},
	{"claude-desktop", "~/Library/Application Support/Claude/claude_desktop_config.json"},
	{"vscode", ".vscode/mcp.json"},
	{"vscode", "~/.config/Code/User/mcp.json"},
	{"cursor", ".cursor/mcp.json"},
	{"cursor", "~/.cursor/mcp.json"},
	{"gemini", ".gemini/settings.json"},
	{"gemini", "~/.gemini/settings.json"},
}

func (a *app) mcpImportCommand() *cobra.Command {
	var global, dry bool
	var from string
	cmd := &cobra.Command{
		Use:   "import [FILE…]",
		Short: "Take over servers from .mcp.json and from the configurations of Claude, VS Code, Cursor and Gemini CLI",
		RunE: func(_ *cobra.Command, args []string) error {
			return a.mcpImport(global, dry, from, args)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&global, "global", "g", false, "into the user's file instead of the project's")
	f.BoolVar(&dry, "dry-run", false, "only show what would be added")
	f.StringVar(&from, "from", "", "only of this program: project, claude, claude-desktop, vscode, cursor or gemini")
	return cmd
}

func (a *app) mcpImport(global, dry bool, from string, files []string) error {
	dir, err := a.workspace()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if len(files) == 0 {
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
	found := 0
	for _, file := range files {
		servers, err := clientServers(a.path(file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			a.say("%v", err)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			found++
			if err := a.importOne(c, global, dry, file, name, servers[name]); err != nil {
				return err
			}
		}
	}
	if found == 0 {
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

func (a *app) importOne(c *config.Config, global, dry bool, file, name string, s config.Server) error {
	if at := c.At("mcp_servers", name); at.File != "" && at.File != file && filepath.Base(at.File) != config.MCPFile {
		fmt.Fprintf(a.env.Stdout, "%s: kept, it is configured in %s\n", printable(name), printable(at.String()))
		return nil
	}
	if dry {
		_, err := fmt.Fprintf(a.env.Stdout, "%s: %s (%s)\n", printable(name), printable(s.URL+strings.Join(append([]string{s.Command}, s.Args...), " ")), printable(file))
		return err
	}
	if err := a.mcpAdd(global, name, s); err != nil {
		a.say("%s: %s: %v", printable(file), printable(name), err)
		return nil
	}
	_, err := fmt.Fprintf(a.env.Stdout, "%s: added from %s\n", printable(name), printable(file))
	return err
}

// A clientServer is a server as other programs write it.
type clientServer struct {
	Type      string            `json:"type"`
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	Env       map[string]string `json:"env"`
	Cwd       string            `json:"cwd"`
	URL       string            `json:"url"`
	ServerURL string            `json:"serverUrl"`
	HTTPURL   string            `json:"httpUrl"` // Gemini CLI
	Headers   map[string]string `json:"headers"`
	Include   []string          `json:"includeTools"`
	Exclude   []string          `json:"excludeTools"`
	Disabled  bool              `json:"disabled"`
}

// clientServers reads the servers of a file: under mcpServers, or under servers as VS Code has it.
func clientServers(file string) (map[string]config.Server, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() || st.Size() > maxClientFile {
		return nil, fmt.Errorf("import: %s: want a file of at most %d bytes", file, maxClientFile)
	}
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	if std, err := hujson.Standardize(b); err == nil {
		b = std
	}
	var in struct {
		MCPServers map[string]clientServer `json:"mcpServers"`
		Servers    map[string]clientServer `json:"servers"`
	}
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("import: %s: %w", file, err)
	}
	out := map[string]config.Server{}
	for _, m := range []map[string]clientServer{in.Servers, in.MCPServers} {
		for name, s := range m {
			if !s.Disabled {
				out[name] = s.ours()
			}
		}
	}
	return out, nil
}

func (s clientServer) ours() config.Server {
	out := config.Server{Command: s.Command, Args: s.Args, Env: references(s.Env), Cwd: s.Cwd, URL: s.URL + s.ServerURL, Headers: references(s.Headers),
		IncludeTools: s.Include, ExcludeTools: s.Exclude}
	if s.HTTPURL != "" {
		out.URL, out.Type = s.HTTPURL, "http"
	}
	switch s.Type {
	case "stdio", "http", "sse", "streamable-http":
		out.Type = s.Type
	}
	return out
}

// variable is a reference as other programs write it: ${NAME}, ${NAME:-default}, ${env:NAME}.
var variable = regexp.MustCompile(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}`)

func references(m map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = variable.ReplaceAllString(v, "$${env:$1}")
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
