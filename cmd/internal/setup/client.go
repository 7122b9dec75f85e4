// Package setup puts helve into the configuration of MCP clients, and takes it out again.
//
// Each client keeps its servers in a file of its own, in a form of its own. Plan tells what would be written, Store.Apply writes it and
// remembers what was there, Store.Undo brings that back byte for byte. Comments, order, line ends and what helve does not know stay.
package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Name is what helve is called in the files of clients.
const Name = "helve"

// A Home is where the files of clients are looked for.
type Home struct {
	Dir    string                    // the home folder
	OS     string                    // linux, darwin, windows
	Getenv func(key string) string   // the environment: several clients let it move their files
	Look   func(program string) bool // tells whether a program can be started by its name
}

// Here is the home of who runs the program.
func Here(getenv func(string) string) Home {
	dir := getenv("HOME")
	if runtime.GOOS == "windows" && dir == "" {
		dir = getenv("USERPROFILE")
	}
	return Home{Dir: dir, OS: runtime.GOOS, Getenv: getenv, Look: func(program string) bool {
		_, err := exec.LookPath(program)
		return err == nil
	}}
}

// config is where programs keep their configuration on this system.
func (h Home) config() string {
	switch {
	case h.OS == "windows":
		return h.or("APPDATA", filepath.Join(h.Dir, "AppData", "Roaming"))
	case h.OS == "darwin":
		return filepath.Join(h.Dir, "Library", "Application Support")
	}
	return h.xdg()
}

// xdg is where programs that are at home in terminals keep their configuration, on macOS too.
func (h Home) xdg() string { return h.or("XDG_CONFIG_HOME", filepath.Join(h.Dir, ".config")) }

// or is the folder that a variable names, else the one that is usual.
func (h Home) or(variable, usual string) string {
	if dir := h.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return usual
}

// A Client is a program that can start helve as an MCP server.
type Client struct {
	Name  string // what flags call it, as server.ClientProfile.Name
	Title string // what its makers call it

	// Fixed says that the client starts its servers in a folder that has
	// nothing to do with the work, and names no workspace: helve is told one.
	Fixed bool

	form    form
	file    func(Home) string   // where it keeps the servers of its user
	signs   func(Home) []string // files and folders that tell that it is installed
	program string              // its name on the command line; "": it has none
}

// Clients are those that can be set up, by name. Where they keep their servers is from their documentation, as of November 2026; of
// claude-code, codex, gemini, copilot, opencode, qwen and cline it was also seen.
func Clients() []Client {
	return []Client{
		{
			Name: "claude-code", Title: "Claude Code", program: "claude", form: jsonForm("mcpServers", typed),
			file:  func(h Home) string { return filepath.Join(h.or("CLAUDE_CONFIG_DIR", h.Dir), ".claude.json") },
			signs: func(h Home) []string { return []string{filepath.Join(h.Dir, ".claude")} },
		},
		{
			Name: "claude-desktop", Title: "Claude Desktop", Fixed: true, form: jsonForm("mcpServers", plain),
			file:  func(h Home) string { return filepath.Join(h.config(), "Claude", "claude_desktop_config.json") },
			signs: func(h Home) []string { return []string{filepath.Join(h.config(), "Claude")} },
		},
		{
			Name: "cline", Title: "Cline", Fixed: true, program: "cline", form: jsonForm("mcpServers", plain),
			file: clineFile,
			signs: func(h Home) []string {
				return []string{filepath.Join(h.Dir, ".cline"), filepath.Dir(filepath.Dir(clineExtension(h)))}
			},
		},
		{
			Name: "codex", Title: "Codex", program: "codex", form: tomlForm{"mcp_servers"},
			file: func(h Home) string {
				return filepath.Join(h.or("CODEX_HOME", filepath.Join(h.Dir, ".codex")), "config.toml")
			},
			signs: func(h Home) []string { return []string{h.or("CODEX_HOME", filepath.Join(h.Dir, ".codex"))} },
		},
		{
			Name: "copilot", Title: "Copilot CLI", program: "copilot", form: jsonForm("mcpServers", copilot),
			file: func(h Home) string {
				return filepath.Join(h.or("COPILOT_HOME", filepath.Join(h.Dir, ".copilot")), "mcp-config.json")
			},
			signs: func(h Home) []string { return []string{h.or("COPILOT_HOME", filepath.Join(h.Dir, ".copilot"))} },
		},
		{
			Name: "cursor", Title: "Cursor", program: "cursor", form: jsonForm("mcpServers", plain),
			file:  func(h Home) string { return filepath.Join(h.Dir, ".cursor", "mcp.json") },
			signs: func(h Home) []string { return []string{filepath.Join(h.Dir, ".cursor")} },
		},
		{
			Name: "gemini", Title: "Gemini CLI", program: "gemini", form: jsonForm("mcpServers", plain),
			file:  func(h Home) string { return filepath.Join(h.Dir, ".gemini", "settings.json") },
			signs: func(h Home) []string { return []string{filepath.Join(h.Dir, ".gemini")} },
		},
		{
			Name: "opencode", Title: "opencode", program: "opencode", form: jsonForm("mcp", opencode),
			file:  opencodeFile,
			signs: func(h Home) []string { return []string{filepath.Join(h.xdg(), "opencode")} },
		},
		{
			Name: "qwen", Title: "Qwen Code", program: "qwen", form: jsonForm("mcpServers", plain),
			file:  func(h Home) string { return filepath.Join(h.Dir, ".qwen", "settings.json") },
			signs: func(h Home) []string { return []string{filepath.Join(h.Dir, ".qwen")} },
		},
		{
			Name: "vscode", Title: "Visual Studio Code", program: "code", form: jsonForm("servers", typed),
			file:  func(h Home) string { return filepath.Join(h.config(), "Code", "User", "mcp.json") },
			signs: func(h Home) []string { return []string{filepath.Join(h.config(), "Code", "User")} },
		},
		{
			Name: "windsurf", Title: "Windsurf", Fixed: true, program: "windsurf", form: jsonForm("mcpServers", plain),
			file:  func(h Home) string { return filepath.Join(h.Dir, ".codeium", "windsurf", "mcp_config.json") },
			signs: func(h Home) []string { return []string{filepath.Join(h.Dir, ".codeium", "windsurf")} },
		},
		{
			Name: "zed", Title: "Zed", program: "zed", form: jsonForm("context_servers", plain),
			file:  func(h Home) string { return filepath.Join(zedDir(h), "settings.json") },
			signs: func(h Home) []string { return []string{zedDir(h)} },
		},
	}
}

// clineExtension is where Cline keeps its servers inside Visual Studio Code.
func clineExtension(h Home) string {
	return filepath.Join(h.config(), "Code", "User", "globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json")
}

// clineFile is the one of the extension where only that is there, else the one of the program.
func clineFile(h Home) string {
	program := filepath.Join(h.Dir, ".cline", "data", "settings", "cline_mcp_settings.json")
	if !there(filepath.Join(h.Dir, ".cline")) && there(filepath.Dir(clineExtension(h))) {
		program = clineExtension(h)
	}
	return h.or("CLINE_MCP_SETTINGS_PATH", program)
}

// opencodeFile is the form with comments where somebody has one.
func opencodeFile(h Home) string {
	dir := filepath.Join(h.xdg(), "opencode")
	if file := filepath.Join(dir, "opencode.jsonc"); there(file) {
		return file
	}
	return filepath.Join(dir, "opencode.json")
}

func zedDir(h Home) string {
	if h.OS == "windows" {
		return filepath.Join(h.config(), "Zed")
	}
	return filepath.Join(h.xdg(), "zed")
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Find is the client of this name.
func Find(name string) (c Client, ok bool) {
	for _, c := range Clients() {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}

// File is where the client keeps the servers of its user. It need not be there.
func (c Client) File(h Home) string { return c.file(h) }

// Installed tells whether the client left a trace here: its file, its folder, or a program of its name.
func (c Client) Installed(h Home) bool {
	for _, sign := range append(c.signs(h), c.file(h)) {
		if there(sign) {
			return true
		}
	}
	return c.program != "" && h.Look(c.program)
}

// A Line is how a client starts helve.
type Line struct {
	Command string
	Args    []string
}

// LineFor is the line for a client: program is what starts helve, dir the workspace, which counts for clients that name none.
func (c Client) LineFor(program, dir string) Line {
	l := Line{Command: program, Args: []string{"serve", "--client", c.Name}}
	if c.Fixed && dir != "" {
		l.Args = append([]string{"-C", dir}, l.Args...)
	}
	return l
}

// String is the line as a shell would show it.
func (l Line) String() string { return strings.Join(append([]string{l.Command}, l.Args...), " ") }
