package config_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"helve/internal/config"
)

// A file that holds a secret is its owner's alone, from the moment that it does, and stays so.
func TestAFileWithSecretsIsItsOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such permissions on Windows")
	}
	for name, steps := range map[string][]struct {
		key, value string
		want       os.FileMode
	}{
		"nothing secret": {
			{"tools", `{"write":false}`, 0o644},
			{"mcp_servers.a", `{"command":"x","env":{"TOKEN":"${env:TOKEN}"}}`, 0o644},
		},
		"a variable":      {{"mcp_servers.a", `{"command":"x","env":{"TOKEN":"abc"}}`, 0o600}},
		"a header":        {{"mcp_servers.a", `{"url":"https://x.example","headers":{"Authorization":"Bearer abc"}}`, 0o600}},
		"an OAuth client": {{"mcp_servers.a", `{"url":"https://x.example","oauth":{"client_secret":"abc"}}`, 0o600}},
		"later, and after": {
			{"tools", `{"write":false}`, 0o644},
			{"mcp_servers.a", `{"command":"x","env":{"TOKEN":"abc"}}`, 0o600},
			{"mode", "plan", 0o600},
		},
	} {
		for _, form := range []string{"config.json", "config.toml"} {
			dir := t.TempDir()
			file := filepath.Join(dir, form)
			for _, step := range steps {
				if _, err := config.Set(config.Environment{StateDir: filepath.Join(dir, "state")}, file, step.key, step.value); err != nil {
					t.Fatal(err)
				}
				st, err := os.Stat(file)
				if err != nil {
					t.Fatal(err)
				}
				if got := st.Mode().Perm(); got != step.want {
					t.Errorf("%s: %s after %s: mode %o, want %o", name, form, step.key, got, step.want)
				}
			}
		}
	}
}
