// Package standin knows what earlier versions of helve left in workspaces. Those kept a command from making .mcp.json,
// .envrc and other names by putting something there while it ran: a socket or an empty directory that nobody may write
// to. One that was killed left them, and nothing that opens these files expects a socket. Nobody makes them any more.
package standin

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// names are the paths in a workspace in whose place something stood, those in others after these.
var names = []string{
	".mcp.json", ".gitmodules", ".envrc",
	".helve", ".claude", ".codex", ".cursor", ".gemini", ".vscode", ".idea",
	".git", ".git/config", ".git/hooks", ".git/modules",
}

// Is tells whether what stands at a path below a directory is of that kind. rel is slash-separated.
func Is(dir, rel string) bool {
	at := filepath.Join(dir, filepath.FromSlash(rel))
	st, err := os.Lstat(at)
	if err != nil || !slices.Contains(names, rel) {
		return false
	}
	const writes = 0o222
	switch {
	case st.Mode().Perm()&writes != 0:
		return false
	case st.Mode().Type() == fs.ModeSocket:
		return true
	case !st.IsDir():
		return false
	}
	entries, err := os.ReadDir(at)
	for _, e := range entries {
		if err != nil || !Is(dir, path.Join(rel, e.Name())) {
			return false
		}
	}
	return err == nil
}

// At is Is for the whole path of what lies at the top of its workspace.
func At(file string) bool { return Is(filepath.Dir(file), filepath.Base(file)) }
