package clienthook

import "encoding/json"

// copilot is Copilot CLI, seen at 1.0.102. After its question it runs the model's own input, whatever the hook put in
// its place, and without a person it refuses a command that begins with a path.
func copilot() *Client {
	return &Client{
		Name:         "copilot",
		Title:        "Copilot CLI",
		Before:       "preToolUse",
		After:        "postToolUse",
		read:         readCopilot,
		mcp:          dashed,
		write:        writeCopilot,
		AsksTerminal: true,
		AsksHeadless: true, // it refuses what it would ask
		Rewrites:     true,
		Bare:         true,
		headless:     flagged("-p", "--prompt"),
		own:          []string{".copilot/session-state", ".copilot/history-session-state"},
		tools: map[string]shape{
			"bash":               {kind: Shell, fields: []string{"command"}, later: []string{"async", "mode"}},
			"view":               {kind: Read, fields: []string{"path"}},
			"edit":               {kind: Edit, fields: []string{"path"}},
			"create":             {kind: Write, fields: []string{"path"}},
			"str_replace_editor": {kind: Edit, fields: []string{"path"}},
			"apply_patch":        {kind: Edit, fields: []string{"input", "patch"}, patch: true},
			"grep":               {kind: Search, fields: []string{"path"}},
			"glob":               {kind: Search, fields: []string{"path"}},
			"web_fetch":          {kind: Fetch, fields: []string{"url"}},
		},
	}
}

func readCopilot(raw []byte, e *Event) error {
	var in struct {
		Session string          `json:"sessionId"`
		Dir     string          `json:"cwd"`
		Tool    string          `json:"toolName"`
		Args    json.RawMessage `json:"toolArgs"`
	}
	if err := decode(raw, &in); err != nil {
		return err
	}
	e.Tool, e.Input, e.Dir, e.Conversation = in.Tool, in.Args, in.Dir, in.Session
	if text := one(in.Args); text != "" { // earlier versions have the arguments as a text
		e.Input = json.RawMessage(text)
	}
	return nil
}

// dashed finds the server in SERVER-TOOL.
func dashed(e *Event) {
	for i := 1; i < len(e.Tool)-1; i++ {
		if e.Tool[i] == '-' {
			e.Server.Name, e.Server.Tool = e.Tool[:i], e.Tool[i+1:]
			return
		}
	}
}

// writeCopilot answers Copilot CLI. A new input without a decision leaves its own question as it is.
func writeCopilot(a Answer, _ *Event) Reply {
	out := struct {
		Decision string          `json:"permissionDecision,omitempty"`
		Reason   string          `json:"permissionDecisionReason,omitempty"`
		Args     json.RawMessage `json:"modifiedArgs,omitempty"`
	}{}
	switch a.Decision {
	case Silence:
		return Reply{}
	case Deny:
		out.Decision, out.Reason = "deny", a.Reason
	case Ask:
		out.Decision, out.Reason = "ask", a.Reason
	case Rewrite:
		out.Args = a.Input
		if a.Allow {
			out.Decision = "allow"
		}
	}
	return Reply{Stdout: object(out)}
}
