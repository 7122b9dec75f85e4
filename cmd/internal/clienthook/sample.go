package clienthook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// Sample is an event of the client's before a command line runs in a folder, for those who try its hooks.
func (c *Client) Sample(dir, line string) []byte {
	switch c.Name {
	case "copilot":
		return object(map[string]any{"cwd": dir, "toolName": "bash", "toolArgs": map[string]string{"command": line}})
	case "opencode":
		return object(map[string]any{"directory": dir, "tool": "bash", "args": map[string]string{"command": line}})
	case "cline":
		call := map[string]any{"name": "run_commands", "input": map[string]any{"commands": []string{line}}}
		return object(map[string]any{"workspaceRoots": []string{dir}, "tool_call": call})
	}
	shell := "Bash"
	if c.tools[shell].kind != Shell {
		shell = "run_shell_command"
	}
	return object(map[string]any{"cwd": dir, "tool_name": shell, "tool_input": map[string]string{"command": line}})
}

// Last is when a conversation of a client asked last, and which version of the client it was.
func Last(stateDir, client string) (at time.Time, version string, ok bool) {
	list, err := os.ReadDir(folder(stateDir, client))
	if err != nil {
		return at, "", false
	}
	newest := ""
	for _, e := range list {
		if info, err := e.Info(); err == nil && info.ModTime().After(at) {
			at, newest = info.ModTime(), e.Name()
		}
	}
	if newest == "" {
		return at, "", false
	}
	var c Conversation
	if b, err := os.ReadFile(filepath.Join(folder(stateDir, client), newest)); err == nil {
		_ = json.Unmarshal(b, &c) // without it the version is not known
	}
	return at, c.Version, true
}
