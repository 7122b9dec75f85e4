// Package setup puts helve into the configuration of MCP clients, and takes it out again.
//
// Each client keeps its servers in a file of its own, in a form of its own. Plan tells what would
// be written, Store.Apply writes it and
// remembers what was there, Store.Undo brings that back byte for byte. Comments, order, line ends
// and what helve does not know stay.
package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
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

// Here is the home of who runs the program, in this environment.
func Here(getenv func(string) string) Home {
	dir := getenv("HOME")
	if runtime.GOOS == "windows" && dir == "" {
		dir = getenv("USERPROFILE")
	}
	look := func(program string) bool { return Look(getenv("PATH"), program) != "" }
	return Home{Dir: dir, OS: runtime.GOOS, Getenv: getenv, Look: look}
}

// Look is where a list of folders, as PATH has it, holds a program; "": nowhere.
func Look(path, program string) string {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // what it means depends on where a shell stands
		}
		if found, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return found
		}
	}
	return ""
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

	// Window says that the client is started from a desktop, where PATH may not
	// be that of a shell: helve is named by its whole path.
	Window bool

	form    form
	file    place  // where it keeps the servers of its user
	project string // where it keeps those of a workspace, below it; "": nowhere
	folder  place  // one that tells that it is installed; nil: the file's own
	program string // its name on the command line; "": it has none
}

// A place is a path in a home.
type place func(Home) string

// inHome is a place below the home folder, inConfig one below that of
// configurations.
func inHome(parts ...string) place   { return below(func(h Home) string { return h.Dir }, parts) }
func inConfig(parts ...string) place { return below(Home.config, parts) }

func below(base place, parts []string) place {
	return func(h Home) string { return filepath.Join(base(h), filepath.Join(parts...)) }
}

// movable is a file in a folder that a variable of the environment may name.
func movable(variable string, usual place, file string) place {
	return func(h Home) string { return filepath.Join(h.or(variable, usual(h)), file) }
}

// Clients are those that can be set up, and whose servers can be taken over, by name. Where they keep their servers is
// from their documentation, as of November 2026; of claude-code, codex, gemini,
// copilot, opencode, qwen and cline it was also seen.
func Clients() []Client {
	out := terminalClients()
	for _, c := range desktopClients() {
		c.Window = true
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b Client) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// terminalClients are those that a shell starts.
func terminalClients() []Client {
	return []Client{
		{
			Name:    "claude-code",
			Title:   "Claude Code",
			program: "claude",
			form:    jsonForm("mcpServers", typed),
			file:    movable("CLAUDE_CONFIG_DIR", inHome(), ".claude.json"),
			folder:  inHome(".claude"),
		},
		{
			Name:    "codex",
			Title:   "Codex",
			program: "codex",
			form:    tomlForm{"mcp_servers"},
			file:    movable("CODEX_HOME", inHome(".codex"), "config.toml"),
			project: ".codex/config.toml",
		},
		{
			Name:    "continue",
			Title:   "Continue",
			program: "cn",
			form:    yamlForm{"mcpServers"},
			file:    inHome(".continue", "config.yaml"),
		},
		{
			Name:    "copilot",
			Title:   "Copilot CLI",
			program: "copilot",
			form:    jsonForm("mcpServers", copilot),
			file:    movable("COPILOT_HOME", inHome(".copilot"), "mcp-config.json"),
		},
		{
			Name:    "gemini",
			Title:   "Gemini CLI",
			program: "gemini",
			form:    jsonForm("mcpServers", plain),
			file:    inHome(".gemini", "settings.json"),
			project: ".gemini/settings.json",
		},
		{
			Name:    "opencode",
			Title:   "opencode",
			program: "opencode",
			form:    jsonForm("mcp", opencode),
			file:    opencodeFile,
			project: "opencode.json",
		},
		{
			Name:    "qwen",
			Title:   "Qwen Code",
			program: "qwen",
			form:    jsonForm("mcpServers", qwen),
			file:    inHome(".qwen", "settings.json"),
			project: ".qwen/settings.json",
		},
	}
}

// desktopClients are those that a desktop starts.
func desktopClients() []Client {
	return []Client{
		{
			Name:  "claude-desktop",
			Title: "Claude Desktop",
			Fixed: true,
			form:  jsonForm("mcpServers", plain),
			file:  inConfig("Claude", "claude_desktop_config.json"),
		},
		{
			Name:    "cline",
			Title:   "Cline",
			Fixed:   true,
			program: "cline",
			form:    jsonForm("mcpServers", plain),
			file:    clineFile,
			folder:  clineFolder,
		},
		{
			Name:    "cursor",
			Title:   "Cursor",
			program: "cursor",
			form:    jsonForm("mcpServers", plain),
			file:    inHome(".cursor", "mcp.json"),
			project: ".cursor/mcp.json",
		},
		{
			Name:    "vscode",
			Title:   "Visual Studio Code",
			program: "code",
			form:    jsonForm("servers", typed),
			file:    inConfig("Code", "User", "mcp.json"),
			project: ".vscode/mcp.json",
		},
		{
			Name:    "windsurf",
			Title:   "Windsurf",
			Fixed:   true,
			program: "windsurf",
			form:    jsonForm("mcpServers", plain),
			file:    inHome(".codeium", "windsurf", "mcp_config.json"),
		},
		{
			Name:    "zed",
			Title:   "Zed",
			program: "zed",
			form:    zedForm(),
			file:    zedFile,
			project: ".zed/settings.json",
		},
	}
}

// clineExtension is where Cline keeps its files inside Visual Studio Code.
func clineExtension(h Home) string {
	return inConfig("Code", "User", "globalStorage", "saoudrizwan.claude-dev")(h)
}

// clineFolder is the extension's where only that is there, else the program's.
func clineFolder(h Home) string {
	program := filepath.Join(h.Dir, ".cline")
	if !there(program) && there(clineExtension(h)) {
		return clineExtension(h)
	}
	return program
}

func clineFile(h Home) string {
	const name = "cline_mcp_settings.json"
	file := filepath.Join(clineExtension(h), "settings", name)
	if clineFolder(h) != clineExtension(h) {
		file = filepath.Join(h.Dir, ".cline", "data", "settings", name)
	}
	return h.or("CLINE_MCP_SETTINGS_PATH", file)
}

// opencodeFile is the form with comments where somebody has one.
func opencodeFile(h Home) string {
	dir := filepath.Join(h.xdg(), "opencode")
	if file := filepath.Join(dir, "opencode.jsonc"); there(file) {
		return file
	}
	return filepath.Join(dir, "opencode.json")
}

func zedFile(h Home) string {
	if h.OS == "windows" {
		return filepath.Join(h.config(), "Zed", "settings.json")
	}
	return filepath.Join(h.xdg(), "zed", "settings.json")
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

// Project is where the client keeps the servers of a workspace alone; "": it has no such file.
func (c Client) Project(dir string) string {
	if c.project == "" {
		return ""
	}
	return filepath.Join(dir, filepath.FromSlash(c.project))
}

// Readable tells whether the client's files have a form that is read and written here.
func (c Client) Readable() bool {
	_, yaml := c.form.(yamlForm)
	return !yaml
}

// Installed tells whether the client left a trace here: its file, its folder, or a
// program of its name.
func (c Client) Installed(h Home) bool {
	folder := filepath.Dir(c.file(h))
	if c.folder != nil {
		folder = c.folder(h)
	}
	if there(folder) || there(c.file(h)) {
		return true
	}
	return c.program != "" && h.Look(c.program)
}

// A Line is how a client starts helve.
type Line struct {
	Command string
	Args    []string
}

// LineFor is the line for a client. path is the program's own; short says that a
// shell finds it by its name, too. dir is the workspace, which counts for clients
// that name none.
func (c Client) LineFor(path string, short bool, dir string) Line {
	l := Line{Command: path, Args: []string{"serve", "--client", c.Name}}
	if short && !c.Window {
		l.Command = Name
	}
	if c.Fixed && dir != "" {
		l.Args = append([]string{"-C", dir}, l.Args...)
	}
	return l
}

// String is the line as a shell would show it.
func (l Line) String() string { return strings.Join(append([]string{l.Command}, l.Args...), " ") }
