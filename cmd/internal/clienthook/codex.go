package clienthook

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
)

// codex is Codex, seen at 0.169.0. It takes no question from a hook: the call would run.
func codex() *Client {
	return &Client{
		Name:     "codex",
		Title:    "Codex",
		Before:   "PreToolUse",
		After:    "PostToolUse",
		read:     readClaude,
		mcp:      doubleUnderscores,
		write:    writeCodex,
		Rewrites: true,
		Ends:     true,
		headless: func([]string) bool { return true },
		own:      []string{".codex/memories", ".codex/skills"},
		tools: map[string]shape{
			"Bash":        {kind: Shell, fields: []string{"command"}},
			"apply_patch": {kind: Edit, fields: []string{"command", "input"}, patch: true},
			"view_image":  {kind: Read, fields: []string{"path"}},
		},
	}
}

// writeCodex answers Codex. One field that it does not know makes it pass over the answer, a new input counts only with
// an allow, and an allow only with a new input.
func writeCodex(a Answer, _ *Event) Reply {
	out := specificOutput{Event: "PreToolUse"}
	switch a.Decision {
	case Silence:
		return Reply{}
	case Deny, Ask:
		out.Decision, out.Reason = "deny", a.Reason
	case Rewrite:
		out.Decision, out.Input = "allow", a.Input
	}
	return Reply{Stdout: object(hookOutput{out})}
}

// maxTail bounds how much of a transcript is read from its end, in bytes: what a turn begins with stands in it, unless
// the turn is a very long one.
const maxTail = 1 << 20

// codexSandbox is the sandbox in which Codex runs the commands of this turn, by its own account of the conversation;
// "": it is not known. The mode in its events tells whether it asks: bypassPermissions in a read-only sandbox, too.
func codexSandbox(transcript string) string {
	var said struct {
		Type    string `json:"type"`
		Payload struct {
			Sandbox struct {
				Type string `json:"type"`
			} `json:"sandbox_policy"`
		} `json:"payload"`
	}
	const turn = "turn_context" // the kind of line with which a turn begins
	text := tail(transcript)
	for {
		at := bytes.LastIndexByte(text, '\n')
		line := text[at+1:]
		if bytes.Contains(line, []byte(turn)) && json.Unmarshal(line, &said) == nil && said.Type == turn {
			return said.Payload.Sandbox.Type
		}
		if at < 0 {
			return ""
		}
		text = text[:at]
	}
}

// tail is the end of a file; nil where none can be read.
func tail(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-maxTail), maxTail))
	if err != nil {
		return nil
	}
	return text
}
