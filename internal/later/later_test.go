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

func TestEveryLineOfTheListSaysWhy(t *testing.T) {
	files := parse(text)
	if len(files) != Default().Len() || len(files) < 25 {
		t.Fatalf("%d files", len(files))
	}
	for _, f := range files {
		if len(f.Why) < 10 || strings.HasSuffix(f.Why, ".") || Default().Why(strings.Replace(f.Path, "*", "x", 1)) != f.Why {
			t.Errorf("%+v, found as %q", f, Default().Why(f.Path))
		}
	}
}
