package config

import (
	"encoding/json"
	"fmt"
	"time"
)

// Values are the keys of a configuration, of one layer or of all together. An absent key is nil or empty. The jsonschema tags are
// both what the loader checks and what the shipped schema says.
type Values struct {
	Schema        string                     `json:"$schema,omitempty" jsonschema:"description=Where an editor finds the schema of this file"`
	Tools         map[string]Setting         `json:"tools,omitempty" jsonschema:"description=Tools by name\\, wildcard or @group: on\\, off\\, or how they are approved. The highest layer with a match decides"`
	DisabledTools []string                   `json:"disabled_tools,omitempty" jsonschema:"description=Tools that are off whatever another layer says"`
	AllowedTools  []string                   `json:"allowed_tools,omitempty" jsonschema:"description=When not empty nothing else is registered"`
	Rules         []Rule                     `json:"rules,omitempty" jsonschema:"description=What calls may do. The last match in a layer counts; a deny of any layer stands"`
	Mode          string                     `json:"mode,omitempty" jsonschema:"enum=plan,enum=ask,enum=auto,description=How free the agent is"`
	Profile       string                     `json:"profile,omitempty" jsonschema:"description=Which set of tools is listed: default\\, codebase-index or a name of clients"`
	Write         *bool                      `json:"write,omitempty" jsonschema:"description=Offer the tools that change files or run programs"`
	Todo          *bool                      `json:"todo,omitempty" jsonschema:"description=Offer the todo tools"`
	ToolOptions   map[string]json.RawMessage `json:"tool_options,omitempty" jsonschema:"description=Defaults of the parameters of built-in tools"`
	Discovery     *Discovery                 `json:"discovery,omitempty" jsonschema:"description=A command that lists further tools and one that calls them"`
	MCPServers    map[string]Server          `json:"mcp_servers,omitempty" jsonschema:"description=MCP servers by name"`
	DropUnused    Duration                   `json:"drop_unused,omitempty" jsonschema:"description=A server drops tools of others that nobody called for so long\\, until the next client comes. Absent: never"`
	Hooks         []Hook                     `json:"hooks,omitempty" jsonschema:"description=Commands that run around calls"`
	Sandbox       *Sandbox                   `json:"sandbox,omitempty" jsonschema:"description=How commands are confined"`
	Fetch         *Fetch                     `json:"fetch,omitempty" jsonschema:"description=What fetch may reach; user layer or flags only"`
	Search        *Search                    `json:"search,omitempty" jsonschema:"description=How grep and glob search"`
	Limits        *Limits                    `json:"limits,omitempty" jsonschema:"description=Bounds on results"`
	Clients       map[string]Client          `json:"clients,omitempty" jsonschema:"description=Profiles by name\\, served at /mcp/p/NAME"`

	ClientProfiles map[string]ClientProfile `json:"client_profiles,omitempty" jsonschema:"description=What is known of MCP clients by name\\, over the table of helve doctor --client NAME"`
}

// A ClientProfile says what is to be known of an MCP client. What it leaves out stays as the table has it.
type ClientProfile struct {
	Info     []string `json:"info,omitempty" jsonschema:"description=The names that the client gives itself in clientInfo; * is any text"`
	Approval string   `json:"approval,omitempty" jsonschema:"enum=auto,enum=client,enum=elicit,enum=deny,description=Who approves what is asked about\\, as serve --approval"`
	Prefix   *string  `json:"prefix,omitempty" jsonschema:"description=What the client puts before the names of our tools; it counts among the bytes of a name"`
	MaxName  int      `json:"max_name,omitempty" jsonschema:"minimum=32,maximum=64,description=The longest name in bytes that the client takes\\, with its prefix"`
}

// A Client is a profile: what a client of that name gets instead.
type Client struct {
	Tools         map[string]Setting `json:"tools,omitempty"`
	DisabledTools []string           `json:"disabled_tools,omitempty"`
	AllowedTools  []string           `json:"allowed_tools,omitempty"`
	Rules         []Rule             `json:"rules,omitempty"`
	Mode          string             `json:"mode,omitempty" jsonschema:"enum=plan,enum=ask,enum=auto"`
	Profile       string             `json:"profile,omitempty"`
	Write         *bool              `json:"write,omitempty"`
	Todo          *bool              `json:"todo,omitempty"`
}

// A Rule is one of allow, ask and deny, with a tool:pattern.
type Rule struct {
	Allow string `json:"allow,omitempty" jsonschema:"description=tool:pattern that is allowed without a question"`
	Ask   string `json:"ask,omitempty" jsonschema:"description=tool:pattern that is asked about"`
	Deny  string `json:"deny,omitempty" jsonschema:"description=tool:pattern that is refused"`
}

// Discovery names the commands that bring tools. Words are split as a shell would; no shell runs them.
type Discovery struct {
	Command             string   `json:"command,omitempty"`
	Call                string   `json:"call,omitempty"`
	Timeout             Duration `json:"timeout,omitempty"`
	TTL                 Duration `json:"ttl,omitempty"`
	VerboseDescriptions bool     `json:"verbose_descriptions,omitempty"`
}

// A Server is an MCP server: a command for stdio, or a URL.
type Server struct {
	Type         string            `json:"type,omitempty" jsonschema:"enum=,enum=stdio,enum=http,enum=sse,enum=streamable-http"`
	Command      string            `json:"command,omitempty"`
	Args         []string          `json:"args,omitempty"`
	Env          map[string]string `json:"env,omitempty"`
	Cwd          string            `json:"cwd,omitempty"`
	URL          string            `json:"url,omitempty"`
	Headers      map[string]string `json:"headers,omitempty"`
	Trust        bool              `json:"trust,omitempty"`
	Timeout      Duration          `json:"timeout,omitempty"`
	StartTimeout Duration          `json:"start_timeout,omitempty"`
	IncludeTools []string          `json:"include_tools,omitempty"`
	ExcludeTools []string          `json:"exclude_tools,omitempty"`
	Lazy         *bool             `json:"lazy,omitempty"`
	Share        string            `json:"share,omitempty" jsonschema:"enum=,enum=auto,enum=never"`
	Sandbox      string            `json:"sandbox,omitempty" jsonschema:"enum=,enum=read-only,enum=workspace-write,enum=off"`
	OAuth        *OAuth            `json:"oauth,omitempty" jsonschema:"description=A client that the authorisation server knows already; without it one is registered on the fly"`
	Network      bool              `json:"network,omitempty" jsonschema:"description=With sandbox workspace-write: the server may use the network"`
	Pin          *bool             `json:"pin,omitempty" jsonschema:"description=false: definitions that change are used without a question\\, for servers whose descriptions differ at each start"`
}

// OAuth names a client of an authorisation server. The secret may be ${env:NAME} or ${file:PATH}.
type OAuth struct {
	ClientID     string `json:"client_id,omitempty"`
	ClientSecret string `json:"client_secret,omitempty"`
	MetadataURL  string `json:"metadata_url,omitempty" jsonschema:"description=https address of a document that describes the client"`
}

// A Hook is a command that runs before or after the calls that match.
type Hook struct {
	On      string   `json:"on" jsonschema:"enum=before,enum=after"`
	Match   string   `json:"match,omitempty"`
	Command string   `json:"command"`
	Timeout Duration `json:"timeout,omitempty"`
}

// Sandbox names a level, never a mechanism.
type Sandbox struct {
	Level    string   `json:"level,omitempty" jsonschema:"enum=read-only,enum=workspace-write,enum=off"`
	Network  *bool    `json:"network,omitempty"`
	Writable []string `json:"writable,omitempty"`
	Masked   []string `json:"masked,omitempty"`
}

// Fetch says which private addresses fetch may reach.
type Fetch struct {
	AllowPrivate []string `json:"allow_private,omitempty"`
}

// Search says when grep and glob use an index.
type Search struct {
	Index string `json:"index,omitempty" jsonschema:"enum=auto,enum=on,enum=off"`
}

// Limits bound results and commands.
type Limits struct {
	ResultBytes int `json:"result_bytes,omitempty" jsonschema:"minimum=1000,maximum=10000000"`
	IdleMS      int `json:"idle_ms,omitempty" jsonschema:"minimum=100,maximum=86400000,description=End a command that printed nothing for so many milliseconds; absent: never"`
}

// A Setting is what tools says of a tool: on, off, or how it is approved.
type Setting string

const (
	On      Setting = "true"
	Off     Setting = "false"
	Allowed Setting = "allow"
	Asked   Setting = "ask"
	Denied  Setting = "deny"
)

// MarshalJSON writes true, false or the word.
func (s Setting) MarshalJSON() ([]byte, error) {
	if s == On || s == Off {
		return []byte(s), nil
	}
	return json.Marshal(string(s))
}

// UnmarshalJSON reads true, false, allow, ask (or its alias approval) or deny.
func (s *Setting) UnmarshalJSON(b []byte) error {
	set, ok := parseSetting(string(b))
	if !ok {
		return fmt.Errorf(`want true, false, "allow", "ask" or "deny", got %s`, shorten(string(b)))
	}
	*s = set
	return nil
}

// parseSetting reads a JSON literal.
func parseSetting(literal string) (Setting, bool) {
	switch literal {
	case "true":
		return On, true
	case "false":
		return Off, true
	case `"allow"`:
		return Allowed, true
	case `"ask"`, `"approval"`:
		return Asked, true
	case `"deny"`:
		return Denied, true
	}
	return "", false
}

// strictness orders settings: the higher, the less is possible.
func (s Setting) strictness() int {
	switch s {
	case Off:
		return 4
	case Denied:
		return 3
	case Asked:
		return 2
	case On:
		return 1
	}
	return 0
}

// A Duration is written as "30s", "1h".
type Duration time.Duration

// MarshalText writes it as Go does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads a positive duration with its unit.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil || v < 0 {
		return fmt.Errorf(`want a duration like "30s", got %q`, shorten(string(b)))
	}
	*d = Duration(v)
	return nil
}

// shown is how much of a wrong value an error repeats.
const shown = 80

func shorten(s string) string {
	if len(s) > shown {
		return s[:shown] + "…"
	}
	return s
}
