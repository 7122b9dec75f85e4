package mcp

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
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"

	"helve/cmd/internal/command"
	"helve/cmd/internal/setup"
	"helve/internal/config"
	rawjson "helve/internal/json"
)

// maxClientFile bounds another program's configuration, in bytes: Claude Code keeps its history in the same file.
const maxClientFile = 64 << 20

// fromProject is what --from calls the file that many programs read in a workspace.
const fromProject = "project"

// sourcesOfServers are what --from takes: the workspace's own file, and the clients whose files can be read.
func sourcesOfServers() []string {
	out := []string{fromProject}
	for _, c := range setup.Clients() {
		if c.Readable() {
			out = append(out, c.Name)
		}
	}
	return out
}

// clientFiles are where the servers of one of these sources stand, those of a workspace first; "" means all sources.
func clientFiles(from, dir string, home setup.Home) []string {
	var out []string
	if from == "" || from == fromProject {
		out = append(out, filepath.Join(dir, config.MCPFile))
	}
	for _, c := range setup.Clients() {
		if !c.Readable() || from != "" && from != c.Name {
			continue
		}
		if file := c.Project(dir); file != "" {
			out = append(out, file)
		}
		if home.Dir != "" {
			out = append(out, c.File(home))
		}
	}
	return out
}

// A clientServer is a server as other programs write it; what no two of them mean alike is left to its reader.
type clientServer struct {
	Type      string            `json:"type" toml:"type"`
	Transport string            `json:"transport" toml:"transport"`
	Command   words             `json:"command" toml:"command"` // a word, a list, or Zed's object
	Args      []string          `json:"args" toml:"args"`
	Env       map[string]string `json:"env" toml:"env"`
	Variables map[string]string `json:"environment" toml:"-"` // opencode
	EnvFile   string            `json:"envFile" toml:"-"`
	Cwd       string            `json:"cwd" toml:"cwd"`

	URL        string            `json:"url" toml:"url"`
	ServerURL  string            `json:"serverUrl" toml:"-"` // Windsurf
	HTTPURL    string            `json:"httpUrl" toml:"-"`   // Gemini CLI
	Headers    map[string]string `json:"headers" toml:"-"`
	HTTPHeader map[string]string `json:"-" toml:"http_headers"` // Codex
	EnvHeader  map[string]string `json:"-" toml:"env_http_headers"`
	Bearer     string            `json:"-" toml:"bearer_token_env_var"`

	Include []string `json:"includeTools" toml:"enabled_tools"`
	Exclude []string `json:"excludeTools" toml:"disabled_tools"`
	Timeout float64  `json:"timeout" toml:"-"` // milliseconds, of those who count so
	Start   float64  `json:"-" toml:"startup_timeout_sec"`
	Call    float64  `json:"-" toml:"tool_timeout_sec"`

	Disabled bool  `json:"disabled" toml:"-"`
	Enabled  *bool `json:"enabled" toml:"enabled"`
}

// words are a command: one word, several, or {path, args, env}.
type words struct {
	list []string
	env  map[string]string
}

// UnmarshalJSON takes all three forms: a list, an object, and else a word, whose error is the one that is told.
func (w *words) UnmarshalJSON(b []byte) error {
	var in struct {
		Path string            `json:"path"`
		Args []string          `json:"args"`
		Env  map[string]string `json:"env"`
	}
	switch {
	case json.Unmarshal(b, &w.list) == nil:
		return nil
	case json.Unmarshal(b, &in) == nil:
		w.list, w.env = append([]string{in.Path}, in.Args...), in.Env
		return nil
	}
	w.list = []string{""}
	return json.Unmarshal(b, &w.list[0])
}

// UnmarshalText is for TOML, whose commands are one word.
func (w *words) UnmarshalText(b []byte) error { w.list = []string{string(b)}; return nil }

// A client's file, as far as it is about servers.
type clientConfig struct {
	MCPServers map[string]json.RawMessage `json:"mcpServers"`
	Servers    map[string]json.RawMessage `json:"servers"`         // VS Code
	Contexts   map[string]json.RawMessage `json:"context_servers"` // Zed
	MCP        json.RawMessage            `json:"mcp"`             // opencode: servers; VS Code's settings: {servers}
	Own        map[string]json.RawMessage `json:"mcp_servers"`     // ours, and Codex's
	Projects   map[string]struct {        // Claude Code
		MCPServers map[string]json.RawMessage `json:"mcpServers"`
	} `json:"projects"`
}

// off tells that the server is switched off there.
func (s clientServer) off() bool { return s.Disabled || s.Enabled != nil && !*s.Enabled }

// NamesIn are the servers of a client's file but for this program, sorted; none of a file that cannot be read.
func NamesIn(s command.Streams, file, dir string) []string {
	servers, err := clientServers(s.Silent(), file, dir)
	if err != nil {
		return nil
	}
	delete(servers, setup.Name)
	return slices.Sorted(maps.Keys(servers))
}

// clientServers reads the servers of a file. dir is the workspace, for what a file says of single projects. What
// cannot be read of one server is said, and costs that server only.
func clientServers(talk command.Streams, file, dir string) (map[string]clientServer, error) {
	b, err := readClient(file)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(file, ".toml") {
		return tomlServers(file, b)
	}
	plain, err := rawjson.Plain(b) // their files may have comments
	if err != nil {
		return nil, fmt.Errorf("mcp import: %s: no valid JSON: %w", file, err)
	}
	var in clientConfig
	if err := json.Unmarshal(plain, &in); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("mcp import: %s: no valid JSON: what stands at byte %d cannot stand there\n"+
				"hint: mend it there, or add one server: helve mcp add NAME …",
				file, syntax.Offset)
		}
		return nil, fmt.Errorf("mcp import: %s: want an object with the servers under mcpServers", file)
	}
	out := map[string]clientServer{}
	for name, raw := range in.servers(dir) {
		var s clientServer
		if err := json.Unmarshal(raw, &s); err != nil {
			talk.Say("%s: %s: left out: %v", command.Printable(file), command.Printable(name), err)
			continue
		}
		out[name] = s
	}
	return out, nil
}

// tomlServers are those of Codex, the one program with TOML.
func tomlServers(file string, b []byte) (map[string]clientServer, error) {
	var in struct {
		Servers map[string]clientServer `toml:"mcp_servers"`
	}
	if err := toml.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("mcp import: %s: %w", file, err)
	}
	return in.Servers, nil
}

// servers are all that a file has; of two with one name the more special counts: of the project, then under the name
// that most programs use.
func (c *clientConfig) servers(dir string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	maps.Copy(out, c.nested())
	maps.Copy(out, c.Own)
	maps.Copy(out, c.Contexts)
	maps.Copy(out, c.Servers)
	maps.Copy(out, c.MCPServers)
	maps.Copy(out, c.Projects[dir].MCPServers)
	return out
}

// nested are the servers under mcp.
func (c *clientConfig) nested() map[string]json.RawMessage {
	var in struct {
		Servers map[string]json.RawMessage `json:"servers"`
	}
	if json.Unmarshal(c.MCP, &in) == nil && in.Servers != nil {
		return in.Servers
	}
	var direct map[string]json.RawMessage
	json.Unmarshal(c.MCP, &direct) // no servers there
	return direct
}

// errNoFile is fs.ErrNotExist in words.
var errNoFile = noFile{}

type noFile struct{}

func (noFile) Error() string        { return "no such file" }
func (noFile) Is(target error) bool { return target == fs.ErrNotExist }

// readClient reads a file of another program, which may be anything: a folder, a device, or far too large. What is no
// regular file is not opened: a pipe would wait for somebody who writes.
func readClient(file string) ([]byte, error) {
	st, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("mcp import: %s: there is %w\n"+
			"hint: helve mcp import, without a file, looks where clients keep theirs", file, errNoFile)
	case err != nil:
		return nil, err
	case st.IsDir():
		return nil, fmt.Errorf("mcp import: %s: is a directory, want a file", file)
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("mcp import: %s: is no regular file", file)
	case st.Size() > maxClientFile:
		return nil, fmt.Errorf("mcp import: %s: has %d bytes, at most %d are read", file, st.Size(), maxClientFile)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxClientFile))
}

// An importer turns servers of other programs into ours, and notes what a person has to know of it.
type importer struct {
	dir   string // the workspace
	notes []string
}

// note keeps a line for the person, to be said once the server was taken over.
func (im *importer) note(format string, args ...any) {
	im.notes = append(im.notes, fmt.Sprintf(format, args...))
}

// ours is the server in our terms.
func (im *importer) ours(s clientServer) config.Server {
	out := config.Server{
		Type:         config.Transport(s.Type + s.Transport), // programs have one or the other
		Cwd:          im.folder(s.Cwd),
		URL:          im.text(s.URL + s.ServerURL),
		IncludeTools: s.Include,
		ExcludeTools: s.Exclude,
		Timeout:      config.Duration(s.Timeout * float64(time.Millisecond)),
		StartTimeout: config.Duration(s.Start * float64(time.Second)),
	}
	if s.Call > 0 {
		out.Timeout = config.Duration(s.Call * float64(time.Second))
	}
	if s.HTTPURL != "" {
		out.URL, out.Type = im.text(s.HTTPURL), "http"
	}
	words := append(slices.Clone(s.Command.list), s.Args...)
	for i := range words {
		words[i] = im.text(words[i])
	}
	switch {
	case len(s.Command.list) > 0:
		out.Command, out.Args = words[0], words[1:]
	default: // arguments of no command are kept, for the error that tells of them
		out.Args = words
	}
	out.Env = im.all(s.Env, s.Variables, s.Command.env)
	out.Headers = im.headers(s)
	if s.EnvFile != "" {
		im.note("what %s sets is not taken over: set it in env, or as ${file:PATH}", s.EnvFile)
	}
	return out
}

// headers are those that are written there, and those whose value is a variable.
func (im *importer) headers(s clientServer) map[string]string {
	out := im.all(s.Headers, s.HTTPHeader)
	for header, name := range s.EnvHeader {
		out = with(out, header, "${env:"+name+"}")
	}
	if s.Bearer != "" {
		out = with(out, "Authorization", "Bearer ${env:"+s.Bearer+"}")
	}
	return out
}

// with sets a member of a map that may not be there yet.
func with(m map[string]string, k, v string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[k] = v
	return m
}

// all joins maps; a later one wins. nil where there is nothing, so that nothing is written.
func (im *importer) all(maps ...map[string]string) map[string]string {
	var out map[string]string
	for _, m := range maps {
		for k, v := range m {
			out = with(out, k, im.text(v))
		}
	}
	return out
}

// references are how configurations of other programs refer to what is not theirs.
var references = sync.OnceValue(func() (r struct{ askedFor, folders, braced, plainName, notInName *regexp.Regexp }) {
	// What VS Code asks a person for: ${input:github-token}.
	r.askedFor = regexp.MustCompile(`\$\{input:([^}]+)\}`)
	// Editors' words for folders.
	r.folders = regexp.MustCompile(`\$\{(workspaceFolder|workspaceRoot|userHome)(?::[^}]*)?\}`)
	// How opencode refers to a variable, {env:NAME}, and Gemini CLI, $NAME.
	r.braced = regexp.MustCompile(`\$?\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)
	r.plainName = regexp.MustCompile(`^\$([A-Za-z_][A-Za-z0-9_]*)$`)
	r.notInName = regexp.MustCompile(`[^A-Za-z0-9]+`)
	return r
})

// text is a value with what it refers to in our way.
func (im *importer) text(s string) string {
	s = references().askedFor.ReplaceAllStringFunc(s, func(ref string) string {
		name := strings.ToUpper(references().notInName.ReplaceAllString(references().askedFor.FindStringSubmatch(ref)[1], "_"))
		im.note("%s became ${env:%s}: set that variable", ref, name)
		return "${env:" + name + "}"
	})
	s = references().folders.ReplaceAllStringFunc(s, func(ref string) string {
		if strings.Contains(ref, "userHome") {
			return "${env:HOME}"
		}
		return im.dir
	})
	s = references().plainName.ReplaceAllString(references().braced.ReplaceAllString(s, "$${env:$1}"), "$${env:$1}")
	s = strings.ReplaceAll(s, "${pathSeparator}", string(filepath.Separator))
	return config.References(s)
}

// folder is a working directory; ours refers to no variables.
func (im *importer) folder(s string) string {
	s = im.text(s)
	if strings.Contains(s, "${") {
		im.note("cwd %s is left out: it cannot refer to variables", s)
		return ""
	}
	return s
}
