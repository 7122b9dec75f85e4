package server

import (
	"path"
	"strings"
	"time"
)

// A ClientProfile is what is known of an MCP client. It makes helve convenient
// for that client and gives no rights: see Approver.
type ClientProfile struct {
	Name  string   // what flags and the configuration call it: claude-code
	Title string   // what its makers call it: Claude Code
	Info  []string // the names that it gives itself in clientInfo; * is any text

	// Asks says that the client asks its user before it calls a tool, or was
	// told by its user not to: a second question of ours brings nothing.
	Asks bool

	// Prefix is what the client puts before the names of our tools, where its
	// configuration calls us helve; MaxName is how long a name may be with it, in
	// bytes.
	Prefix  string
	MaxName int

	// ListWait is how long its first list may wait for MCP servers that were never
	// listed; 0: two seconds.
	ListWait time.Duration

	// Todos says that its model has a todo list already. What is not known counts as none.
	Todos bool

	// Loads are the built-in tools that the client, which shows its model only the
	// names of most tools, is asked to show whole from the start. Where there are
	// any, the client also reads what else Claude Code knows in a tool's _meta.
	Loads []string
}

// everyTask are the tools that nearly every task needs.
func everyTask() []string { return []string{"bash", "edit", "glob", "grep", "read", "write"} }

// maxProvider is the longest name that model providers accept, in bytes; Gemini's
// takes one less.
const (
	maxProvider = 64
	maxGemini   = 63
)

// Profiles are the clients that are known, by name. What claude-code, codex,
// gemini, copilot, opencode, qwen and continue call themselves was seen on the
// wire in November 2026, and so were all prefixes (scripts/client-matrix sees them
// each time) and the keys of _meta that claude-code reads; what is said of the
// others is from their documentation. continue puts nothing before a name. Todos
// was seen in the programs of codex, gemini and qwen, and is of the others what is
// written about them.
//
// A server keeps the profile of a client in its session (tool.Of), where the one
// who opens the session puts it; without it nothing is known.
func Profiles() []ClientProfile {
	return []ClientProfile{
		{
			Name: "claude-code", Title: "Claude Code", Info: []string{"claude-code"},
			Asks: true, Prefix: "mcp__helve__", MaxName: maxProvider, Todos: true, Loads: everyTask(),
		},
		{Name: "claude-desktop", Title: "Claude Desktop", Info: []string{"claude-ai"}, Asks: true},
		{
			Name: "cline", Title: "Cline", Info: []string{"cline", "@cline/*"},
			Asks: true, Prefix: "helve__", MaxName: maxProvider,
		},
		{
			Name: "codex", Title: "Codex", Info: []string{"codex-mcp-client", "codex*"},
			Asks: true, Prefix: "mcp__helve__", MaxName: maxProvider, Todos: true,
		},
		{Name: "continue", Title: "Continue", Info: []string{"continue*"}, Asks: true},
		{
			Name: "copilot", Title: "Copilot CLI", Info: []string{"copilot*", "github-copilot*"},
			Asks: true, Prefix: "helve-", MaxName: maxProvider,
		},
		{Name: "cursor", Title: "Cursor", Info: []string{"cursor*"}, Asks: true, Todos: true},
		{
			Name: "gemini", Title: "Gemini CLI", Info: []string{"gemini-cli*"},
			Asks: true, Prefix: "mcp_helve_", MaxName: maxGemini, Todos: true,
		},
		{
			Name: "opencode", Title: "opencode", Info: []string{"opencode"},
			Asks: true, Prefix: "helve_", MaxName: maxProvider, Todos: true,
		},
		{
			Name: "qwen", Title: "Qwen Code", Info: []string{"qwen*"},
			Asks: true, Prefix: "mcp__helve__", MaxName: maxProvider, Todos: true,
		},
		{Name: "vscode", Title: "Visual Studio Code", Info: []string{"visual studio code*"}, Asks: true, Todos: true},
		{Name: "windsurf", Title: "Windsurf", Info: []string{"windsurf*"}, Asks: true},
		{Name: "zed", Title: "Zed", Info: []string{"zed*"}, Asks: true},
	}
}

// MatchProfile is the first profile that a client's own name fits, letter case
// aside. A name is not to be believed: what it decides must not matter to who
// lies about it.
func MatchProfile(profiles []ClientProfile, clientInfo string) (p ClientProfile, ok bool) {
	name := strings.ToLower(clientInfo)
	for _, p := range profiles {
		for _, pattern := range p.Info {
			fits, err := path.Match(strings.ToLower(pattern), name)
			if err == nil && fits {
				return p, true
			}
		}
	}
	return ClientProfile{}, false
}
