package app

// What manuals say of helve as a whole: the sections of the manual pages, and docs/cli.md.

// An entry is a name and what it means.
type entry struct{ name, text string }

// exitStatuses are what helve ends with.
var exitStatuses = []entry{
	{"0", "success"},
	{"1", "the tool failed, its arguments were wrong, or there is a finding (config check)"},
	{"2", "a mistake in the command line or in the configuration"},
	{"3", "refused by the policy, the mode or a person"},
	{"4", "no such tool, or it is switched off"},
	{"5", "timed out"},
	{"130", "interrupted"},
}

// variables of the environment that helve reads.
var variables = []entry{
	{"PROJECT_ROOT", "the workspace, where no -C names one"},
	{"HELVE_TOKEN", "the bearer token of serve --http"},
	{"OTEL_EXPORTER_OTLP_ENDPOINT", "where serve and run send spans and metrics; see docs/telemetry.md"},
	{
		"HOME",
		"the home folder; with XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_CACHE_HOME it says where helve's files lie",
	},
	{"PATH", "where programs are found: bash, servers"},
	{"NO_COLOR", "when set, nothing is coloured"},
	{"TERM", "dumb: questions are asked in lines, without moving the cursor"},
	{"ACCESSIBLE", "when set, questions are asked in lines, too: for screen readers"},
	{"OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, GOOGLE_API_KEY", "keys of the providers of models, for run"},
	{"OPENAI_BASE_URL, ANTHROPIC_BASE_URL", "their addresses, where they are others"},
}

// files that helve reads and writes.
var files = []entry{
	{
		"~/.config/helve/config.json, config.toml",
		"the user's configuration; on macOS and Windows in the system's folder for configurations",
	},
	{".helve/config.json, config.toml", "the workspace's configuration"},
	{
		".helve/config.local.json, config.local.toml",
		"the workspace's configuration that is not committed; it wins over the one beside it",
	},
	{"/etc/helve/config.json, config.toml", "the administrator's configuration: it can only take rights away"},
	{".mcp.json", "MCP servers of the workspace, as other programs write them"},
	{"~/.local/state/helve", "grants, trust, the record of calls, todo lists, tokens of servers; private to the user"},
	{"~/.cache/helve", "indexes, lists of servers, pages that were fetched: what can be made again"},
}
