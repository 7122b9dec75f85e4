package later

import (
	"strings"
	"testing"
)

func TestFilesAreFoundInAnyFolder(t *testing.T) {
	for path, want := range map[string]string{
		".envrc": "direnv", "sub/.envrc": "direnv", "a/b/.vscode/tasks.json": "VS Code", ".vscode": "VS Code", "SUB/.VSCode/x": "VS Code",
		"x.code-workspace": "VS Code", "sub/My.Code-Workspace": "VS Code", ".cargo/config.toml": "Cargo", "c/.cargo/config": "Cargo",
		".github/hooks/x": "Copilot", "sub/.mcp.json": "agents", "sub/.helve/config.json": "helve", ".Rprofile": "R runs", ".envrc.": "direnv",
		".cargo/registry/x": "", ".github/workflows/ci.yml": "", "envrc": "", "a.envrc": "", "vscode/x": "", "hooks/.github": "",
		"node_modules/x/.vscode/settings.json": "", "web/node_modules/x/.npmrc": "", "vendor/github.com/x/.vscode/a": "",
		".vscode/node_modules/x": "VS Code", "node_modules.d/.envrc": "direnv",
	} {
		got := Default().Why(path)
		if (got == "") != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// What was added with its source.
func TestToolsOfLateAreKnown(t *testing.T) {
	for path, source := range map[string]string{
		".config/mise.toml":              "mise.jdx.dev/configuration",
		"mise.production.toml":           "mise.jdx.dev/configuration/environments",
		".config/mise/conf.d/a.toml":     "mise.jdx.dev/configuration",
		".miserc.toml":                   "mise.jdx.dev/configuration",
		".flox/env/manifest.toml":        "flox.dev/docs/concepts/environments: on-activate",
		".lazy.lua":                      "github.com/folke/lazy.nvim 10.21: local spec files",
		".idx/dev.nix":                   "firebase.google.com/docs/studio/customize-workspace",
		".gitpod.yml":                    "gitpod.io/docs: tasks",
		".replit":                        "docs.replit.com: run, onBoot",
		".codesandbox/tasks.json":        "codesandbox.io/docs: setupTasks",
		".stackblitzrc":                  "developer.stackblitz.com: startCommand",
		".amp/settings.json":             "ampcode.com: workspace settings, mcpServers",
		".vibe/config.toml":              "docs.mistral.ai/vibe/code/cli/configuration",
		"kilo.jsonc":                     "kilo.ai/docs: mcp, instructions",
		".github/copilot/settings.json":  "docs.github.com copilot-cli-reference/cli-config-dir-reference",
		".github/lsp.json":               "github.com/github/awesome-copilot cli-mastery",
		".github/mcp.json":               "any folder of an agent",
		".nobodysagent/mcp_config.json":  "any folder of an agent",
		".nobodysagent/hooks.json":       "any folder of an agent",
		".nobodysagent/skills/a/run.sh":  "github.com/vercel-labs/skills: <agent>/skills of some forty agents",
		".nobodysagent/commands/a.md":    "the same",
		"sub/.nobodysagent/rules/x.mdc":  "the same",
		"lefthook.toml":                  "lefthook.dev/configuration",
		"lefthook-local.jsonc":           "lefthook.dev/configuration",
		".config/lefthook.yml":           "lefthook.dev/configuration",
		".lefthook/pre-commit/x.sh":      "lefthook.dev/configuration: source_dir",
		"prek.toml":                      "prek.j178.dev/configuration",
		"hk.pkl":                         "hk.jdx.dev/configuration",
		"hk.local.pkl":                   "hk.jdx.dev/configuration",
		"captainhook.json":               "captainhook.info: run by the hooks that it installs",
		"grumphp.yml":                    "github.com/phpro/grumphp: run by the hooks that it installs",
		"devenv.local.nix":               "devenv.sh/files-and-variables",
		"devenv.yaml":                    "devenv.sh/reference/yaml-options: imports",
		"replit.nix":                     "docs.replit.com",
		"hie.yaml":                       "hackage.haskell.org/package/hie-bios: bios, program",
		"notfolded/Lefthook.YML":         "lefthook.dev/configuration",
		".NobodysAgent/MCP.json":         "any folder of an agent",
		"node_modules.d/.x/skills/a/b.c": "any folder of an agent",
	} {
		if Default().Why(path) == "" && Instructs().Why(path) == "" {
			t.Errorf("%s is not known: %s", path, source)
		}
	}
	for _, path := range []string{
		"mcp.json", "skills/x.py", "src/rules/a.go", "lefthook.go", "hk.go", "mise.tom", "a/kilo.json5", ".x/deep/mcp.json.bak", "rules/.x",
		"node_modules/x/.y/mcp.json", ".git/rules.json", "devenv.go",
	} {
		if why := Default().Why(path) + Instructs().Why(path); why != "" {
			t.Errorf("%s: %s", path, why)
		}
	}
}

func TestEveryLineOfTheListsSaysWhy(t *testing.T) {
	for list, text := range map[*List]string{Default(): text, Instructs(): instructsText} {
		files := parse(text)
		if len(files) != list.Len() || len(files) < 25 {
			t.Fatalf("%d files", len(files))
		}
		for _, f := range files {
			if len(f.Why) < 10 || strings.HasSuffix(f.Why, ".") || list.Why(strings.Replace(f.Path, "*", "x", 1)) != f.Why {
				t.Errorf("%+v, found as %q", f, list.Why(f.Path))
			}
		}
	}
}
