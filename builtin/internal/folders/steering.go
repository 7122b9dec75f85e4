package folders

import (
	"fmt"
	"strings"

	"helve/internal/fsroot"
)

// steers are the places in a workspace that tell programs what to run or whom to trust (security.md): a tool that
// could write them could widen its own rights at the next start.
var steers = []string{
	".git/hooks",
	".git/config",
	".git/modules",
	".gitmodules",
	".mcp.json",
	".helve",
	".vscode",
	".idea",
	".claude",
	".codex",
	".cursor",
	".gemini",
	".envrc",
	".mcp-codebase-index.toml",
}

// Steering refuses writes to files that steer helve, git, editors or other agents. It is the default of
// Options.Protected.
func Steering(_, folded string) error {
	for _, p := range steers {
		if strings.Contains("/"+folded+"/", "/"+p+"/") {
			return fmt.Errorf("%w: %s steers what other programs run; a person has to change it",
				fsroot.ErrProtected, p)
		}
	}
	return nil
}
