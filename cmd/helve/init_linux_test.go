package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// At a terminal each client is asked about, with what would be written; what is not wanted is not written.
func TestInitAsksAboutEachClient(t *testing.T) {
	for _, columns := range []int{60, 80, 200} {
		d := newDesk(t)
		settings := filepath.Join(d.home, ".gemini", "settings.json")
		before := "{\n  // mine\n  \"mcpServers\": {\"git\": {\"command\": \"uvx\"}}\n}\n"
		if err := os.MkdirAll(filepath.Dir(settings), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(settings, []byte(before), 0o644); err != nil {
			t.Fatal(err)
		}
		p := d.sit(columns, "init", "--client", "codex", "--client", "gemini")
		p.See("Set up Codex")
		p.Press("n")
		p.See("Set up Gemini CLI")
		p.See("--client")
		p.Press("y")
		p.See("MCP servers of its own: git")
		p.Press("n")
		if status := p.Ended(); status != 0 {
			t.Errorf("%d columns: status %d", columns, status)
		}
		if _, err := os.Stat(filepath.Join(d.home, ".codex")); err == nil {
			t.Errorf("%d columns: Codex was set up", columns)
		}
		text, err := os.ReadFile(settings)
		if err != nil || !strings.Contains(string(text), "\"gemini\"") || !strings.Contains(string(text), "// mine") {
			t.Errorf("%d columns: %v\n%s", columns, err, text)
		}
		if out, err := d.command("init", "--undo").CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		if text, err := os.ReadFile(settings); err != nil || string(text) != before {
			t.Errorf("%d columns: %v\n%s", columns, err, text)
		}
	}
}
