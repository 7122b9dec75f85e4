package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// fakeClaude stands in for Claude Code where that is not installed: it speaks Messages with its model, asks the hooks of
// its settings before each call and after each edit in the recorded form, and does what they say.
func fakeClaude() {
	c := &fakeClient{url: os.Getenv("ANTHROPIC_BASE_URL") + "/v1/messages", prompt: os.Args[len(os.Args)-1]}
	if text, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), ".claude/settings.json")); err == nil {
		_ = json.Unmarshal(text, &c.settings) // without it there are no hooks
	}
	messages := []any{object{"role": "user", "content": c.prompt}}
	for range 10 {
		call, err := c.turn(messages)
		if err != nil {
			println(err.Error())
			os.Exit(1)
		}
		if call.Name == "" {
			return
		}
		text := c.do(call)
		block := object{"type": "tool_result", "tool_use_id": call.ID, "content": text}
		messages = append(messages, object{"role": "user", "content": []any{block}})
	}
}

type object = map[string]any

// A fakeClient is one run of it.
type fakeClient struct {
	url, prompt string
	settings    struct {
		Off   bool `json:"disableAllHooks"`
		Hooks map[string][]struct {
			Hooks []struct {
				Command string `json:"command"`
			} `json:"hooks"`
		} `json:"hooks"`
	}
}

// A fakeCall is one of the model's.
type fakeCall struct {
	ID, Name string
	Input    object
}

// turn asks the model what comes next.
func (c *fakeClient) turn(messages []any) (call fakeCall, err error) {
	tools := []any{object{"name": "Bash"}, object{"name": "Write"}}
	body, err := json.Marshal(object{"stream": true, "tools": tools, "messages": messages})
	if err != nil {
		return call, err
	}
	resp, err := http.Post(c.url, "application/json", bytes.NewReader(body))
	if err != nil {
		return call, err
	}
	defer resp.Body.Close()
	args := ""
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		var e struct {
			Block fakeCall `json:"content_block"`
			Delta struct {
				Part string `json:"partial_json"`
			} `json:"delta"`
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if ok && json.Unmarshal([]byte(data), &e) == nil {
			args += e.Delta.Part
			if e.Block.Name != "" {
				call = e.Block
			}
		}
	}
	if call.Name == "" {
		return call, nil
	}
	return call, json.Unmarshal([]byte(args), &call.Input)
}

// do asks the hooks, makes the call, and is its result.
func (c *fakeClient) do(call fakeCall) string {
	out, err := c.ask("PreToolUse", call)
	var said struct {
		Of struct {
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
			Input    object `json:"updatedInput"`
		} `json:"hookSpecificOutput"`
	}
	switch {
	case err != nil:
		return err.Error()
	case json.Unmarshal(out, &said) == nil && said.Of.Decision == "deny":
		return said.Of.Reason
	case said.Of.Input != nil:
		call.Input = said.Of.Input
	}
	if call.Name == "Bash" {
		out, err = exec.Command("bash", "-c", call.Input["command"].(string)).CombinedOutput()
	} else {
		err = os.WriteFile(call.Input["file_path"].(string), []byte(call.Input["content"].(string)), 0o600)
		_, after := c.ask("PostToolUse", call)
		err = errors.Join(err, after)
	}
	if err != nil {
		return string(out) + err.Error()
	}
	return string(out)
}

// ask runs the hooks of an event.
func (c *fakeClient) ask(event string, call fakeCall) (out []byte, err error) {
	dir, err := os.Getwd()
	if err != nil || c.settings.Off {
		return nil, err
	}
	text, err := json.Marshal(object{
		"session_id": "0", "cwd": dir, "permission_mode": "bypassPermissions", "hook_event_name": event,
		"tool_name": call.Name, "tool_input": call.Input, "tool_use_id": call.ID,
	})
	for _, group := range c.settings.Hooks[event] {
		for _, h := range group.Hooks {
			cmd := exec.Command("sh", "-c", h.Command)
			cmd.Stdin = bytes.NewReader(text)
			if out, err = cmd.Output(); err != nil {
				return nil, err
			}
		}
	}
	return out, err
}
