package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Folders that the person gave Claude Code are the workspace's, too; those that a project names are not, nor is a home.
func TestFurtherFoldersOfTheClientBelongToTheWorkspace(t *testing.T) {
	confinedHere(t)
	w := newHookWorld(t)
	dirs := map[string]string{}
	for _, name := range []string{"flag", "second", "settings", "project", "other"} {
		dirs[name] = filepath.Join(w.base, name)
		w.must(os.Mkdir(dirs[name], 0o755))
	}
	quoted := func(path string) string { return `{"permissions": {"additionalDirectories": ["` + path + `"]}}` }
	w.write(w.home+"/.claude/settings.json", quoted(dirs["settings"]))
	w.write(w.work+"/.claude/settings.json", quoted(dirs["project"]))
	client := exec.Command("bash", "-c", "read -r line", "claude", "--add-dir", dirs["flag"], "../second", "/", "--verbose", dirs["other"])
	client.Dir = w.work
	in, err := client.StdinPipe()
	w.must(err)
	w.must(client.Start())
	t.Cleanup(func() {
		in.Close()
		client.Wait() // it ends without a line, which is no success
	})
	w.env = append(w.env, "CLAUDE_PID="+strconv.Itoa(client.Process.Pid))
	_, _, raw := w.event("testdata/hooks/claude-code-2.1.330/07-PreToolUse-Write.json")
	for name, inside := range map[string]bool{"flag": true, "second": true, "settings": true, "project": false, "other": false} {
		file := filepath.Join(dirs[name], "b.txt")
		answer, err := w.hook("claude-code", "PreToolUse", strings.Replace(raw, w.work+"/b.txt", file, 1))
		if err != nil || inside != (answer == "") || !inside && !strings.Contains(answer, "outside the workspace") {
			t.Errorf("%s: %v, %s", name, err, answer)
		}
		line := rewrittenIn(w.asked(claudeShell, "touch "+filepath.Join(dirs[name], "made")))
		printed := w.shell(line)
		if _, err := os.Stat(filepath.Join(dirs[name], "made")); inside && err != nil {
			t.Errorf("%s: %v: %s printed %s", name, err, line, printed)
		}
	}
}
