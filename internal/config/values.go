package config

import "encoding/json"

// Values are the keys of a configuration, of one layer or of all together. An absent key is nil or
// empty. The jsonschema tags are what the loader checks; with the comments of the fields they are
// also what the shipped schema says.
type Values struct {
	// Where an editor finds the schema of this file
	Schema string `json:"$schema,omitempty"`
	// Tools by name, wildcard or @group: on, off, or how they are approved. The highest layer with
	// a match decides
	Tools map[string]Setting `json:"tools,omitempty"`
	// Tools that are off whatever another layer says
	DisabledTools []string `json:"disabled_tools,omitempty"`
	// When not empty nothing else is registered
	AllowedTools []string `json:"allowed_tools,omitempty"`
	// What calls may do. The last match in a layer counts; a deny of any layer stands
	Rules []Rule `json:"rules,omitempty"`
	// How free the agent is
	Mode string `json:"mode,omitempty" jsonschema:"enum=plan,enum=ask,enum=auto"`
	// Which set of tools is listed: default, codebase-index or a name of clients
	Profile string `json:"profile,omitempty"`
	// Offer the tools that change files or run programs
	Write *bool `json:"write,omitempty"`
	// Offer the todo tools
	Todo *bool `json:"todo,omitempty"`
	// Defaults of the parameters of built-in tools
	ToolOptions map[string]json.RawMessage `json:"tool_options,omitempty"`
	// A command that lists further tools and one that calls them
	Discovery *Discovery `json:"discovery,omitempty"`
	// MCP servers by name
	MCPServers map[string]Server `json:"mcp_servers,omitempty"`
	// A server drops tools of others that nobody called for so long, until the next client comes.
	// Absent: never
	DropUnused Duration `json:"drop_unused,omitempty"`
	// Commands that run around calls
	Hooks []Hook `json:"hooks,omitempty"`
	// How commands are confined
	Sandbox *Sandbox `json:"sandbox,omitempty"`
	// What fetch may reach; user layer or flags only
	Fetch *Fetch `json:"fetch,omitempty"`
	// How grep and glob search
	Search *Search `json:"search,omitempty"`
	// Bounds on results
	Limits *Limits `json:"limits,omitempty"`
	// Profiles by name, served at /mcp/p/NAME
	Clients map[string]Client `json:"clients,omitempty"`
	// What is known of MCP clients by name, over the table of helve doctor --client NAME
	ClientProfiles map[string]ClientProfile `json:"client_profiles,omitempty"`
}

// A ClientProfile says what is to be known of an MCP client. What it leaves out stays as the table
// has it.
type ClientProfile struct {
	// The names that the client gives itself in clientInfo; * is any text
	Info []string `json:"info,omitempty"`
	// Who approves what is asked about, as serve --approval
	Approval string `json:"approval,omitempty" jsonschema:"enum=auto,enum=client,enum=elicit,enum=deny"`
	// What the client puts before the names of our tools; it counts among the bytes of a name
	Prefix *string `json:"prefix,omitempty"`
	// The longest name in bytes that the client takes, with its prefix
	MaxName int `json:"max_name,omitempty" jsonschema:"minimum=32,maximum=64"`
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
	// tool:pattern that is allowed without a question
	Allow string `json:"allow,omitempty"`
	// tool:pattern that is asked about
	Ask string `json:"ask,omitempty"`
	// tool:pattern that is refused
	Deny string `json:"deny,omitempty"`
}

// Discovery names the commands that bring tools. Words are split as a shell would; no shell runs
// them.
type Discovery struct {
	// Prints the tools, as JSON
	Command string `json:"command,omitempty"`
	// Runs one of them
	Call string `json:"call,omitempty"`
	// How long one run may take
	Timeout             Duration `json:"timeout,omitempty"`
	TTL                 Duration `json:"ttl,omitempty"`
	VerboseDescriptions bool     `json:"verbose_descriptions,omitempty"`
}

// A Server is an MCP server: a command for stdio, or a URL.
type Server struct {
	Type    string            `json:"type,omitempty" jsonschema:"enum=,enum=stdio,enum=http,enum=sse,enum=streamable-http"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Trust   bool              `json:"trust,omitempty"`

	Timeout      Duration `json:"timeout,omitempty"`
	StartTimeout Duration `json:"start_timeout,omitempty"`
	IncludeTools []string `json:"include_tools,omitempty"`
	ExcludeTools []string `json:"exclude_tools,omitempty"`
	Lazy         *bool    `json:"lazy,omitempty"`

	Share   string `json:"share,omitempty" jsonschema:"enum=,enum=auto,enum=never"`
	Sandbox string `json:"sandbox,omitempty" jsonschema:"enum=,enum=read-only,enum=workspace-write,enum=off"`
	// A client that the authorisation server knows already; without it one is registered on the fly
	OAuth *OAuth `json:"oauth,omitempty"`
	// With sandbox workspace-write: the server may use the network
	Network bool `json:"network,omitempty"`
	// false: definitions that change are used without a question, for servers whose descriptions
	// differ at each start
	Pin *bool `json:"pin,omitempty"`
}

// OAuth names a client of an authorisation server. The secret may be ${env:NAME} or ${file:PATH}.
type OAuth struct {
	ClientID     string `json:"client_id,omitempty"`
	ClientSecret string `json:"client_secret,omitempty"`
	// https address of a document that describes the client
	MetadataURL string `json:"metadata_url,omitempty"`
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
	// End a command that printed nothing for so many milliseconds; absent: never
	IdleMS int `json:"idle_ms,omitempty" jsonschema:"minimum=100,maximum=86400000"`
}
