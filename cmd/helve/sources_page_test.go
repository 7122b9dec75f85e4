//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// shop is the folder that docs/sources.md speaks of, with the files that it shows, in a home of its own.
func shop(t *testing.T, list []lesson) (home, dir string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(home, "shop")
	files := map[string]string{
		"prices.txt": "Tea: 3\nCoffee: 4\n",
		"mcp.json":   `{"mcpServers": {"gh": {"url": "https://gh.example/mcp", "headers": {"Authorization": "Bearer ${input:token}"}}}}`,
	}
	for _, s := range list {
		if name, ok := strings.CutPrefix(s.line, "cat "); ok {
			files[name] = strings.Join(s.output, "\n") + "\n"
		}
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return home, dir
}

// Who does in a folder of their own what docs/sources.md shows sees what it says. What it shows of servers from npm wants these.
func TestTheSessionsOfThePageOnSourcesAreReal(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed: it types the lines")
	}
	w := newHookWorld(t)
	path := filepath.Dir(w.bin) + string(filepath.ListSeparator) + os.Getenv("PATH")
	npm := os.Getenv("HELVE_NPM")
	if npm == "" {
		t.Log("HELVE_NPM names no folder with the servers of npm: what the page shows of them is not tried")
	} else {
		path = filepath.Join(npm, "node_modules", ".bin") + string(filepath.ListSeparator) + path
	}
	page, err := os.ReadFile("../../docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	var list []lesson
	for _, block := range fenced(t, "docs/sources.md", string(page)) {
		if block.lang == "console" && (npm != "" || !strings.Contains(block.body, "mcp-server-")) {
			list = append(list, typedIn(t, block)...)
		}
	}
	home, dir := shop(t, list)
	typeLessons(t, list, dir, []string{"HOME=" + home, "PATH=" + path, "NO_COLOR=1"})
}
