// Package hookfiles knows which files say that a client asks helve about its own tools: who writes them can end the
// questions. Names are all that it looks at: it does no I/O.
package hookfiles

import (
	"slices"
	"strings"
)

// A kept file is one that a client reads its hooks from, or a folder of them. The same name is looked for in a home
// and in a workspace: what is not obeyed there today is tomorrow.
type kept struct {
	path   string // in lower case, from the last folder whose name tells it
	folder bool
	client string
}

// table has each client's files, of the person and of the project, as they were seen to work in November 2026.
var table = [...]kept{
	{".claude/settings.json", false, "Claude Code"},
	{".claude/settings.local.json", false, "Claude Code"},
	{"claude-code/managed-settings.json", false, "Claude Code"},
	{"claude-code/managed-settings.d", true, "Claude Code"},
	{".codex/hooks.json", false, "Codex"},
	{".codex/config.toml", false, "Codex"},
	{".gemini/settings.json", false, "Gemini CLI"},
	{".gemini/trustedfolders.json", false, "Gemini CLI"},
	{".qwen/settings.json", false, "Qwen Code"},
	{".copilot/hooks", true, "Copilot CLI"},
	{".copilot/config.json", false, "Copilot CLI"},
	{".github/hooks", true, "Copilot CLI"},
	{"opencode/plugin", true, "opencode"},
	{"opencode/plugins", true, "opencode"},
	{".opencode/plugin", true, "opencode"},
	{".opencode/plugins", true, "opencode"},
	{".cline/hooks", true, "Cline"},
}

// Why tells why a path must not be written where a client asks helve; "" if it may be. The path is in lower case, with
// slashes. A folder that has nothing but a client's own files in it counts, too: who moves it away moves them.
func Why(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for _, k := range table {
		if k.means(parts) {
			return "it has " + k.client + " ask helve before its tools run, and is written by people alone"
		}
	}
	return ""
}

// means tells that a path is the file, lies in the folder, or is the client's own folder above it.
func (k *kept) means(parts []string) bool {
	own := strings.Split(k.path, "/")
	for i := range parts {
		rest := parts[i:]
		switch {
		case len(rest) == len(own) || k.folder && len(rest) > len(own):
			if slices.Equal(rest[:len(own)], own) {
				return true
			}
		case len(rest) == 1 && rest[0] == own[0] && own[0] != ".github" && own[0] != "opencode":
			return true
		}
	}
	return false
}
