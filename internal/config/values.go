package config

import "encoding/json"

// Values are the keys of a configuration, of one layer or of all together. An absent key is nil or
// empty. The jsonschema tags are what the loader checks; with the comments of the fields they are
// also what the shipped schema says.
type Values struct {
	// Where an editor finds the schema of this file
	Schema string `json:"$schema,omitempty"`
	// Tools by name, wildcard or @group: true, false, or how their calls are approved (allow, ask,
	// deny). The highest layer with a match decides. Default: every tool is on
	Tools map[string]Setting `json:"tools,omitempty"`
	// Tools that are off whatever another layer says. Default: none
	DisabledTools []string `json:"disabled_tools,omitempty"`
	// When not empty nothing else is registered. Default: everything is
	AllowedTools []string `json:"allowed_tools,omitempty"`
	// What calls may do. The last match in a layer counts; a deny of any layer stands. Default: none
	Rules []Rule `json:"rules,omitempty"`
	// Files of the workspace that hold secrets, beside the usual ones: names, globs, folders with a
	// slash at their end. !NAME is none after all. They are asked about, and no search shows them.
	// Default: none
	Secrets []string `json:"secrets,omitempty"`
	// How free the agent is: plan, ask, review or auto, the strictest first; docs/policy.md has the table of what
	// becomes of a call in each. Default: ask
	Mode string `json:"mode,omitempty" jsonschema:"enum=plan,enum=ask,enum=review,enum=auto"`
	// What a command that nobody was asked about makes under a new hidden name, or a name by which other programs or
	// models follow it: hold keeps it for helve review, report makes it and says so. Default: hold
	Obeyed string `json:"obeyed,omitempty" jsonschema:"enum=hold,enum=report"`
	// What a question of mode review is about where an agent of helve makes several calls in one reply (helve run,
	// helve acp): call asks about each by itself, turn about all of them together, with one difference. Over MCP no
	// turn is known, and turn is call. Default: call
	Review string `json:"review,omitempty" jsonschema:"enum=call,enum=turn"`
	// Which set of tools is listed: default, codebase-index (the 18 code tools), small (fewer tokens; docs/tools.md) or
	// a name of clients. Default: default
	Profile string `json:"profile,omitempty"`
	// Offer the tools that change files or run programs. Default: true
	Write *bool `json:"write,omitempty"`
	// Offer the todo tools. Default: true
	Todo *bool `json:"todo,omitempty"`
	// Remember what calls change, so that it can be undone. Default: true
	History *bool `json:"history,omitempty"`
	// Say below the result of edit and write what the change broke, where the index of code is at work.
	// Default: true
	Diagnostics *bool `json:"diagnostics,omitempty"`
	// How much of it is remembered
	HistoryLimits *HistoryLimits `json:"history_limits,omitempty"`
	// The model of helve run: PROVIDER/NAME, or one of models.aliases. Default: none
	Model string `json:"model,omitempty"`
	// Short names of models, and what is used where one is down
	Models *Models `json:"models,omitempty"`
	// Where models are, by the name before the slash: other servers, keys, headers. Default: openai,
	// anthropic, gemini and ollama
	Providers map[string]Provider `json:"providers,omitempty"`
	// What helve run tells its model of AGENTS.md and files like it
	Memory *Memory `json:"memory,omitempty"`
	// How long the conversations of helve run are kept
	Conversations *Conversations `json:"conversations,omitempty"`
	// Offer run_script, with which a model calls many tools in one call. helve run shows it to the
	// model where there are 24 other tools or more. Default: false
	Script *bool `json:"script,omitempty"`
	// Parameters of built-in tools that a call leaves out, by tool. Default: the tools' own
	ToolOptions map[string]json.RawMessage `json:"tool_options,omitempty"`
	// A command that lists further tools and one that calls them. Default: none
	Discovery *Discovery `json:"discovery,omitempty"`
	// MCP servers by name. Default: none
	MCPServers map[string]Server `json:"mcp_servers,omitempty"`
	// A server drops tools of others that nobody called for so long, until the next client comes.
	// Default: never
	DropUnused Duration `json:"drop_unused,omitempty"`
	// Commands that run around calls. Default: none
	Hooks []Hook `json:"hooks,omitempty"`
	// How commands are confined
	Sandbox *Sandbox `json:"sandbox,omitempty"`
	// What fetch may reach
	Fetch *Fetch `json:"fetch,omitempty"`
	// How grep and glob search
	Search *Search `json:"search,omitempty"`
	// How the code tools know what code means
	Code *Code `json:"code,omitempty"`
	// Bounds on results and commands
	Limits *Limits `json:"limits,omitempty"`
	// Workers on other machines do the work of tools: helve serve --bus, helve worker
	Bus *Bus `json:"bus,omitempty"`
	// Profiles by name, served at /mcp/p/NAME and chosen by profile. Default: none
	Clients map[string]Client `json:"clients,omitempty"`
	// What is known of MCP clients by name, over the table of helve doctor --client NAME. Default:
	// the table
	ClientProfiles map[string]ClientProfile `json:"client_profiles,omitempty"`
	// How the own tools of clients are judged that ask helve hook
	ClientHooks *ClientHooks `json:"client_hooks,omitempty"`
}

// ClientHooks say how helve hook judges.
type ClientHooks struct {
	// As mode above, for these calls. Default: auto
	Mode string `json:"mode,omitempty" jsonschema:"enum=plan,enum=ask,enum=review,enum=auto"`
	// Have the client not ask again about what runs confined. Default: false
	Allow bool `json:"allow,omitempty"`
	// What becomes of a call that cannot be judged. Default: deny
	Broken string `json:"broken,omitempty" jsonschema:"enum=deny,enum=allow"`
	// Whole command lines that have the network, without a question about it. Default: none
	Network []string `json:"network,omitempty"`
}

// A Bus says where gateways and workers meet.
type Bus struct {
	// A NATS server that runs elsewhere, as tls://HOST:PORT. Default: one that helve serve --bus starts
	URL string `json:"url,omitempty"`
	// Where the one listens that helve serve --bus starts. Default: 127.0.0.1:4222
	Embed string `json:"embed,omitempty"`
	// The file of an nkey seed by which the server knows us; nobody else may be able to read it
	Key string `json:"key,omitempty"`
	// The file of the authorities that the server's certificate is checked by. Default: the system's
	CA string `json:"ca,omitempty"`
	// The file of an nkey seed with which a gateway signs what it tells workers; it has no other use. helve nodes key
	// makes one
	TicketKey string `json:"ticket_key,omitempty"`
	// The public keys of a worker's gateways: what none of them signed it refuses. Default: it trusts whoever the
	// server lets speak to it
	GatewayKeys []string `json:"gateway_keys,omitempty"`
	// Gateways and workers have a further layer of configuration, that of helve nodes policy, which only takes rights
	// away. Without one none starts. Default: false
	Policy bool `json:"policy,omitempty"`
	// Pools of workers by name, with the tools whose work each does. Default: pool default does all built-in tools
	Pools map[string]Pool `json:"pools,omitempty"`
}

// A Pool says what its workers do.
type Pool struct {
	// Names of built-in tools
	Tools []string `json:"tools,omitempty"`
	// Offer the tools that only the workers have, too: those of helve worker --own-tools. Default: false
	OwnTools bool `json:"own_tools,omitempty"`
	// Those need no approval, and what they say of themselves counts. Default: false
	Trust bool `json:"trust,omitempty"`
}

// A ClientProfile says what is to be known of an MCP client. What it leaves out stays as the table
// has it.
type ClientProfile struct {
	// The names that the client gives itself in clientInfo; * is any text
	Info []string `json:"info,omitempty"`
	// Who approves what is asked about, as serve --approval. Default: the table's
	Approval string `json:"approval,omitempty" jsonschema:"enum=auto,enum=client,enum=elicit,enum=deny"`
	// What the client puts before the names of our tools; it counts among the bytes of a name
	Prefix *string `json:"prefix,omitempty"`
	// The longest name in bytes that the client takes, with its prefix
	MaxName int `json:"max_name,omitempty" jsonschema:"minimum=32,maximum=64"`
	// How long its first list may wait for MCP servers that were never listed. Default: 2s
	ListWait Duration `json:"list_wait,omitempty"`
	// Whether it has a todo list of its own: profile small lists none then. Default: the table's
	Todos *bool `json:"todos,omitempty"`
}

// A Client is a profile: what a client of that name gets instead.
type Client struct {
	// As tools above, for this profile alone
	Tools map[string]Setting `json:"tools,omitempty"`
	// Tools that are off in this profile
	DisabledTools []string `json:"disabled_tools,omitempty"`
	// When not empty this profile has nothing else
	AllowedTools []string `json:"allowed_tools,omitempty"`
	// Rules of this profile, over those above
	Rules []Rule `json:"rules,omitempty"`
	// How free an agent with this profile is
	Mode string `json:"mode,omitempty" jsonschema:"enum=plan,enum=ask,enum=review,enum=auto"`
	// The set of tools that this one is made of: default, codebase-index or small. Default: default
	Profile string `json:"profile,omitempty"`
	// Offer the tools that change files or run programs
	Write *bool `json:"write,omitempty"`
	// Offer the todo tools
	Todo *bool `json:"todo,omitempty"`
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
	// Prints the tools, as JSON. A shell's words, but no shell runs them
	Command string `json:"command,omitempty"`
	// Runs one of them: its last word becomes the tool's name, its standard input the arguments as
	// JSON
	Call string `json:"call,omitempty"`
	// How long one listing may take. Default: 30s
	Timeout Duration `json:"timeout,omitempty"`
	// How long what was found is remembered. Default: 1h
	TTL Duration `json:"ttl,omitempty"`
	// Descriptions also say how the tool was found and is called. Default: false
	VerboseDescriptions bool `json:"verbose_descriptions,omitempty"`
}

// A Server is an MCP server: a command for stdio, or a URL.
type Server struct {
	// How it is reached. Default: stdio for a command; http, then sse, for a url
	Type string `json:"type,omitempty" jsonschema:"enum=,enum=stdio,enum=http,enum=sse,enum=streamable-http"`
	// The program that is started; ${env:NAME} and ${file:PATH} are replaced, here and below
	Command string `json:"command,omitempty"`
	// Its arguments
	Args []string `json:"args,omitempty"`
	// Its environment, over the few variables that servers get
	Env map[string]string `json:"env,omitempty"`
	// Where it is started. Default: the workspace
	Cwd string `json:"cwd,omitempty"`
	// The address of a server that runs elsewhere
	URL string `json:"url,omitempty"`
	// Sent to that address, and nowhere else
	Headers map[string]string `json:"headers,omitempty"`
	// Believe its readOnlyHint, and do not ask about its tools. Default: false
	Trust bool `json:"trust,omitempty"`
	// Leave it out, as helve mcp disable does. Default: false
	Disabled bool `json:"disabled,omitempty"`

	// How long one call may take. Default: 60s
	Timeout Duration `json:"timeout,omitempty"`
	// How long starting and listing may take. Default: 10s
	StartTimeout Duration `json:"start_timeout,omitempty"`
	// Only these of its tools; * is any text. Default: all
	IncludeTools []string `json:"include_tools,omitempty"`
	// Never these of its tools. Default: none
	ExcludeTools []string `json:"exclude_tools,omitempty"`
	// true: it starts with its first call; false: at once, and again when it breaks. Default: true
	Lazy *bool `json:"lazy,omitempty"`

	// auto: conversations of one principal share a process of it until it asks something (docs/gateway.md); never: each has its own. Default: auto
	Share string `json:"share,omitempty" jsonschema:"enum=,enum=auto,enum=never"`
	// How a command is confined: light keeps it from secrets and from changing more than it needs. Default: light
	Sandbox string `json:"sandbox,omitempty" jsonschema:"enum=,enum=light,enum=read-only,enum=workspace-write,enum=off"`
	// A client that the authorisation server knows already; without it one is registered on the fly
	OAuth *OAuth `json:"oauth,omitempty"`
	// Whether a confined command has the network. Default: true at light, else false
	Network *bool `json:"network,omitempty"`
	// false: definitions that change are used without a question, for servers whose descriptions
	// differ at each start. Default: true
	Pin *bool `json:"pin,omitempty"`
}

// OAuth names a client of an authorisation server. The secret may be ${env:NAME} or ${file:PATH}.
type OAuth struct {
	// The client's ID
	ClientID string `json:"client_id,omitempty"`
	// Its secret: best ${env:NAME} or ${file:PATH}
	ClientSecret string `json:"client_secret,omitempty"`
	// https address of a document that describes the client
	MetadataURL string `json:"metadata_url,omitempty"`

	// How a token is had without a person. Absent: a person logs in
	Grant string `json:"grant,omitempty" jsonschema:"enum=client_credentials,enum=jwt_bearer,enum=enterprise"`
	// Of client_credentials, in PEM, in place of a secret: ${file:PATH}
	PrivateKey string `json:"private_key,omitempty"`
	// The workload's token of jwt_bearer, the identity token of enterprise: ${file:PATH}
	Assertion string `json:"assertion,omitempty"`
	// Of enterprise: the company's identity provider
	IdentityIssuer string `json:"identity_issuer,omitempty"`
	// Of enterprise: as what helve is registered there
	IdentityClientID string `json:"identity_client_id,omitempty"`
	// The only authorisation server that gets to see the secret. Absent: the one that the MCP server names
	Issuer string `json:"issuer,omitempty"`
}

// A Hook is a command that runs before or after the calls that match.
type Hook struct {
	// When it runs: before or after a call
	On string `json:"on" jsonschema:"enum=before,enum=after"`
	// Which tools: a name, a wildcard or an @group. Default: all
	Match string `json:"match,omitempty"`
	// What runs. It gets {tool, args, effects} as JSON and may print {decision, args, note}
	Command string `json:"command"`
	// How long it may take; a call that waits longer is refused. Default: 10s
	Timeout Duration `json:"timeout,omitempty"`
}

// Sandbox names a level, never a mechanism.
type Sandbox struct {
	// What commands may change. Default: workspace-write
	Level string `json:"level,omitempty" jsonschema:"enum=read-only,enum=workspace-write,enum=off"`
	// Whether all commands can reach the network; a line whose words want it is asked about all the same.
	// Default: false
	Network *bool `json:"network,omitempty"`
	// Whether commands make and reach Unix sockets with names without asking. Default: false
	UnixSockets *bool `json:"unix_sockets,omitempty"`
	// Further folders that commands may change; ~/ is the home folder. Default: none
	Writable []string `json:"writable,omitempty"`
	// What commands may read outside the workspace, beside programs and the system; ~/ is the
	// home folder. Default: none
	Readable []string `json:"readable,omitempty"`
	// Further files and folders that commands cannot see. Default: none
	Masked []string `json:"masked,omitempty"`
}

// Fetch says which private addresses fetch may reach.
type Fetch struct {
	// Private hosts that fetch may reach: localhost:8080, 10.0.0.7, *.corp.example, 10.0.0.0/8. One
	// without a port stands for every port. Default: none
	AllowPrivate []string `json:"allow_private,omitempty"`
}

// Search says when grep and glob use an index.
type Search struct {
	// When an index is built and used: auto builds one where it pays. Default: auto
	Index string `json:"index,omitempty" jsonschema:"enum=auto,enum=on,enum=off"`
}

// Code says what the code tools may start.
type Code struct {
	// Whether index.scip in the workspace and language servers of this machine (gopls, tsserver, pyright,
	// clangd, rust-analyzer) settle what the index leaves open: auto starts one, in the sandbox, when a
	// question first needs it. Default: off
	Exact string `json:"exact,omitempty" jsonschema:"enum=auto,enum=off"`
}

// Models name models.
type Models struct {
	// Names for --model and model, each with the model that it means. Default: none
	Aliases map[string]string `json:"aliases,omitempty"`
	// The models that a run goes on with, in this order, where its own is down: nobody answers, or the server fails
	// again and again. Default: none
	Fallback []string `json:"fallback,omitempty"`
	// Tokens that a model may think in before each answer; where a provider takes a word alone: low up to 4,000, medium
	// up to 16,000, else high. Default: the model's own
	Thinking int `json:"thinking,omitempty" jsonschema:"minimum=0,maximum=1000000"`
}

// A Provider is a server of models.
type Provider struct {
	// What it speaks. Default: its own name, if it is one of these, else `openai`
	Kind string `json:"kind,omitempty" jsonschema:"enum=openai,enum=openai-responses,enum=anthropic,enum=gemini,enum=ollama"`
	// Where it is. Default: the provider's own
	BaseURL string `json:"base_url,omitempty"`
	// The variable that holds its key. Default: the provider's usual one
	KeyEnv string `json:"key_env,omitempty"`
	// A program and its arguments that print the key, where the variable is not set; without one the keyring is asked.
	// Default: none
	KeyCommand []string `json:"key_command,omitempty"`
	// Headers of each request. Default: none
	Headers map[string]string `json:"headers,omitempty"`
}

// Memory is what people wrote for models: AGENTS.md, or CLAUDE.md and GEMINI.md, and what these import.
type Memory struct {
	// Read them. Default: true
	Files *bool `json:"files,omitempty"`
	// Bytes of all of them together. Default: 65536
	MaxBytes int `json:"max_bytes,omitempty" jsonschema:"minimum=1,maximum=1048576"`
}

// Conversations bound what is kept of what agents and models said to each other. What is pinned stays.
type Conversations struct {
	// Forget a conversation that nobody went on with for so long. Default: 720h, which is 30 days
	Keep Duration `json:"keep,omitempty"`
	// Forget the oldest ones beyond so many bytes. Default: 1073741824, which is 1 GiB
	MaxBytes int64 `json:"max_bytes,omitempty" jsonschema:"minimum=1"`
}

// HistoryLimits bound what is remembered of what calls changed.
type HistoryLimits struct {
	// Calls that are so many days old are forgotten. Default: 30
	Days int `json:"days,omitempty" jsonschema:"minimum=1,maximum=3650"`
	// The oldest calls are forgotten when more bytes than these are kept. Default: 2147483648
	Bytes int64 `json:"bytes,omitempty" jsonschema:"minimum=1000000"`
	// The content of a larger file is not kept. Default: 67108864
	FileBytes int64 `json:"file_bytes,omitempty" jsonschema:"minimum=1000,maximum=4294967296"`
}

// Limits bound results, commands and the processes of MCP servers.
type Limits struct {
	// Bytes of text that one result gives the model; the rest is kept in a file. Default: 40000
	ResultBytes int `json:"result_bytes,omitempty" jsonschema:"minimum=1000,maximum=10000000"`
	// End a command that printed nothing for so many milliseconds. Default: never
	IdleMS int `json:"idle_ms,omitempty" jsonschema:"minimum=100,maximum=86400000"`
	// Processes of one MCP server that one client may have of its own; the one that rested for longest makes room. Default: 4
	ServerProcessesPerClient int `json:"server_processes_per_client,omitempty" jsonschema:"minimum=1,maximum=1000"`
	// Processes of MCP servers in all; the one that rested for longest makes room. Default: 64
	ServerProcesses int `json:"server_processes,omitempty" jsonschema:"minimum=1,maximum=10000"`
}
