package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"helve/internal/config"
)

const docFile = "../../docs/configuration.md"

// A section of docs/configuration.md is a key of the configuration.
type section struct {
	key     string
	project string // what a workspace that nobody trusts may say there
	example string
}

const (
	tightens = "only what is stricter"
	nothing  = "nothing"
	never    = "nothing, and neither may one that is trusted"
	anything = "anything"
)

// sections are in the order in which a reader wants them.
var sections = []section{
	{"tools", tightens, `{"tools": {"write": false, "bash": "ask", "@net": "deny", "mcp__github__*": "ask"}}`},
	{"disabled_tools", anything, `{"disabled_tools": ["fetch"]}`},
	{"allowed_tools", anything, `{"allowed_tools": ["read", "grep", "glob"]}`},
	{"rules", "only ask and deny", `{"rules": [{"allow": "bash:go test *"}, {"ask": "edit:internal/**"}, {"deny": "read:**/.env"}]}`},
	{"secrets", "only further ones", `{"secrets": ["*.vault", "ops/keys/", "!config/dev.env"]}`},
	{"mode", tightens, `{"mode": "plan"}`},
	{"review", "only call, like one that is trusted", `{"review": "turn"}`},
	{"obeyed", "only hold", `{"obeyed": "hold"}`},
	{"write", tightens, `{"write": false}`},
	{"todo", tightens, `{"todo": false}`},
	{"profile", nothing, `{"profile": "codebase-index"}`},
	{"tool_options", nothing, `{"tool_options": {"bash": {"timeout": 300000}}}`},
	{"sandbox", "a stricter level, no network, and masked", `{"sandbox": {"level": "workspace-write", "network": false, "writable": ["~/.cache/go-build"], "masked": ["~/.netrc"]}}`},
	{"fetch", never, `{"fetch": {"allow_private": ["127.0.0.1:8080"]}}`},
	{"search", anything, `{"search": {"index": "off"}}`},
	{"code", "only off", `{"code": {"exact": "auto"}}`},
	{"history", nothing, `{"history": false}`},
	{"diagnostics", anything, `{"diagnostics": false}`},
	{"history_limits", nothing, `{"history_limits": {"days": 7, "bytes": 500000000, "file_bytes": 10000000}}`},
	{"model", nothing, `{"model": "anthropic/claude-sonnet-4-5"}`},
	{"models", never, `{"models": {"aliases": {"fast": "ollama/qwen3"}, "fallback": ["openai/gpt-5"]}}`},
	{"providers", never, `{"providers": {"groq": {"kind": "openai", "base_url": "https://api.groq.com/openai/v1", "key_command": ["pass", "groq"]}}}`},
	{"memory", "files: false, and a lower max_bytes", `{"memory": {"files": true, "max_bytes": 32768}}`},
	{"conversations", never, `{"conversations": {"keep": "2160h", "max_bytes": 500000000}}`},
	{"script", nothing, `{"script": true}`},
	{"limits", tightens, `{"limits": {"result_bytes": 20000, "idle_ms": 600000}}`},
	{"discovery", nothing, `{"discovery": {"command": "npm run -s discover-tools", "call": "npm run -s call-tool", "ttl": "10m"}}`},
	{"mcp_servers", nothing, `{"mcp_servers": {"github": {"command": "github-mcp-server", "args": ["stdio"], "env": {"TOKEN": "${env:GITHUB_TOKEN}"}}}}`},
	{"drop_unused", anything, `{"drop_unused": "336h"}`},
	{"hooks", nothing, `{"hooks": [{"on": "before", "match": "bash", "command": "./check-command"}]}`},
	{"bus", never, `{"bus": {"url": "tls://bus.example:4222", "key": "~/.config/helve/bus.nk", "pools": {"build": {"tools": ["bash", "read", "edit", "grep", "glob"]}}}}`},
	{"clients", tightens, `{"clients": {"reviewer": {"tools": {"@write": false}, "mode": "plan"}}}`},
	{"client_profiles", nothing, `{"client_profiles": {"my-agent": {"info": ["my-agent*"], "approval": "client"}}}`},
	{"client_hooks", nothing, `{"client_hooks": {"mode": "ask", "allow": true, "broken": "deny", "network": ["python3 fetch.py"]}}`},
	{"$schema", anything, `{"$schema": "config.schema.json"}`},
}

// docs/configuration.md is generated from the schema, in which every key has words.
func TestTheConfigurationDocIsFresh(t *testing.T) {
	got := configurationDoc(t)
	if *update {
		if err := os.WriteFile(docFile, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(docFile)
	if err != nil || !bytes.Equal(have, got) {
		t.Errorf("docs/configuration.md is stale (%v): go test ./internal/config -run ConfigurationDoc -update", err)
	}
}

// Each example is a configuration that loads without a finding.
func TestTheExamplesOfTheConfigurationDocLoad(t *testing.T) {
	for _, s := range sections {
		c, err := newHome(t).write(user, s.example).load(config.Options{})
		if err != nil {
			t.Errorf("%s: %v", s.key, err)
			continue
		}
		for _, w := range c.Warnings {
			t.Errorf("%s: %s", s.key, w)
		}
	}
}

// What a workspace may say without trust is what the document says.
func TestTheConfigurationDocSaysWhatAWorkspaceMaySay(t *testing.T) {
	for _, s := range sections {
		c, err := newHome(t).write(project, s.example).load(config.Options{})
		if err != nil {
			t.Errorf("%s: %v", s.key, err)
			continue
		}
		dropped := len(c.Ignored) > 0
		if s.project == anything && dropped || (s.project == nothing || s.project == never) && !dropped {
			t.Errorf("%s: the document says %q, and this is ignored: %+v", s.key, s.project, c.Ignored)
		}
	}
}

// A schemaNode is what is needed of a JSON schema.
type schemaNode struct {
	Ref         string          `json:"$ref"`
	Type        string          `json:"type"`
	Description string          `json:"description"`
	Enum        []any           `json:"enum"`
	Properties  json.RawMessage `json:"properties"`
	Items       *schemaNode     `json:"items"`
	Values      json.RawMessage `json:"additionalProperties"`
	OneOf       []schemaNode    `json:"oneOf"`
	Pattern     string          `json:"pattern"`
	Minimum     json.Number     `json:"minimum"`
	Maximum     json.Number     `json:"maximum"`
}

// A document is written from a schema.
type document struct {
	t    *testing.T
	defs map[string]schemaNode
	out  bytes.Buffer
}

func configurationDoc(t *testing.T) []byte {
	t.Helper()
	var root struct {
		schemaNode
		Defs map[string]schemaNode `json:"$defs"`
	}
	if err := json.Unmarshal(generated(t), &root); err != nil {
		t.Fatal(err)
	}
	d := &document{t: t, defs: root.Defs}
	d.out.WriteString(configurationHead)
	top := members(t, root.Properties)
	for _, s := range sections {
		n, ok := top[s.key]
		if !ok {
			t.Errorf("%s is no key of the configuration", s.key)
		}
		delete(top, s.key)
		d.section(s, n)
	}
	for key := range top {
		t.Errorf("the key %s stands in no section", key)
	}
	return d.out.Bytes()
}

const configurationHead = `# The configuration

Generated from the schema; ` + "`go test ./internal/config -run ConfigurationDoc -update`" + ` writes it anew.

A configuration is JSON with comments, or TOML. The layers, from the lowest to the highest:

| layer | file |
|---|---|
| default | built in |
| user | ` + "`~/.config/helve/config.json`" + ` or ` + "`config.toml`" + ` |
| project | ` + "`.helve/config.json`" + ` or ` + "`config.toml`" + ` in the workspace, ` + "`.helve/config.local.*`" + ` over it, and below it ` + "`disabled_tools` of `.mcp-codebase-index.toml`, the servers of `.mcp.json`" + ` |
| program | ` + "`Options.Config` of a Go program, and `Options.Rules`" + ` after it |
| flags | ` + "`--tools`, `--disabled-tools`, `--mode`, `--profile`" + ` |
| managed | ` + "`/etc/helve/config.*`" + `: the administrator's, which can only take rights away |

A higher layer decides key by key, in ` + "`tools`" + ` name by name. ` + "`disabled_tools`" + ` and deny rules of any layer stand. A workspace comes from somewhere: its file counts for what takes
rights away, and for the rest after ` + "`helve trust`" + `. ` + "`helve config list`" + ` shows each value with its layer and file, ` + "`helve config check`" + ` finds mistakes, ` + "`helve config set KEY VALUE`" + ` writes
and keeps comments. Durations are ` + "`500ms`, `30s`, `5m`, `1h`" + `.

A file of more than 1 MiB, a folder, a pipe, a socket, a device, or a file that changes while it is read is an error with its path and what to do; a server works on read-only until it is mended, and then by the mended one.

` + "`config set`" + ` writes an inline TOML table anew, in one line, when one key in it changes. ` + "`config check`" + ` looks at a configuration by itself, not at whether a server's
program is installed: ` + "`helve doctor` and `helve mcp test`" + ` do.
`

func members(t *testing.T, raw json.RawMessage) map[string]schemaNode {
	t.Helper()
	out := map[string]schemaNode{}
	if len(raw) == 0 {
		return out
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (d *document) section(s section, n schemaNode) {
	what, usual := words(n.Description)
	fmt.Fprintf(&d.out, "\n## %s\n%s.", s.key, what)
	if usual != "" {
		fmt.Fprintf(&d.out, " Default: %s.", usual)
	}
	fmt.Fprintf(&d.out, " A workspace that is not trusted may set %s.\n", s.project)
	fmt.Fprintf(&d.out, "```json\n%s\n```\n", s.example)
	path, in := s.key, d.resolve(n)
	switch {
	case in.Items != nil:
		path, in = path+"[]", d.resolve(*in.Items)
	case len(in.Values) > 0 && in.Values[0] == '{':
		var v schemaNode
		if err := json.Unmarshal(in.Values, &v); err != nil {
			d.t.Fatal(err)
		}
		path, in = path+".NAME", d.resolve(v)
	}
	if len(in.Properties) == 0 && len(in.OneOf) == 0 {
		return
	}
	d.out.WriteString("\n| key | type | default | meaning |\n|---|---|---|---|\n")
	for _, one := range in.OneOf {
		d.rows(path, one)
	}
	d.rows(path, in)
}

// rows are the keys of an object, in their order.
func (d *document) rows(path string, n schemaNode) {
	if len(n.Properties) == 0 {
		return
	}
	all := members(d.t, n.Properties)
	for _, name := range order(d.t, n.Properties) {
		p := all[name]
		what, usual := words(p.Description)
		if what == "" {
			d.t.Errorf("%s.%s has no words", path, name)
		}
		in := d.resolve(p)
		fmt.Fprintf(&d.out, "| `%s.%s` | %s | %s | %s |\n", path, name, d.typeOf(in), usual, strings.ReplaceAll(what, "|", "\\|"))
		if in.Type == "object" {
			d.rows(path+"."+name, in)
		}
	}
}

func (d *document) resolve(n schemaNode) schemaNode {
	if name, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok {
		return d.defs[name]
	}
	return n
}

func (d *document) typeOf(n schemaNode) string {
	switch {
	case len(n.Enum) > 0:
		var out []string
		for _, v := range n.Enum {
			if v != "" {
				out = append(out, fmt.Sprintf("`%v`", v))
			}
		}
		return strings.Join(out, ", ")
	case n.Pattern != "":
		return "duration"
	case n.Type == "array":
		return "list of " + d.typeOf(d.resolve(*n.Items)) + "s"
	case n.Minimum != "":
		return fmt.Sprintf("%s, %v to %v", n.Type, n.Minimum, n.Maximum)
	case len(n.OneOf) > 0:
		return "rule"
	}
	return n.Type
}

// words takes a description apart: what it is, and what it is if nobody says so.
func words(description string) (what, usual string) {
	what, usual, _ = strings.Cut(description, " Default: ")
	return strings.TrimSuffix(strings.TrimSpace(what), "."), usual
}

// order is that of the members of an object.
func order(t *testing.T, raw json.RawMessage) []string {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	var out []string
	depth := 0
	for {
		token, err := dec.Token()
		if err != nil {
			return out
		}
		switch v := token.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				depth++
			} else {
				depth--
			}
		case string:
			if depth == 1 {
				out = append(out, v)
				var skip json.RawMessage
				if err := dec.Decode(&skip); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
