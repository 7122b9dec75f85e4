package hookfiles

import "path/filepath"

// A moved home is a folder, or a file, that a variable of the environment names in the place of the usual one.
type moved struct {
	variable string
	below    string   // of the folder that the variable names: where the client's own begins
	files    []string // there; none: the variable names the file itself
}

// variables are those by which clients were seen to find what they obey, in November 2026.
var variables = [...]moved{
	{"CLAUDE_CONFIG_DIR", "", []string{"settings.json", "settings.local.json"}},
	{"CLAUDE_CODE_MANAGED_SETTINGS_PATH", "", nil},
	{"CODEX_HOME", "", []string{"hooks.json", "config.toml"}},
	{"COPILOT_HOME", "", []string{"hooks", "config.json"}},
	{"GEMINI_CLI_HOME", ".gemini", []string{"settings.json", "trustedFolders.json"}},
	{"GEMINI_CLI_SYSTEM_SETTINGS_PATH", "", nil},
	{"GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "", nil},
	{"GEMINI_CLI_TRUSTED_FOLDERS_PATH", "", nil},
	{"QWEN_HOME", "", []string{"settings.json", "trustedFolders.json"}},
	{"QWEN_CODE_SYSTEM_SETTINGS_PATH", "", nil},
	{"QWEN_CODE_SYSTEM_DEFAULTS_PATH", "", nil},
	{"QWEN_CODE_TRUSTED_FOLDERS_PATH", "", nil},
	{"OPENCODE_CONFIG_DIR", "", []string{"plugin", "plugins"}},
	{"XDG_CONFIG_HOME", "opencode", []string{"plugin", "plugins"}},
	{"CLINE_DIR", "", []string{"hooks"}},
	{"CLINE_HOOKS_DIR", "", nil},
}

// Places are the paths of all clients' files as this environment has them: in the home, in the folders that a client
// works in, and where a variable has moved them to. Homes are the folders that variables name for a client's own.
func Places(getenv func(string) string, dirs []string) (files, homes []string) {
	if home := getenv("HOME"); filepath.IsAbs(home) {
		dirs = append([]string{home, filepath.Join(home, ".config")}, dirs...)
	}
	for _, dir := range dirs {
		for _, k := range table {
			name := k.path
			if k.path == ".gemini/trustedfolders.json" {
				name = ".gemini/trustedFolders.json"
			}
			files = append(files, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	for _, m := range variables {
		at := getenv(m.variable)
		if !filepath.IsAbs(at) {
			continue // what it means depends on where the client was started, and it stands there no longer
		}
		if m.files == nil {
			files = append(files, filepath.Clean(at))
			continue
		}
		home := filepath.Join(at, m.below)
		homes = append(homes, home)
		for _, name := range m.files {
			files = append(files, filepath.Join(home, name))
		}
	}
	return files, homes
}
